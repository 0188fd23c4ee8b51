#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# latency_target.pl FILE [TARGET]: the most reads a second at which the latency stays within
# TARGET (p99=10ms), and what was measured on the way.
use strict;
use warnings;
use IO::Bench;

my ($file, $target) = @ARGV;
my $result = eval {
    my $w = IO::Bench::Workload->new(target => $file, arrival => 'poisson', queue_depth => 64,
        runtime => '500ms');
    IO::Bench::search($w, latency_target => $target // 'p99=10ms');
} or die "latency_target: $@";
my @stages = $result->stages;
for my $step (@{ $result->search->{steps} }) {
    printf "%-24s %10.0f IOPS %10.0f us\n", (shift @stages)->name, $step->{iops},
        $step->{latency_ns} / 1e3;
}
my $held = $result->search->{held};
print $held ? "$held a second\n" : "none\n";
