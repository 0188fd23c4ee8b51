#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# histogram.pl FILE: the shape of the latency of 20,000 random reads, a line for each octave from
# 1 us on.
use strict;
use warnings;
use IO::Bench;

my $result = eval {
    IO::Bench::Workload->new(target => \@ARGV, runtime => 0, io_size => 20_000 * 4096)->run;
} or die "histogram: $@";
my $h = $result->read->latency;
my ($counts, $edges) = ($h->counts, $h->edges);
my ($i, $edge) = (0, 1000);
while ($i < @$counts) {
    my $here = 0;
    $here += $counts->[$i++] while $i < @$counts && $edges->[$i + 1] <= $edge;
    printf "under %8d us %8d %s\n", $edge / 1000, $here, '#' x (50 * $here / $h->count) if $here;
    $edge *= 2;
}
