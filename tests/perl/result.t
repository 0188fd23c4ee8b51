# SPDX-License-Identifier: MIT
# Results and histograms: the tree, 64-bit values, reports, merging, objects dropped in any order.
# ctest: timeout=300
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL EPERM ENODATA EOVERFLOW);
use File::Temp ();
use Test::More;
use Support;
use IO::Bench;

my $W = 'IO::Bench::Workload';
my %counted = (%null, io_size => '4m', runtime => 0);

my $suite = IO::Bench::Suite->new;
$suite->add($W->new(%counted, workers => 2, name => 'reader'));
$suite->add($W->new(%counted, io_size => '2m', block_size => '8k', name => 'second'));
$suite->next_stage('later')->add($W->new(%counted, name => 'third'));
my $r = $suite->run;

is($r->level, 'suite', 'level');
is(join(' ', map { $_->level } $r->children), 'stage stage', 'children');
is(join(' ', map { $_->read->ios } $r->workloads), '1024 256 1024', 'workloads');
is(join(' ', map { $_->read->ios } $r->stages), '1280 1024', 'stages');
is($r->read->ios, 2304, 'ios');
is($r->all->bytes, 10 << 20, 'bytes');
is($r->write->ios + $r->trim->ios + $r->sync->ios + $r->all->errors + $r->all->short, 0, 'no others');
is(($r->stages)[1]->name, 'later', 'name');
is(scalar(my @workers = ($r->workloads)[0]->children), 2, 'workers');
cmp_ok(abs($r->read->iops - $r->read->ios / $r->elapsed), '<', 1, 'iops');
cmp_ok(abs($r->started - time), '<', 100, 'started');
is_deeply($r->flags, { cancelled => 0, partial => 0, errors => 0, recorded => 0 }, 'flags');
is($r->error, undef, 'no error');
my $first = ($r->workloads)[0];
is_deeply([@{ $first->params }{qw(block_size workers direct runtime engine seed)}],
    [4096, 2, 1, 0, 'null', 7], 'params');
ok(!exists $r->params->{block_size}, 'where they differ there is none');
is($first->effective->{block_size_write}, 4096, 'effective');
for my $time (qw(latency submit response)) {
    is($r->read->$time->count, 2304, $time);
}

for my $format (qw(text xdisk json csv fio-json fio-json+ fio-text)) {
    cmp_ok(length $r->report($format), '>', 100, $format);
}
is($r->to_hash->{stages}[0]{workloads}[0]{read}{ios}, 1024, 'to_hash');
like($r->report('fio-lat-log'), qr/\A(?:\d+, \d+, 0, 0, 0\n)+\z/, "a log of fio's");
dies(sub { $r->report('yaml') }, 'report', qr/json/, errno => EINVAL);
{
    my $dir = File::Temp->newdir;
    $r->save("$dir/r.json");
    my $again = IO::Bench::read("$dir/r.json");
    is($again->read->ios, 2304, 'read back');
    is_deeply($again->read->latency->counts, $r->read->latency->counts, 'its histogram');
    $r->save("$dir/r.csv", 'csv');
    is(-s "$dir/r.csv", length $r->report('csv'), 'csv');
    open my $broken, '>', "$dir/broken" or die;
    print {$broken} "{\n\n?";
    close $broken;
    dies(sub { IO::Bench::read("$dir/broken") }, 'broken', qr/./, errno => EINVAL, line => 3,
        file => "$dir/broken");
    dies(sub { IO::Bench::read("$dir/none") }, 'missing', qr/No such file/);
    dies(sub { IO::Bench::read(undef) }, 'undef', qr/undef/);
    dies(sub { $r->save("$dir/none/x") }, 'save', qr/No such file/);
}
{
    my @parts = map { $W->new(%counted)->run } 1 .. 3;
    is(IO::Bench::merge(@parts)->read->ios, 3072, 'merge');
    dies(sub { IO::Bench::merge($parts[0], $r) }, 'other shape', qr/./, errno => EINVAL);
    dies(sub { IO::Bench::merge($parts[0], 'x') }, 'no result', qr/results/);
    dies(sub { IO::Bench::merge() }, 'nothing', qr/./);
}
{
    my $timed = $W->new(%null, runtime => 0.5)->run;
    my @intervals = $timed->intervals;
    my $ios = 0;
    $ios += $_->{ios} for @intervals;
    is($ios, $timed->all->ios, 'intervals');
    is($intervals[0]{start_ns}, 0, 'from the start');
    cmp_ok($intervals[0]{p50_ns}, '<=', $intervals[0]{p99_ns}, 'percentiles');
}

