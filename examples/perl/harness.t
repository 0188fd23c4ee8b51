#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# A test that fails where the storage is too slow, or answers too late:
#
#   TARGET=/dev/nvme0n1 LIMIT_US=2000 prove harness.t
use strict;
use warnings;
use IO::Bench;
use Test::More;

my $target = $ENV{TARGET} or plan skip_all => 'TARGET names no file or device';
my $limit  = $ENV{LIMIT_US} // 1000;
my $result = IO::Bench::Workload->new(target => $target, block_size => '8k', queue_depth => 4,
    runtime => $ENV{RUNTIME} // 2)->run;

ok(!$result->flags->{errors}, 'no I/O failed') or diag $result->error;
cmp_ok($result->read->latency->percentile(99) / 1e3, '<', $limit, 'p99 in us')
    or diag $result->report('text');
done_testing;
