# SPDX-License-Identifier: MIT
"""The highest rate or depth that holds a latency target."""

from __future__ import annotations

from typing import Any, Callable, NamedTuple

from . import _iobench as c
from ._result import Result
from ._run import Progress, Runnable
from ._workload import Workload


class Search(Runnable):
    """A search for the highest rate (of a workload whose arrival is fixed or poisson) or else the
    highest queue depth that holds a latency target.

    >>> result = iobench.Search(w, "p99=1ms").run()
    >>> result.search.held
    4100

    latency_target  "p99=1ms", "p99.9=500us", "mean=2ms", "max=10ms": of the response time of an
                    open loop, of the service time of a closed one
    over            what varies: "rate_iops", "queue_depth", or "auto", by the arrival
    op              whose latency is judged: "all", "read", "write" or "trim"
    low, high       the lowest and the highest value to try; None: where a step has enough I/Os to
                    tell, and any rate or a depth of 1024
    resolution      percent between what holds and what misses
    confidence      percent, of each verdict
    tries           how often a value is tried before it counts as undecided, and as missed

    Each step takes the workload's ramp_time and runtime. run() and start() are a workload's; the
    result's stages are the steps, and result.search tells what they came to.
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, workload: Workload, latency_target: str, *, over: str = "auto",
                 op: str = "all", low: int | str | None = None, high: int | str | None = None,
                 resolution: float | str = 2, confidence: float | str = 95,
                 tries: int | str = 3) -> None:
        if not isinstance(workload, Workload):
            raise TypeError(f"search: {workload!r} is no Workload")
        self._handle = c.iob_search_new(workload._handle)
        settings = {"latency_target": latency_target, "over": over, "op": op, "low": low,
                    "high": high, "resolution": resolution, "confidence": confidence,
                    "tries": tries}
        for name, value in settings.items():
            if value is not None:
                c.iob_search_set(self._handle, name, _text(name, value))

    def _start_handle(self) -> Any:
        return c.iob_search_start(self._handle)

    def __repr__(self) -> str:
        return "<iobench.Search>"


def _text(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if name in ("latency_target", "over", "op") or isinstance(value, bool):
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; give a str")
    if isinstance(value, float):
        text = f"{value:.6f}".rstrip("0").rstrip(".")  # 1e9 is a whole number
        return text if text.lower() not in ("nan", "inf", "-inf") else str(value)
    if isinstance(value, int):
        return str(value)
    raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; give a number")


def search(workload: Workload, latency_target: str,
           progress: Callable[[Progress], object] | None = None, **settings: Any) -> Result:
    """Runs a Search to its end; the settings are those of the class.

    >>> w = iobench.Workload(target="/dev/nvme0n1", arrival="poisson", queue_depth=256, runtime=5)
    >>> result = iobench.search(w, "p99=1ms")
    >>> for step in result.search.steps:
    ...     print(step.value, step.iops, step.latency_ns, step.verdict)
    """
    return Search(workload, latency_target, **settings).run(progress)
