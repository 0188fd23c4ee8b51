# SPDX-License-Identifier: MIT
package IO::Bench::Operation;
use strict;
use warnings;

use IO::Bench::_swig;
use IO::Bench::Histogram;

sub CLONE_SKIP { return 1 }

my %count = (ios => 'IOS', bytes => 'BYTES', errors => 'ERRORS', short => 'SHORT');
my %time  = (latency => 'SERVICE', submit => 'SUBMIT', response => 'RESPONSE');

sub _handle { return $_[0]{node}{handle} }

for my $name (keys %count) {
    no strict 'refs';
    my $which = ${"IO::Bench::_swig::IOB_COUNT_$count{$name}"};
    *$name = sub { return IO::Bench::_swig::iob_result_count($_[0]->_handle, $_[0]{op}, $which) };
}
for my $name (keys %time) {
    no strict 'refs';
    my $which = ${"IO::Bench::_swig::IOB_LATENCY_$time{$name}"};
    *$name = sub {
        my ($self) = @_;
        return IO::Bench::Histogram->_of(
            IO::Bench::_swig::iob_result_hist($self->_handle, $self->{op}, $which),
            $self->{node}{owner});
    };
}

sub iops        { return IO::Bench::_swig::iob_result_iops($_[0]->_handle, $_[0]{op}) }
sub bytes_per_s { return IO::Bench::_swig::iob_result_bytes_per_s($_[0]->_handle, $_[0]{op}) }

my @interval = qw(start_ns length_ns ios bytes mean_ns p50_ns p99_ns max_ns submit_mean_ns);

sub intervals {
    my ($self) = @_;
    my @found;
    for my $i (0 .. IO::Bench::_swig::iob_result_interval_count($self->_handle) - 1) {
        my $interval = IO::Bench::_swig::iob_result_interval($self->_handle, $i, $self->{op});
        push @found, IO::Bench::Result::_fields('iob_interval', $interval, @interval);
    }
    return @found;
}

package IO::Bench::Result;

use JSON::PP ();
use IO::Bench::Device;
use IO::Bench::Error;
use IO::Bench::Parameters;

sub CLONE_SKIP { return 1 }

my @levels = qw(suite stage workload worker);
my %ops    = (all => 'ALL', read => 'READ', write => 'WRITE', trim => 'TRIM', sync => 'SYNC');
my %flags  = (cancelled => 'CANCELLED', partial => 'PARTIAL', errors => 'ERRORS',
    recorded => 'RECORDED');

# A struct as a hash.
sub _fields {
    my ($struct, $pointer, @names) = @_;
    no strict 'refs';
    return { map { $_ => &{"IO::Bench::_swig::${struct}_${_}_get"}($pointer) } @names };
}

sub _root {
    my ($class, $handle) = @_;
    return bless { handle => $handle, owner => $handle }, $class;
}

for my $op (keys %ops) {
    no strict 'refs';
    my $which = ${"IO::Bench::_swig::IOB_OP_$ops{$op}"};
    *$op = sub { return bless { node => $_[0], op => $which }, 'IO::Bench::Operation' };
}

sub name {
    my $name = IO::Bench::_swig::iob_result_name($_[0]{handle}) // '';
    utf8::decode($name);
    return $name;
}

sub level { return $levels[IO::Bench::_swig::iob_result_level($_[0]{handle})] }

sub children {
    my ($self) = @_;
    return map {
        bless { handle => IO::Bench::_swig::iob_result_child($self->{handle}, $_),
                owner  => $self->{owner} }, ref $self
    } 0 .. IO::Bench::_swig::iob_result_child_count($self->{handle}) - 1;
}

sub stages {
    my ($self) = @_;
    return $self->level eq 'suite' ? $self->children : $self->level eq 'stage' ? $self : ();
}

sub workloads {
    my ($self) = @_;
    return $self if $self->level eq 'workload';
    return $self->level eq 'worker' ? () : map { $_->workloads } $self->children;
}

sub flags {
    my $bits = IO::Bench::_swig::iob_result_flags($_[0]{handle});
    no strict 'refs';
    return { map { $_ => $bits & ${"IO::Bench::_swig::IOB_RESULT_$flags{$_}"} ? 1 : 0 } keys %flags };
}

