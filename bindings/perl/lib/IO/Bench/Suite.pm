# SPDX-License-Identifier: MIT
package IO::Bench::Suite;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Workload;
use overload ();
use Scalar::Util 'blessed';
use parent 'IO::Bench::Runnable';

sub new {
    my ($class) = @_;
    return bless { handle => IO::Bench::_swig::iob_suite_new() }, $class;
}

# A path, or a reference to a list of fio's arguments.
sub load_fio {
    my ($class, $jobs, @permissions) = @_;
    IO::Bench::Error->throw(EINVAL => 'load_fio', 'an odd number of arguments; give name => value')
        if @permissions % 2;
    my $bits  = IO::Bench::Workload::_permissions(@permissions);
    my @words = ref $jobs eq 'ARRAY' ? @$jobs : $jobs;
    for (@words) {
        IO::Bench::Error->throw(EINVAL => 'load_fio', 'give a path, or a reference to a list of arguments')
            unless defined && (!ref || (blessed $_ && overload::Method($_, '""')));
        IO::Bench::Error->throw(EINVAL => 'load_fio', 'there is a NUL character in it') if /\0/;
    }
    my $handle =
        ref $jobs eq 'ARRAY'
        ? IO::Bench::_swig::iob_suite_from_fio_args([map {"$_"} @words], $bits)
        : IO::Bench::_swig::iob_suite_from_fio_file("$jobs", $bits);
    return bless { handle => $handle }, $class;
}

sub _note {
    my ($n)  = @_;
    my $text = IO::Bench::_swig::iob_note_text_get($n);
    my $file = IO::Bench::_swig::iob_note_file_get($n);
    utf8::decode($text);
    return { text => $text, file => length $file ? $file : undef, line => IO::Bench::_swig::iob_note_line_get($n) };
}

sub notes {
    my ($self) = @_;
    return map { _note(IO::Bench::_swig::iob_suite_note($self->{handle}, $_)) }
        0 .. IO::Bench::_swig::iob_suite_note_count($self->{handle}) - 1;
}

sub _workload {
    my ($where, $workload) = @_;
    IO::Bench::Error->throw(EINVAL => $where, 'give a workload')
        unless ref $workload && eval { $workload->isa('IO::Bench::Workload') };
    return $workload->{handle};
}

sub add {
    my ($self, $workload) = @_;
    IO::Bench::_swig::iob_suite_add($self->{handle}, _workload('add', $workload));
    return $self;
}

sub next_stage {
    my ($self, $name) = @_;
    IO::Bench::Error->throw(EINVAL => 'next_stage', 'the name has a NUL character in it')
        if defined $name && $name =~ /\0/;
    IO::Bench::_swig::iob_suite_next_stage($self->{handle}, $name);
    return $self;
}

sub add_matrix {
    my ($self, $workload, @axes) = @_;
    my $base = IO::Bench::_swig::iob_workload_copy(_workload('add_matrix', $workload));
    IO::Bench::Error->throw(EINVAL => 'add_matrix', 'an axis without values') if @axes % 2;
    my $single = @axes > 0;
    my @listed;
    while (my ($name, $values) = splice @axes, 0, 2) {
        if (ref $values ne 'ARRAY') {
            push @listed, [$name, $values];
            next;
        }
        my @texts = IO::Bench::Parameters::axis($name, $values);
        if (@texts == 1 && $texts[0] =~ /[,;]/) {
            IO::Bench::Parameters::set($base, $name, $texts[0]);  # no list, though it looks like one
        } else {
            push @listed, [$name, join((grep {/,/} @texts) ? ';' : ',', @texts)];
        }
    }
    if (@listed || !$single) {
        IO::Bench::_swig::iob_suite_add_matrix($self->{handle}, $base, \@listed);
    } else {
        IO::Bench::_swig::iob_suite_next_stage($self->{handle}, undef);
        IO::Bench::_swig::iob_suite_add($self->{handle}, $base);
    }
    return $self;
}

sub stages {
    my ($self) = @_;
    return map { $self->_stage($_) } 0 .. IO::Bench::_swig::iob_suite_stage_count($self->{handle}) - 1;
}

sub _stage {
    my ($self, $i) = @_;
    my $name = IO::Bench::_swig::iob_suite_stage_name($self->{handle}, $i);
    utf8::decode($name);
    my @workloads = map {
        my $borrowed = IO::Bench::_swig::iob_suite_workload($self->{handle}, $i, $_);
        bless { handle => IO::Bench::_swig::iob_workload_copy($borrowed) }, 'IO::Bench::Workload';
    } 0 .. IO::Bench::_swig::iob_suite_workload_count($self->{handle}, $i) - 1;
    return { name => $name, workloads => \@workloads };
}

sub begin_rounds {
    my ($self) = @_;
    IO::Bench::_swig::iob_suite_begin_rounds($self->{handle});
    return $self;
}

