# SPDX-License-Identifier: MIT
package IO::Bench;
use strict;
use warnings;
use 5.030;

use Carp ();
use IO::Bench::Device;
use IO::Bench::Error;
use IO::Bench::_swig;
use IO::Bench::Histogram;
use IO::Bench::Result;
use IO::Bench::Run;
use IO::Bench::Workload;
use IO::Bench::Suite;
use IO::Bench::Search;

our $VERSION = IO::Bench::_swig::iob_version();

# Errors tell the place in the program that called.
$Carp::Internal{$_}++ for qw(IO::Bench IO::Bench::Device IO::Bench::Error IO::Bench::Histogram IO::Bench::Operation
    IO::Bench::Parameters IO::Bench::Result IO::Bench::Run IO::Bench::Runnable IO::Bench::Search IO::Bench::Suite
    IO::Bench::Workload IO::Bench::_swig);

sub version { return IO::Bench::_swig::iob_version() }

sub start {
    my ($what) = @_;
    IO::Bench::Error->throw(EINVAL => 'start', 'give a workload or a suite')
        unless ref $what && eval { $what->isa('IO::Bench::Runnable') };
    return $what->start;
}

sub matrix {
    my ($workload, @axes) = @_;
    my $suite = IO::Bench::Suite->new;
    $suite->add_matrix($workload, @axes);
    return $suite;
}

sub load_fio {
    my (@arguments) = @_;
    return IO::Bench::Suite->load_fio(@arguments);
}

my @support = ('supported', 'no effect', 'refused');

sub fio_options {
    my @found;
    while (my $o = IO::Bench::_swig::iob_fio_option_get(scalar @found)) {
        my $option = IO::Bench::Result::_fields('iob_fio_option', $o, qw(name alias value help support));
        $option->{support} = $support[$option->{support}];
        push @found, $option;
    }
    return @found;
}

# IO::Bench->search(...) as well.
sub search {
    shift if @_ && defined $_[0] && !ref $_[0] && $_[0] eq __PACKAGE__;
    my ($workload, @given) = @_;
    my %run;
    if (@given % 2 == 0) {
        my %all = @given;
        %run = map { exists $all{$_} ? ($_ => delete $all{$_}) : () } qw(progress partial);
        @given = %all;
    }
    return IO::Bench::Search->new($workload, @given)->run(%run);
}

# Steadiness of the values of rounds.
sub steady {
    my ($values, %option) = @_;
    IO::Bench::Error->throw(EINVAL => 'steady', 'give a reference to an array of numbers')
        unless ref $values eq 'ARRAY';
    my %rule = (window => 5, excursion => 0.2, slope => 0.1, %option);
    IO::Bench::Error->throw(EINVAL => 'steady', 'there are the options window, excursion and slope')
        if keys %rule > 3;
    my %judged;
    @judged{qw(steady round average excursion slope)} = unpack 'd*',
        IO::Bench::_swig::steady_judge(pack('d*', @$values), @rule{qw(window excursion slope)});
    $judged{round} ||= undef;
    return \%judged;
}

sub until_steady {
    my ($what, %option) = @_;
    IO::Bench::Error->throw(EINVAL => 'until_steady', 'give a workload or a suite')
        unless ref $what && eval { $what->isa('IO::Bench::Runnable') };
    return $what->run_until_steady(%option);
}

sub precondition {
    my ($workload) = @_;
    return IO::Bench::Suite->new->add_precondition($workload);
}

my %metric_of = (iops => 'iops', throughput => 'bandwidth', latency => 'latency');

sub pts {
    my ($test, $workload, %option) = @_;
    my %own = map { exists $option{$_} ? ($_ => delete $option{$_}) : () } qw(block_sizes purge precondition);
    my $suite = IO::Bench::Suite->new->add_pts($test, $workload, %own);
    return $suite->run_until_steady(metric => $metric_of{$test}, %option);
}

sub device {
    my ($path) = @_;
    IO::Bench::Error->throw(EINVAL => 'device', 'give a path')
        unless defined $path && (!ref $path || eval { "$path" }) && "$path" !~ /\0/;
    return IO::Bench::Device->_open("$path");
}

