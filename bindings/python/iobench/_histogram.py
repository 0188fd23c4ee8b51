# SPDX-License-Identifier: MIT
"""Histograms of latency."""

from __future__ import annotations

import numbers
import operator
import os
from typing import Any

from . import _iobench as c
from ._error import Error


def _failed(code: int, where: str, message: str) -> Error:
    return Error(-code, message, None, where)


class Histogram:
    """A histogram of unsigned 64-bit values (latencies: nanoseconds) with a relative error of at
    most 2^-precision (8: 0.4 %). count, min, max and mean are exact.

    >>> h = result.read.latency
    >>> h.percentile(99.9), h.max
    >>> matplotlib.pyplot.stairs(h.counts, h.edges)

    Those of a result are read-only. One of your own is made, filled and merged with record() and
    merge().
    """

    __slots__ = ("_handle", "_root", "_grid", "__weakref__")

    def __init__(self, precision: int = 8) -> None:
        self._handle = c.iob_hist_new(operator.index(precision))
        self._root: Any = None
        self._grid: tuple[memoryview, memoryview] | None = None

    @classmethod
    def _of(cls, handle: Any, root: Any) -> Histogram:
        h = cls.__new__(cls)
        h._handle, h._root, h._grid = handle, root, None
        return h

    def _own(self) -> Any:
        if self._root is not None:
            raise TypeError("a result's histogram cannot be changed; merge it into one of your own")
        self._grid = None
        return self._handle

    def record(self, value: int, count: int = 1) -> None:
        """Adds `count` samples of `value`."""
        code = c.iob_hist_record(self._own(), operator.index(value), operator.index(count))
        if code < 0:
            raise _failed(code, "record", os.strerror(-code))

    def record_corrected(self, value: int, interval: int, count: int = 1) -> None:
        """Adds `count` samples of `value`, and those that a closed loop left out while it waited
        for it where one was meant every `interval`: value - interval and so on down to interval.
        HdrHistogram's correction for coordinated omission; interval 0 is record().
        """
        code = c.iob_hist_record_corrected(self._own(), operator.index(value),
                                           operator.index(count), operator.index(interval))
        if code < 0:
            raise _failed(code, "record_corrected", os.strerror(-code))

    def merge(self, other: Histogram) -> None:
        """Adds every sample of another histogram, exactly; it must not be the coarser one."""
        if not isinstance(other, Histogram):
            raise TypeError(f"merge: {other!r} is no Histogram")
        code = c.iob_hist_merge(self._own(), other._handle)
        if code < 0:
            raise _failed(code, "merge", f"precision {other.precision} into {self.precision}: "
                          + os.strerror(-code))

    @property
    def precision(self) -> int:
        """Bits: a percentile is off by at most 2^-precision of its value."""
        return c.iob_hist_precision(self._handle)

    @property
    def count(self) -> int:
        """How many samples there are."""
        return c.iob_hist_count(self._handle)

    @property
    def min(self) -> int:
        """The smallest sample, exact; 0 where there is none."""
        return c.iob_hist_min(self._handle)

    @property
    def max(self) -> int:
        """The largest sample, exact; 0 where there is none."""
        return c.iob_hist_max(self._handle)

    @property
    def mean(self) -> float:
        """The mean, from the exact sum; nan where there is no sample."""
        return c.iob_hist_mean(self._handle)

    @property
    def stddev(self) -> float:
        """The standard deviation of the samples; nan where there is none."""
        return c.iob_hist_stddev(self._handle)

    def percentile(self, p: float) -> int:
        """The p-th percentile by nearest rank, 0 (the minimum) to 100 (the maximum).

        Error with errno EINVAL where p is not in [0, 100], ENODATA where there is no sample, or
        where it is not known: a recorded result has the percentiles that were printed.
        """
        if not isinstance(p, numbers.Real):
            raise TypeError(f"percentile: {p!r} is a {type(p).__name__}; give a number")
        code, value = c.iob_hist_percentile(self._handle, float(p))
        if code < 0:
            raise _failed(code, "percentile", f"{p!r} is not between 0 and 100"
                          if not 0 <= p <= 100 else "there are no samples" if not self.count else
                          "it is not known: the report that was read has others")
        return value

    def percentile_interval(self, p: float, confidence: float = 0.95) -> tuple[int, int]:
        """The interval (low, high) that holds the p-th percentile of what the samples are drawn
        from with at least that probability, by order statistics: no distribution is assumed, but
        that the samples are independent, which neighbouring I/Os are not quite.

        Error with errno EINVAL where p is not in [0, 100] or confidence not between 0 and 1,
        ENODATA where there are too few samples, or for p = 0 and 100, which have none.
        """
        for name, value in (("p", p), ("confidence", confidence)):
            if not isinstance(value, numbers.Real):
                raise TypeError(f"percentile_interval: {name}: {value!r} is a "
                                f"{type(value).__name__}; give a number")
        code, low, high = c.iob_hist_percentile_interval(self._handle, float(p), float(confidence))
        if code < 0:
            raise _failed(code, "percentile_interval",
                          f"{p!r} is not between 0 and 100" if not 0 <= p <= 100 else
                          f"confidence {confidence!r} is not between 0 and 1"
                          if not 0 < confidence < 1 else
                          f"{self.count} samples are too few for an interval of p{p:g}")
        return low, high

    def _arrays(self) -> tuple[memoryview, memoryview]:
        if self._grid is None:
            edges, counts = c.hist_grid(self._handle)
            self._grid = memoryview(edges).cast("Q"), memoryview(counts).cast("Q")
        return self._grid

    @property
    def counts(self) -> memoryview:
        """Samples in each bucket from that of min to that of max, empty ones too: a memoryview of
        unsigned 64-bit numbers, which numpy.asarray() takes as it is. Stays valid."""
        return self._arrays()[1]

    @property
    def edges(self) -> memoryview:
        """Where the buckets start, and after them the last one's end; bucket i is
        [edges[i], edges[i + 1]). One more than counts. (2^64 cannot be told: a bucket that ends
        there has 2^64 - 1 for its end.)"""
        return self._arrays()[0]

    def __len__(self) -> int:
        return self.count

    def __bool__(self) -> bool:
        return self.count > 0

    def __repr__(self) -> str:
        if not self.count:
            return "<iobench.Histogram, empty>"
        return (f"<iobench.Histogram of {self.count}: min {self.min}, p50 {self.percentile(50)}, "
                f"p99 {self.percentile(99)}, max {self.max}>")
