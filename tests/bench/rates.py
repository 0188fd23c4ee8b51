# SPDX-License-Identifier: MIT
"""The rate of a device over time by the kernel's own counters, read beside a run: whether a rate
did change, as somebody sees it who knows nothing of what the run counted."""
import bisect
import os
import threading
import time

WINDOWS = 10
EXCURSION, SLOPE = 0.2, 0.1  # what docs/findings.md says of not-steady
EVERY = 0.02  # s between readings: 2 % of a window of a second
CLOSE = 0.15  # as near to a limit as the readings can be wrong


class Rates(threading.Thread):
    """with Rates("/dev/loop0") as rates: run; then rates.windows(seconds)."""

    def __init__(self, path):
        super().__init__(daemon=True)
        self._stat = f"/sys/block/{os.path.basename(path)}/stat"
        self._times, self._counts = [], []
        self._end = threading.Event()

    def __enter__(self):
        self._read()
        self.start()
        return self

    def __exit__(self, *error):
        self._end.set()
        self.join()
        self._read()

    def run(self):
        while not self._end.wait(EVERY):
            self._read()

    def _read(self):
        with open(self._stat, encoding="ascii") as stat:
            fields = stat.read().split()
        self._times.append(time.monotonic())
        self._counts.append(int(fields[0]) + int(fields[4]))  # reads and writes

    def _at(self, when):
        """The count at a time between two readings."""
        i = min(max(bisect.bisect(self._times, when), 1), len(self._times) - 1)
        (t0, t1), (c0, c1) = self._times[i - 1:i + 1], self._counts[i - 1:i + 1]
        return c0 + (c1 - c0) * min(max((when - t0) / (t1 - t0), 0), 1)

    def windows(self, seconds):
        """Requests in each of ten equal windows of what was measured: the time before the last."""
        last = bisect.bisect_left(self._counts, self._counts[-1])
        begin = self._times[last] - seconds
        counts = [self._at(begin + seconds * i / WINDOWS) for i in range(WINDOWS + 1)]
        return [b - a for a, b in zip(counts, counts[1:])]


def shape(counts):
    """Excursion and slope, as shares of the mean."""
    n, mean = len(counts), sum(counts) / len(counts)
    if not mean:
        return 0.0, 0.0
    middle = (n - 1) / 2
    across = sum((i - middle) ** 2 for i in range(n))
    slope = sum((i - middle) * c for i, c in enumerate(counts)) / across * (n - 1) / mean
    return (max(counts) - min(counts)) / mean, slope


def changed(counts, close):
    """Whether the rate passed a limit of not-steady; close: -CLOSE, or nearly, CLOSE: clearly."""
    excursion, slope = shape(counts)
    return excursion > EXCURSION * (1 + close) or abs(slope) > SLOPE * (1 + close)