sub read {    ## no critic (builtin name)
    my ($path, $format) = @_;
    IO::Bench::Error->throw(EINVAL => 'read', 'the path is undef') unless defined $path;
    open my $file, '<:raw', $path
        or IO::Bench::Error->throw($! + 0, 'read', "$!", file => $path);
    my $data = do { local $/; <$file> };
    $data = '' unless defined $data;
    my $handle = eval { IO::Bench::_swig::iob_result_read($data, $format // '') };
    if (!$handle) {
        my $error = $@;
        $error->{file} ||= $path if ref $error;
        die $error;
    }
    return IO::Bench::Result->_root($handle);
}

sub merge {
    my @handles;
    for my $part (@_) {
        IO::Bench::Error->throw(EINVAL => 'merge', 'give results')
            unless ref $part && eval { $part->isa('IO::Bench::Result') };
        push @handles, $part->{handle};
    }
    return IO::Bench::Result->_root(IO::Bench::_swig::iob_result_merge(\@handles));
}

# Two results, or two references to lists of them: a report.
sub compare {
    my ($first, $second, $format) = @_;
    my @sets = map { ref $_ eq 'ARRAY' ? $_ : [$_] } $first, $second;
    for my $node (map { @$_ } @sets) {
        IO::Bench::Error->throw(EINVAL => 'compare', 'give results')
            unless ref $node && eval { $node->isa('IO::Bench::Result') };
    }
    my @handles = map { $_->{handle} } map { @$_ } @sets;
    return IO::Bench::_swig::compare_report(\@handles, scalar @{ $sets[0] }, $format // 'text');
}

sub params { return map { {%$_} } IO::Bench::Parameters::table() }

my @caps = qw(sync no_target trim fsync poll buffered_only);

sub engines {
    my @found;
    while (defined(my $name = IO::Bench::_swig::engine_name(scalar @found))) {
        my $caps   = IO::Bench::_swig::engine_caps(scalar @found);
        my %engine = (name => $name, error => undef);
        eval { IO::Bench::_swig::engine_probe(scalar @found); 1 } or $engine{error} = $@;
        for my $cap (@caps) {
            no strict 'refs';
            $engine{$cap} = $caps & ${'IO::Bench::_swig::IOB_ENGINE_' . uc $cap} ? 1 : 0;
        }
        push @found, \%engine;
    }
    return @found;
}

1;

__END__

=encoding utf8

=head1 NAME

IO::Bench - run storage workloads, get latencies that can be trusted

=head1 SYNOPSIS

    use IO::Bench;

    my $r = IO::Bench::Workload->new(target => 'FILE', block_size => '8k', runtime => 1)->run;
    printf "%.0f reads a second, 99 %% of them within %.0f us\n",
        $r->read->iops, $r->read->latency->percentile(99) / 1e3;

    # One stage for each combination of values.
    my $w = IO::Bench::Workload->new(target => '/dev/nvme0n1', runtime => '5s');
    my $m = IO::Bench::matrix($w, block_size => [qw(8k 16k 1m)], workers => [1, 16])->run;
    printf "%8s %10.0f\n", $_->effective->{block_size}, $_->read->iops for $m->children;

=head1 DESCRIPTION

The Perl side of libiobench, which runs storage workloads on block devices and files. What is read
and written, and how each number is made, is the library's; C<iobench params> or
C<IO::Bench::params> lists the parameters.

Nothing is written to a target unless the workload writes B<and> says C<< allow_destroy => 1 >>.

Whatever fails dies with an L<IO::Bench::Error>. Counts and latencies are exact up to 2^64 - 1.

=head2 Classes

=over

=item L<IO::Bench::Workload> - what to do, and to what

=item L<IO::Bench::Suite> - stages and matrices of workloads

=item L<IO::Bench::Search> - the highest rate or depth that holds a latency target

=item L<IO::Bench::Run> - a run in progress: wait, progress, snapshot, cancel

=item L<IO::Bench::Result> - what was measured

=item L<IO::Bench::Device> - what a block device or a file is

=item L<IO::Bench::Histogram> - percentiles, buckets

=item L<IO::Bench::Error> - what went wrong, and where

=back

=head1 FUNCTIONS

None is exported.

=over

=item C<matrix($workload, PARAMETER =E<gt> [VALUES], ...)>

An L<IO::Bench::Suite> with a stage for each combination of values; the first parameter varies
slowest.

=item C<until_steady($what, metric =E<gt> 'iops', ...)>

Runs a workload or a suite again and again until all tracked cells are steady at the same round (SNIA
PTS), or C<rounds> (25) are done: C<run_until_steady>. The result's C<rounds> says which
(L<IO::Bench::Result/rounds>). C<metric> is 'iops', 'bandwidth' or 'latency'; C<window> (5),
C<excursion> (0.2) and C<slope> (0.1) are the rule; C<progress> and C<partial> as of C<run>.

=item C<steady([VALUES], window =E<gt> 5, excursion =E<gt> 0.2, slope =E<gt> 0.1)>

Judges the values of rounds: a hash of C<steady>, C<round> (the last of the window, from 1; undef: too
few values), C<average>, C<excursion> and C<slope> (of the average).

=item C<precondition($workload)>

A suite that writes the region of each target twice, in sequential writes of 128 KiB.

=item C<pts($test, $workload, ...)>

Runs a test of the SNIA Performance Test Specification, 'iops', 'throughput' or 'latency', which writes
all over the workload's targets. Options are those of C<until_steady>, and C<block_sizes> (an array, or
text with commas), C<purge> (how the device was purged, for the report), C<precondition> (0: it was).

=item C<search($workload, latency_target =E<gt> 'p99=1ms', ...)>

Runs an L<IO::Bench::Search> to its end: the highest rate or queue depth that holds a latency target.
C<progress> and C<partial> are as for L<IO::Bench::Workload/run>.

=item C<start($workload)>, C<start($suite)>

Starts it and returns an L<IO::Bench::Run> at once.

=item C<load_fio($path, allow_destroy =E<gt> BOOL, ...)>, C<load_fio(\@arguments, ...)>

An L<IO::Bench::Suite> from a job file or a command line of fio: L<IO::Bench::Suite/load_fio>.

=item C<fio_options>

The options of fio that are known: hashes of C<name>, C<alias> (or undef), C<support> (C<supported>,
C<no effect> or C<refused>), C<value> (what it takes) and C<help> (what becomes of it).

=item C<device($path)>

An L<IO::Bench::Device>: facts, layers, who uses it.

=item C<read($path, $format)>

A recorded result: what C<< $result->save >> wrote (C<json>), or what another program printed:
C<fio-json>, C<fio-text>, C<xdisk>. Without a format, whichever it looks like.

=item C<compare($a, $b, $format)>

Two results, or two references to lists of them (as the rows of a table), cell by cell: rates, means,
p99, their ratios, and where both have a series whether they differ by more than they vary. A report:
C<text>, C<json>, C<csv> or C<markdown>.

=item C<merge(@results)>

One result from the parts of a plan that several processes or hosts ran at the same time. Counts and
histograms are summed exactly.

=item C<params>

The library's table of parameters: hashes of C<name>, C<type> (C<int>, C<size>, C<time>, C<bool>,
C<choice>, C<blocks>, C<rate>, C<text>), C<unit>, C<min>, C<max>, C<default>, C<choices> (an array), C<help>.

=item C<engines>

The engines: hashes of C<name>, C<error> (why it does not work on this machine, or undef), and what
it can do: C<sync>, C<no_target>, C<trim>, C<fsync>, C<poll>, C<buffered_only>.

=item C<version>

That of the library.

=back

=head1 TEXT AND PATHS

Paths are bytes, as C<open> takes them and C<readdir> gives them; a path of characters becomes what
C<open> makes of it. C<targets> gives bytes back. A report is bytes too (UTF-8), ready for a file or
for C<decode_json>. Names and messages are characters.

=head1 SIGNALS AND THREADS

A run waits in slices of a fifth of a second, so that Perl's handlers are called while it goes on.
A handler that dies ends the run: it is cancelled, and what was measured until then is kept, see
L<IO::Bench::Workload/run>. The library's own threads take no signals.

Objects belong to the interpreter thread that made them: in a thread that is started later they are
references to undef. A child of C<fork> should not use a run of its parent's.

=head1 SEE ALSO

iobench(1), iobench(7)

=cut
