# SPDX-License-Identifier: MIT
package IO::Bench::Device;
use strict;
use warnings;

use JSON::PP ();
use IO::Bench::_swig;

sub CLONE_SKIP { return 1 }

my @users = ([MOUNT => 'mount'], [SWAP => 'swap'], [HOLDER => 'holder'], [EXCLUSIVE => 'exclusive'],
    [LOOP => 'loop']);
my @flags = qw(target no_counters no_ticks no_discards no_flushes part rotational write_cache);
my %ops   = (all => 'ALL', read => 'READ', write => 'WRITE', trim => 'TRIM', sync => 'SYNC');

sub _constant {
    my ($name) = @_;
    no strict 'refs';
    return ${"IO::Bench::_swig::IOB_$name"};
}

sub _field {
    my ($struct, $name, $pointer) = @_;
    no strict 'refs';
    return &{"IO::Bench::_swig::${struct}_${name}_get"}($pointer);
}

# Text for people.
sub _decoded {
    my ($text) = @_;
    utf8::decode($text);
    return $text;
}

sub _open {
    my ($class, $path) = @_;
    my $handle = IO::Bench::_swig::iob_device_open($path);
    return bless { handle => $handle, owner => $handle }, $class;
}

sub path  { return IO::Bench::_swig::iob_device_path($_[0]{handle}) }
sub kind  { return IO::Bench::_swig::iob_device_kind($_[0]{handle}) }
sub about { return _decoded(IO::Bench::_swig::iob_device_about($_[0]{handle})) }

sub facts {
    my ($self) = @_;
    my %facts;
    for my $i (0 .. IO::Bench::_swig::iob_device_fact_count($self->{handle}) - 1) {
        my $fact    = IO::Bench::_swig::iob_device_fact($self->{handle}, $i);
        my $is_text = _field('iob_fact', 'type', $fact) == _constant('FACT_TEXT');
        $facts{ _field('iob_fact', 'name', $fact) } = _field('iob_fact', $is_text ? 'text' : 'number', $fact);
    }
    return \%facts;
}

sub below {
    my ($self) = @_;
    return map {
        bless { handle => IO::Bench::_swig::iob_device_below($self->{handle}, $_),
                owner  => $self->{owner} }, ref $self
    } 0 .. IO::Bench::_swig::iob_device_below_count($self->{handle}) - 1;
}

sub users {
    my ($self) = @_;
    my %kind = map { _constant("USER_$_->[0]") => $_->[1] } @users;
    return map {
        my $user = IO::Bench::_swig::iob_device_user_get($self->{handle}, $_);
        +{  kind    => $kind{ _field('iob_device_user', 'kind', $user) },
            device  => _field('iob_device_user', 'device', $user),
            what    => _field('iob_device_user', 'what',   $user),
            message => _decoded(_field('iob_device_user', 'message', $user)),
        }
    } 0 .. IO::Bench::_swig::iob_device_user_count($self->{handle}) - 1;
}

sub signatures {
    my ($self) = @_;
    return map {
        my $signature = IO::Bench::_swig::iob_device_signature_get($self->{handle}, $_);
        +{ map { $_ => _decoded(_field('iob_device_signature', $_, $signature)) }
                qw(type usage label uuid) }
    } 0 .. IO::Bench::_swig::iob_device_signature_count($self->{handle}) - 1;
}

