# SPDX-License-Identifier: MIT
package IO::Bench::Workload;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Parameters;
use overload ();
use Scalar::Util 'blessed';
use parent 'IO::Bench::Runnable';

my %flags = (
    create              => $IO::Bench::_swig::IOB_TARGET_CREATE,
    allow_destroy       => $IO::Bench::_swig::IOB_TARGET_ALLOW_DESTROY,
    overwrite_signature => $IO::Bench::_swig::IOB_TARGET_OVERWRITE_SIGNATURE,
);

sub new {
    my ($class, @arguments) = @_;
    IO::Bench::Error->throw(EINVAL => 'new', 'an odd number of arguments; give name => value')
        if @arguments % 2;
    my %given = @arguments;
    my $self  = bless { handle => IO::Bench::_swig::iob_workload_new() }, $class;
    $self->_apply(\%given);
    return $self;
}

sub _apply {
    my ($self, $given) = @_;
    my %param   = %$given;
    my %targets = map { exists $param{$_} ? ($_ => delete $param{$_}) : () } 'target', keys %flags;
    IO::Bench::Parameters::set($self->{handle}, $_, $param{$_}) for sort keys %param;
    if (exists $targets{target}) {
        my $target = delete $targets{target};
        $self->add_target($_, %targets) for ref $target eq 'ARRAY' ? @$target : $target;
    } elsif (%targets) {
        IO::Bench::Error->throw(EINVAL => (sort keys %targets)[0], 'goes with target');
    }
    return;
}

# What may be done to targets, as the library has it.
sub _permissions {
    my (%given) = @_;
    my $bits = 0;
    for my $flag (sort keys %given) {
        IO::Bench::Error->throw(EINVAL => $flag, 'there are ' . join ', ', sort keys %flags)
            unless $flags{$flag};
        $bits |= $flags{$flag} if $given{$flag};
    }
    return $bits;
}

sub add_target {
    my ($self, $path, %given) = @_;
    my $bits = _permissions(%given);
    IO::Bench::Error->throw(EINVAL => 'target', 'the path is undef') unless defined $path;
    IO::Bench::Error->throw(EINVAL => 'target', 'the path is a reference; give text')
        if ref $path && !(blessed $path && overload::Method($path, '""'));
    IO::Bench::Error->throw(EINVAL => 'target', 'the path has a NUL character in it')
        if $path =~ /\0/;
    IO::Bench::_swig::iob_workload_add_target($self->{handle}, "$path", $bits);
    return $self;
}

sub targets {
    my ($self) = @_;
    my @found;
    for my $i (0 .. IO::Bench::_swig::iob_workload_target_count($self->{handle}) - 1) {
        my ($path, $bits) = IO::Bench::_swig::iob_workload_target($self->{handle}, $i);
        push @found, { path => $path, map { $_ => $bits & $flags{$_} ? 1 : 0 } keys %flags };
    }
    return @found;
}

sub check {
    my ($self) = @_;
    IO::Bench::_swig::iob_workload_check($self->{handle});
    return 1;
}

sub copy {
    my ($self, %changes) = @_;
    my $copy;
    if (exists $changes{target}) {
        $copy = (ref $self)->new;
        IO::Bench::_swig::iob_workload_set($copy->{handle}, $_->{name},
            IO::Bench::Parameters::text($self->{handle}, $_->{name}))
            for IO::Bench::Parameters::table();
    } else {
        $copy = bless { handle => IO::Bench::_swig::iob_workload_copy($self->{handle}) }, ref $self;
    }
    $copy->_apply(\%changes);
    return $copy;
}

sub _suite_handle {
    my ($self) = @_;
    my $suite = IO::Bench::_swig::iob_suite_new();
    IO::Bench::_swig::iob_suite_add($suite, $self->{handle});
    return $suite;
}

# An accessor for each parameter.
for my $row (IO::Bench::Parameters::table()) {
    my $name = $row->{name};
    no strict 'refs';
    *$name = sub {
        my ($self, @value) = @_;
        return IO::Bench::Parameters::get($self->{handle}, $name) unless @value;
        IO::Bench::Parameters::set($self->{handle}, $name, $value[0]);
        return $self;
    };
}

1;

__END__

=head1 NAME

IO::Bench::Workload - what to do, and to what

=head1 SYNOPSIS

    my $w = IO::Bench::Workload->new(
        target => '/dev/nvme0n1', block_size => '8k', queue_depth => 32, runtime => 10);
    $w->read_percent(70);
    print $w->block_size;       # 8192
    my $result = $w->run(progress => sub { printf STDERR "%.0f %%\r", 100 * $_[0]{share} });

=head1 METHODS

Each parameter (C<IO::Bench::params>, C<iobench params>) is an argument of C<new> and an accessor.
Sizes are bytes or text (C<8k>), times seconds or text (C<500ms>). C<block_size> also takes a mix,
C<< {'4k' => 60, '64k' => 40} >>; C<cpus> and C<percentiles> take arrays of numbers.

=over

=item C<new(target =E<gt> PATH or [PATHS], allow_destroy =E<gt> BOOL, create =E<gt> BOOL, overwrite_signature =E<gt> BOOL, PARAMETER =E<gt> VALUE, ...)>

C<allow_destroy>: the targets' data may be overwritten; without it they are only read. C<create>: a
missing file is made, offset + size bytes, filled. C<overwrite_signature>: also where a file system
or a partition table is found.

=item C<add_target($path, allow_destroy =E<gt> BOOL, ...)>

Adds a device or file with permissions of its own.

=item C<targets>

Hashes of C<path>, C<allow_destroy>, C<create>, C<overwrite_signature>.

=item C<check>

Dies where the workload could not run here and now; opens nothing for writing and changes nothing.

=item C<copy(PARAMETER =E<gt> VALUE, ...)>

A copy with other values. With C<target> it is on that target instead, with the permissions given
here.

=item C<run(progress =E<gt> CODE, partial =E<gt> \$RESULT)>

Runs it to its end and gives an L<IO::Bench::Result>. C<progress> is called about five times a second
with what L<IO::Bench::Run/progress> gives. Where it dies, or a signal handler does, the run is
cancelled and ends within a second; what was measured until then is put into the variable that
C<partial> refers to, and the run dies with the same error:

    local $SIG{INT} = sub { die "interrupted\n" };
    my $until_then;
    my $result = eval { $w->run(partial => \$until_then) } // $until_then;

=item C<start>

Starts it and returns an L<IO::Bench::Run> at once.

=back

=cut
