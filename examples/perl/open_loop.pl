#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# open_loop.pl FILE [RATE]: a closed loop finds what the device can do. Half of that, or RATE, is then
# asked for by a schedule, and what a client waits is told.
use strict;
use warnings;
use IO::Bench;

sub tell_of {
    my ($name, $r) = @_;
    printf "%-6s %7.0f a second, p99: service %8.0f us, response %8.0f us\n", $name, $r->all->iops,
        $r->all->latency->percentile(99) / 1e3, $r->all->response->percentile(99) / 1e3;
}

my ($path, $rate) = @ARGV;
my ($closed, $open) = eval {
    my $w = IO::Bench::Workload->new(
        target => [$path // ()], queue_depth => 16, runtime => 1);
    my $first = $w->run;
    $w->arrival('poisson');
    $w->rate_iops($rate // int($first->all->iops / 2));
    ($first, $w->run);
} or die "open_loop: $@";

tell_of(closed => $closed);
tell_of(open   => $open);
printf "%d more were due and never started\n", $open->pace->{unissued}
    if $open->pace->{unissued};
