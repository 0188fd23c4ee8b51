# SPDX-License-Identifier: MIT
"""What cannot be believed of a result; what two results differ by."""

from __future__ import annotations

import json
import math
from typing import Any, NamedTuple

from . import _iobench as c

_LEVELS = {c.IOB_LEVEL_SUITE: "suite", c.IOB_LEVEL_STAGE: "stage",
           c.IOB_LEVEL_WORKLOAD: "workload", c.IOB_LEVEL_WORKER: "worker"}


class Finding(NamedTuple):
    """What cannot be believed of a result, and why; docs/findings.md has them all."""

    code: str  #: "depth-not-reached"
    severity: str  #: "note", "warning" or "invalid"
    message: str  #: one sentence, with its numbers
    evidence: dict[str, float]  #: the numbers by name: times in ns, sizes in bytes, shares 0 to 1
    where: str  #: the name of the suite, stage or workload that it is about
    level: str  #: "suite", "stage" or "workload"

    def __str__(self) -> str:
        return f"{self.severity} {self.code}: {self.message}"


class Unchecked(NamedTuple):
    """A rule that could not be applied to what a recorded result holds."""

    code: str
    reason: str
    workloads: int  #: for how many it holds


class FindingKind(NamedTuple):
    """One kind of finding: when it is raised, and what to do about it."""

    code: str
    severity: str
    family: str
    rule: str
    advice: str
    example: str


def _finding(f: Any) -> Finding:
    evidence = (c.finding_evidence(f, i) for i in range(c.iob_finding_n_evidence_get(f)))
    return Finding(
        c.iob_finding_code_get(f), c.iob_severity_name(c.iob_finding_severity_get(f)),
        c.iob_finding_message_get(f),
        {c.iob_evidence_name_get(e): c.iob_evidence_value_get(e) for e in evidence},
        c.finding_of(f), _LEVELS[c.finding_level(f)])


def found(result: Any) -> list[Finding]:
    """Those of a result's handle."""
    return [_finding(c.iob_result_finding(result, i))
            for i in range(c.iob_result_finding_count(result))]


def unchecked(result: Any) -> list[Unchecked]:
    """Those of a result's handle."""
    return [Unchecked(*(getattr(c, f"iob_unchecked_{f}_get")(u) for f in Unchecked._fields))
            for u in (c.iob_result_unchecked(result, i)
                      for i in range(c.iob_result_unchecked_count(result)))]


def findings() -> list[FindingKind]:
    """Every kind of finding there is."""
    kinds: list[FindingKind] = []
    while (k := c.iob_finding_kind(len(kinds))) is not None:
        kinds.append(FindingKind(
            c.iob_finding_info_code_get(k), c.iob_severity_name(c.iob_finding_info_severity_get(k)),
            *(getattr(c, f"iob_finding_info_{f}_get")(k) for f in FindingKind._fields[2:])))
    return kinds


class Ratio(NamedTuple):
    """One metric of two results; nan where it is not known."""

    a: float
    b: float
    ratio: float  #: b / a
    low: float  #: its 95 % interval by batch means; nan without a series
    high: float
    difference: str  #: "shown", "not shown" or "unknown"


class Compared(NamedTuple):
    """A workload of one set and that of the other which has its name."""

    name: str
    found_in: str  #: "both", "a" or "b"
    metrics: dict[str, Ratio]  #: "iops", "read_mean_ns", "write_mean_ns", "read_p99_ns", ...


class Comparison:
    """Two results or sets of them, cell by cell; from iobench.compare()."""

    __slots__ = ("_handles", "_n_a", "_cells")

    def __init__(self) -> None:
        raise TypeError("comparisons come from iobench.compare(a, b)")

    @classmethod
    def _of(cls, a: list[Any], b: list[Any]) -> Comparison:
        comparison = cls.__new__(cls)
        comparison._handles, comparison._n_a, comparison._cells = [*a, *b], len(a), None
        comparison.report("csv")  # refuses what cannot be compared
        return comparison

    @property
    def cells(self) -> list[Compared]:
        """One for each workload, in the order of the first set."""
        if self._cells is None:
            self._cells = [_cell(cell) for cell in json.loads(self.report("json"))["cells"]]
        return self._cells

    def report(self, format: str = "text") -> str:
        """All of it: "text", "json", "csv" or "markdown"."""
        if not isinstance(format, str):
            raise TypeError(f"format: {format!r} is no str")
        return c.compare_report([handle for handle, _ in self._handles], self._n_a,
                                format).decode("utf-8", "surrogateescape")

    def __repr__(self) -> str:
        return f"<iobench.Comparison of {len(self.cells)} cells>"


def _number(v: float | None) -> float:
    return math.nan if v is None else v


def _cell(cell: dict[str, Any]) -> Compared:
    metrics = {name: Ratio(*(_number(m[f]) for f in Ratio._fields[:5]), m["difference"])
               for name, m in cell.items() if isinstance(m, dict)}
    return Compared(cell["name"], cell["in"], metrics)
