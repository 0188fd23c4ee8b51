# SPDX-License-Identifier: MIT
# Devices: what they are, and what they did during a run.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL EISDIR ENOENT ENOTBLK);
use Fcntl;
use Test::More;
use Support;
use IO::Bench;

my ($dir, $file) = scratch_file();
my $d = IO::Bench::device($file);
is($d->path, $file, 'path');
is($d->kind, 'file', 'kind');
is($d->facts->{size}, 4 << 20, 'size');
ok($d->facts->{filesystem}, 'filesystem');
is(scalar(my @none = ($d->users, $d->signatures)), 0, 'nobody and nothing');
like($d->report, qr/filesystem/, 'text');
is($d->to_hash->{device}{facts}{size}, 4 << 20, 'to_hash');
dies(sub { $d->report('yaml') }, 'format', qr/yaml/, errno => EINVAL);
dies(sub { IO::Bench::device('/nowhere') }, 'missing', qr/nowhere/, errno => ENOENT, where => 'device');
dies(sub { IO::Bench::device("$dir") }, 'directory', qr/directory/, errno => EISDIR);
dies(sub { IO::Bench::device('/dev/null') }, 'no disk', qr/null/, errno => ENOTBLK);
dies(sub { IO::Bench::device(undef) }, 'undef', qr/path/, errno => EINVAL);
dies(sub { IO::Bench::device("a\0b") }, 'NUL', qr/path/, errno => EINVAL);
{
    my $odd = "$dir/a:b \xff\n";
    rename $file, $odd or die $!;
    is(IO::Bench::device($odd)->path, $odd, 'a path that is no text');
}
is(scalar(my @devices = IO::Bench::Workload->new(%null, io_size => '1m', runtime => 0)->run->devices),
    0, 'the null engine has none');

SKIP: {
    my ($loop, $backing) = testdev('loop', '32m', 4096) or skip 'no loop device', 1;
    my ($name) = $loop =~ m{/dev/(.*)};
    $d = IO::Bench::device($loop);
    is($d->kind, 'loop', 'loop');
    is($d->about, "on $backing", 'about');
    is($d->facts->{logical_block}, 4096, 'block');
    my @below = $d->below;
    undef $d;
    cmp_ok($_->facts->{size}, '>', 0, $_->path) for @below;
    {
        sysopen my $held, $loop, O_RDWR | O_EXCL or die $!;
        my ($user) = IO::Bench::device($loop)->users;
        is_deeply($user, { kind => 'exclusive', device => $loop, what => '',
                message => "$loop is open exclusively" }, 'users');
    }
    my $r = IO::Bench::Workload->new(target => $loop, engine => 'psync', io_size => '4m', runtime => 0)->run;
    my ($use) = $r->devices;
    is($use->{name}, $name, 'name');
    is($use->{read}{bytes}, 4 << 20, 'bytes');
    is($use->{read}{issued_ios}, 1024, 'issued');
    is($use->{foreign_bytes}, 0, 'foreign');
    is($use->{requests_per_io}, $use->{read}{ios} / 1024, 'requests per I/O');
    is($use->{flags}{target}, 1, 'flags');
    is($use->{above}, undef, 'above');
    my $ios = 0;
    $ios += $_->{read_ios} for @{ $use->{intervals} };
    is($ios, $use->{read}{ios}, 'intervals');
    my $told = $r->to_hash->{stages}[0]{workloads}[0]{devices};
    is($told->[0]{read}{ios}, $use->{read}{ios}, 'as in JSON');
    is_deeply($told->[0]{below}, $use->{below}, 'below');
    is((($r->workloads)[0]->children)[0]->name, 'worker 0', 'a worker');
    is(((($r->workloads)[0]->children)[0]->devices)[0]{name}, $name, 'has those of its workload');
}
done_testing();
