# SPDX-License-Identifier: MIT
# What a workload and a suite have in common.
package IO::Bench::Runnable;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Run;

sub CLONE_SKIP { return 1 }

sub start {
    my ($self) = @_;
    return IO::Bench::Run->_new(IO::Bench::_swig::iob_run_start($self->_suite_handle));
}

sub run {
    my ($self, %option) = @_;
    my ($progress, $partial) = delete @option{qw(progress partial)};
    IO::Bench::Error->throw(EINVAL => 'run', "unknown option $_; there are progress and partial")
        for sort keys %option;
    IO::Bench::Error->throw(EINVAL => 'run', 'progress is no code reference')
        if defined $progress && ref $progress ne 'CODE';
    my $run = $self->start;
    my $result;
    return $result if eval {
        until ($run->_wait_a_little) {
            $progress->($run->progress) if $progress;
        }
        $result = $run->finish;
        1;
    };
    my $error = $@;
    my $kept  = $run->_give_up;
    $$partial = $kept if ref $partial;
    $error->{result} //= $kept if ref $error && eval { $error->isa('IO::Bench::Error') };
    die $error;
}

1;
