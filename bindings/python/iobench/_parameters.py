# SPDX-License-Identifier: MIT
"""The library's table of parameters, and what Python's values become in it."""

from __future__ import annotations

import difflib
import math
import numbers
import operator
from datetime import timedelta
from typing import Any, Iterable, NamedTuple

from . import _iobench as c
from ._error import Error, ParameterError

NS = 1_000_000_000


class Parameter(NamedTuple):
    """A row of the table. `type` is one of "int", "size" (bytes), "time" (seconds), "bool",
    "choice", "blocks" (bytes or a mix of sizes), "rate" (bytes a second) and "text"; min and max
    are in `unit`."""

    name: str
    type: str
    unit: str
    min: int
    max: int
    default: str
    choices: tuple[str, ...]
    help: str


_TYPES = {c.IOB_TYPE_INT: "int", c.IOB_TYPE_SIZE: "size", c.IOB_TYPE_TIME: "time",
          c.IOB_TYPE_BOOL: "bool", c.IOB_TYPE_CHOICE: "choice", c.IOB_TYPE_BLOCKS: "blocks",
          c.IOB_TYPE_TEXT: "text", c.IOB_TYPE_RATE: "rate"}
# Texts that are lists of numbers.
_NUMBERS = {"cpus", "percentiles"}


def _row(i: int) -> tuple[int, Parameter]:
    p = c.iob_param_get(i)
    choices = c.iob_param_info_choices_get(p)
    return c.iob_param_info_key_get(p), Parameter(
        c.iob_param_info_name_get(p), _TYPES.get(c.iob_param_info_type_get(p), "text"),
        c.iob_param_info_unit_get(p), c.iob_param_info_min_get(p), c.iob_param_info_max_get(p),
        c.iob_param_info_default_text_get(p), tuple(choices.split("|")) if choices else (),
        c.iob_param_info_help_get(p))


_ROWS = [_row(i) for i in range(c.iob_param_count())]
KEYS: dict[str, int] = {p.name: key for key, p in _ROWS}
TABLE: dict[str, Parameter] = {p.name: p for _, p in _ROWS}


def params() -> list[Parameter]:
    """Every parameter, in the library's order."""
    return list(TABLE.values())


def nearest(name: str, names: Iterable[str]) -> str:
    """'; did you mean "block_size"?', or the names there are."""
    names = sorted(names)
    meant = "target" if name == "filename" else c.iob_param_from_fio(name)
    if meant in names:
        return f'; did you mean "{meant}"?'
    close = difflib.get_close_matches(name, names, 1, 0.6) or [n for n in names if name in n]
    if close and name:
        return f'; did you mean "{close[0]}"?'
    return "; there are " + ", ".join(names)


def text_of(handle: Any, name: str) -> str:
    """A parameter as text that set_value takes back."""
    return c.workload_text(handle, name).decode("utf-8", "surrogateescape")


def get_value(handle: Any, name: str) -> int | float | bool | str:
    """A parameter in Python's natural type: times in seconds, sizes in bytes."""
    kind = TABLE[name].type
    if kind in ("choice", "text"):
        return text_of(handle, name)
    failed, value = c.iob_workload_get_int(handle, KEYS[name])
    if failed:  # a mix of block sizes
        return text_of(handle, name)
    if kind == "time":
        return value / NS
    return bool(value) if kind == "bool" else value


def _refuse(name: str, value: object, right: str) -> TypeError:
    return TypeError(f"{name}: {value!r} is a {type(value).__name__}; give {right}")


def _finite(name: str, value: float) -> float:
    if not math.isfinite(value):
        raise ValueError(f"{name}: {value!r} is no number")
    return value


def _whole(name: str, value: Any, right: str) -> int:
    """An int, or a float that is one (1e9)."""
    if isinstance(value, bool):
        raise _refuse(name, value, right)
    try:
        return operator.index(value)
    except TypeError:
        pass
    if not isinstance(value, numbers.Real):
        raise _refuse(name, value, right)
    whole = int(_finite(name, value))
    if whole != value:
        raise ValueError(f"{name}: {value!r} is not whole; give {right}")
    return whole


def _nanoseconds(name: str, value: Any) -> int:
    right = 'seconds, a timedelta, or text as "500ms"'
    if isinstance(value, timedelta):
        return (value.days * 86400 + value.seconds) * NS + value.microseconds * 1000
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise _refuse(name, value, right)
    try:
        return operator.index(value) * NS
    except TypeError:
        if _finite(name, value) * NS == math.inf:
            raise ValueError(f"{name}: {value!r} is too long a time") from None
        return round(value * NS)


