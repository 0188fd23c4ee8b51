# SPDX-License-Identifier: MIT
# Runs: progress, signals, forks, ithreads. ctest: serial
use strict;
use warnings;
use Config;
use FindBin;
use lib $FindBin::Bin;
use POSIX ();
use Test::More;
use Time::HiRes qw(time sleep alarm);
use Support;
use IO::Bench;

my $W    = 'IO::Bench::Workload';
my $slow = $ENV{IOBENCH_SANITIZE} ? 5 : 1;
my %long = (%null, runtime => 60);

{
    my @seen;
    my $r = $W->new(%null, runtime => 1)->run(progress => sub { push @seen, $_[0] });
    cmp_ok(@seen, '>=', 3, 'progress is called');
    cmp_ok(@seen, '<=', 6, 'about five times a second');
    my $p = $seen[-1];
    ok($p->{share} > 0.4 && $p->{share} <= 1 && $p->{eta} < 1 && $p->{stages} == 1, 'how far');
    ok($p->{iops}{read} > 0 && $p->{iops}{write} == 0 && $p->{bytes_per_s}{all} > 0, 'how fast');
    cmp_ok(abs($r->elapsed - 1), '<', 0.5, 'a second');
}
{
    my $start = time;
    eval { $W->new(%long)->run(partial => \my $partial, progress => sub { die "enough\n" }); };
    is($@, "enough\n", 'a callback that dies');
    cmp_ok(time - $start, '<', 2 * $slow, 'ends the run');
}
{
    my $r = eval { $W->new(%long)->run(partial => \my $partial, progress => sub { die { code => 7 } }) };
    is_deeply($@, { code => 7 }, 'with whatever it died of');
    dies(sub { $W->new(%long)->run(progres => 1) }, 'unknown option', qr/progres; there are/);
    dies(sub { $W->new(%long)->run(progress => 1) }, 'no code', qr/code reference/);
}

# Signals: the handler runs during the run.
for my $how ('alarm', 'kill') {
    my $start = time;
    local $SIG{ALRM} = local $SIG{INT} = sub { die "interrupted\n" };
    my $child;
    if ($how eq 'alarm') {
        alarm 0.5;
    } else {
        my $me = $$;
        $child = fork;
        if (!$child) {
            sleep 0.5;
            kill INT => $me;
            POSIX::_exit(0);
        }
    }
    my $until_then;
    my $r = eval { $W->new(%long)->run(partial => \$until_then) } // $until_then;
    is($@, "interrupted\n", "$how: the handler dies through the run");
    cmp_ok(time - $start, '<', 0.5 + 0.5 * $slow, "$how: at once");
    ok($r && $r->flags->{cancelled} && $r->read->ios > 0, "$how: what was measured is kept");
    waitpid $child, 0 if $child;
}
{
    my $calls = 0;
    local $SIG{ALRM} = sub { $calls++ };
    alarm 0.2, 0.1;
    my $r = $W->new(%null, runtime => 0.7)->run;
    alarm 0;
    cmp_ok($calls, '>=', 2, 'a handler that returns is called');
    ok(!$r->flags->{cancelled}, 'and the run goes on');
}
{
    my $run = IO::Bench::start($W->new(%long));
    local $SIG{ALRM} = sub { $run->cancel };
    alarm 0.3;
    my $start = time;
    my $r = $run->finish;
    ok($r->flags->{cancelled} && $r->read->ios > 0, 'a handler that cancels');
    cmp_ok(time - $start, '<', 0.3 + 0.7 * $slow, 'in time');
}
# The default: a child that SIGINT kills.
{
    my $child = fork;
    if (!$child) {
        $SIG{INT} = 'DEFAULT';
        $W->new(%long)->run;
        POSIX::_exit(0);
    }
    sleep 0.5;
    kill INT => $child;
    waitpid $child, 0;
    is($? & 127, POSIX::SIGINT(), 'SIGINT kills where nobody handles it');
}