sub elapsed    { return $_[0]->elapsed_ns / 1e9 }
sub elapsed_ns { return IO::Bench::_swig::iob_result_elapsed_ns($_[0]{handle}) }
sub started    { return $_[0]->started_ns / 1e9 }
sub started_ns { return IO::Bench::_swig::iob_result_started_ns($_[0]{handle}) }
sub unfinished { return IO::Bench::_swig::iob_result_unfinished($_[0]{handle}) }
sub error      { return IO::Bench::_swig::iob_result_error($_[0]{handle}) }

sub _known {
    my ($self, $get) = @_;
    my %texts;
    for my $name ((map { $_->{name} } IO::Bench::Parameters::table()), qw(engine_features engine_kind recorded_by line)) {
        my $text = $get->($self->{handle}, $name);
        $texts{$name} = $text if defined $text;
    }
    return IO::Bench::Parameters::natural(\%texts);
}

sub params    { return $_[0]->_known(\&IO::Bench::_swig::iob_result_param) }
sub effective { return $_[0]->_known(\&IO::Bench::_swig::iob_result_effective) }

sub targets {
    my ($self) = @_;
    return map {
        _fields('iob_target_use', IO::Bench::_swig::iob_result_target($self->{handle}, $_),
            qw(path target_bytes ios bytes errors))
    } 0 .. IO::Bench::_swig::iob_result_target_count($self->{handle}) - 1;
}

sub pace {
    my ($self) = @_;
    my $pace = IO::Bench::_swig::iob_result_pace($self->{handle});
    return $pace && _fields('iob_pace', $pace,
        qw(asked_iops starts late dropped unissued worst_lag_ns mean_lag_ns));
}

sub devices { return IO::Bench::Device::_uses($_[0]{handle}) }

my %answers = (UNFINISHED => 'unfinished', FOUND => 'found', NOTHING => 'nothing holds',
    EVERYTHING => 'everything holds');
my %verdicts = (NOT_JUDGED => 'not judged', HOLDS => 'holds', MISSES => 'misses',
    SATURATED => 'saturated', UNDECIDED => 'undecided', TOO_FEW => 'too few');

# The word for a number of the library's.
sub _word {
    my ($words, $number) = @_;
    no strict 'refs';
    my ($name) = grep { ${"IO::Bench::_swig::IOB_SEARCH_$_"} == $number } keys %$words;
    return $words->{$name};
}

sub _step {
    my $step = _fields('iob_search_step', $_[0],
        qw(value attempt verdict ios iops latency_ns low_ns high_ns));
    $step->{value} ||= undef;
    $step->{verdict} = _word(\%verdicts, $step->{verdict});
    return $step;
}

sub search {
    my ($self) = @_;
    my $o = IO::Bench::_swig::iob_result_search($self->{handle}) or return;
    my $found = _fields('iob_search_outcome', $o,
        qw(param answer op latency metric percentile limit_ns low high resolution confidence tries held missed));
    my $p = delete $found->{percentile};
    $found->{metric} =
          $found->{metric} == $IO::Bench::_swig::IOB_SEARCH_MEAN ? 'mean'
        : $found->{metric} == $IO::Bench::_swig::IOB_SEARCH_MAX  ? 'max'
        :                                                          sprintf 'p%.9g', $p;
    $found->{answer}  = _word(\%answers, $found->{answer});
    $found->{op}      = (qw(all read write trim))[ $found->{op} ];
    $found->{latency} = (qw(submit service response))[ $found->{latency} ];
    $found->{$_} ||= undef for qw(held missed);
    $found->{steps} = [map { _step(IO::Bench::_swig::iob_result_search_step($self->{handle}, $_)) }
            0 .. IO::Bench::_swig::iob_result_search_step_count($self->{handle}) - 1];
    return $found;
}

my @metrics = qw(iops bandwidth latency);

sub _means {
    my ($self, $i, $op) = @_;
    my %means;
    @means{qw(iops bytes_per_s mean_ns)} =
        map { IO::Bench::_swig::iob_result_cell_mean($self->{handle}, $i, $op, $_) } 0 .. 2;
    return \%means;
}

sub _cell {
    my ($self, $i) = @_;
    my $c = IO::Bench::_swig::iob_result_cell($self->{handle}, $i);
    my $cell = _fields('iob_cell', $c, qw(name tracked steady average excursion slope));
    $cell->{values} = [unpack 'd*', IO::Bench::_swig::cell_values($c)];
    my @ops = qw(all read write trim sync);
    $cell->{ $ops[$_] } = $self->_means($i, $_) for 0 .. $#ops;
    return $cell;
}

