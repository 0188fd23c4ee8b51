# SPDX-License-Identifier: MIT
"""How I/O is issued."""

from __future__ import annotations

from typing import NamedTuple

from . import _iobench as c
from ._error import Error


class Engine(NamedTuple):
    """A built-in engine, and what it can do here."""

    name: str
    error: Error | None  #: why it does not work on this machine; None where it does
    sync: bool  #: one I/O at a time
    no_target: bool  #: moves no data, needs no target
    trim: bool
    fsync: bool
    poll: bool
    buffered_only: bool  #: cannot run with direct=True


_CAPS = (c.IOB_ENGINE_SYNC, c.IOB_ENGINE_NO_TARGET, c.IOB_ENGINE_TRIM, c.IOB_ENGINE_FSYNC,
         c.IOB_ENGINE_POLL, c.IOB_ENGINE_BUFFERED_ONLY)


def _probe(i: int) -> Error | None:
    try:
        c.engine_probe(i)
    except Error as e:
        return e
    return None


def engines() -> list[Engine]:
    """The built-in engines; those that cannot work on this machine say why."""
    found: list[Engine] = []
    while (name := c.engine_name(len(found))) is not None:
        caps = c.engine_caps(len(found))
        found.append(Engine(name, _probe(len(found)), *(bool(caps & cap) for cap in _CAPS)))
    return found
