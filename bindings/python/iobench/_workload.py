# SPDX-License-Identifier: MIT
"""What to do, and to what."""

from __future__ import annotations

import os
from typing import Any, Iterable, NamedTuple, Union

from . import _iobench as c
from ._parameters import DEFAULTS, TABLE, attribute, nearest, set_value, text_of
from ._run import Runnable

Path = Union[str, bytes, "os.PathLike[str]", "os.PathLike[bytes]"]


class Target(NamedTuple):
    """A device or file of a workload, and what may be done to it."""

    path: str
    allow_destroy: bool
    create: bool
    overwrite_signature: bool


def _path_bytes(path: Path) -> bytes:
    if path is None or isinstance(path, (int, float)):
        raise TypeError(f"target: {path!r} is no path; give str, bytes or os.PathLike")
    encoded = os.fsencode(path)
    if b"\0" in encoded:
        raise ValueError(f"target: {path!r} has a NUL character in it")
    return encoded


def _paths(target: Path | Iterable[Path]) -> list[bytes]:
    if isinstance(target, (str, bytes)) or hasattr(target, "__fspath__"):
        return [_path_bytes(target)]
    try:
        paths = list(target)
    except TypeError:
        raise TypeError(f"target: {target!r} is no path; give str, bytes or os.PathLike, "
                        "or a list of them") from None
    return [_path_bytes(p) for p in paths]


def _flag(name: str, value: object, bit: int) -> int:
    if not isinstance(value, bool):
        raise TypeError(f"{name}: {value!r} is a {type(value).__name__}; give True or False")
    return bit if value else 0


class Workload(Runnable):
    """What to do (its parameters, each an attribute and a keyword) and to what (its targets).

    >>> w = iobench.Workload(target="/dev/nvme0n1", block_size="8k", queue_depth=32, runtime=10)
    >>> w.block_size
    8192
    >>> result = w.run()

    target               a block device or file, or several: str, bytes or os.PathLike
    allow_destroy        the targets' data may be overwritten; without it they are only read
    create               a missing file is made: offset + size bytes, filled
    overwrite_signature  also where a file system or partition table is found

    Nothing is opened before check() or run(). A run takes its own copy, so a workload may be
    changed at any time.
    """

    __slots__ = ("_handle", "__weakref__")

    def __init__(self, target: Path | Iterable[Path] = (), *, allow_destroy: bool = False,
                 create: bool = False, overwrite_signature: bool = False, **params: Any) -> None:
        object.__setattr__(self, "_handle", c.iob_workload_new())
        for name, value in params.items():
            if name not in TABLE:
                raise TypeError(f'Workload has no parameter "{name}"'
                                + nearest(name, [*TABLE, *_ARGUMENTS]))
            set_value(self._handle, name, value)
        self.add_target(target, allow_destroy=allow_destroy, create=create,
                        overwrite_signature=overwrite_signature)

    def add_target(self, target: Path | Iterable[Path], *, allow_destroy: bool = False,
                   create: bool = False, overwrite_signature: bool = False) -> None:
        """Adds a device or file, or several, with permissions of their own."""
        flags = (_flag("allow_destroy", allow_destroy, c.IOB_TARGET_ALLOW_DESTROY)
                 | _flag("create", create, c.IOB_TARGET_CREATE)
                 | _flag("overwrite_signature", overwrite_signature,
                         c.IOB_TARGET_OVERWRITE_SIGNATURE))
        for path in _paths(target):
            c.iob_workload_add_target(self._handle, path, flags)

    @property
    def targets(self) -> list[Target]:
        """The targets, and what may be done to each. add_target() adds one; copy(target=...)
        is the same workload on others."""
        found = []
        for i in range(c.iob_workload_target_count(self._handle)):
            path, flags = c.iob_workload_target(self._handle, i)
            found.append(Target(path, bool(flags & c.IOB_TARGET_ALLOW_DESTROY),
                                bool(flags & c.IOB_TARGET_CREATE),
                                bool(flags & c.IOB_TARGET_OVERWRITE_SIGNATURE)))
        return found

    def check(self) -> None:
        """Raises Error where the workload could not run here and now; opens nothing for writing
        and changes nothing."""
        c.iob_workload_check(c.iob_workload_copy(self._handle))

    def copy(self, **changes: Any) -> Workload:
        """A copy, with other parameters where they are given: w.copy(queue_depth=8).

        With target= it is on that target instead, and allow_destroy, create and
        overwrite_signature are as given here, not as they were.
        """
        if not _ARGUMENTS & changes.keys():
            return self._wrap(c.iob_workload_copy(self._handle), changes)
        if "target" not in changes:
            raise TypeError(f"copy: {min(_ARGUMENTS & changes.keys())} goes with target=")
        texts = {name: text_of(self._handle, name) for name in TABLE}
        return Workload(**{**texts, **changes})

    @staticmethod
    def _wrap(handle: Any, changes: dict[str, Any] | None = None) -> Workload:
        w = Workload.__new__(Workload)
        object.__setattr__(w, "_handle", handle)
        for name, value in (changes or {}).items():
            if name not in TABLE:
                raise TypeError(f'Workload has no parameter "{name}"'
                                + nearest(name, [*TABLE, *_ARGUMENTS]))
            set_value(handle, name, value)
        return w

    def _changed(self) -> dict[str, str]:
        """The texts of the parameters that are not at their default."""
        texts = {name: text_of(self._handle, name) for name in TABLE}
        return {name: text for name, text in texts.items() if text != DEFAULTS[name]}

    def _suite_handle(self) -> Any:
        suite = c.iob_suite_new()
        c.iob_suite_add(suite, self._handle)
        return suite

    def __copy__(self) -> Workload:
        return self.copy()

    def __deepcopy__(self, memo: Any) -> Workload:
        return self.copy()

    def __reduce__(self) -> Any:
        return _rebuild, (self.targets, self._changed())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Workload):
            return NotImplemented
        return self.targets == other.targets and self._changed() == other._changed()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        targets = self.targets
        told = []
        if targets:
            paths = [t.path for t in targets]
            told.append(f"target={(paths[0] if len(paths) == 1 else paths)!r}")
            told += [f"{flag}=True" for flag in Target._fields[1:]
                     if all(getattr(t, flag) for t in targets)]
        told += [f"{name}={text!r}" for name, text in self._changed().items()]
        return f"Workload({', '.join(told)})"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise _unknown(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        try:
            object.__setattr__(self, name, value)
        except AttributeError:
            if hasattr(type(self), name):
                raise AttributeError(f"Workload.{name} cannot be set; copy({name}=...) gives a "
                                     "workload with another" if name in _ARGUMENTS else
                                     f"Workload.{name} cannot be set") from None
            raise _unknown(self, name) from None


_ARGUMENTS = {"target", "allow_destroy", "create", "overwrite_signature"}


def _unknown(workload: Workload, name: str) -> AttributeError:
    names = [n for n in dir(type(workload)) if not n.startswith("_")]
    return AttributeError(f'Workload has no parameter "{name}"' + nearest(name, names))


def _rebuild(targets: list[Target], params: dict[str, str]) -> Workload:
    w = Workload(**params)
    for path, *flags in targets:
        w.add_target(path, **dict(zip(Target._fields[1:], flags)))
    return w


for _parameter in TABLE.values():
    setattr(Workload, _parameter.name, attribute(_parameter))
