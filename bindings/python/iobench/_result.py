# SPDX-License-Identifier: MIT
"""What was measured."""

from __future__ import annotations

import json
import os
import struct
from datetime import datetime, timezone
from typing import Any, Iterable, NamedTuple, Union

from . import _iobench as c
from ._device import DeviceUse, uses
from ._error import Error
from ._finding import Comparison, Finding, Unchecked, found, unchecked
from ._histogram import Histogram
from ._parameters import TABLE, natural

_LEVELS = {c.IOB_LEVEL_SUITE: "suite", c.IOB_LEVEL_STAGE: "stage",
           c.IOB_LEVEL_WORKLOAD: "workload", c.IOB_LEVEL_WORKER: "worker"}
_OPERATIONS = {c.IOB_OP_ALL: "all", c.IOB_OP_READ: "read", c.IOB_OP_WRITE: "write",
               c.IOB_OP_TRIM: "trim", c.IOB_OP_SYNC: "sync"}
# What a run tells beside its parameters.
_FACTS = ("engine_features", "engine_kind", "recorded_by", "line")


class Flags(NamedTuple):
    """How a run went."""

    cancelled: bool  #: ended before it was done
    partial: bool  #: a snapshot: the run went on
    errors: bool  #: some I/O failed or was short
    recorded: bool = False  #: measured by another program, and read from its report


class Interval(NamedTuple):
    """A stretch of time, for one kind of I/O; its latencies are service times."""

    start_ns: int  #: since the start of the measured window
    length_ns: int
    ios: int
    bytes: int
    mean_ns: float  #: nan where ios is 0
    p50_ns: int  #: 0 where ios is 0, or where it is not known
    p99_ns: int
    max_ns: int
    submit_mean_ns: float  #: of the submit calls; nan where there were none or it is not known


class TargetUse(NamedTuple):
    """What one target of a workload got."""

    path: str
    target_bytes: int  #: the target's own size
    ios: int
    bytes: int
    errors: int


class Pace(NamedTuple):
    """How well an open loop (arrival "fixed" or "poisson") kept its schedule."""

    asked_iops: float  #: I/Os a second that the schedule asks for; nan where it is not known
    starts: int  #: I/Os that were started
    late: int  #: of those, after the next one was due as well
    dropped: int  #: overdue starts given up, with catch_up=False
    unissued: int  #: due, and not started when the run ended: in no histogram
    worst_lag_ns: int  #: from intended start to submit, or to the end of the run
    mean_lag_ns: float  #: of those started; nan where there were none


_PACE = [getattr(c, f"iob_pace_{f}_get") for f in Pace._fields]
_INTERVAL = [getattr(c, f"iob_interval_{f}_get") for f in Interval._fields]
_TARGET = [getattr(c, f"iob_target_use_{f}_get") for f in TargetUse._fields]


class SearchStep(NamedTuple):
    """A stage of a search. What follows `attempt` is of all attempts at that value."""

    value: int | None  #: of what varies; None: the closed loop that shows where to begin
    attempt: int  #: at this value, from 1
    #: "holds", "misses", "saturated" (missed: the rate was not reached), "undecided", "too few"
    #: (undecided: too few I/Os), "not judged"
    verdict: str
    ios: int
    iops: float
    latency_ns: float  #: the percentile, mean or maximum; nan where there was no I/O
    low_ns: float  #: its interval; nan: that end is not known
    high_ns: float


class Found(NamedTuple):
    """What a search came to."""

    #: "found", "nothing holds" (even the lowest misses), "everything holds" (even the highest
    #: does), "unfinished" (cancelled, or I/O failed)
    answer: str
    param: str  #: what varies: "rate_iops" or "queue_depth"
    held: int | None  #: the highest value that holds
    missed: int | None  #: the lowest above it that does not
    metric: str  #: "p99", "mean", "max"
    limit_ns: int
    op: str  #: whose latency
    latency: str  #: "service" or "response"
    low: int
    high: int
    resolution: float  #: percent
    confidence: float  #: percent, of each verdict
    tries: int
    steps: tuple[SearchStep, ...]


_ANSWERS = {c.IOB_SEARCH_UNFINISHED: "unfinished", c.IOB_SEARCH_FOUND: "found",
            c.IOB_SEARCH_NOTHING: "nothing holds", c.IOB_SEARCH_EVERYTHING: "everything holds"}