# By number or by name.
sub track {
    my ($self, $stage) = @_;
    IO::Bench::Error->throw(EINVAL => 'track', 'give the number or the name of a stage')
        unless defined $stage && !ref $stage;
    if ($stage !~ /^[0-9]+$/) {
        my @stages = $self->stages;
        my ($at) = grep { $stages[$_]{name} eq $stage } 0 .. $#stages;
        IO::Bench::Error->throw(EINVAL => 'track', qq(there is no stage "$stage")) unless defined $at;
        $stage = $at;
    }
    IO::Bench::_swig::iob_suite_track($self->{handle}, $stage);
    return $self;
}

sub add_note {
    my ($self, $text) = @_;
    IO::Bench::_swig::iob_suite_add_note($self->{handle}, $text // '');
    return $self;
}

sub add_precondition {
    my ($self, $workload) = @_;
    IO::Bench::_swig::iob_suite_add_precondition($self->{handle},
        _workload('add_precondition', $workload));
    return $self;
}

my %test = (
    iops       => $IO::Bench::_swig::IOB_PTS_IOPS,
    throughput => $IO::Bench::_swig::IOB_PTS_THROUGHPUT,
    latency    => $IO::Bench::_swig::IOB_PTS_LATENCY,
);

sub add_pts {
    my ($self, $test, $workload, %option) = @_;
    my ($sizes, $purge, $precondition) = delete @option{qw(block_sizes purge precondition)};
    IO::Bench::Error->throw(EINVAL => 'pts',
        "unknown option $_; there are block_sizes, purge and precondition")
        for sort keys %option;
    my $number = $test{ $test // '' };
    IO::Bench::Error->throw(EINVAL => 'pts', 'there are the tests iops, throughput and latency')
        unless defined $number;
    $sizes = join ',', @$sizes if ref $sizes eq 'ARRAY';
    IO::Bench::_swig::suite_add_pts($self->{handle}, _workload('pts', $workload), $number,
        ($precondition // 1) ? 0 : 1, $sizes, $purge);
    return $self;
}

sub _suite_handle { return $_[0]{handle} }

1;

__END__

=head1 NAME

IO::Bench::Suite - stages and matrices of workloads

=head1 SYNOPSIS

    my $suite = IO::Bench::Suite->new;
    $suite->add($reader)->add($writer);             # side by side
    $suite->next_stage('afterwards')->add($reader);
    $suite->add_matrix($w, block_size => [qw(8k 1m)], workers => '1,16');
    my $result = $suite->run;

    my $jobs = IO::Bench::Suite->load_fio('job.fio');

=head1 METHODS

C<run> and C<start> are those of L<IO::Bench::Workload>. The suite holds copies of what it is given.

=over

=item C<add($workload)>

Beside the others of the last stage.

=item C<next_stage($name)>

What is added next starts a new stage; without a name one is made up.

=item C<add_matrix($workload, PARAMETER =E<gt> VALUES, ...)>

Adds a stage for each combination of values; the first parameter varies slowest. VALUES is an array,
or text with commas between.

=item C<begin_rounds>

What is added next is the first stage of a round, where the suite is run by C<run_until_steady>; the
stages so far run once, before the rounds.

=item C<track($stage)>

In rounds, steadiness is asked of this stage, by number (from 0) or name. Without this it is asked of
all that are of the round.

=item C<add_note($text)>

A note of your own, as 'purge: nvme format -s1', which goes into the result of rounds.

=item C<add_precondition($workload)>

Stages that write the region of each target of the workload twice, in sequential writes of 128 KiB.

=item C<add_pts($test, $workload, block_sizes =E<gt> [...], purge =E<gt> TEXT, precondition =E<gt> 0)>

A test of the SNIA Performance Test Specification, 'iops', 'throughput' or 'latency', with its
preconditioning; to be run by C<run_until_steady>. See L<IO::Bench/pts>.

=item C<stages>

Hashes of C<name> and C<workloads> (copies, an array).

=item C<load_fio($path, allow_destroy =E<gt> BOOL, create =E<gt> BOOL, overwrite_signature =E<gt> BOOL)>

=item C<load_fio(\@arguments, ...)>

Of the class: a suite from a job file of fio, or from its arguments (C<--name=a>, C<--rw=randread>).
A job and each of its C<numjobs> is a workload, jobs that run at the same time are those of a stage, a
C<stonewall> starts the next one. Nothing is opened but the job file, and no command in it is ever
run. Without C<allow_destroy> jobs that write are refused when the suite is run; C<create> makes
files that are missing. Dies with C<file>, C<line> and the option as C<where>; what becomes of each
option is in L<IO::Bench/fio_options>.

=item C<notes>

What C<load_fio> accepted and wants known: hashes of C<text>, C<file> (undef: the command line) and
C<line>.

=back

=cut
