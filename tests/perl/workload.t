# SPDX-License-Identifier: MIT
# Workloads, suites and matrices: values, wrong ones, targets, copies.
use strict;
use warnings;
use utf8;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL ENOENT ERANGE EPERM EBUSY);
use Test::More;
use Support;
use IO::Bench;

my $W = 'IO::Bench::Workload';

{
    my $w = $W->new(block_size => '8k', runtime => '500ms', workers => '4', direct => 0);
    is_deeply([$w->block_size, $w->runtime, $w->workers, $w->direct, $w->pattern],
        [8192, 0.5, 4, 0, 'random'], 'text and numbers');
    is($w->block_size(4096)->runtime(0.25)->block_size, 4096, 'setters chain');
    is($w->runtime, 0.25, 'seconds');
    for ([10, 10], [1e-9, 1e-9], [0, 0], ['1m', 60], ['2', 2], [1e3, 1000]) {
        is($w->runtime($_->[0])->runtime, $_->[1], "runtime $_->[0]");
    }
    for ([4096, 4096], ['1m', 1 << 20], [1e15, 10**15], ['9223372036854775807', 9223372036854775807]) {
        is($w->size($_->[0])->size, $_->[1], "size $_->[0]");
    }
    is($w->seed(9223372036854775807)->seed, 9223372036854775807, '2^63 - 1 is exact');
    is($w->direct(!!1)->direct, 1, 'true');
    is($w->direct(!!0)->direct, 0, 'false');
    is($w->block_size({ '4k' => 60, 65536 => 40 })->block_size, '4k:60,64k:40', 'a mix')
        or diag $w->block_size;
    is($w->percentiles([50, 99.9])->percentiles, '50,99.9', 'percentiles');
    is($w->cpus([0, 1])->cpus, '0,1', 'cpus');
}

for my $row (IO::Bench::params()) {
    my ($name, $w) = ($row->{name}, $W->new);
    can_ok($w, $name);
    my $value = $w->$name;
    is($w->$name($value)->$name, $value, "$name comes back");
    dies(sub { $w->$name(undef) }, "$name undef", qr/^$name: .*undef/, errno => EINVAL, where => $name);
    dies(sub { $w->$name("8\0k") }, "$name NUL", qr/^$name: .*NUL/, errno => EINVAL);
    dies(sub { $w->$name(sub { 1 }) }, "$name code", qr/^$name: .*reference/, errno => EINVAL);
    dies(sub { $w->$name({ 1 => undef }) }, "$name hash", qr/^$name: /);
    dies(sub { $W->new($name => \1) }, "$name reference", qr/^$name: /);
    if ($row->{type} =~ /^(?:int|size|time|blocks|rate)$/) {
        dies(sub { $w->$name(-1) }, "$name -1", qr/^$name: /);
        dies(sub { $w->$name('NaN') }, "$name NaN", qr/^$name: /);
        dies(sub { $w->$name(9**9**9) }, "$name inf", qr/^$name: /);
        dies(sub { $w->$name(9**9**9 / 9**9**9) }, "$name nan", qr/^$name: /);
        dies(sub { $w->$name('18446744073709551616') }, "$name 2^64", qr/^$name: /);
        dies(sub { $w->$name('10x') }, "$name 10x", qr/^$name: .*10x/);
    }
    is($w->$name, $value, "$name is as it was");
}
dies(sub { $W->new(blok_size => 1) }, 'unknown', qr/did you mean "block_size"\? at .*workload\.t line/,
    errno => ENOENT);
dies(sub { $W->new(iodepth => 1) }, 'of fio', qr/did you mean "queue_depth"/, errno => ENOENT);
dies(sub { $W->new('block_size') }, 'odd', qr/odd number/, errno => EINVAL);
dies(sub { $W->new(read_percent => 101) }, 'range', qr/maximum/, errno => ERANGE, where => 'read_percent');
dies(sub { $W->new(allow_destroy => 1) }, 'no target', qr/goes with target/);

my ($dir, $file) = scratch_file();
{
    my $w = $W->new(target => $file, allow_destroy => 1);
    $w->add_target("$dir/b", create => 1, overwrite_signature => 1);
    is_deeply([$w->targets], [
        { path => $file, allow_destroy => 1, create => 0, overwrite_signature => 0 },
        { path => "$dir/b", allow_destroy => 0, create => 1, overwrite_signature => 1 }], 'targets');
    is(scalar(my @t = $W->new(target => [$file, "$dir/c"])->targets), 2, 'a list');
    for my $wrong (undef, "a\0b", {}, [undef], sub { 1 }, '') {
        dies(sub { $W->new(target => $wrong) }, 'wrong path', qr/^target: /, errno => EINVAL);
    }
    dies(sub { $w->add_target('x', destroy => 1) }, 'wrong flag', qr/allow_destroy/);
    my $copy = $w->copy(block_size => '8k');
    is_deeply([$copy->block_size, $w->block_size], [8192, 4096], 'a copy is its own');
    is_deeply([$copy->targets], [$w->targets], 'with the targets');
    my $other = $copy->copy(target => 'G');
    is_deeply([$other->targets],
        [{ path => 'G', allow_destroy => 0, create => 0, overwrite_signature => 0 }],
        'permission does not follow to another target');
    is($other->block_size, 8192, 'parameters do');
}

