# SPDX-License-Identifier: MIT
package IO::Bench::Histogram;
use strict;
use warnings;

use Errno ();
use IO::Bench::Error;
use IO::Bench::_swig;
use Scalar::Util ();

sub CLONE_SKIP { return 1 }

sub new {
    my ($class, $precision) = @_;
    return bless { handle => IO::Bench::_swig::iob_hist_new($precision // 8) }, $class;
}

# One of a result: it keeps the whole result.
sub _of {
    my ($class, $handle, $owner) = @_;
    return bless { handle => $handle, owner => $owner }, $class;
}

sub _own {
    my ($self, $where) = @_;
    IO::Bench::Error->throw(EPERM => $where, "a result's histogram cannot be changed") if $self->{owner};
    delete $self->{grid};
    return $self->{handle};
}

sub _check {
    my ($code, $where) = @_;
    return 1 if $code >= 0;
    local $! = -$code;
    IO::Bench::Error->throw(-$code, $where, "$!");
}

sub _is_word {
    my ($number) = @_;
    return defined $number && $number =~ /^0*([0-9]{1,20})$/ && (length $1 < 20 || $1 le ~0);
}

sub record {
    my ($self, $value, $count) = @_;
    IO::Bench::Error->throw(EINVAL => 'record', 'give whole numbers from 0 to 2^64 - 1')
        unless _is_word($value) && _is_word($count // 1);
    return _check(IO::Bench::_swig::iob_hist_record($self->_own('record'), $value, $count // 1), 'record');
}

sub record_corrected {
    my ($self, $value, $interval, $count) = @_;
    IO::Bench::Error->throw(EINVAL => 'record_corrected', 'give whole numbers from 0 to 2^64 - 1')
        unless _is_word($value) && _is_word($interval) && _is_word($count // 1);
    return _check(IO::Bench::_swig::iob_hist_record_corrected(
        $self->_own('record_corrected'), $value, $count // 1, $interval), 'record_corrected');
}

sub merge {
    my ($self, $other) = @_;
    IO::Bench::Error->throw(EINVAL => 'merge', 'give a histogram')
        unless ref $other && eval { $other->isa(__PACKAGE__) };
    return _check(IO::Bench::_swig::iob_hist_merge($self->_own('merge'), $other->{handle}), 'merge');
}

sub precision { return IO::Bench::_swig::iob_hist_precision($_[0]{handle}) }
sub count     { return IO::Bench::_swig::iob_hist_count($_[0]{handle}) }
sub min       { return IO::Bench::_swig::iob_hist_min($_[0]{handle}) }
sub max       { return IO::Bench::_swig::iob_hist_max($_[0]{handle}) }
sub mean      { return IO::Bench::_swig::iob_hist_mean($_[0]{handle}) }
sub stddev    { return IO::Bench::_swig::iob_hist_stddev($_[0]{handle}) }

sub percentile {
    my ($self, $p) = @_;
    IO::Bench::Error->throw(EINVAL => 'percentile', 'give a number from 0 to 100')
        unless defined $p && Scalar::Util::looks_like_number($p);
    my ($code, $value) = IO::Bench::_swig::iob_hist_percentile($self->{handle}, $p);
    return $value if $code >= 0;
    my $what = -$code != Errno::ENODATA() ? "$p is not between 0 and 100"
        : $self->count ? 'it is not known: the report that was read has others' : 'there are no samples';
    IO::Bench::Error->throw(-$code, 'percentile', $what);
}

sub percentile_interval {
    my ($self, $p, $confidence) = @_;
    $confidence //= 0.95;
    IO::Bench::Error->throw(EINVAL => 'percentile_interval', 'give a number from 0 to 100, and one between 0 and 1')
        unless defined $p && Scalar::Util::looks_like_number($p) && Scalar::Util::looks_like_number($confidence);
    my ($code, $low, $high) = IO::Bench::_swig::iob_hist_percentile_interval($self->{handle}, $p, $confidence);
    return ($low, $high) if $code >= 0;
    my $what = -$code == Errno::ENODATA() ? $self->count . " samples are too few for an interval of p$p"
        : $p >= 0 && $p <= 100 ? "confidence $confidence is not between 0 and 1" : "$p is not between 0 and 100";
    IO::Bench::Error->throw(-$code, 'percentile_interval', $what);
}

sub _grid {
    my ($self) = @_;
    return $self->{grid} //= IO::Bench::_swig::hist_grid($self->{handle});
}

sub edges  { return [@{ $_[0]->_grid->[0] }] }
sub counts { return [@{ $_[0]->_grid->[1] }] }

1;

__END__

=head1 NAME

IO::Bench::Histogram - percentiles of latency

=head1 SYNOPSIS

    my $h = $result->read->latency;
    printf "p99.9 %d ns, worst %d ns\n", $h->percentile(99.9), $h->max;

=head1 METHODS

Values are unsigned 64-bit numbers, of a result nanoseconds. Count, min, max and mean are exact; a
percentile is off by at most 2^-precision of its value (8: 0.4 %).

=over

=item C<count>, C<min>, C<max>, C<mean>, C<stddev>, C<precision>

Without a sample min and max are 0, mean and stddev NaN.

=item C<percentile($p)>

By nearest rank, 0 (the minimum) to 100 (the maximum). Dies where there is no sample, or where it is
not known: a recorded result has the percentiles that were printed.

=item C<percentile_interval($p, $confidence)>

C<($low, $high)>: the interval that holds the percentile of what the samples are drawn from with at
least that probability (0.95), by order statistics: no distribution is assumed, but that the samples
are independent, which neighbouring I/Os are not quite. Dies where there are too few samples.

=item C<counts>, C<edges>

Arrays: samples in each bucket from that of min to that of max, empty ones too; and where the buckets
start, with the end of the last one behind them, so one more. Bucket i is [edges i, edges i + 1).

=item C<new($precision)>, C<record($value, $count)>, C<merge($other)>

A histogram of your own. Those of a result cannot be changed, but merged into one.

=item C<record_corrected($value, $interval, $count)>

The samples, and those that a closed loop left out while it waited for that value where one was meant
every C<$interval>: C<$value - $interval> and so on down to C<$interval>. HdrHistogram's correction for
coordinated omission; an interval of 0 is C<record>.

=back

=cut
