# SPDX-License-Identifier: MIT
"""What a device is, and what it did."""

from __future__ import annotations

import json
import math
import os
from typing import Any, NamedTuple, Union

from . import _iobench as c

_USERS = {c.IOB_USER_MOUNT: "mount", c.IOB_USER_SWAP: "swap", c.IOB_USER_HOLDER: "holder",
          c.IOB_USER_EXCLUSIVE: "exclusive", c.IOB_USER_LOOP: "loop"}
_FLAGS = {c.IOB_DEVICE_TARGET: "target", c.IOB_DEVICE_NO_COUNTERS: "no_counters",
          c.IOB_DEVICE_NO_TICKS: "no_ticks", c.IOB_DEVICE_NO_DISCARDS: "no_discards",
          c.IOB_DEVICE_NO_FLUSHES: "no_flushes", c.IOB_DEVICE_PART: "part",
          c.IOB_DEVICE_ROTATIONAL: "rotational", c.IOB_DEVICE_WRITE_CACHE: "write_cache"}


class DeviceUser(NamedTuple):
    """Somebody who uses a device, so that it is not written."""

    kind: str  #: "mount", "swap", "holder", "exclusive" or "loop"
    device: str  #: the one that is used
    what: str  #: the mount point, the holder; "" for others
    message: str


class Signature(NamedTuple):
    """Something found on a device that tells what its data is."""

    type: str  #: "ext4", "crypto_LUKS", "gpt"
    usage: str  #: "filesystem", "raid", "crypto", "other", "partitions"
    label: str
    uuid: str


class Device:
    """A block device or a file: its facts, who uses it, what is on it, the layers below.

    >>> d = iobench.device("/dev/sda")
    >>> d.facts["size"], d.facts.get("queue_depth"), [u.message for u in d.users]

    Read once; nothing is held open. It does not change, and may be shared by threads.
    """

    __slots__ = ("_handle", "_owner", "__weakref__")

    def __init__(self) -> None:
        raise TypeError("devices come from iobench.device(path)")

    @classmethod
    def _of(cls, handle: Any, owner: Any) -> Device:
        d = cls.__new__(cls)
        d._handle, d._owner = handle, owner
        return d

    @property
    def path(self) -> str:
        """"/dev/sda", whatever link was given; of a file its path as it was given."""
        return c.iob_device_path(self._handle)

    @property
    def kind(self) -> str:
        """"disk", "partition", "md", "dm", "loop", "zram", ...; "file"."""
        return c.iob_device_kind(self._handle)

    @property
    def about(self) -> str:
        """In a few words, for people."""
        return c.iob_device_about(self._handle)

    @property
    def facts(self) -> dict[str, int | bool | str]:
        """What is known; what is not known is not in it. docs/devices.md lists them all."""
        known: dict[str, int | bool | str] = {}
        for i in range(c.iob_device_fact_count(self._handle)):
            fact = c.iob_device_fact(self._handle, i)
            kind, number = c.iob_fact_type_get(fact), c.iob_fact_number_get(fact)
            known[c.iob_fact_name_get(fact)] = (
                c.iob_fact_text_get(fact) if kind == c.IOB_FACT_TEXT
                else bool(number) if kind == c.IOB_FACT_BOOL else number)
        return known

    @property
    def below(self) -> tuple[Device, ...]:
        """The devices that it stands on directly; their users and signatures are not looked for."""
        return tuple(self._of(c.iob_device_below(self._handle, i), self._owner)
                     for i in range(c.iob_device_below_count(self._handle)))

    @property
    def users(self) -> list[DeviceUser]:
        """Who uses it, its partitions, its disk, what is stacked on it or under it."""
        found = []
        for i in range(c.iob_device_user_count(self._handle)):
            user = c.iob_device_user_get(self._handle, i)
            found.append(DeviceUser(_USERS[c.iob_device_user_kind_get(user)],
                                    *(getattr(c, f"iob_device_user_{f}_get")(user)
                                      for f in DeviceUser._fields[1:])))
        return found

    @property
    def signatures(self) -> list[Signature]:
        """What was found on it."""
        found = []
        for i in range(c.iob_device_signature_count(self._handle)):
            signature = c.iob_device_signature_get(self._handle, i)
            found.append(Signature(*(getattr(c, f"iob_device_signature_{f}_get")(signature)
                                     for f in Signature._fields)))
        return found

    def report(self, format: str = "text") -> str:
        """All of it: "text" or "json"."""
        if not isinstance(format, str):
            raise TypeError(f"format: {format!r} is no str")
        return c.device_report(self._handle, format).decode("utf-8", "surrogateescape")

    def to_dict(self) -> dict[str, Any]:
        """The JSON report as a dict."""
        return json.loads(self.report("json"))

    def __repr__(self) -> str:
        about = f", {self.about}" if self.about else ""
        return f"<iobench.Device {self.path}: {self.kind}{about}>"


def device(path: Union[str, bytes, "os.PathLike[Any]"]) -> Device:
    """Looks at a block device or a file. Nothing is changed."""
    handle = c.iob_device_open(os.fsencode(path))
    return Device._of(handle, handle)