# Histograms, to 2^64 - 1.
{
    my $top = 18446744073709551615;
    my $h   = IO::Bench::Histogram->new;
    $h->record($top, '9223372036854775813');
    $h->record(9223372036854775808);
    is($h->min, 9223372036854775808, '2^63');
    is($h->max, $top, '2^64 - 1');
    is($h->count, 9223372036854775814, 'count');
    is($h->percentile(100), $top, 'percentile');
    is($h->counts->[-1], 9223372036854775813, 'counts');
    is($h->edges->[0], 9223372036854775808, 'edges');
    is($h->edges->[-1], $top, 'the last edge');
    dies(sub { $h->record(1, 9223372036854775808) }, 'overflow', qr/./, errno => EOVERFLOW);
    for my $wrong (-1, 1.5, undef, 'x', '18446744073709551616', {}) {
        dies(sub { $h->record($wrong) }, 'wrong value', qr/^record: whole|^record: give/);
    }
    dies(sub { $h->percentile(101) }, 'p101', qr/not between/, errno => EINVAL);
    dies(sub { $h->percentile(undef) }, 'undef', qr/number/);
    my $ranks = IO::Bench::Histogram->new(14);
    $ranks->record($_) for 1 .. 1000;
    is_deeply([$ranks->percentile_interval(99)], [983, 997], 'an interval');
    my ($low, $high) = $ranks->percentile_interval(99, 0.5);
    ok($low > 983 && $high < 997, 'of less confidence');
    dies(sub { $ranks->percentile_interval(99.99) }, 'few samples', qr/1000 samples are too few/, errno => ENODATA);
    dies(sub { $ranks->percentile_interval(50, 2) }, 'confidence', qr/confidence 2 is not/, errno => EINVAL);
    dies(sub { IO::Bench::Histogram->new(15) }, 'precision', qr/./);
    my $empty = IO::Bench::Histogram->new;
    dies(sub { $empty->percentile(50) }, 'empty', qr/no samples/, errno => ENODATA);
    is_deeply([$empty->count, $empty->edges, $empty->counts], [0, [0], []], 'empty');
    dies(sub { $r->read->latency->record(1) }, "a result's", qr/cannot be changed/, errno => EPERM);
    my ($a, $b) = map { IO::Bench::Histogram->new } 1, 2;
    $_ % 3 ? $a->record($_) : $b->record($_, 2) for 0 .. 999;
    $a->merge($b);
    is($a->count, 1334, 'merge');
    is($a->max, 999, 'max');
    my $sum = 0;
    $sum += $_ for @{ $a->counts };
    is($sum, 1334, 'counts');
    is(scalar @{ $a->edges }, @{ $a->counts } + 1, 'edges');
    dies(sub { IO::Bench::Histogram->new(10)->merge($a) }, 'coarser', qr/^merge: /);
    dies(sub { $a->merge(3) }, 'no histogram', qr/histogram/);
}

# Whatever goes first, what is left still works.
{
    my @names = qw(workload run root child op hist);
    my %look  = (
        workload => sub { $_[0]->block_size == 4096 }, run => sub { $_[0]->finish->read->ios == 1024 },
        root => sub { $_[0]->read->ios == 1024 }, child => sub { $_[0]->read->ios == 1024 },
        op => sub { $_[0]->latency->count == 1024 }, hist => sub { $_[0]->count == 1024 });
    my $ok = 1;
    for my $seed (1 .. 60) {
        my $w   = $W->new(%counted);
        my $run = $w->start;
        my $root = $run->finish;
        my ($child) = $root->workloads;
        my %held = (workload => $w, run => $run, root => $root, child => $child, op => $child->read,
            hist => $child->read->latency);
        undef $_ for $w, $run, $root, $child;
        srand $seed;
        for my $name (sort { rand() <=> 0.5 } @names) {
            delete $held{$name};
            $ok &&= $look{$_}->($held{$_}) for keys %held;
        }
    }
    ok($ok, 'dropped in every order');
}

SKIP: {
    skip 'a sanitizer keeps freed memory', 2 if $ENV{IOBENCH_SANITIZE};
    my $w = $W->new(%null, io_size => '4k', runtime => 0);
    my $work = sub {
        my $r = $w->run;
        die unless ($r->workloads)[0]->read->latency->counts->[0] == 1;
        eval { $W->new(blok_size => 1) };
        eval { IO::Bench::merge() };
    };
    $work->() for 1 .. 500;
    my $before = rss_kib();
    $work->() for 1 .. 10_000;
    my $grown = rss_kib() - $before;
    cmp_ok($grown, '<', 1024, '10,000 runs do not grow');
    note "10,000 runs: $grown KiB more";
    my $more = sub {
        my $r = IO::Bench::matrix($w, workers => [1, 2])->run;
        my @all = ($r->to_hash, $r->params, $r->targets, $r->intervals, IO::Bench::merge($r, $r));
        my $run = $w->start;
        push @all, $run->progress, $run->snapshot;
    };
    $more->() for 1 .. 50;
    $before = rss_kib();
    $more->() for 1 .. 500;
    $grown = rss_kib() - $before;
    cmp_ok($grown, '<', 1024, 'nor does the rest');
    note "the rest: $grown KiB more";
}

done_testing;
