# SPDX-License-Identifier: MIT
# Findings, recorded results and comparisons in Perl.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Errno qw(EINVAL ENOENT);
use JSON::PP ();
use Test::More;
use Support;
use IO::Bench;

my $seeds = "$ENV{IOBENCH_SOURCE}/tests/unit/seeds";

sub rows {
    my ($result, $code) = @_;
    my ($i, @found) = (0);
    for my $stage ($result->stages) {
        $i++;
        push @found, $i if grep { $_->{code} eq $code } $stage->findings;
    }
    return "@found";
}

my $run = IO::Bench::Workload->new(%null, runtime => 0.2, name => 'w')->run;
my ($short) = grep { $_->{code} eq 'short-run' } $run->findings;
is("$short->{severity} $short->{where} $short->{level}", 'warning w workload', 'a finding');
is($short->{evidence}{wanted_ns}, 1e10, 'its evidence');
like($short->{message}, qr/^2\d\d ms were measured/, 'its message');
is(scalar($run->unchecked), 0, 'a run is checked');

my $r = IO::Bench::read("$seeds/xdisk-v7000-raw.txt");
is(rows($r, 'above-link'), '', 'nothing was declared');
$r->declare(link_limit => '3.2GB/s')->declare(claim => 'direct');
is(rows($r, 'above-link'), '9 13 21 25 29 33 36 37 40 49 53 61 65 69 73 76 77 80', 'above-link');
is(rows($r, 'stall'), '78 79 80', 'stall');
is($r->flags->{recorded}, 1, 'recorded');
ok((grep { $_->{code} eq 'throttled' && $_->{workloads} == 80 } $r->unchecked), 'unchecked');
eval { $r->declare(link_limt => '1') };
is($@->errno, ENOENT, 'no such name');

my @stages = $r->stages;
my $json = IO::Bench::compare([@stages[0 .. 39]], [@stages[40 .. 79]], 'json');
my $cells = JSON::PP->new->decode($json)->{cells};
is(scalar(@$cells), 40, 'cells');
cmp_ok(abs($cells->[9]{iops}{ratio} - 27052 / 33141), '<', 1e-5, 'a ratio');
like(IO::Bench::compare($run, $run), qr/1\.000/, 'of one result');
eval { IO::Bench::compare($run, 'b') };
is($@->errno, EINVAL, 'no result');

is(rows(IO::Bench::read("$seeds/fio-azure-ase.txt"), 'depth-not-reached'), '1 2', 'fio');

done_testing;
