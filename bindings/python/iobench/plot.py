# SPDX-License-Identifier: MIT
"""Pictures of results, with matplotlib (Debian: python3-matplotlib), which only this module needs.

>>> import iobench
>>> axes = iobench.plot.cdf([raid10, draid6], labels=["RAID 10", "DRAID 6"])
>>> axes.figure.savefig("latency.png")

Each function takes a Result, or several to overlay, draws into `ax` (a new figure where there is
none) and returns the Axes. Several workloads of one result are drawn by giving result.workloads.
"""

from __future__ import annotations

import math
from typing import Any, Callable, Iterable, Sequence, Union

import matplotlib.pyplot as pyplot
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from ._histogram import Histogram
from ._result import Result

Results = Union[Result, Iterable[Result]]

_UNITS = ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns"))
_RATES = {"iops": "I/Os a second", "bytes_per_s": "MB/s", "mean": "mean latency",
          "ios": "I/Os", "errors": "failed I/Os"}


def _time(ns: float, _: Any = None) -> str:
    for size, unit in _UNITS:
        if abs(ns) >= size:
            return f"{ns / size:.3g} {unit}"
    return f"{ns:.3g} ns"


def _each(results: Results, labels: Sequence[str] | None) -> list[tuple[Result, str]]:
    found = [results] if isinstance(results, Result) else list(results)
    if not found:
        raise ValueError("results: there is none to draw")
    for r in found:
        if not isinstance(r, Result):
            raise TypeError(f"results: {r!r} is no Result")
    names = list(labels) if labels is not None else [_name(r, i) for i, r in enumerate(found)]
    if len(names) != len(found):
        raise ValueError(f"labels: {len(names)} for {len(found)} results")
    return list(zip(found, names))


def _name(result: Result, i: int) -> str:
    name = result.params.get("name")
    return str(name) if name else result.name if result.level != "suite" else f"result {i + 1}"


def _histogram_of(result: Result, op: str, latency: str) -> Histogram:
    if op not in ("all", "read", "write", "trim", "sync"):
        raise ValueError(f"op: {op!r}; there are all, read, write, trim, sync")
    if latency not in ("latency", "submit", "response"):
        raise ValueError(f"latency: {latency!r}; there are latency, submit, response")
    h: Histogram = getattr(getattr(result, op), latency)
    return h


def _axes(ax: Axes | None) -> Axes:
    return pyplot.subplots(figsize=(8, 5), layout="constrained")[1] if ax is None else ax


def _finish(ax: Axes, labelled: int, empty: bool) -> Axes:
    if empty:
        ax.text(0.5, 0.5, "no I/O", transform=ax.transAxes, ha="center", va="center")
    elif labelled > 1:
        ax.legend()
    ax.grid(True, which="major", alpha=0.3)
    return ax


def _nines(fraction_above: float) -> float:
    """0.1 (the 90th percentile) is 1, 0.01 is 2, ..."""
    return -math.log10(fraction_above)


def cdf(results: Results, ax: Axes | None = None, *, op: str = "all", latency: str = "latency",
        labels: Sequence[str] | None = None) -> Axes:
    """Latency over percentile: up in nines (90, 99, 99.9 % ...), latency on a log axis to the
    right, so that the tail has as much room as the rest. The last step is the maximum."""
    ax = _axes(ax)
    most = 1.0
    drawn = 0
    pairs = _each(results, labels)
    for result, label in pairs:
        h = _histogram_of(result, op, latency)
        if not h.count:
            continue
        xs, ys, below = [max(h.min, 1)], [0.0], 0
        for count, high in zip(h.counts, list(h.edges)[1:]):
            below += count
            if count and below < h.count:
                xs.append(max(min(high - 1, h.max), 1))
                ys.append(_nines(1 - below / h.count))
        last = _nines(1 / h.count) if h.count > 1 else 1.0
        top = max(ys[-1], last)
        ax.step(xs + [max(h.max, 1)], ys + [top], where="post", label=label)
        ax.plot([max(h.max, 1)], [top], ".", color=ax.lines[-1].get_color())
        most = max(most, top)
        drawn += 1
    ticks = list(range(0, math.ceil(most) + 1))
    ax.set_yticks(ticks, ["0"] + [_percent(n) for n in ticks[1:]])
    ax.set_ylim(0, most * 1.05)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(_time))
    ax.set_xlabel(_what(op, latency))
    ax.set_ylabel("percentile")
    return _finish(ax, len(pairs), not drawn)


