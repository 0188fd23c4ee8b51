#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# fio_job.pl JOBFILE: runs a job file of fio that only reads, and prints each job's speed.
use strict;
use warnings;
use IO::Bench;

my $result = eval {
    # Without allow_destroy a job that writes is refused, and no file is made.
    my $suite = IO::Bench::load_fio($ARGV[0] // '');
    warn "$_->{file}:$_->{line}: $_->{text}\n" for $suite->notes;
    $suite->run;
} or die "fio_job: $@";
for my $job ($result->workloads) {
    my $read = $job->read;
    printf "%-16s %8.0f IOPS %8.1f us p99\n", $job->name, $read->iops,
        ($read->latency->percentile(99) // 0) / 1e3;
}