class Requests(NamedTuple):
    """Requests of one kind at a device, everybody's; and the I/Os that this run issued to the
    targets above it."""

    ios: int
    merges: int
    bytes: int
    ticks_ms: int | None  #: time of all of them together; None where it is not available
    issued_ios: int
    issued_bytes: int


class Spread(NamedTuple):
    """A value over the members of a layer that did something; None where it is not available."""

    mean: float | None
    min: float | None
    max: float | None
    skew: float | None  #: of `worst`: its value over the mean of the others
    worst: str | None  #: the member that is furthest from the others


class DeviceInterval(NamedTuple):
    """A stretch of time of a device."""

    start_ns: int  #: since the start of the measured window
    length_ns: int
    read_ios: int
    read_bytes: int
    write_ios: int
    write_bytes: int
    busy_ms: int
    queue_ms: int


class DeviceUse(NamedTuple):
    """What a device did during the measured window, by the kernel's counters: everybody's
    requests. What is not available is None."""

    name: str
    kind: str
    about: str
    machine: str  #: where it is: one name can be another device there
    device_bytes: int
    flags: tuple[str, ...]
    depth: int  #: 0 at the top
    above: str | None
    below: tuple[str, ...]
    idle: int  #: of those below: no request, as a spare; not in the spreads
    length_ns: int
    read: Requests
    write: Requests
    trim: Requests
    sync: Requests
    all: Requests
    busy_ms: int | None
    queue_ms: int | None
    utilisation: float | None  #: 0 to 1
    in_flight: float | None
    mean_request: float | None  #: bytes
    requests_per_io: float | None
    foreign_bytes: int | None  #: beyond what this run issued; below 0 a cache served it
    member_ios: Spread
    member_bytes: Spread
    member_utilisation: Spread
    intervals: list[DeviceInterval]


_NOWHERE = 0xFFFFFFFF
_INTERVAL = [getattr(c, f"iob_device_interval_{f}_get") for f in DeviceInterval._fields]
_REQUESTS = [getattr(c, f"iob_device_io_{f}_get") for f in Requests._fields]
_SAME = ("name", "kind", "about", "machine", "device_bytes", "depth", "length_ns")


def _number(v: float) -> float | None:
    return None if math.isnan(v) else v


def _spread(s: Any, names: list[str]) -> Spread:
    worst = c.iob_device_spread_worst_get(s)
    values = [_number(getattr(c, f"iob_device_spread_{f}_get")(s)) for f in Spread._fields[:4]]
    return Spread(*values, names[worst] if worst != _NOWHERE else None)


def _requests(use: Any, op: int, timed: bool) -> Requests:
    io = c.device_io(use, op)
    found = Requests(*(get(io) for get in _REQUESTS))
    return found if timed else found._replace(ticks_ms=None)


def _use(result: Any, i: int, use: Any, names: list[str]) -> DeviceUse:
    bits = c.iob_device_use_flags_get(use)
    counted = not bits & c.IOB_DEVICE_NO_COUNTERS
    timed = counted and not bits & c.IOB_DEVICE_NO_TICKS
    above = c.iob_device_use_above_get(use)
    ops = {name: _requests(use, op, timed)
           for name, op in (("read", c.IOB_OP_READ), ("write", c.IOB_OP_WRITE),
                            ("trim", c.IOB_OP_TRIM), ("sync", c.IOB_OP_SYNC),
                            ("all", c.IOB_OP_ALL))}
    get = {f: getattr(c, f"iob_device_use_{f}_get") for f in DeviceUse._fields
           if hasattr(c, f"iob_device_use_{f}_get")}
    return DeviceUse(
        **{f: get[f](use) for f in _SAME}, **ops,
        flags=tuple(word for bit, word in _FLAGS.items() if bits & bit),
        above=names[above] if above != _NOWHERE else None,
        below=tuple(names[c.device_below(use, k)] for k in range(c.iob_device_use_n_below_get(use))),
        idle=c.iob_device_use_n_idle_get(use),
        busy_ms=get["busy_ms"](use) if timed else None,
        queue_ms=get["queue_ms"](use) if timed else None,
        **{f: _number(get[f](use))
           for f in ("utilisation", "in_flight", "mean_request", "requests_per_io")},
        foreign_bytes=(get["foreign_bytes"](use)
                       if counted and not bits & c.IOB_DEVICE_PART else None),
        **{f: _spread(get[f](use), names)
           for f in ("member_ios", "member_bytes", "member_utilisation")},
        intervals=[DeviceInterval(*(of(v) for of in _INTERVAL))
                   for v in (c.iob_result_device_interval(result, i, k)
                             for k in range(c.iob_result_device_interval_count(result, i)))])


def uses(result: Any) -> list[DeviceUse]:
    """Those of a result's handle."""
    found = [c.iob_result_device(result, i) for i in range(c.iob_result_device_count(result))]
    names = [c.iob_device_use_name_get(use) for use in found]
    return [_use(result, i, use, names) for i, use in enumerate(found)]
