# SPDX-License-Identifier: MIT
# Searches: what they find, what they refuse, how they end. ctest: serial
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Support;
use IO::Bench;

my $W     = 'IO::Bench::Workload';
my %short = (%null, runtime => '200ms');
my @p99   = (latency_target => 'p99=10s');

{
    my $r = IO::Bench->search($W->new(%short), @p99, high => 5);
    my $s = $r->search;
    is_deeply([@$s{qw(answer param held missed metric limit_ns op latency low high tries)}],
        ['everything holds', 'queue_depth', 5, undef, 'p99', 10_000_000_000, 'all', 'service', 1, 5, 3],
        'everything holds');
    is_deeply([map { $_->{value} } @{ $s->{steps} }], [1, 2, 4, 5], 'doubled');
    is_deeply([map { $_->name } $r->stages], [map {"queue_depth=$_"} 1, 2, 4, 5], 'each a stage');
    is($_->{verdict}, 'holds', "$_->{value} holds") for @{ $s->{steps} };
    ok($_->{low_ns} <= $_->{latency_ns} && $_->{latency_ns} <= $_->{high_ns}, 'interval')
        for @{ $s->{steps} };
    is($r->to_hash->{search}{held}, 5, 'in JSON');
    like($r->report, qr/everything holds: even queue_depth 5/, 'in text');
    is(scalar(($r->children)[0]->search), undef, 'of the whole alone');
}
{
    my $w = $W->new(%short, arrival => 'fixed', rate_iops => 100);
    my $s = IO::Bench::search($w, latency_target => 'p99.99=1s', low => 100, high => 100, tries => 2)->search;
    is_deeply([@$s{qw(answer param held missed latency metric)}],
        ['nothing holds', 'rate_iops', undef, 100, 'response', 'p99.99'], 'nothing holds');
    # On a busy machine the rate may not have been reached either.
    like($_->{verdict}, qr/^(too few|saturated)$/, 'too few I/Os') for @{ $s->{steps} };
}
{
    my $partial;
    eval {
        IO::Bench::search($W->new(%null, runtime => '500ms'), @p99, partial => \$partial,
            progress => sub { die "enough\n" if $_[0]{stage} >= 2 });
    };
    is($@, "enough\n", 'a callback that dies');
    is($partial->search->{answer}, 'unfinished', 'keeps the steps');
    cmp_ok($partial->search->{held}, '>=', 2, 'and what held');
}
{
    my $run = IO::Bench::start(IO::Bench::Search->new($W->new(%null, runtime => 30), @p99));
    ok(!$run->wait(0.2), 'goes on');
    $run->cancel;
    is($run->finish->search->{steps}[0]{verdict}, 'not judged', 'cut short');
}

for ([latency_target => 'p101=1ms'], [latency_target => 'p99=1ns'], [low => 0], [low => -3],
    [over => 'workers'], [confidence => 0.95], [op => 'write']) {
    my ($name, $value) = @$_;
    dies(sub { IO::Bench::search($W->new(%short), @p99, $name => $value) }, "$name $value", qr/./, where => $name);
}
dies(sub { IO::Bench::search($W->new(%short)) }, 'no target', qr/as p99=1ms/, where => 'latency_target');
dies(sub { IO::Bench::search($W->new(%short), latency => 'p99=1s') }, 'unknown', qr/did you mean "latency_target"/);
dies(sub { IO::Bench::search($W->new(%short, io_size => '1m'), @p99) }, 'io_size', qr/runtime/, where => 'io_size');
dies(sub { IO::Bench::search(undef, @p99) }, 'no workload', qr/give a workload/);
dies(sub { IO::Bench::search($W->new, 'p99=1ms') }, 'odd', qr/odd number/);

done_testing;
