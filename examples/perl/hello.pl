#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# hello.pl FILE: random reads of 8 KiB for a second.
use strict;
use warnings;
use IO::Bench;

my $result = eval {
    IO::Bench::Workload->new(target => \@ARGV, block_size => '8k', runtime => '1s')->run;
} or die "hello: $@";
printf "%.0f reads a second, 99 %% of them within %.0f us\n",
    $result->read->iops, $result->read->latency->percentile(99) / 1e3;