sub rounds {
    my ($self) = @_;
    my $r = IO::Bench::_swig::iob_result_rounds($self->{handle}) or return;
    my $rounds = _fields('iob_rounds', $r,
        qw(metric done max_rounds steady_at first last window excursion slope once cells n_notes));
    $rounds->{metric}    = $metrics[ $rounds->{metric} ];
    $rounds->{steady}    = $rounds->{steady_at} ? 1 : 0;
    $rounds->{steady_at} ||= undef;
    $rounds->{cells}     = [map { $self->_cell($_) } 0 .. $rounds->{cells} - 1];
    $rounds->{notes}     = [map { IO::Bench::_swig::rounds_note($r, $_) } 0 .. delete($rounds->{n_notes}) - 1];
    return $rounds;
}

sub findings {
    my ($self) = @_;
    return map { _finding(IO::Bench::_swig::iob_result_finding($self->{handle}, $_)) }
        0 .. IO::Bench::_swig::iob_result_finding_count($self->{handle}) - 1;
}

sub _evidence {
    my ($f) = @_;
    my %numbers;
    for my $i (0 .. IO::Bench::_swig::iob_finding_n_evidence_get($f) - 1) {
        my $e = IO::Bench::_swig::finding_evidence($f, $i);
        $numbers{ IO::Bench::_swig::iob_evidence_name_get($e) } =
            IO::Bench::_swig::iob_evidence_value_get($e);
    }
    return \%numbers;
}

sub _finding {
    my ($f) = @_;
    my $finding = _fields('iob_finding', $f, qw(code message));
    $finding->{severity} =
        IO::Bench::_swig::iob_severity_name(IO::Bench::_swig::iob_finding_severity_get($f));
    $finding->{where}    = IO::Bench::_swig::finding_of($f);
    $finding->{level}    = $levels[IO::Bench::_swig::finding_level($f)];
    $finding->{evidence} = _evidence($f);
    utf8::decode($finding->{$_}) for qw(message where);
    return $finding;
}

sub unchecked {
    my ($self) = @_;
    return map {
        _fields('iob_unchecked', IO::Bench::_swig::iob_result_unchecked($self->{handle}, $_),
            qw(code reason workloads))
    } 0 .. IO::Bench::_swig::iob_result_unchecked_count($self->{handle}) - 1;
}

# "link_limit", "round_trip" or "claim" of the set-up; of a whole result.
sub declare {
    my ($self, $name, $text) = @_;
    IO::Bench::_swig::iob_result_declare($self->{handle}, $name, $text);
    return $self;
}

sub intervals { return $_[0]->all->intervals }

