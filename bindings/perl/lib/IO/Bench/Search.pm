# SPDX-License-Identifier: MIT
package IO::Bench::Search;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Run;
use IO::Bench::Workload;
use parent 'IO::Bench::Runnable';

my @settings = qw(latency_target over op low high resolution confidence tries);

sub new {
    my ($class, $workload, @given) = @_;
    IO::Bench::Error->throw(EINVAL => 'search', 'give a workload')
        unless ref $workload && eval { $workload->isa('IO::Bench::Workload') };
    IO::Bench::Error->throw(EINVAL => 'search', 'an odd number of arguments; give name => value')
        if @given % 2;
    my %given = @given;
    my $self  = bless { handle => IO::Bench::_swig::iob_search_new($workload->{handle}) }, $class;
    for my $name (sort keys %given) {
        my $value = $given{$name};
        next if !defined $value && $name ne 'latency_target' && grep { $_ eq $name } @settings;
        IO::Bench::Error->throw(EINVAL => $name, 'the value is undef') unless defined $value;
        IO::Bench::Error->throw(EINVAL => $name, 'the value is a reference, or has a NUL in it')
            if ref $value || $value =~ /\0/;
        IO::Bench::_swig::iob_search_set($self->{handle}, $name, "$value");
    }
    return $self;
}

sub start {
    my ($self) = @_;
    return IO::Bench::Run->_new(IO::Bench::_swig::iob_search_start($self->{handle}));
}

1;

__END__

=head1 NAME

IO::Bench::Search - the highest rate or depth that holds a latency target

=head1 SYNOPSIS

    my $w = IO::Bench::Workload->new(target => '/dev/nvme0n1', arrival => 'poisson',
        queue_depth => 256, runtime => 5);
    my $r = IO::Bench::Search->new($w, latency_target => 'p99=1ms')->run;

    my $found = $r->search;
    print "$found->{param} $found->{held} holds\n" if $found->{answer} eq 'found';
    printf "%s %.0f %.0f %s\n", $_->{value} // '-', $_->{iops}, $_->{latency_ns}, $_->{verdict}
        for @{ $found->{steps} };

=head1 METHODS

C<run> and C<start> are those of L<IO::Bench::Workload>; the result's stages are the steps of the
search, and its C<search> tells what they came to (L<IO::Bench::Result/search>).

=over

=item C<new($workload, latency_target =E<gt> 'p99=1ms', ...)>

The search varies C<rate_iops> where the arrival of the workload is C<fixed> or C<poisson>, else
C<queue_depth>. Each step takes its C<ramp_time> and C<runtime>.

C<latency_target>: C<p99=1ms>, C<p99.9=500us>, C<mean=2ms>, C<max=10ms>. C<over>: what varies. C<op>:
whose latency is judged, C<all>, C<read>, C<write> or C<trim>. C<low>, C<high>: the lowest and the
highest value to try. C<resolution>: percent between what holds and what misses (2). C<confidence>:
percent, of each verdict (95). C<tries>: how often a value is tried before it counts as undecided (3).

=back

=cut