# Paths are what open() takes: bytes, or characters as open() encodes them.
for my $name ("caf\xe9\xff", "\x{fffd}\x{20ac}", "é") {
    my $path = "$dir/$name";
    open my $out, '>:raw', $path or die $!;
    print {$out} 'x' x 65536;
    close $out;
    my $w = $W->new(target => $path, engine => 'psync', direct => 0, io_size => '64k', runtime => 0);
    my $r = $w->run;
    is($r->read->bytes, 65536, 'a path of bytes or characters');
    my $bytes = $path;
    utf8::encode($bytes) if utf8::is_utf8($bytes);
    is(($w->targets)[0]{path}, $bytes, 'comes back as bytes');
    is(($r->targets)[0]{path}, $bytes, 'from the result too');
    ok(-e ($r->targets)[0]{path}, 'which is the file');
    unlink $path or die;
}
{
    my $w = $W->new(%null, name => "Ü €", io_size => '4k', runtime => 0);
    is($w->name, "Ü €", 'a name of characters');
    is($w->run->params->{name}, "Ü €", 'in the result');
    is($w->run->to_hash->{stages}[0]{workloads}[0]{params}{name}, "Ü €", 'in the JSON');
}

{
    my $w = $W->new(target => $file, read_percent => 50);
    my $e = dies(sub { $w->run }, 'refused', qr/^target: .*destroy/i, errno => EPERM, where => 'target',
        file => $file);
    dies(sub { $w->check }, 'check', qr/^target: /, errno => EPERM);
    ok($W->new(target => $file)->check, 'check passes');
    like("$e", qr/ at \S*workload\.t line \d+\.\n\z/, 'tells our place');
    dies(sub { $W->new(target => "$dir/none")->run }, 'missing', qr/none/, errno => ENOENT);
SKIP: {
        my ($mounted) = $< ? () : testdev('ext4', '32m');
        skip 'no file system could be made', 1 unless $mounted;
        open my $mounts, '<', '/proc/mounts' or die;
        my ($device) = map { (split)[1] eq $mounted ? (split)[0] : () } <$mounts>;
        dies(sub { $W->new(target => $device, allow_destroy => 1, overwrite_signature => 1,
            read_percent => 0)->run }, 'mounted', qr/mounted/, errno => EBUSY, where => 'target');
    }
}

{
    my %quick = (%null, io_size => '64k', runtime => 0);
    my $suite = IO::Bench::Suite->new;
    $suite->add($W->new(%quick, name => 'a'))->add($W->new(%quick, name => 'b'));
    $suite->next_stage('later')->add($W->new(%quick, name => 'c'));
    is_deeply([map { [$_->{name}, map { $_->name } @{ $_->{workloads} }] } $suite->stages]->[1],
        ['later', 'c'], 'stages');
    is(join(' ', map { $_->params->{name} } $suite->run->workloads), 'a b c', 'run in order');
    my @cells = map { $_->{workloads}[0] } IO::Bench::matrix($W->new(%quick),
        block_size => ['4k', { '4k' => 50, '8k' => 50 }], workers => [1, 2],
        read_percent => '100,50')->stages;
    is(join(' ', map { join '/', $_->block_size, $_->workers, $_->read_percent } @cells),
        '4096/1/100 4096/1/50 4096/2/100 4096/2/50 '
            . '4k:50,8k:50/1/100 4k:50,8k:50/1/50 4k:50,8k:50/2/100 4k:50,8k:50/2/50', 'matrix');
    is(scalar(my @one = IO::Bench::matrix($W->new(%quick), block_size => [{ '4k' => 50, '8k' => 50 }])->stages),
        1, 'one value with a comma');
    dies(sub { IO::Bench::matrix($W->new, blok_size => [1]) }, 'unknown axis', qr/block_size/);
    dies(sub { IO::Bench::matrix($W->new, workers => [1, 0]) }, 'wrong value', qr/^workers: /);
    dies(sub { IO::Bench::matrix($W->new, workers => []) }, 'no value', qr/^workers: /);
    dies(sub { IO::Bench::matrix($W->new, 'workers') }, 'odd axes', qr/without values/);
    dies(sub { IO::Bench::matrix(undef, workers => [1]) }, 'no workload', qr/workload/);
    dies(sub { IO::Bench::matrix($W->new, workers => undef) }, 'undef axis', qr/./);
    dies(sub { $suite->add('x') }, 'add', qr/workload/);
    dies(sub { IO::Bench::Suite->new->run }, 'empty', qr/empty/);
    dies(sub { IO::Bench::start('x') }, 'start', qr/workload or a suite/);
}

{
    my %engine = map { $_->{name} => $_ } IO::Bench::engines();
    ok($engine{psync}{sync} && !defined $engine{psync}{error}, 'psync works');
    ok($engine{null}{no_target}, 'null needs no target');
    like(IO::Bench::version(), qr/^\d+\.\d+\.\d+$/, 'version');
    is($IO::Bench::VERSION, IO::Bench::version(), 'the module has it');
}

done_testing;