sub report {
    my ($self, $format) = @_;
    return IO::Bench::_swig::result_report($self->{handle}, $format // 'text');
}

sub to_hash { return JSON::PP->new->utf8->decode($_[0]->report('json')) }

sub save {
    my ($self, $path, $format) = @_;
    my $report = $self->report($format // 'json');
    open my $file, '>:raw', $path or IO::Bench::Error->throw($! + 0, 'save', "$!", file => $path);
    print {$file} $report and close $file
        or IO::Bench::Error->throw($! + 0, 'save', "$!", file => $path);
    return;
}

1;

__END__

=head1 NAME

IO::Bench::Result - what was measured

=head1 SYNOPSIS

    my $result = $suite->run;
    printf "%.0f reads a second\n", $result->read->iops;
    for my $cell ($result->workloads) {
        printf "%8s %10.0f %8d\n", $cell->effective->{block_size},
            $cell->all->iops, $cell->read->latency->percentile(99);
    }
    $result->save('today.json');

=head1 METHODS

A tree of suite, stages, workloads and workers. Every method works at every level; a node sums up its
children. A child keeps what it needs of the whole.

=over

=item C<read>, C<write>, C<trim>, C<sync>, C<all>

One kind of I/O (C<all>: read + write + trim), with the methods C<ios>, C<bytes> (whole and
successful), C<errors>, C<short>, C<iops>, C<bytes_per_s>, the histograms C<latency> (service time),
C<submit> and C<response> (each an L<IO::Bench::Histogram>, in ns), and C<intervals> (hashes of
C<start_ns>, C<length_ns>, C<ios>, C<bytes>, C<mean_ns>, C<p50_ns>, C<p99_ns>, C<max_ns>, C<submit_mean_ns>).

=item C<name>, C<level>

The level is C<suite>, C<stage>, C<workload> or C<worker>.

=item C<children>, C<stages>, C<workloads>

Lists of nodes: those below, a suite's stages, every workload of this node in order.

=item C<flags>

A hash: C<cancelled>, C<partial> (a snapshot), C<errors>; 0 or 1 each.

=item C<elapsed>, C<started>

Seconds of the measured window, and when it began (since the epoch). C<elapsed_ns> and C<started_ns>
are exact.

=item C<unfinished>

I/Os that were in flight when a snapshot was taken.

=item C<params>, C<effective>

Hashes of the parameters as they were asked for, and as it ran. Above a workload: those on which all
workloads below agree.

=item C<error>

The first I/O error, an L<IO::Bench::Error>, or undef.

=item C<targets>

What each target got: hashes of C<path>, C<target_bytes>, C<ios>, C<bytes>, C<errors>.

=item C<pace>

How well an open loop (C<arrival> C<fixed> or C<poisson>) kept its schedule: a hash of C<asked_iops> (NaN
where it is not known), C<starts>, C<late>, C<dropped>, C<unissued> (due, and not started when the run
ended: in no histogram), C<worst_lag_ns>, C<mean_lag_ns>; undef where nothing below had a schedule.
Response times, which count from the intended start, are in C<< $result->all->response >>.

=item C<findings>

What cannot be believed of this node and those below, and why: hashes of C<code>, C<severity> ("note",
"warning", "invalid"), C<message>, C<evidence> (a hash of numbers), C<where> (the name of the node it
is about) and C<level>.

=item C<rounds>

What came of a suite that was run by C<run_until_steady>: a hash of C<metric>, C<steady> (0: steady
state was not achieved), C<steady_at> (the round, from 1; or undef), C<done>, C<max_rounds>, C<first>
and C<last> (the rounds that results are means over), C<window>, C<excursion>, C<slope>, C<once>
(stages that ran before), C<notes>, and C<cells>, hashes of C<name>, C<tracked>, C<steady>, C<values>
(an array, one for each round), C<average>, C<excursion>, C<slope> (NaN where the rounds are too few),
and by kind of I/O (C<all>, C<read>, ...) a hash of the means C<iops>, C<bytes_per_s>, C<mean_ns>. Of
any other result nothing.

=item C<search>

What a search came to, of the whole result of one: a hash of C<answer> ("found", "nothing holds",
"everything holds", "unfinished"), C<param> ("rate_iops", "queue_depth"), C<held> and C<missed> (the
highest value that holds, the lowest above it that does not; undef: none), C<metric> ("p99", "mean",
"max"), C<limit_ns>, C<op>, C<latency> ("service", "response"), C<low>, C<high>, C<resolution>,
C<confidence>, C<tries>, and C<steps>, hashes of C<value> (undef: the closed loop that shows where to
begin), C<attempt>, C<verdict> ("holds", "misses", "saturated", "undecided", "too few", "not judged"),
C<ios>, C<iops>, C<latency_ns>, C<low_ns>, C<high_ns> (NaN where not known). Of any other result
nothing.

=item C<unchecked>

What could not be checked of a result that another program recorded: hashes of C<code>, C<reason>,
C<workloads>.

=item C<< declare($name => $text) >>

Judges a recorded result anew with what is declared of the set-up: C<link_limit> ("3.2GB/s"),
C<round_trip> ("30us"), C<claim> ("direct").

=item C<devices>

What the devices under the targets did, by the kernel's counters: everybody's requests. Hashes, the
upper layer before the lower, each device once: C<name>, C<kind>, C<about>, C<machine>, C<device_bytes>,
C<flags> (a hash), C<depth>, C<above>, C<below> (names), C<idle>, C<length_ns>; C<read>, C<write>,
C<trim>, C<sync>, C<all> (hashes of C<ios>, C<merges>, C<bytes>, C<ticks_ms>, C<issued_ios>,
C<issued_bytes>); C<busy_ms>, C<queue_ms>, C<utilisation>, C<in_flight>, C<mean_request>,
C<requests_per_io>, C<foreign_bytes>; C<member_ios>, C<member_bytes>, C<member_utilisation> (hashes of
C<mean>, C<min>, C<max>, C<worst>, C<skew>); C<intervals>. What is not available is undef.

=item C<intervals>

Those of C<all>.

=item C<report($format)>

C<text>, C<xdisk>, C<json>, C<csv>, C<fio-json> or C<fio-json+>; bytes.

=item C<to_hash>

The JSON report, decoded.

=item C<save($path, $format)>

Writes a report, C<json> where no format is given; C<IO::Bench::read> takes that back.

=back

=cut
