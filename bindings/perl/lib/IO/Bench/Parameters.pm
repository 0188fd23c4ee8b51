# SPDX-License-Identifier: MIT
# The library's table of parameters, and what Perl's values become in it.
package IO::Bench::Parameters;
use strict;
use warnings;

use IO::Bench::Error;
use IO::Bench::_swig;
use overload ();
use Scalar::Util qw(blessed looks_like_number);

my @types = qw(int size time bool choice blocks text rate);
my %lists = (cpus => 1, percentiles => 1);

sub _row {
    my $p       = IO::Bench::_swig::iob_param_get($_[0]);
    my $choices = IO::Bench::_swig::iob_param_info_choices_get($p);
    return {
        key     => IO::Bench::_swig::iob_param_info_key_get($p),
        name    => IO::Bench::_swig::iob_param_info_name_get($p),
        type    => $types[IO::Bench::_swig::iob_param_info_type_get($p)] // 'text',
        unit    => IO::Bench::_swig::iob_param_info_unit_get($p),
        min     => IO::Bench::_swig::iob_param_info_min_get($p),
        max     => IO::Bench::_swig::iob_param_info_max_get($p),
        default => IO::Bench::_swig::iob_param_info_default_text_get($p),
        choices => [split /\|/, $choices // ''],
        help    => IO::Bench::_swig::iob_param_info_help_get($p),
    };
}

my @table = map { _row($_) } 0 .. IO::Bench::_swig::iob_param_count() - 1;
my %table = map { $_->{name} => $_ } @table;

sub table { return @table }
sub row   { return $table{ $_[0] } }

sub _characters {
    my ($bytes) = @_;
    utf8::decode($bytes) if defined $bytes;
    return $bytes;
}

sub text { return IO::Bench::_swig::workload_text($_[0], $_[1]) }

# In Perl's natural form: times in seconds, sizes in bytes.
sub get {
    my ($handle, $name) = @_;
    my $row = $table{$name};
    if ($row->{type} ne 'choice' && $row->{type} ne 'text') {
        my ($failed, $value) = IO::Bench::_swig::iob_workload_get_int($handle, $row->{key});
        return $row->{type} eq 'time' ? $value / 1e9 : $value unless $failed;
    }
    return _characters(text($handle, $name));
}

sub _wrong {
    my ($name, $what) = @_;
    IO::Bench::Error->throw(EINVAL => $name, $what);
}

# A number without an exponent, which the library's units have no place for.
sub _number {
    my ($value) = @_;
    return "$value" =~ /e/i && $value == int $value ? sprintf '%.0f', $value : "$value";
}

sub _seconds {
    my ($value) = @_;
    return _number($value) . 's' if $value == int $value;
    my $text = sprintf '%.9f', $value;
    $text =~ s/0+$//;
    return "${text}s";
}

sub _scalar {
    my ($name, $value) = @_;
    _wrong($name, 'the value is undef') unless defined $value;
    _wrong($name, 'the value is a reference; give text or a number')
        if ref $value && !(blessed $value && overload::Method($value, '""'));
    _wrong($name, 'the text has a NUL character in it') if $value =~ /\0/;
    return $value if ref $value || !looks_like_number($value) || $value =~ /^\s*[-+]?(?:nan|inf)/i;
    return _seconds($value) if $table{$name}{type} eq 'time' && $value >= 0;
    return _number($value);
}

sub _plain {
    my ($name, $value) = @_;
    my $type = $table{$name}{type};
    return join ',', map { _scalar($name, $_) . ':' . _scalar($name, $value->{$_}) } sort keys %$value
        if ref $value eq 'HASH' && $type eq 'blocks';
    return join ',', map { _scalar($name, $_) } @$value if ref $value eq 'ARRAY' && $lists{$name};
    return '0' if $type eq 'bool' && defined $value && !ref $value && $value eq '';
    return _scalar($name, $value);
}

sub set {
    my ($handle, $name, $value) = @_;
    $value = _plain($name, $value) if $table{$name};
    IO::Bench::_swig::iob_workload_set($handle, $name, $value);    # it offers the nearest name
    return;
}

# The values of a dimension of a matrix, each tried: ("4k:60,64k:40", "8k").
sub axis {
    my ($name, $values) = @_;
    my $trial = IO::Bench::_swig::iob_workload_new();
    my @texts = map { set($trial, $name, $_); text($trial, $name) } @$values;
    _wrong($name, 'the axis has no values') unless @texts;
    _wrong($name, 'a value of an axis cannot have a semicolon in it')
        if @texts > 1 && grep {/;/} @texts;
    return @texts;
}

# The texts of parameters in a result, as get() would give them.
sub natural {
    my ($texts) = @_;
    my $handle = IO::Bench::_swig::iob_workload_new();
    my %values;
    for my $name (keys %$texts) {
        $values{$name} = _characters($texts->{$name});
        next unless $table{$name} && $table{$name}{type} !~ /^(?:choice|text)$/;
        eval { IO::Bench::_swig::iob_workload_set($handle, $name, $texts->{$name}); 1 }
            and $values{$name} = get($handle, $name);
    }
    return \%values;
}

1;