_VERDICTS = {c.IOB_SEARCH_NOT_JUDGED: "not judged", c.IOB_SEARCH_HOLDS: "holds",
             c.IOB_SEARCH_MISSES: "misses", c.IOB_SEARCH_SATURATED: "saturated",
             c.IOB_SEARCH_UNDECIDED: "undecided", c.IOB_SEARCH_TOO_FEW: "too few"}
_TIMES = {c.IOB_LATENCY_SUBMIT: "submit", c.IOB_LATENCY_SERVICE: "service",
          c.IOB_LATENCY_RESPONSE: "response"}


def _step(step: Any) -> SearchStep:
    raw = {f: getattr(c, f"iob_search_step_{f}_get")(step) for f in SearchStep._fields}
    return SearchStep(**{**raw, "value": raw["value"] or None,
                         "verdict": _VERDICTS[raw["verdict"]]})


def _found(node: Any, o: Any) -> Found:
    names = [f for f in Found._fields if f != "steps"]
    raw = {f: getattr(c, f"iob_search_outcome_{f}_get")(o) for f in names}
    metric = raw["metric"]
    steps = tuple(_step(c.iob_result_search_step(node, i))
                  for i in range(c.iob_result_search_step_count(node)))
    return Found(**{
        **raw, "answer": _ANSWERS[raw["answer"]], "held": raw["held"] or None,
        "missed": raw["missed"] or None, "op": _OPERATIONS[raw["op"]],
        "latency": _TIMES[raw["latency"]], "steps": steps,
        "metric": "mean" if metric == c.IOB_SEARCH_MEAN
                  else "max" if metric == c.IOB_SEARCH_MAX
                  else f"p{c.iob_search_outcome_percentile_get(o):.9g}"})


class Means(NamedTuple):
    """Of a cell, for one kind of I/O: the mean of each over the rounds of the window; nan where it
    did none."""

    iops: float
    bytes_per_s: float
    mean_ns: float  #: mean response time


class Cell(NamedTuple):
    """A stage of a round, over all rounds."""

    name: str
    tracked: bool  #: steadiness was asked of it
    steady: bool  #: it is, over the window
    values: tuple[float, ...]  #: of each round: IOPS, bytes a second or ns
    average: float  #: over the window; nan without a whole round
    excursion: float  #: highest - lowest, of the average; nan where the rounds are too few
    slope: float  #: change of the fitted line over the window, of the average
    read: Means
    write: Means
    trim: Means
    sync: Means
    all: Means


class Rounds(NamedTuple):
    """What came of a suite that was run in rounds."""

    metric: str  #: "iops", "bandwidth", "latency"
    steady: bool  #: False: steady state was not achieved
    steady_at: int | None  #: the round at which it was, from 1
    done: int  #: rounds that were run to their end
    max_rounds: int
    first: int  #: the rounds that results are means over, from 1; 0: no round was done
    last: int
    window: int
    excursion: float  #: the limits, of the average
    slope: float
    once: int  #: stages that ran once, before the rounds
    cells: tuple[Cell, ...]
    notes: tuple[str, ...]  #: how it was prepared, what was left out


_METRICS = {c.IOB_STEADY_IOPS: "iops", c.IOB_STEADY_BANDWIDTH: "bandwidth",
            c.IOB_STEADY_LATENCY: "latency"}


def doubles(packed: bytes) -> tuple[float, ...]:
    return struct.unpack(f"{len(packed) // 8}d", packed)


def _cell(node: Any, i: int) -> Cell:
    cell = c.iob_result_cell(node, i)
    raw = {f: getattr(c, f"iob_cell_{f}_get")(cell) for f in ("average", "excursion", "slope")}
    means = {name: Means(*(c.iob_result_cell_mean(node, i, op, metric) for metric in _METRICS))
             for op, name in _OPERATIONS.items()}
    return Cell(name=c.iob_cell_name_get(cell), tracked=bool(c.iob_cell_tracked_get(cell)),
                steady=bool(c.iob_cell_steady_get(cell)), values=doubles(c.cell_values(cell)),
                **raw, **means)


