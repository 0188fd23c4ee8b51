# SPDX-License-Identifier: MIT
"""Steady state, as the SNIA Performance Test Specification states it."""

from __future__ import annotations

import array
from typing import Any, Callable, Iterable, NamedTuple

from . import _iobench as c
from ._result import Result, doubles
from ._run import Progress, Run, Runnable
from ._suite import Suite
from ._workload import Workload

_TESTS = {"iops": c.IOB_PTS_IOPS, "throughput": c.IOB_PTS_THROUGHPUT,
          "latency": c.IOB_PTS_LATENCY}
_METRIC = {"iops": "iops", "throughput": "bandwidth", "latency": "latency"}


class Steady(NamedTuple):
    """A window of rounds, judged."""

    steady: bool
    round: int | None  #: the last of the window, from 1; None: there are too few values
    average: float
    excursion: float  #: highest - lowest, of the average
    slope: float  #: change of the fitted line over the window, of the average

    def __bool__(self) -> bool:
        return self.steady


def steady(values: Iterable[float], window: int = 5, excursion: float = 0.2,
           slope: float = 0.1) -> Steady:
    """Judges the values of rounds: the first window that is steady, else the last one. The limits
    are parts of the window's average.

    >>> iobench.steady([100, 102.5, 105, 107.5, 110])
    Steady(steady=True, round=5, average=105.0, excursion=0.095..., slope=0.095...)
    """
    packed = array.array("d", values).tobytes()
    is_steady, at, *rest = doubles(c.steady_judge(packed, window, excursion, slope))
    return Steady(bool(is_steady), int(at) or None, *rest)


def until_steady(what: Runnable, metric: str = "iops", *, rounds: int = 25, window: int = 5,
                 excursion: float = 0.2, slope: float = 0.1,
                 progress: Callable[[Progress], object] | None = None) -> Result:
    """Runs a Suite or a Workload again and again until its tracked cells are steady, or `rounds`
    are done: what.run_until_steady().

    >>> result = iobench.until_steady(iobench.matrix(w, block_size=["4k", "64k"]), rounds=10)
    >>> result.rounds.steady, result.rounds.cells[0].all.iops
    """
    if not isinstance(what, Runnable):
        raise TypeError(f"until_steady: {what!r} is neither a Workload nor a Suite")
    return what.run_until_steady(metric, rounds=rounds, window=window, excursion=excursion,
                                 slope=slope, progress=progress)


def precondition(workload: Workload) -> Suite:
    """A suite that writes the region of each target of a workload twice, in sequential writes of
    128 KiB. The targets must be such as may be overwritten (allow_destroy)."""
    if not isinstance(workload, Workload):
        raise TypeError(f"precondition: {workload!r} is no Workload")
    suite = Suite()
    c.iob_suite_add_precondition(suite._handle, workload._handle)
    return suite


def pts(test: str, workload: Workload, *, block_sizes: str | Iterable[str] | None = None,
        purge: str | None = None, precondition: bool = True, rounds: int = 25, window: int = 5,
        excursion: float = 0.2, slope: float = 0.1,
        progress: Callable[[Progress], object] | None = None) -> Result:
    """Runs a test of the SNIA Performance Test Specification: "iops", "throughput" or "latency".
    It writes all over the workload's targets (allow_destroy). The specification has a runtime of
    60 s a cell; all parameters of the workload count but pattern, block sizes and mix.

    >>> w = iobench.Workload(target="/dev/nvme0n1", allow_destroy=True, runtime=60, workers=2,
    ...                      queue_depth=16)
    >>> result = iobench.pts("iops", w, purge="nvme format -s1")
    >>> print(result.report())
    """
    suite = pts_suite(test, workload, block_sizes=block_sizes, purge=purge,
                      precondition=precondition)
    return suite.run_until_steady(_METRIC[test], rounds=rounds, window=window,
                                  excursion=excursion, slope=slope, progress=progress)


def pts_suite(test: str, workload: Workload, *, block_sizes: str | Iterable[str] | None = None,
              purge: str | None = None, precondition: bool = True) -> Suite:
    """The suite of such a test, to be run by run_until_steady(); its notes tell what is left out."""
    if not isinstance(workload, Workload):
        raise TypeError(f"pts: {workload!r} is no Workload")
    if test not in _TESTS:
        raise ValueError(f'pts: "{test}" is no test; there are {", ".join(_TESTS)}')
    if block_sizes is not None and not isinstance(block_sizes, str):
        block_sizes = ",".join(str(size) for size in block_sizes)
    suite = Suite()
    c.suite_add_pts(suite._handle, workload._handle, _TESTS[test], not precondition, block_sizes,
                    purge)
    return suite
