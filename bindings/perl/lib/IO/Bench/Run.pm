# SPDX-License-Identifier: MIT
package IO::Bench::Run;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Error;
use IO::Bench::Result;
use Time::HiRes ();

my $SLICE_MS = 200;    # how long a wait keeps signals waiting at most

sub CLONE_SKIP { return 1 }

sub _new {
    my ($class, $handle) = @_;
    return bless { handle => $handle }, $class;
}

sub _now { return Time::HiRes::clock_gettime(Time::HiRes::CLOCK_MONOTONIC()) }

# Up to a slice, after which Perl's signal handlers have had their turn.
sub _wait_a_little {
    my ($self, $ms) = @_;
    return IO::Bench::_swig::run_wait($self->{handle}, $ms // $SLICE_MS) > 0 ? 1 : 0;
}

sub wait {    ## no critic (builtin name)
    my ($self, $timeout) = @_;
    if (!defined $timeout) {
        1 until $self->_wait_a_little;
        return 1;
    }
    my $end = _now() + $timeout;
    while (1) {
        my $left = ($end - _now()) * 1000;
        my $ms = $left > $SLICE_MS ? $SLICE_MS : $left > 0 ? int($left + 0.5) : 0;
        return 1 if $self->_wait_a_little($ms);
        return 0 if $left <= 0;
    }
}

sub done { return $_[0]->_wait_a_little(0) }

sub progress { return IO::Bench::_swig::iob_run_progress($_[0]{handle}) }

sub phase {
    my ($self, $stage, $workload) = @_;
    my $phase = IO::Bench::_swig::iob_run_phase($self->{handle}, $stage, $workload);
    IO::Bench::Error->throw(-$phase, 'phase', 'there is no such stage or workload') if $phase < 0;
    return (qw(waiting ramp running ended))[$phase];
}

sub snapshot {
    return IO::Bench::Result->_root(IO::Bench::_swig::iob_run_snapshot($_[0]{handle}));
}

sub cancel {
    IO::Bench::_swig::iob_run_cancel($_[0]{handle});
    return;
}

sub finish {
    my ($self) = @_;
    $self->wait;
    return $self->{result} //= do {
        my $handle = eval { IO::Bench::_swig::iob_run_result($self->{handle}) };
        if (!$handle) {
            my $error = $@;
            $error->{result} = eval { $self->snapshot } if ref $error;
            die $error;
        }
        IO::Bench::Result->_root($handle);
    };
}

# Cancels; the result, or where the kernel holds I/O for long what there is of it.
sub _give_up {
    my ($self) = @_;
    $self->cancel;
    local $@;
    return eval { $self->wait(1) ? $self->finish : undef } // eval { $self->snapshot };
}

1;

__END__

=head1 NAME

IO::Bench::Run - a run in progress

=head1 SYNOPSIS

    my $run = IO::Bench::start($suite);
    local $SIG{INT} = sub { $run->cancel };
    until ($run->wait(1)) {
        printf "%.0f %%\n", 100 * $run->progress->{share};
    }
    my $result = $run->finish;

=head1 METHODS

=over

=item C<wait($seconds)>

Waits until the run has ended and all its I/O is drained, or for so many seconds; without an argument
as long as it takes. Whether it has ended.

=item C<done>

Whether the run has ended.

=item C<progress>

A hash: C<stage> (that runs now, from 0), C<stages>, C<name> (of the stage), C<share> (of the whole
run done, 0 to 1), C<eta> (seconds, or undef), C<iops> and C<bytes_per_s> (of the last tenth of a
second, each a hash by C<all>, C<read>, C<write>, C<trim>, C<sync>), C<in_flight>, C<done>, C<round>
(that runs now, from 1) and C<rounds> (at most; 0: not in rounds).

=item C<phase(STAGE, WORKLOAD)>

What a workload of a stage does, both counted from 0: C<waiting>, C<ramp>, C<running> or C<ended>.

=item C<snapshot>

What has been measured so far, an L<IO::Bench::Result>. Never waits for a worker, even one that is
stuck in a system call.

=item C<cancel>

Asks the run to end; returns at once.

=item C<finish>

Waits for the end and gives the result. Dies where a stage could not start; errors of I/O are in the
result instead.

=back

A run that nobody holds any more is cancelled.

=cut
