# SPDX-License-Identifier: MIT
"""Job files and command lines of fio."""

from __future__ import annotations

import os
from typing import NamedTuple, Sequence, Union

from . import _iobench as c
from ._suite import Suite
from ._workload import Path, _flag

Jobs = Union[Path, "Sequence[str | bytes | os.PathLike[str] | os.PathLike[bytes]]"]


def _argument(argument: object) -> bytes:
    if not isinstance(argument, (str, bytes, os.PathLike)):
        raise TypeError(f"load_fio: {argument!r} is no argument; give str, bytes or os.PathLike")
    encoded = os.fsencode(argument)
    if b"\0" in encoded:
        raise ValueError(f"load_fio: {argument!r} has a NUL character in it")
    return encoded


def load_fio(jobs: Jobs, *, allow_destroy: bool = False, create: bool = False,
             overwrite_signature: bool = False) -> Suite:
    """A suite from a job file of fio, or from a list of fio's arguments.

    >>> suite = iobench.load_fio("job.fio")
    >>> suite = iobench.load_fio(["--name=a", "--filename=FILE", "--rw=randread", "--bs=4k"])
    >>> for note in suite.notes:
    ...     print(note.file, note.line, note.text)
    >>> result = suite.run()

    A job and each of its numjobs is a workload, jobs that run at the same time are those of a
    stage, and a stonewall starts the next stage. Nothing is opened but the job file, and no command
    in it is ever run. docs/fio.md, or fio_options(), tells what becomes of each option.

    allow_destroy        jobs that write may; without it running them is refused
    create               files that are missing are made, filled; as allow_destroy does
    overwrite_signature  also where a file system or partition table is found

    Raises Error with file, line and the option as `where`.
    """
    flags = (_flag("allow_destroy", allow_destroy, c.IOB_TARGET_ALLOW_DESTROY)
             | _flag("create", create, c.IOB_TARGET_CREATE)
             | _flag("overwrite_signature", overwrite_signature, c.IOB_TARGET_OVERWRITE_SIGNATURE))
    if isinstance(jobs, (list, tuple)):
        return Suite._wrap(c.iob_suite_from_fio_args([_argument(a) for a in jobs], flags))
    if not isinstance(jobs, (str, bytes, os.PathLike)):
        raise TypeError(f"load_fio: {jobs!r} is neither a path nor a list of arguments")
    return Suite._wrap(c.iob_suite_from_fio_file(_argument(jobs), flags))


class FioOption(NamedTuple):
    """An option of fio, and what becomes of it."""

    name: str
    alias: str | None  #: another name
    support: str  #: "supported", "no effect" (a note says so) or "refused"
    value: str  #: what it takes: "size", "0 or 1"
    help: str  #: the parameters that it sets, or why it has no effect, or what it belongs to


_SUPPORT = {c.IOB_FIO_SUPPORTED: "supported", c.IOB_FIO_NO_EFFECT: "no effect",
            c.IOB_FIO_REFUSED: "refused"}


def fio_options() -> list[FioOption]:
    """The options of fio that are known; any other is an error."""
    found: list[FioOption] = []
    while (o := c.iob_fio_option_get(len(found))) is not None:
        found.append(FioOption(c.iob_fio_option_name_get(o), c.iob_fio_option_alias_get(o),
                               _SUPPORT[c.iob_fio_option_support_get(o)],
                               c.iob_fio_option_value_get(o), c.iob_fio_option_help_get(o)))
    return found