def _truth(name: str, value: Any) -> int:
    if isinstance(value, bool):
        return int(value)
    return _whole(name, value, "True or False")


def _listed(name: str, value: Any) -> str:
    right = "text, a number, or a list of numbers"
    if isinstance(value, (bytes, bytearray, dict, bool)):
        raise _refuse(name, value, right)
    if isinstance(value, numbers.Real):
        value = [value]
    try:
        items = list(value)
    except TypeError:
        raise _refuse(name, value, right) from None
    for item in items:
        if isinstance(item, bool) or not isinstance(item, (numbers.Real, str)):
            raise _refuse(name, item, "numbers")
        if not isinstance(item, str):
            _finite(name, item)
    return ",".join(f"{int(i)}" if not isinstance(i, str) and int(i) == i else str(i)
                    for i in items)


def _blocks(name: str, value: Any) -> int | str:
    """Bytes, or {4096: 60, "64k": 40}."""
    right = 'bytes, text as "8k" or "4k:60,64k:40", or a dict of sizes and percents'
    if not isinstance(value, dict):
        return _whole(name, value, right)
    for item in [*value.keys(), *value.values()]:
        if not isinstance(item, str):
            _whole(name, item, right)
    return ",".join(f"{size}:{percent}" for size, percent in value.items())


def _plain(name: str, value: Any) -> int | str:
    """What the library is to be given: base units, or text."""
    kind = TABLE[name].type
    if isinstance(value, str):
        return value
    if kind == "time":
        return _nanoseconds(name, value)
    if kind == "bool":
        return _truth(name, value)
    if kind == "blocks":
        return _blocks(name, value)
    if kind in ("int", "size", "rate"):
        right = {"int": "a whole number", "size": 'bytes, or text as "8k"',
                 "rate": 'bytes a second, or text as "3.2GB/s"'}[kind]
        return _whole(name, value, right)
    if name in _NUMBERS:
        return _listed(name, value)
    choices = TABLE[name].choices
    raise _refuse(name, value, "one of " + ", ".join(choices) if choices else "text")


def set_value(handle: Any, name: str, value: Any) -> None:
    """Sets a parameter from text or from a value of Python's."""
    plain = _plain(name, value)
    try:
        if isinstance(plain, str):
            if "\0" in plain:
                raise ValueError(f"{name}: {value!r} has a NUL character in it")
            try:
                plain.encode("utf-8", "surrogateescape")
            except UnicodeEncodeError:
                raise ValueError(f"{name}: {value!r} has half a character in it") from None
            c.iob_workload_set_str(handle, KEYS[name], plain)
        elif -1 << 63 <= plain < 1 << 63:
            c.iob_workload_set_int(handle, KEYS[name], plain)
        else:  # too large for the call; the library says what the bounds are
            c.iob_workload_set_str(handle, KEYS[name], str(plain))
    except Error as e:
        raise ParameterError(e.errno or 0, e.strerror or "", e.file, e.where) from None


def attribute(p: Parameter) -> property:
    """The property of Workload for a parameter; its documentation is the table's."""
    name = p.name

    def get(self: Any) -> int | float | bool | str:
        return get_value(self._handle, name)

    def put(self: Any, value: Any) -> None:
        set_value(self._handle, name, value)

    kind = {"int": "int", "size": "bytes", "time": "seconds", "bool": "bool",
            "choice": " | ".join(p.choices), "blocks": "bytes, or a mix", "text": "text",
            "rate": "bytes a second"}[p.type]
    return property(get, put, None, f'{p.help}\n\n{kind}; default "{p.default}"')


_scratch = c.iob_workload_new()
#: Each parameter's text in a workload of defaults.
DEFAULTS: dict[str, str] = {name: text_of(_scratch, name) for name in TABLE}


def natural(texts: dict[str, str]) -> dict[str, int | float | bool | str]:
    """The texts of parameters in a result, as get_value would give them."""
    handle = c.iob_workload_new()
    values: dict[str, int | float | bool | str] = {}
    for name, text in texts.items():
        values[name] = text
        if name in TABLE and TABLE[name].type not in ("choice", "text"):
            try:
                c.iob_workload_set_str(handle, KEYS[name], text)
                values[name] = get_value(handle, name)
            except Error:
                pass  # a result of another version
    return values
