# SPDX-License-Identifier: MIT
# Steady state: the rule, rounds on a file, preconditioning, and what is refused.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Test::More;
use Support;
use IO::Bench;

my $W = 'IO::Bench::Workload';
my ($dir, $path) = scratch_file();
my %loose = (window => 3, excursion => 1e6, slope => 1e6);    # that any load meets

{
    my $s = IO::Bench::steady([100, 102.5, 105, 107.5, 110]);
    ok($s->{steady} && $s->{round} == 5, 'steady at round 5');
    is(sprintf('%.4f %.4f', @$s{qw(excursion slope)}), '0.0952 0.0952', 'excursion and slope');
    $s = IO::Bench::steady([100, 103, 106, 109, 112]);
    ok(!$s->{steady}, 'not steady');
    is(sprintf('%.4f', $s->{slope}), '0.1132', 'by its slope');
    $s = IO::Bench::steady([90, 110, 90, 110, 90]);
    ok(!$s->{steady}, 'not steady');
    is(sprintf('%.4f', $s->{excursion}), '0.2041', 'by its excursion');
    ok(!defined IO::Bench::steady([1, 1])->{round}, 'too few');
    is(IO::Bench::steady([9, 5, 5], window => 2)->{round}, 3, 'a window of two');
    dies(sub { IO::Bench::steady([-1]) }, 'below 0', qr/round 1 has -1/, where => 'values');
    dies(sub { IO::Bench::steady([1], window => 1) }, 'no window', qr/2 to 1000/, where => 'window');
    dies(sub { IO::Bench::steady(1) }, 'no list', qr/array of numbers/);
}
{
    my $w     = $W->new(target => $path, runtime => '150ms');
    my $suite = IO::Bench::matrix($w, block_size => [qw(4k 8k)]);
    my $seen  = 0;
    my $r     = IO::Bench::until_steady($suite, %loose, progress => sub { $seen ||= $_[0]{rounds} });
    my $o     = $r->rounds;
    is_deeply([@$o{qw(metric steady steady_at done max_rounds first last window once)}],
        ['iops', 1, 3, 3, 25, 1, 3, 3, 0], 'steady at round 3');
    is_deeply([map { $_->{name} } @{ $o->{cells} }], [qw(block_size=4k block_size=8k)], 'cells');
    my $c = $o->{cells}[0];
    is(scalar @{ $c->{values} }, 3, 'a value for each round');
    my $mean = 0;
    $mean += $_ / 3 for @{ $c->{values} };
    cmp_ok(abs($c->{read}{iops} - $mean), '<', 1e-6 * $mean, 'its result is their mean');
    cmp_ok(abs($c->{average} - $mean),    '<', 1e-6 * $mean, 'which the rule knows');
    is(scalar($r->stages), 6, 'all rounds are in the result');
    is($seen, 25, 'progress tells the rounds');
    is($r->to_hash->{rounds}{steady_at}, 3, 'in JSON');
    ok(!$w->run->rounds, 'of rounds alone');
}
{
    my $w = $W->new(target => $path, runtime => '20ms');
    my $r = $w->run_until_steady(rounds => 3, window => 2, excursion => 0, slope => 0);
    is_deeply([@{ $r->rounds }{qw(steady steady_at done)}], [0, undef, 3], 'never steady');
    like($r->report, qr/^NOT STEADY  steady state was not achieved in 3 rounds/m, 'and it is said');

    my $suite = IO::Bench::Suite->new;
    $suite->next_stage('before')->add($w);
    $suite->begin_rounds->add_matrix($w, queue_depth => [1, 4]);
    $suite->track('queue_depth=4')->add_note('made by hand');
    my $o = $suite->run_until_steady(%loose)->rounds;
    is_deeply([map { $_->{tracked} } @{ $o->{cells} }], [0, 1], 'tracked');
    is_deeply([$o->{once}, $o->{notes}], [1, ['made by hand']], 'once, and the note');
    dies(sub { $suite->track(0) },   'runs once',     qr/runs once/);
    dies(sub { $suite->track('x') }, 'no such stage', qr/no stage "x"/);

    dies(sub { $w->run_until_steady(metric => 'speed') }, 'no metric', qr/none of iops/, where => 'metric');
    dies(sub { $w->run_until_steady(rounds => 0) }, 'no rounds', qr/no number of rounds/);
    dies(sub { $w->run_until_steady(rounds => 3) }, 'too few rounds', qr/less than the window/);
    dies(sub { $w->run_until_steady(round  => 3) }, 'no option',      qr/unknown option round/);
    dies(sub { IO::Bench::until_steady($path) }, 'no workload', qr/a workload or a suite/);
}
{
    dies(sub { IO::Bench::precondition($W->new(target => $path))->run }, 'not allowed', qr/./);
    my $w = $W->new(target => $path, allow_destroy => 1, runtime => '100ms');
    is(IO::Bench::precondition($w)->run->write->bytes, 2 * (4 << 20), 'twice the region');
    my $o = IO::Bench::pts('latency', $w, block_sizes => ['4k'], purge => 'none', rounds => 5,
        excursion => 1e6, slope => 1e6)->rounds;
    is_deeply([@$o{qw(metric steady once)}, scalar @{ $o->{cells} }], ['latency', 1, 1, 3], 'pts latency');
    is_deeply([grep { $_ eq 'purge: none' } @{ $o->{notes} }], ['purge: none'], 'purge');
    dies(sub { IO::Bench::pts('iop', $w) }, 'no test', qr/iops, throughput and latency/);
}
done_testing;