def _percent(nines: int) -> str:
    return "90 %" if nines == 1 else "99 %" if nines == 2 else f"99.{'9' * (nines - 2)} %"


def _what(op: str, latency: str) -> str:
    kind = {"latency": "latency", "submit": "submit time", "response": "response time"}[latency]
    return kind if op == "all" else f"{kind} of {op}s" if op != "sync" else f"{kind} of flushes"


def histogram(results: Results, ax: Axes | None = None, *, op: str = "all",
              latency: str = "latency", bins: int = 80,
              labels: Sequence[str] | None = None) -> Axes:
    """How often each latency was seen: share of the I/Os in bins of one width on a log axis."""
    ax = _axes(ax)
    pairs = _each(results, labels)
    found = [(_histogram_of(r, op, latency), label) for r, label in pairs]
    filled = [h for h, _ in found if h.count]
    if filled:
        low = math.log10(max(min(h.min for h in filled), 1))
        high = math.log10(max(max(h.max for h in filled), 2))
        edges = _log_edges(low, max(high, low + 0.1), bins)
        for h, label in found:
            if h.count:
                ax.stairs(_binned(h, edges), edges, fill=True, alpha=0.5, label=label)
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter(FuncFormatter(_time))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:.3g} %"))
    ax.set_xlabel(_what(op, latency))
    ax.set_ylabel("share of the I/Os")
    return _finish(ax, len(pairs), not filled)


def _log_edges(low: float, high: float, bins: int) -> list[float]:
    if bins < 1:
        raise ValueError(f"bins: {bins}; give 1 or more")
    return [10 ** (low + (high - low) * i / bins) for i in range(bins + 1)]


def _binned(h: Histogram, edges: list[float]) -> list[float]:
    """Shares by bin; a bucket's samples lie evenly in it."""
    shares = [0.0] * (len(edges) - 1)
    bounds = h.edges
    at = 0
    for i, count in enumerate(h.counts):
        if not count:
            continue
        low, high = max(bounds[i], h.min, 1), max(min(bounds[i + 1], h.max + 1), 2)
        while at < len(shares) - 1 and edges[at + 1] <= low:
            at += 1
        b = at
        while b < len(shares):
            last = b == len(shares) - 1
            part = (high if last else min(high, edges[b + 1])) - (low if b == at else edges[b])
            shares[b] += count * part / (high - low) / h.count
            if last or edges[b + 1] >= high:
                break
            b += 1
    return shares


def heatmap(result: Result, x: str, y: str, value: Union[str, Callable[[Result], float]] = "iops",
            ax: Axes | None = None, *, op: str = "all", results: Iterable[Result] | None = None
            ) -> Axes:
    """A matrix of two parameters as colours: heatmap(result, "queue_depth", "block_size").

    value is "iops", "bytes_per_s", "mean", "p99" (any percentile) or a function of a Result. The
    cells are the result's workloads; where several have the same x and y their mean is drawn.
    """
    cells: dict[tuple[Any, Any], list[float]] = {}
    for w in (result.workloads if results is None else results):
        at = w.params.get(x), w.params.get(y)
        if None in at:
            raise ValueError(f"{x if at[0] is None else y}: no parameter of this result")
        cells.setdefault(at, []).append(_value(w, value, op))
    if not cells:
        raise ValueError("result: it has no workloads")
    xs = list(dict.fromkeys(at[0] for at in cells))
    ys = list(dict.fromkeys(at[1] for at in cells))
    grid = [[_mean(cells.get((i, j), [])) for i in xs] for j in ys]
    ax = _axes(ax)
    image = ax.imshow(grid, aspect="auto", origin="lower", cmap="viridis")
    ax.set_xticks(range(len(xs)), [_tick(result, x, v) for v in xs])
    ax.set_yticks(range(len(ys)), [_tick(result, y, v) for v in ys])
    ax.set_xlabel(x.replace("_", " "))
    ax.set_ylabel(y.replace("_", " "))
    is_time = value == "mean" or isinstance(value, str) and value[:1] == "p"
    show: Callable[..., str] = _time if is_time else _number
    top = max((v for row in grid for v in row if v == v), default=0)
    bottom = min((v for row in grid for v in row if v == v), default=0)
    for j, row in enumerate(grid):
        for i, v in enumerate(row):
            dark = v == v and v < (top + bottom) / 2
            ax.text(i, j, show(v) if v == v else "–", ha="center", va="center",
                    color="white" if dark else "black")
    name = value if isinstance(value, str) else getattr(value, "__name__", "")
    name = f"{name} latency" if is_time and value != "mean" else name
    bar = ax.figure.colorbar(image, ax=ax, label=_RATES.get(name, name))
    bar.ax.yaxis.set_major_formatter(FuncFormatter(show))
    return ax


