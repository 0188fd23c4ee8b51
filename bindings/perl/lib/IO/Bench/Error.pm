# SPDX-License-Identifier: MIT
package IO::Bench::Error;
use strict;
use warnings;

use Carp ();
use Errno ();
use overload '""' => \&text, bool => sub { 1 }, fallback => 1;

for my $field (qw(errno message where file offset line result)) {
    no strict 'refs';
    *$field = sub { return $_[0]{$field} };
}

sub text {
    my ($self) = @_;
    my $where = length $self->{where} ? "$self->{where}: " : '';
    return $where . $self->{message} . ($self->{place} // '');
}

# The place in the program that called; for errors that are thrown.
sub _locate {
    my ($self) = @_;
    my $place = Carp::shortmess('');
    $self->{place} = $place =~ /^ at / ? $place : " $place";
    return $self;
}

# throw(errno or its name, where, message, more fields)
sub throw {
    my ($class, $errno, $where, $message, %more) = @_;
    $errno = Errno->can($errno)->() if $errno =~ /^[A-Z]/;
    my $self = bless {
        errno => $errno, where => $where, message => $message,
        file  => '', offset => 0, line => 0, %more,
    }, $class;
    die $self->_locate;
}

1;

__END__

=head1 NAME

IO::Bench::Error - what went wrong, and where

=head1 SYNOPSIS

    use Errno 'EPERM';

    my $result = eval { $workload->run };
    if (ref $@ && $@->isa('IO::Bench::Error')) {
        warn 'not allowed' if $@->errno == EPERM;
        warn $@->where, ': ', $@->message, "\n";
    }

=head1 METHODS

As text it is C<where: message at FILE line N.>

=over

=item C<errno>

As in L<Errno>.

=item C<message>

One sentence: what is wrong, the value, and what would be right.

=item C<where>

The parameter or the operation: C<block_size>, C<target>, C<read>.

=item C<file>

The target, or the file that was read; may be empty. Bytes.

=item C<offset>

Of the I/O that failed, in bytes; 0 where there is none.

=item C<line>

Of C<file>, from 1; 0 where there is none.

=item C<result>

Where an error ended a run: what was measured until then, an L<IO::Bench::Result>, or undef.

=back

=cut
