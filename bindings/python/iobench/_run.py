# SPDX-License-Identifier: MIT
"""Doing it: start, wait, progress, snapshot, cancel."""

from __future__ import annotations

import time
from typing import Any, Callable, NamedTuple

from . import _iobench as c
from ._error import Error
from ._result import Result

_SLICE_MS = 200  # how long a wait keeps signals waiting at most
_DRAIN_S = 1.0   # how long a run that is given up may take to end
_UNKNOWN = (1 << 64) - 1
_METRICS = {"iops": c.IOB_STEADY_IOPS, "bandwidth": c.IOB_STEADY_BANDWIDTH,
            "latency": c.IOB_STEADY_LATENCY}


class ByOperation(NamedTuple):
    """A number for each kind of I/O; `all` is reads, writes and trims together."""

    all: float
    read: float
    write: float
    trim: float
    sync: float


class Progress(NamedTuple):
    """How far a run is. The rates are those of the last tenth of a second."""

    stage: int  #: the one that runs now, from 0
    stages: int
    name: str  #: of the stage
    share: float  #: of the whole run done, 0 to 1
    eta: float | None  #: seconds until its end; None where that is not known
    iops: ByOperation
    bytes_per_s: ByOperation
    in_flight: int  #: I/Os submitted and not completed
    done: bool
    round: int = 0  #: that runs now, from 1; 0: none
    rounds: int = 0  #: at most; 0: it is not run in rounds


class Run:
    """A run in progress, from iobench.start(). Its methods may be called from any thread.

    >>> with iobench.start(suite) as run:
    ...     while not run.wait(1.0):
    ...         print(run.progress().share)
    ... result = run.finish()

    Leaving the block waits for the end. Where an exception leaves it the run is cancelled, and
    what was measured until then is the exception's `result`.
    """

    __slots__ = ("_handle", "_result", "__weakref__")

    def __init__(self, handle: Any) -> None:
        self._handle = handle
        self._result: Result | None = None

    def wait(self, timeout: float | None = None) -> bool:
        """Waits up to `timeout` seconds (None: as long as it takes) for the run to have ended,
        with all its I/O drained. Whether it has."""
        if timeout is None:
            while not c.run_wait(self._handle, _SLICE_MS) > 0:
                pass
            return True
        end = time.monotonic() + timeout
        while True:
            left_ms = max(0, min(_SLICE_MS, round((end - time.monotonic()) * 1000)))
            if c.run_wait(self._handle, left_ms) > 0:
                return True
            if time.monotonic() >= end:
                return False

    @property
    def done(self) -> bool:
        """Whether the run has ended and all its I/O is drained."""
        return c.run_wait(self._handle, 0) > 0

    def progress(self) -> Progress:
        """How far it is."""
        stage, stages, done, name, share, eta, iops, rates, in_flight, round_, rounds = \
            c.iob_run_progress(self._handle)
        return Progress(stage, stages, name, share, None if eta == _UNKNOWN else eta / 1e9,
                        ByOperation(*iops), ByOperation(*rates), in_flight, done, round_, rounds)

    def phase(self, stage: int, workload: int) -> str:
        """What a workload of a stage does, both counted from 0: "waiting", "ramp", "running" or
        "ended"."""
        phase = c.iob_run_phase(self._handle, stage, workload)
        if phase < 0:
            raise IndexError(f"stage {stage} or its workload {workload} does not exist")
        return ("waiting", "ramp", "running", "ended")[phase]

    def snapshot(self) -> Result:
        """What has been measured so far. Never waits for a worker, even one that is stuck in a
        system call."""
        return Result._root(c.iob_run_snapshot(self._handle))

    def cancel(self) -> None:
        """Asks the run to end; returns at once. finish() gives what was measured."""
        c.iob_run_cancel(self._handle)

    def finish(self) -> Result:
        """Waits for the end and gives the result. Raises Error where a stage could not start;
        errors of I/O are in the result instead."""
        self.wait()
        if self._result is None:
            try:
                self._result = Result._root(c.iob_run_result(self._handle))
            except Error as e:
                e.result = self._partial()
                raise
        return self._result

    def _partial(self) -> Result | None:
        try:
            return self.snapshot()
        except Error:
            return None

    def _give_up(self) -> Result | None:
        """Cancels; the result, or where the kernel holds I/O for long what there is of it."""
        self.cancel()
        try:
            if self.wait(_DRAIN_S):
                return self.finish()
        except (Error, KeyboardInterrupt):
            pass
        return self._partial()

    def __enter__(self) -> Run:
        return self

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        if error is not None:
            _keep(error, self)
            return
        try:
            self.wait()
        except BaseException as e:
            _keep(e, self)
            raise

    def __repr__(self) -> str:
        p = self.progress()
        state = "done" if p.done else f"{p.share:.0%} done"
        return f"<iobench.Run stage {min(p.stage + 1, p.stages)}/{p.stages} {p.name!r}, {state}>"


