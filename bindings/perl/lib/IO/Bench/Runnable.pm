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

my %metric = (
    iops      => $IO::Bench::_swig::IOB_STEADY_IOPS,
    bandwidth => $IO::Bench::_swig::IOB_STEADY_BANDWIDTH,
    latency   => $IO::Bench::_swig::IOB_STEADY_LATENCY,
);

sub start_until_steady {
    my ($self, %option) = @_;
    my %rule = (metric => 'iops', rounds => 25, window => 5, excursion => 0.2, slope => 0.1, %option);
    for (sort keys %option) {
        IO::Bench::Error->throw(EINVAL => 'until_steady',
            "unknown option $_; there are metric, rounds, window, excursion and slope")
            unless /^(?:metric|rounds|window|excursion|slope)$/;
    }
    my $metric = $metric{ $rule{metric} // '' };
    IO::Bench::Error->throw(EINVAL => 'metric', 'it is none of iops, bandwidth, latency')
        unless defined $metric;
    for (qw(rounds window)) {
        IO::Bench::Error->throw(EINVAL => $_, "it is no number of rounds, as 5")
            unless defined $rule{$_} && $rule{$_} =~ /^[1-9][0-9]{0,8}$/;
    }
    return IO::Bench::Run->_new(IO::Bench::_swig::steady_start($self->_suite_handle, $metric,
        $rule{rounds}, $rule{window}, $rule{excursion}, $rule{slope}));
}

sub run_until_steady {
    my ($self, %option) = @_;
    my %run = map { exists $option{$_} ? ($_ => delete $option{$_}) : () } qw(progress partial);
    return $self->_follow(sub { $self->start_until_steady(%option) }, %run);
}

sub run {
    my ($self, %option) = @_;
    return $self->_follow(sub { $self->start }, %option);
}

sub _follow {
    my ($self, $start, %option) = @_;
    my ($progress, $partial) = delete @option{qw(progress partial)};
    IO::Bench::Error->throw(EINVAL => 'run', "unknown option $_; there are progress and partial")
        for sort keys %option;
    IO::Bench::Error->throw(EINVAL => 'run', 'progress is no code reference')
        if defined $progress && ref $progress ne 'CODE';
    my $run = $start->();
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