{
    my $run = $W->new(%null, runtime => 0.4)->start;
    ok(!$run->done && !$run->wait(0.05), 'not yet');
    my $s = $run->snapshot;
    ok($s->flags->{partial}, 'a snapshot');
    ok($run->wait && $run->done, 'done');
    cmp_ok($run->finish->read->ios, '>=', $s->read->ios, 'the whole');
    is($run->finish->read->ios, $run->finish->read->ios, 'as often as one likes');
    ok($run->progress->{done}, 'progress says so');
    is($run->phase(0, 0), 'ended', 'and its phase');
    dies(sub { $run->phase(1, 0) }, 'no such stage', qr/no such stage or workload/);
}
{
    my $start = time;
    { my $run = $W->new(%long)->start; }
    cmp_ok(time - $start, '<', 2 * $slow, 'a run that is dropped ends');
    my $run   = $W->new(%null, runtime => 0.5)->start;
    my $child = fork;
    if (!$child) {
        undef $run;
        POSIX::_exit(7);
    }
    waitpid $child, 0;
    is($? >> 8, 7, 'a child drops it');
    ok(!$run->finish->flags->{cancelled}, 'and the run goes on');
}
# While the kernel holds 256 reads: what there is, after a second at most.
SKIP: {
    my ($device) = $< ? () : testdev('loop', '64m');
    skip 'no device to throttle', 4 unless $device;
    pipe my $from, my $to or die;
    my $child = fork;
    if (!$child) {
        system('testdev', 'throttle', $device, 100, 100, $$) and POSIX::_exit(77);
        local $SIG{ALRM} = sub { die "interrupted\n" };
        alarm 1.5;
        my $start = time;
        my $part;
        my $r = eval { $W->new(target => $device, engine => 'libaio', queue_depth => 256,
            runtime => 60)->run(partial => \$part) } // $part;
        printf {$to} "%d %d %d %f\n", $r->read->ios, $r->unfinished, $r->flags->{partial}, time - $start;
        close $to;
        POSIX::_exit(0);
    }
    close $to;
    my ($ios, $unfinished, $partial, $took) = split ' ', <$from> // '';
    waitpid $child, 0;
    skip 'no throttle', 4 if $? >> 8 == 77;
    cmp_ok($ios, '>', 10, 'ios');
    cmp_ok($unfinished, '>', 50, 'unfinished');
    ok($partial, 'partial');
    cmp_ok($took, '<', 1.5 + 1.5 * $slow, 'in time');
}

SKIP: {
    skip 'this perl has no threads', 6 unless $Config{useithreads};
    require threads;
    my $w = $W->new(%null, runtime => 0.3);
    my $r = $w->run;
    my $h = $r->read->latency;
    my $run = $w->start;
    my @in_thread = threads->create({ context => 'list' }, sub {
        my $own = IO::Bench::Workload->new(%null, runtime => 0.3)->run;
        return (ref $w, ref $r, ref $h, ref $run, $own->read->ios > 0);
    })->join;
    is(join(' ', @in_thread), 'SCALAR SCALAR SCALAR SCALAR 1', 'objects are not cloned');
    ok($w->block_size == 4096 && $r->read->ios && $h->count, 'and stay whole here');
    ok(!$run->finish->flags->{cancelled}, 'the run too');
    my @two = map { threads->create(sub { IO::Bench::Workload->new(%null, runtime => 0.5)->run->read->ios }) } 1, 2;
    my $start = time;
    my @ios = map { $_->join } @two;
    ok($ios[0] > 0 && $ios[1] > 0, 'two threads run');
    cmp_ok(time - $start, '<', 0.95 * $slow, 'at once');
    my $many = 0;
    for (1 .. 20) {
        my @t = map { threads->create(sub { IO::Bench::Workload->new(%null, io_size => '4k',
            runtime => 0)->run->read->ios }) } 1 .. 4;
        $many += $_->join for @t;
    }
    is($many, 80, 'many threads');
}

done_testing;
