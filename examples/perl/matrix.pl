#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# matrix.pl FILE: how block size and queue depth change the speed of reads.
use strict;
use warnings;
use IO::Bench;

my $result = eval {
    my $base = IO::Bench::Workload->new(target => \@ARGV, runtime => '200ms');
    IO::Bench::matrix($base, block_size => [qw(4k 16k 64k)], queue_depth => [1, 8])->run;
} or die "matrix: $@";
printf "%8s %6s %10s %8s %10s\n", 'block', 'depth', 'IOPS', 'MB/s', 'p99 us';
for my $cell ($result->workloads) {
    my ($ran, $read) = ($cell->effective, $cell->read);
    printf "%7dk %6d %10.0f %8.0f %10.1f\n", $ran->{block_size} >> 10, $ran->{queue_depth},
        $read->iops, $read->bytes_per_s / 1e6, $read->latency->percentile(99) / 1e3;
}
