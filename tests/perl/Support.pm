# SPDX-License-Identifier: MIT
# What the tests of the Perl binding share.
package Support;
use strict;
use warnings;

use Exporter 'import';
use File::Temp ();
use Test::More ();

our @EXPORT = qw(%null scratch_file dies testdev rss_kib);
our %null = (engine => 'null', size => '1g', seed => 7);

$ENV{IOBENCH_DEV_OWNER} = $$;

# A directory that goes with this process, and a file of 4 MiB in it.
sub scratch_file {
    my $dir = File::Temp->newdir('iobench-perl.XXXXXX', TMPDIR => 1);
    open my $out, '>:raw', "$dir/file" or die "$dir/file: $!";
    print {$out} map { pack 'N*', map { int rand 2**32 } 1 .. 1024 } 1 .. 1024;
    close $out or die $!;
    return ($dir, "$dir/file");
}

# dies(CODE, NAME, REGEX or { field => value }): with an IO::Bench::Error, which is returned.
sub dies {
    my ($code, $name, $like, %fields) = @_;
    local $Test::Builder::Level = $Test::Builder::Level + 1;
    my $lived = eval { $code->(); 1 };
    my $error = $@;
    return Test::More::fail("$name: it lived") if $lived;
    return Test::More::fail("$name: no IO::Bench::Error but $error")
        unless ref $error && $error->isa('IO::Bench::Error');
    Test::More::like("$error", $like, $name);
    Test::More::is($error->$_, $fields{$_}, "$name: $_") for sort keys %fields;
    return $error;
}

# A device of tests/support/testdev, or nothing where this machine has none.
sub testdev {
    my @words = @_;
    my $pid = open my $from, '-|', 'testdev', @words or die "testdev: $!";
    my @made = split ' ', join '', <$from>;
    close $from;
    return $? ? () : @made;
}

sub rss_kib {
    open my $status, '<', '/proc/self/status' or die $!;
    return (map { /^VmRSS:\s+(\d+)/ ? $1 : () } <$status>)[0];
}

1;
