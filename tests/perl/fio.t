# SPDX-License-Identifier: MIT
# Job files and command lines of fio: read, told about, refused, and run on real files.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL ENOENT ENOTSUP EPERM);
use JSON::PP qw(decode_json);
use Test::More;
use Support;
use IO::Bench;

my ($dir, $file) = scratch_file();

sub job {
    my ($text) = @_;
    open my $out, '>', "$dir/job.fio" or die $!;
    print {$out} $text;
    close $out or die $!;
    return "$dir/job.fio";
}

sub content {
    open my $in, '<:raw', $file or die $!;
    local $/;
    return <$in>;
}

{
    my $path = job("[global]\nfilename=$file\nthread\n[a]\nrw=randread\nnumjobs=2\n"
            . "[b]\nstonewall\nbs = 64k\n");
    my $suite = IO::Bench::load_fio($path);
    isa_ok($suite, 'IO::Bench::Suite');
    is(join('|', map { join ',', map { $_->name } @{ $_->{workloads} } } $suite->stages), 'a,a|b', 'stages');
    my @notes = $suite->notes;
    is(join(' ', map {"$_->{file}:$_->{line}"} @notes), "$path:3 $path:9", 'where notes belong');
    like($notes[0]{text}, qr/^thread has no effect/, 'what they say');
    my $r = $suite->run;
    is(join(' ', map { $_->name . ' ' . $_->read->ios } $r->workloads), 'a 1024 a 1024 b 64', 'it runs');
    is($r->read->bytes, 12 << 20, 'all of it');
}
{
    my $suite = IO::Bench::Suite->load_fio(
        ['fio', '--name=a', '--rw=randread', '--iodepth', '8', "--filename=$file", '--size=1m']);
    is_deeply(
        [$suite->notes],
        [   {   text => 'iodepth=8 runs at depth 1: ioengine=psync does one I/O at a time (as in fio)',
                file => undef,
                line => 0
            }
        ],
        'arguments, and a note on them'
    );
    is($suite->run->read->bytes, 1 << 20, 'they run');
    is_deeply([IO::Bench::Suite->new->notes], [], 'no notes of other suites');
}

# Writing needs leave.
{
    my $before = content();
    my $path   = job("[w]\nrw=write\nfilename=$file\nsize=1m\n");
    dies(sub { IO::Bench::load_fio($path)->run }, 'without leave', qr/ALLOW_DESTROY/, errno => EPERM, file => $file);
    ok(content() eq $before, 'nothing was written');
    is(IO::Bench::load_fio($path, allow_destroy => 1)->run->write->bytes, 1 << 20, 'with leave');
    ok(substr(content(), 0, 1 << 20) ne substr($before, 0, 1 << 20), 'it was written');
    ok(substr(content(), 1 << 20) eq substr($before, 1 << 20), 'and nothing behind it');
}
{
    my @words = ('--name=a', "--directory=$dir", '--size=1m');
    dies(sub { IO::Bench::load_fio(\@words)->run }, 'a missing file', qr/a\.0\.0/, errno => ENOENT);
    ok(!-e "$dir/a.0.0", 'is not made');
    is(IO::Bench::load_fio(\@words, create => 1)->run->read->bytes, 1 << 20, 'but with create');
    is(-s "$dir/a.0.0", 1 << 20, 'of its size');
}

# What is wrong.
{
    my $path = job("[a]\nfilename=x\niodept=4\n");
    dies(sub { IO::Bench::load_fio($path) }, 'unknown option', qr/did you mean "iodepth"/,
        errno => ENOENT, where => 'iodept', file => $path, line => 3);
    dies(sub { IO::Bench::load_fio(['--name=a', '--verify_only']) }, 'not supported',
        qr/not supported: verify_only/, errno => ENOTSUP);
    dies(sub { IO::Bench::load_fio(["\xe2\x80\x93name=a"]) }, 'a dash that is none', qr/U\+2013 \(en dash\)/);
    dies(sub { IO::Bench::load_fio("$dir/nowhere") }, 'no file', qr/nowhere/, errno => ENOENT);
    dies(sub { IO::Bench::load_fio([]) },             'no job',  qr/there is no job/);
    dies(sub { IO::Bench::load_fio($_) }, 'neither', qr/give a path/, errno => EINVAL)
        for undef, {}, ['--name=a', undef], [[]];
    dies(sub { IO::Bench::load_fio($_) }, 'a NUL', qr/NUL/) for "a\0b", ["a\0b"];
    dies(sub { IO::Bench::load_fio([], destroy => 1) }, 'unknown permission', qr/there are allow_destroy/);
    dies(sub { IO::Bench::load_fio([], 'create') },     'odd',                qr/odd number/);
}
{
    my %option = map { $_->{name} => $_ } IO::Bench::fio_options();
    is("$option{rw}{alias} $option{rw}{support}", 'readwrite supported', 'an option');
    is($option{thread}{support},   'no effect', 'one without effect');
    is($option{zonemode}{support}, 'refused',   'one that is refused');
    cmp_ok(keys %option, '>', 200, 'many options');
}
{
    my $path = job("[global]\nfilename=$file\n[a]\nrw=randread\nnumjobs=2\ngroup_reporting\n"
            . "percentile_list=50:99\n[b]\nstonewall\nbs=64k\n");
    my $r = IO::Bench::load_fio($path)->run;
    my $told = decode_json($r->report('fio-json'));
    like($told->{'fio version'}, qr/^fio-3\./, 'as fio 3');
    is(join(' ', map {"$_->{jobname} $_->{groupid} $_->{read}{total_ios}"} @{ $told->{jobs} }),
        'a 0 2048 b 1 64', 'entries');
    is($told->{jobs}[0]{'job options'}{numjobs}, '2', 'job options');
    is(join(' ', sort keys %{ $told->{jobs}[0]{read}{clat_ns}{percentile} }), '50.000000 99.000000', 'percentiles');
    my $bins = decode_json($r->report('fio-json+'))->{jobs}[1]{read}{clat_ns}{bins};
    my $n = 0;
    $n += $_ for values %$bins;
    is($n, 64, 'bins');
    open my $out, '>', "$dir/a.json" or die $!;
    print {$out} $r->report('fio-json+');
    close $out or die $!;
    is(IO::Bench::read("$dir/a.json")->read->ios, 2112, 'read back');
}

done_testing;