def _keep(error: BaseException, run: Run | None) -> None:
    """Ends a run that an exception leaves; what was measured goes with the exception."""
    result = getattr(error, "result", None)
    if result is None and run is not None:
        result = run._give_up()
    try:
        error.result = result  # type: ignore[attr-defined]
    except AttributeError:
        pass  # an exception that takes no attributes


class Runnable:
    """What Workload and Suite have in common."""

    __slots__ = ()

    def _suite_handle(self) -> Any:
        raise NotImplementedError

    def _start_handle(self) -> Any:
        return c.iob_run_start(self._suite_handle())

    def start(self) -> Run:
        """Starts it and returns at once: iobench.start()."""
        return Run(self._start_handle())

    def _start_steady(self, *rule: Any) -> Any:
        return c.steady_start(self._suite_handle(), *rule)

    def start_until_steady(self, metric: str = "iops", *, rounds: int = 25, window: int = 5,
                           excursion: float = 0.2, slope: float = 0.1) -> Run:
        """Starts run_until_steady() and returns at once."""
        if metric not in _METRICS:
            raise ValueError(f'metric: "{metric}" is none of {", ".join(_METRICS)}')
        if rounds < 1:
            raise ValueError(f"rounds: {rounds} is no number of rounds; 1 or more")
        return Run(self._start_steady(_METRICS[metric], rounds, window, excursion, slope))

    def run_until_steady(self, metric: str = "iops", *, rounds: int = 25, window: int = 5,
                         excursion: float = 0.2, slope: float = 0.1,
                         progress: Callable[[Progress], object] | None = None) -> Result:
        """Runs it again and again, until all tracked cells (stages; of a suite see track()) are
        steady at the same round: over the last `window` rounds the highest and lowest value no
        more than `excursion` of their average apart, a fitted line changing by no more than
        `slope` of it. After `rounds` rounds it ends in any case, and result.rounds.steady says
        which it was. metric: "iops", "bandwidth" or "latency" (mean response time). What is kept
        of a run that is interrupted is as of run().

        >>> result = suite.run_until_steady("iops", rounds=10)
        >>> result.rounds.steady_at, [cell.all.iops for cell in result.rounds.cells]
        """
        return self._follow(lambda: self.start_until_steady(
            metric, rounds=rounds, window=window, excursion=excursion, slope=slope), progress)

    def run(self, progress: Callable[[Progress], object] | None = None) -> Result:
        """Runs it to its end.

        progress is called about five times a second, on this thread; what it raises cancels
        the run. Ctrl-C does as well, within a fifth of a second and the time that the I/O in
        flight takes, at most a second. Either way what was measured until then is kept:

        >>> try:
        ...     result = w.run()
        ... except KeyboardInterrupt as e:
        ...     result = e.result
        """
        return self._follow(self.start, progress)

    def _follow(self, start: Callable[[], Run],
                progress: Callable[[Progress], object] | None) -> Result:
        if progress is not None and not callable(progress):
            raise TypeError(f"progress: {progress!r} cannot be called")
        run = None
        try:
            run = start()
            while not run.wait(_SLICE_MS / 1000):
                if progress is not None:
                    progress(run.progress())
            return run.finish()
        except BaseException as e:
            _keep(e, run)
            raise


def start(what: Runnable) -> Run:
    """Starts a Suite or a Workload and returns at once.

    >>> with iobench.start(suite) as run:
    ...     time.sleep(1)
    ...     print(run.snapshot().read.iops)
    """
    if not isinstance(what, Runnable):
        raise TypeError(f"start: {what!r} is neither a Workload nor a Suite")
    return what.start()