def _rounds(node: Any, r: Any) -> Rounds:
    raw = {f: getattr(c, f"iob_rounds_{f}_get")(r)
           for f in ("done", "max_rounds", "first", "last", "window", "excursion", "slope", "once")}
    steady_at = c.iob_rounds_steady_at_get(r) or None
    return Rounds(metric=_METRICS[c.iob_rounds_metric_get(r)], steady=steady_at is not None,
                  steady_at=steady_at, **raw,
                  cells=tuple(_cell(node, i) for i in range(c.iob_rounds_cells_get(r))),
                  notes=tuple(c.rounds_note(r, i) for i in range(c.iob_rounds_n_notes_get(r))))


class Operation:
    """One kind of I/O of a result: result.read, .write, .trim, .sync, or .all (read + write +
    trim)."""

    __slots__ = ("_node", "_op")

    def __init__(self, node: Result, op: int) -> None:
        self._node = node
        self._op = op

    def _count(self, which: int) -> int:
        return c.iob_result_count(self._node._handle, self._op, which)

    def _histogram(self, which: int) -> Histogram:
        node = self._node
        return Histogram._of(c.iob_result_hist(node._handle, self._op, which), node._owner)

    @property
    def ios(self) -> int:
        """Whole and successful I/Os."""
        return self._count(c.IOB_COUNT_IOS)

    @property
    def bytes(self) -> int:
        """Bytes of those."""
        return self._count(c.IOB_COUNT_BYTES)

    @property
    def errors(self) -> int:
        """I/Os that failed; not among `ios`."""
        return self._count(c.IOB_COUNT_ERRORS)

    @property
    def short(self) -> int:
        """I/Os that moved fewer bytes than asked; not among `ios`."""
        return self._count(c.IOB_COUNT_SHORT)

    @property
    def iops(self) -> float:
        """`ios` over the measured window, a second."""
        return c.iob_result_iops(self._node._handle, self._op)

    @property
    def bytes_per_s(self) -> float:
        """`bytes` over the measured window, a second."""
        return c.iob_result_bytes_per_s(self._node._handle, self._op)

    @property
    def latency(self) -> Histogram:
        """Service time in ns: from before the submit call until done."""
        return self._histogram(c.IOB_LATENCY_SERVICE)

    @property
    def submit(self) -> Histogram:
        """Time of the submit call in ns, counted once for each of its I/Os."""
        return self._histogram(c.IOB_LATENCY_SUBMIT)

    @property
    def response(self) -> Histogram:
        """Response time in ns: from the intended start until done."""
        return self._histogram(c.IOB_LATENCY_RESPONSE)

    @property
    def intervals(self) -> list[Interval]:
        """How it went over time."""
        handle = self._node._handle
        found = []
        for i in range(c.iob_result_interval_count(handle)):
            interval = c.iob_result_interval(handle, i, self._op)
            found.append(Interval(*(get(interval) for get in _INTERVAL)))
        return found

    def __repr__(self) -> str:
        return (f"<iobench {_OPERATIONS[self._op]}: {self.ios} ios, {self.iops:.0f}/s, "
                f"{self.bytes_per_s / 1e6:.1f} MB/s, {self.errors + self.short} failed>")