def _number(v: float, _: Any = None) -> str:
    return f"{v:,.0f}" if abs(v) >= 100 else f"{v:.3g}"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else math.nan


def _tick(result: Result, name: str, value: Any) -> str:
    if name.startswith("block_size") and isinstance(value, int):
        for size, unit in ((1 << 30, "g"), (1 << 20, "m"), (1 << 10, "k")):
            if value and value % size == 0:
                return f"{value // size}{unit}"
    return str(value)


def _value(workload: Result, value: Union[str, Callable[[Result], float]], op: str) -> float:
    if callable(value):
        return float(value(workload))
    side = getattr(workload, op)
    if value == "bytes_per_s":
        return side.bytes_per_s / 1e6
    if value in ("iops", "ios", "errors"):
        return float(getattr(side, value))
    h = side.latency
    if not h.count:
        return math.nan
    if value == "mean":
        return h.mean
    try:
        return float(h.percentile(float(value.removeprefix("p"))))
    except ValueError:
        raise ValueError(f'value: {value!r}; there are iops, bytes_per_s, ios, errors, mean, and '
                         'percentiles as "p99.9"') from None


def _intervals_of(result: Result, op: str) -> list[Any]:
    if op not in ("all", "read", "write", "trim", "sync"):
        raise ValueError(f"op: {op!r}; there are all, read, write, trim, sync")
    found: list[Any] = getattr(result, op).intervals
    return found


def _mark_stalls(ax: Axes, result: Result, op: str) -> None:
    """The intervals that an I/O which stood still ended in, and those it lasted for."""
    longest = max((f.evidence.get("longest_ns", 0) for f in result.findings if f.code == "stall"),
                  default=0)
    label: str | None = "stall"
    for interval in _intervals_of(result, op):
        if longest and interval.max_ns >= 0.5 * longest:
            end = (interval.start_ns + interval.length_ns) / 1e9
            ax.axvspan(max(0, end - interval.max_ns / 1e9), end, color="tab:red", alpha=0.2, lw=0,
                       label=label)
            label = None


def _mark_range(ax: Axes, result: Result) -> None:
    """Between the lowest and the highest rate of a run that was not steady."""
    for f in result.findings:
        if f.code == "not-steady" and "min_iops" in f.evidence:
            ax.axhspan(f.evidence["min_iops"], f.evidence["max_iops"], color="tab:orange",
                       alpha=0.15, lw=0, label="not-steady: its range")
            break


def series(result: Result, *, op: str = "all", ax: Axes | None = None) -> Axes:
    """How it went over time: the rate of each interval, its mean, and what was found of it: where
    it stood still (red), the range of a rate that was not steady (orange), the codes of all
    findings beside the picture."""
    if not isinstance(result, Result):
        raise TypeError(f"result: {result!r} is no Result")
    ax = _axes(ax)
    intervals = [i for i in _intervals_of(result, op) if i.length_ns]
    ends = [0.0] + [(i.start_ns + i.length_ns) / 1e9 for i in intervals]
    rates = [i.ios / i.length_ns * 1e9 for i in intervals]
    if intervals:
        ax.stairs(rates, ends, baseline=None, label=f"{op} IOPS")
        ax.axhline(getattr(result, op).iops, color="tab:gray", lw=1, ls="--", label="mean")
        _mark_range(ax, result)
        _mark_stalls(ax, result, op)
    codes = list(dict.fromkeys(f"{f.severity}: {f.code}" for f in result.findings))
    if codes:
        ax.text(1.01, 1, "\n".join(codes), transform=ax.transAxes, ha="left", va="top",
                fontsize="small")
    ax.set_ylim(bottom=0)
    ax.set_xlabel("seconds")
    ax.set_ylabel("I/Os a second")
    return _finish(ax, len(ax.get_legend_handles_labels()[1]), not any(rates))
