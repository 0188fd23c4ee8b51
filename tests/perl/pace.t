# SPDX-License-Identifier: MIT
# Open loops in Perl: the schedule, both times, corrected histograms.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL EOVERFLOW);
use Test::More;
use Support;
use IO::Bench;

my $W = 'IO::Bench::Workload';

my $r = $W->new(%null, runtime => 0.3, arrival => 'fixed', rate_iops => 500)->run;
is($r->pace->{asked_iops}, 500, 'asked');
is($r->pace->{starts} + $r->pace->{unissued}, 150, 'all that fell due');
is($r->all->response->count, $r->all->ios, 'a response time each');
is_deeply(($r->workloads)[0]->pace, $r->pace, 'of the workload');
is_deeply([sort keys %{ $r->pace }], [sort keys %{ $r->to_hash->{stages}[0]{workloads}[0]{pace} }],
    'as in JSON');

$r = $W->new(%null, runtime => 0.3, arrival => 'poisson', rate_iops => 1_000_000_000)->run;
cmp_ok($r->pace->{unissued}, '>', 1e6, 'unissued');
my ($found) = grep { $_->{code} eq 'saturated' } $r->findings;
is($found->{evidence}{unissued}, $r->pace->{unissued}, 'saturated');
cmp_ok($r->all->response->percentile(50), '>', $r->all->latency->percentile(50), 'response');

is($W->new(%null, runtime => 0, io_size => '4m')->run->pace, undef, 'none in a closed loop');
dies(sub { $W->new(%null, rate_iops => 100)->run }, 'a rate alone', qr/arrival=fixed/,
    errno => EINVAL);

my $h = IO::Bench::Histogram->new;
$h->record_corrected(1000, 10_000, 10_000);
$h->record_corrected(100_000_000, 10_000);
is($h->count, 20_000, 'corrected');
for ([50, 1000], [75, 50e6], [90, 80e6], [99, 98e6], [100, 1e8]) {
    my ($p, $value) = @$_;
    cmp_ok(abs($h->percentile($p) / $value - 1), '<', 2**-8, "p$p");
}
cmp_ok(abs($h->mean - 25_003_000), '<', 0.001, 'mean');
dies(sub { $h->record_corrected(~0, 1) }, 'too many', qr/record_corrected/, errno => EOVERFLOW);
dies(sub { $h->record_corrected(1, -1) }, 'no interval', qr/whole numbers/, errno => EINVAL);
is($h->count, 20_000, 'nothing changed');

done_testing;