class Result:
    """What was measured: a tree of suite, stages, workloads and workers. All of this works at
    every level; a node sums up its children.

    >>> result.read.iops, result.read.latency.percentile(99)
    >>> for cell in result.children:
    ...     print(cell.effective["block_size"], cell.read.bytes_per_s)

    It does not change, and may be shared by threads. A child keeps what it needs of the whole.
    """

    __slots__ = ("_handle", "_owner", "_children", "__weakref__")

    def __init__(self) -> None:
        raise TypeError("results come from run(), Run.snapshot(), iobench.read() and merge()")

    @classmethod
    def _node(cls, handle: Any, owner: Any) -> Result:
        r = cls.__new__(cls)
        r._handle, r._owner, r._children = handle, owner, None
        return r

    @classmethod
    def _root(cls, handle: Any) -> Result:
        return cls._node(handle, handle)

    @property
    def name(self) -> str:
        """Of the suite, stage, workload or worker."""
        return c.iob_result_name(self._handle) or ""

    @property
    def level(self) -> str:
        """"suite", "stage", "workload" or "worker"."""
        return _LEVELS[c.iob_result_level(self._handle)]

    @property
    def children(self) -> tuple[Result, ...]:
        """The nodes below."""
        if self._children is None:
            self._children = tuple(
                self._node(c.iob_result_child(self._handle, i), self._owner)
                for i in range(c.iob_result_child_count(self._handle)))
        return self._children

    @property
    def stages(self) -> tuple[Result, ...]:
        """A suite's stages; of a node below, itself or none."""
        if self.level == "suite":
            return self.children
        return (self,) if self.level == "stage" else ()

    @property
    def workloads(self) -> tuple[Result, ...]:
        """Every workload of this node, in order: the rows of a table."""
        if self.level in ("workload", "worker"):
            return (self,) if self.level == "workload" else ()
        return tuple(w for child in self.children for w in child.workloads)

    @property
    def flags(self) -> Flags:
        """.cancelled, .partial, .errors, .recorded"""
        bits = c.iob_result_flags(self._handle)
        return Flags(bool(bits & c.IOB_RESULT_CANCELLED), bool(bits & c.IOB_RESULT_PARTIAL),
                     bool(bits & c.IOB_RESULT_ERRORS), bool(bits & c.IOB_RESULT_RECORDED))

    @property
    def elapsed(self) -> float:
        """Seconds of the measured window."""
        return self.elapsed_ns / 1e9

    @property
    def elapsed_ns(self) -> int:
        """Nanoseconds of the measured window, exact."""
        return c.iob_result_elapsed_ns(self._handle)

    @property
    def started(self) -> datetime:
        """When the measured window began, in UTC."""
        return datetime.fromtimestamp(self.started_ns // 1000 / 1e6, timezone.utc)

    @property
    def started_ns(self) -> int:
        """When the measured window began, in ns since the epoch."""
        return c.iob_result_started_ns(self._handle)

    @property
    def unfinished(self) -> int:
        """I/Os that were in flight when a snapshot was taken."""
        return c.iob_result_unfinished(self._handle)

    @property
    def read(self) -> Operation:
        """Reads."""
        return Operation(self, c.IOB_OP_READ)

    @property
    def write(self) -> Operation:
        """Writes."""
        return Operation(self, c.IOB_OP_WRITE)

    @property
    def trim(self) -> Operation:
        """Trims."""
        return Operation(self, c.IOB_OP_TRIM)

    @property
    def sync(self) -> Operation:
        """Flushes."""
        return Operation(self, c.IOB_OP_SYNC)

    @property
    def all(self) -> Operation:
        """Reads, writes and trims together."""
        return Operation(self, c.IOB_OP_ALL)

    @property
    def params(self) -> dict[str, int | float | bool | str]:
        """The parameters as they were asked for; above a workload those on which all below
        agree. Values are those of Workload's attributes."""
        return self._known(c.iob_result_param)

    @property
    def effective(self) -> dict[str, int | float | bool | str]:
        """The same as it ran: the engine that auto took, the depth it had, the seed drawn."""
        return self._known(c.iob_result_effective)

    def _known(self, get: Any) -> dict[str, int | float | bool | str]:
        texts = {name: get(self._handle, name) for name in (*TABLE, *_FACTS)}
        return natural({name: text for name, text in texts.items() if text is not None})

    @property
    def error(self) -> Error | None:
        """The first I/O error, with errno, offset and file; None where there was none."""
        return c.iob_result_error(self._handle)

    @property
    def targets(self) -> list[TargetUse]:
        """What each target got."""
        found = []
        for i in range(c.iob_result_target_count(self._handle)):
            use = c.iob_result_target(self._handle, i)
            found.append(TargetUse(*(get(use) for get in _TARGET)))
        return found

    @property
    def pace(self) -> Pace | None:
        """How its schedule was kept; None where nothing below had one. Response times, which
        count from the intended start, are in .all.response."""
        pace = c.iob_result_pace(self._handle)
        return None if pace is None else Pace(*(get(pace) for get in _PACE))

    @property
    def devices(self) -> list[DeviceUse]:
        """What the devices under the targets did, the upper layer before the lower."""
        return uses(self._handle)

    @property
    def rounds(self) -> Rounds | None:
        """What came of rounds, of the whole result of run_until_steady(); None of any other."""
        r = c.iob_result_rounds(self._handle)
        return None if r is None else _rounds(self._handle, r)

    @property
    def search(self) -> Found | None:
        """What a search came to, of the whole result of one; None of any other."""
        o = c.iob_result_search(self._handle)
        return None if o is None else _found(self._handle, o)

    @property
    def findings(self) -> list[Finding]:
        """What cannot be believed of this node and those below, and why."""
        return found(self._handle)

    @property
    def unchecked(self) -> list[Unchecked]:
        """What could not be checked, of a result that another program recorded."""
        return unchecked(self._handle)

    @property
    def intervals(self) -> list[Interval]:
        """How all I/O together went over time; that of reads is in .read.intervals."""
        return self.all.intervals

    def report(self, format: str = "text") -> str:
        """The report of this node and what is below: "text", "xdisk", "json", "csv",
        "fio-json", "fio-json+", "fio-text", or a log of fio's such as "fio-bw-log"."""
        return self._report(format).decode("utf-8", "surrogateescape")

    def _report(self, format: str) -> bytes:
        if not isinstance(format, str):
            raise TypeError(f"format: {format!r} is no str")
        return c.result_report(self._handle, format)

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as a dict."""
        return json.loads(self.report("json"))

    def save(self, path: Union[str, bytes, "os.PathLike[Any]"], format: str = "json") -> None:
        """Writes a report to a file; iobench.read() takes "json" back."""
        report = self._report(format)
        with open(path, "wb") as f:
            f.write(report)

    def __repr__(self) -> str:
        name = f" {self.name!r}" if self.name else ""
        failed = ", ".join(flag for flag, is_set in self.flags._asdict().items() if is_set)
        return (f"<iobench.Result {self.level}{name}: {self.all.ios} ios in {self.elapsed:.3f} s, "
                f"{self.all.iops:.0f}/s{', ' if failed else ''}{failed}>")


def read(path: Union[str, bytes, "os.PathLike[Any]"], format: str | None = None, *,
         link_limit: str | None = None, round_trip: str | None = None,
         claim: str | None = None) -> Result:
    """A recorded result: what Result.save() wrote ("json"; workers are not read), or what another
    program printed: "fio-json", "fio-text", "xdisk"; None: whichever it looks like. Its findings
    take into account what is declared of the set-up: link_limit="3.2GB/s", round_trip="30us",
    claim="direct"."""
    if isinstance(path, int):
        raise TypeError(f"path: {path!r} is no path")
    if format is not None and not isinstance(format, str):
        raise TypeError(f"format: {format!r} is no str")
    with open(path, "rb") as f:
        data = f.read()
    try:
        handle = c.iob_result_read(data, format or "")
        for name, value in (("link_limit", link_limit), ("round_trip", round_trip),
                            ("claim", claim)):
            if value is not None:
                c.iob_result_declare(handle, name, value)
        return Result._root(handle)
    except Error as e:
        raise Error(e.errno or 0, e.strerror or "", e.file or os.fsdecode(path), e.where, e.offset,
                    e.line) from None


def merge(results: Iterable[Result]) -> Result:
    """One result from the parts of a plan that several processes or hosts ran at the same time:
    counts and histograms are summed exactly. The trees must have the same shape and names."""
    parts = list(results)
    for part in parts:
        if not isinstance(part, Result):
            raise TypeError(f"merge: {part!r} is no Result")
    return Result._root(c.iob_result_merge([part._handle for part in parts]))


def compare(a: Union[Result, Iterable[Result]], b: Union[Result, Iterable[Result]]) -> Comparison:
    """Two results, or two sets of rows, cell by cell: ratios, and where both have a series whether
    they differ by more than they vary.

    >>> r = iobench.read("table.txt")
    >>> print(iobench.compare(r.stages[:40], r.stages[40:]).report())
    """
    return Comparison._of(_handles(a), _handles(b))


def _handles(results: Union[Result, Iterable[Result]]) -> list[tuple[Any, Any]]:
    nodes = [results] if isinstance(results, Result) else list(results)
    for node in nodes:
        if not isinstance(node, Result):
            raise TypeError(f"compare: {node!r} is no Result")
    return [(node._handle, node._owner) for node in nodes]
