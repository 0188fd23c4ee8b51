# SPDX-License-Identifier: MIT
"""Stages and matrices of workloads."""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

from . import _iobench as c
from ._parameters import TABLE, nearest, set_value, text_of
from ._run import Runnable
from ._workload import Workload


class Stage(NamedTuple):
    """A stage of a suite: workloads (copies) that run side by side."""

    name: str
    workloads: list[Workload]


class Note(NamedTuple):
    """Something that a reader of jobs accepted, and that their author may want to know."""

    text: str
    file: str | None  #: None: the command line
    line: int  #: of `file`, from 1; 0: of the command line


def _axis(trial: Any, name: str, values: Any) -> list[str]:
    """The values of one dimension, each as text that was tried."""
    if isinstance(values, (bytes, dict)) or not hasattr(values, "__iter__"):
        values = [values]
    texts = []
    for value in values:
        set_value(trial, name, value)
        texts.append(text_of(trial, name))
    if not texts:
        raise ValueError(f"{name}: the axis has no values")
    return texts


def _joined(name: str, texts: list[str]) -> str:
    if any(";" in t for t in texts):
        raise ValueError(f"{name}: a value of an axis cannot have a semicolon in it")
    return (";" if any("," in t for t in texts) else ",").join(texts)


class Suite(Runnable):
    """Stages that run one after another; the workloads of a stage run side by side.

    >>> suite = iobench.Suite()
    >>> suite.add(reader)
    >>> suite.add(writer)               # beside the reader
    >>> suite.next_stage("afterwards")
    >>> suite.add(reader)

    It holds copies of what it is given.
    """

    __slots__ = ("_handle", "_lock", "__weakref__")

    def __init__(self) -> None:
        self._handle = c.iob_suite_new()
        self._lock = threading.Lock()  # starting reads it while other threads run

    def add(self, workload: Workload) -> None:
        """Adds a copy of a workload beside the others of the last stage."""
        if not isinstance(workload, Workload):
            raise TypeError(f"add: {workload!r} is no Workload")
        with self._lock:
            c.iob_suite_add(self._handle, workload._handle)

    def next_stage(self, name: str | None = None) -> None:
        """What is added next starts a new stage; without a name one is made up."""
        if name is not None and not isinstance(name, str):
            raise TypeError(f"next_stage: {name!r} is no str")
        with self._lock:
            c.iob_suite_next_stage(self._handle, name)

    def add_matrix(self, workload: Workload, **axes: Any) -> None:
        """Adds a stage for each combination of values; the first parameter varies slowest.

        >>> suite.add_matrix(w, block_size=["8k", "1m"], workers=[1, 16])

        An axis is a list of values, or text with commas between them ("8k,16k,1m").
        """
        if not isinstance(workload, Workload):
            raise TypeError(f"add_matrix: {workload!r} is no Workload")
        base = c.iob_workload_copy(workload._handle)
        trial = c.iob_workload_new()
        listed = []
        for name, values in axes.items():
            if name not in TABLE:
                raise TypeError(f'no parameter "{name}"' + nearest(name, TABLE))
            if isinstance(values, str):
                listed.append((name, values))
                continue
            texts = _axis(trial, name, values)
            if len(texts) == 1 and {",", ";"} & set(texts[0]):
                set_value(base, name, texts[0])  # no list, though it looks like one
            else:
                listed.append((name, _joined(name, texts)))
        with self._lock:
            if listed or not axes:
                c.iob_suite_add_matrix(self._handle, base, listed)
            else:
                c.iob_suite_next_stage(self._handle, None)
                c.iob_suite_add(self._handle, base)

    @property
    def stages(self) -> list[Stage]:
        """Its stages, in order; with copies of their workloads."""
        with self._lock:
            return [Stage(c.iob_suite_stage_name(self._handle, i), self._workloads(i))
                    for i in range(c.iob_suite_stage_count(self._handle))]

    @property
    def notes(self) -> list[Note]:
        """What load_fio() accepted and wants known; of other suites there is none."""
        notes = [c.iob_suite_note(self._handle, i)
                 for i in range(c.iob_suite_note_count(self._handle))]
        return [Note(c.iob_note_text_get(n), c.iob_note_file_get(n) or None, c.iob_note_line_get(n))
                for n in notes]

    @staticmethod
    def _wrap(handle: Any) -> Suite:
        suite = Suite.__new__(Suite)
        suite._handle = handle
        suite._lock = threading.Lock()
        return suite

    def _workloads(self, stage: int) -> list[Workload]:
        return [Workload._wrap(c.iob_workload_copy(c.iob_suite_workload(self._handle, stage, i)))
                for i in range(c.iob_suite_workload_count(self._handle, stage))]

    def begin_rounds(self) -> None:
        """What is added next is the first stage of a round, where the suite is run by
        run_until_steady(); the stages so far run once, before the rounds."""
        with self._lock:
            c.iob_suite_begin_rounds(self._handle)

    def track(self, stage: int | str) -> None:
        """In rounds, steadiness is asked of this stage, by number or name. Without this it is
        asked of all that are of the round."""
        with self._lock:
            if isinstance(stage, str):
                names = [c.iob_suite_stage_name(self._handle, i)
                         for i in range(c.iob_suite_stage_count(self._handle))]
                if stage not in names:
                    raise ValueError(f'track: there is no stage "{stage}"' + nearest(stage, names))
                stage = names.index(stage)
            c.iob_suite_track(self._handle, stage)

    def add_note(self, text: str) -> None:
        """Adds a note of your own, as "purge: nvme format -s1", which goes into the result of
        rounds."""
        with self._lock:
            c.iob_suite_add_note(self._handle, text)

    def _suite_handle(self) -> Any:
        return self._handle

    def _start_steady(self, *rule: Any) -> Any:
        with self._lock:
            return c.steady_start(self._handle, *rule)

    def _start_handle(self) -> Any:
        with self._lock:
            return c.iob_run_start(self._handle)

    def __len__(self) -> int:
        return c.iob_suite_stage_count(self._handle)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        stages = len(self)
        workloads = sum(c.iob_suite_workload_count(self._handle, i) for i in range(stages))
        return f"<iobench.Suite of {stages} stages, {workloads} workloads>"


def matrix(workload: Workload, **axes: Any) -> Suite:
    """A suite with a stage for each combination of values; the first parameter varies slowest.

    >>> result = iobench.matrix(w, block_size=["8k", "16k", "1m"], workers=[1, 16]).run()
    """
    suite = Suite()
    suite.add_matrix(workload, **axes)
    return suite