sub report {
    my ($self, $format) = @_;
    return IO::Bench::_swig::device_report($self->{handle}, $format // 'text');
}

sub to_hash { return JSON::PP->new->utf8->decode($_[0]->report('json')) }

# ---- in a result ----

sub _number { return $_[0] == $_[0] ? $_[0] : undef }    # NaN is not itself

sub _requests {
    my ($use, $op, $timed) = @_;
    my $io = IO::Bench::_swig::device_io($use, _constant("OP_$op"));
    my %requests = map { $_ => _field('iob_device_io', $_, $io) }
        qw(ios merges bytes ticks_ms issued_ios issued_bytes);
    $requests{ticks_ms} = undef unless $timed;
    return \%requests;
}

sub _spread {
    my ($spread, $names) = @_;
    my $worst = _field('iob_device_spread', 'worst', $spread);
    return {
        worst => $worst < @{$names} ? $names->[$worst] : undef,
        map { $_ => _number(_field('iob_device_spread', $_, $spread)) } qw(mean min max skew)
    };
}

sub _intervals {
    my ($result, $i) = @_;
    my @intervals;
    for my $k (0 .. IO::Bench::_swig::iob_result_device_interval_count($result, $i) - 1) {
        my $v = IO::Bench::_swig::iob_result_device_interval($result, $i, $k);
        push @intervals, { map { $_ => _field('iob_device_interval', $_, $v) }
                qw(start_ns length_ns read_ios read_bytes write_ios write_bytes busy_ms queue_ms) };
    }
    return \@intervals;
}

sub _use {
    my ($result, $i, $use, $names) = @_;
    my $get     = sub { return _field('iob_device_use', $_[0], $use) };
    my $bits    = $get->('flags');
    my $counted = !($bits & _constant('DEVICE_NO_COUNTERS'));
    my $timed   = $counted && !($bits & _constant('DEVICE_NO_TICKS'));
    my $above   = $get->('above');
    return {
        (map { $_ => $get->($_) } qw(name kind machine device_bytes depth length_ns)),
        (map { $_ => _requests($use, $ops{$_}, $timed) } keys %ops),
        (map { $_ => $timed ? $get->($_) : undef } qw(busy_ms queue_ms)),
        (map { $_ => _number($get->($_)) } qw(utilisation in_flight mean_request requests_per_io)),
        (map { $_ => _spread($get->($_), $names) } qw(member_ios member_bytes member_utilisation)),
        about => _decoded($get->('about')),
        flags => { map { $_ => $bits & _constant('DEVICE_' . uc $_) ? 1 : 0 } @flags },
        above => $above < @{$names} ? $names->[$above] : undef,
        below => [map { $names->[IO::Bench::_swig::device_below($use, $_)] } 0 .. $get->('n_below') - 1],
        idle  => $get->('n_idle'),
        foreign_bytes => $counted && !($bits & _constant('DEVICE_PART')) ? $get->('foreign_bytes') : undef,
        intervals     => _intervals($result, $i),
    };
}

# Those of a result's handle.
sub _uses {
    my ($result) = @_;
    my @uses  = map { IO::Bench::_swig::iob_result_device($result, $_) }
        0 .. IO::Bench::_swig::iob_result_device_count($result) - 1;
    my @names = map { _field('iob_device_use', 'name', $_) } @uses;
    return map { _use($result, $_, $uses[$_], \@names) } 0 .. $#uses;
}

1;

__END__

=head1 NAME

IO::Bench::Device - what a block device or a file is

=head1 SYNOPSIS

    my $d = IO::Bench::device('/dev/sda');
    print "$_->{message}\n" for $d->users;
    print $d->facts->{size}, "\n";

=head1 METHODS

It is read once; nothing is held open or changed.

=over

=item C<path>, C<kind>, C<about>

C</dev/sda> whatever link was given; C<disk>, C<partition>, C<md>, C<dm>, C<loop>, ... or C<file>; and in
a few words, for people.

=item C<facts>

A hash of what is known: C<size>, C<logical_block>, C<scheduler>, ... What is not known is not in it.
F<docs/devices.md> lists all.

=item C<below>

The devices that it stands on directly, L<IO::Bench::Device> each. Their users and signatures are not
looked for.

=item C<users>

Who uses it, so that it is not written: hashes of C<kind> (C<mount>, C<swap>, C<holder>, C<exclusive>,
C<loop>), C<device>, C<what>, C<message>.

=item C<signatures>

What was found on it: hashes of C<type>, C<usage>, C<label>, C<uuid>.

=item C<report($format)>, C<to_hash>

All of it: C<text> or C<json>, bytes; and the latter decoded.

=back

=cut
