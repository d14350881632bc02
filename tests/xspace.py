"""Profiles for tests: XSpace messages written by hand, so that a case is about ten lines.

    space(plane("/device:GPU:0", line("Stream #24(Compute)", event("fusion", 0, 300, {"hlo_op": ref("f")}))))

Only the wire format is used, nothing of the code under test. Times are picoseconds.
"""

import gzip
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field

Text = str | bytes
"""A protobuf string; bytes where it is to be invalid UTF-8."""


class ref(str):
    """A stat value that is a reference to a name in the plane's stat metadata."""


class uint64(int):
    """A stat value that is stored unsigned."""


class compressed(str):
    """A stat value that is stored as a gzip-compressed string."""


Stats = Mapping[str, int | float | str | bytes]
"""Stats by name; the type of a value picks its kind."""


def varint(value: int) -> bytes:
    """An integer as protobuf writes it; negative ones as their 64 bits."""
    value &= (1 << 64) - 1
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def put(number: int, value: int | float | Text) -> bytes:
    """One field of a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def optional(number: int, value: int | float | Text) -> bytes:
    """One field of a message; left out where it is empty, as proto3 does."""
    return put(number, value) if value else b""


@dataclass(frozen=True)
class Event:
    """An event, see `event`."""

    name: Text | int
    start_ps: int
    duration_ps: int
    stats: Stats
    occurrences: int
    display_name: Text
    constants: Stats
    metadata_id: int | None


def event(
    name: Text | int,
    start_ps: int = 0,
    duration_ps: int = 0,
    stats: Stats | None = None,
    *,
    occurrences: int = 0,
    display_name: Text = "",
    constants: Stats | None = None,
    metadata_id: int | None = None,
) -> Event:
    """An event. `start_ps` counts from its line's timestamp; `occurrences` makes it an aggregated one.

    `constants` are the stats of its metadata. A number as `name` is a metadata id without metadata.
    """
    given = (stats or {}, occurrences, display_name, constants or {}, metadata_id)
    return Event(name, start_ps, duration_ps, *given)


def marker(name: str, step_num: int, start_ps: int, duration_ps: int) -> Event:
    """A step annotation on a host thread."""
    return event(name, start_ps, duration_ps, {"step_num": step_num})


@dataclass(frozen=True)
class Line:
    """A line, see `line`."""

    name: Text
    events: tuple[Event, ...]
    id: int
    timestamp_ns: int


def line(name: Text, *events: Event, id: int = 0, timestamp_ns: int = 0) -> Line:
    """A line with its events in the order in which they are stored."""
    return Line(name, events, id, timestamp_ns)


@dataclass
class _Names:
    """The dictionaries of one plane, filled while its events are written."""

    stats: dict[str, int] = field(default_factory=dict)
    events: dict[object, int] = field(default_factory=dict)
    metadata: bytes = b""

    def stat(self, name: str, value: int | float | str | bytes) -> bytes:
        kind, stored = 4, value
        if isinstance(value, ref):
            kind, stored = 7, self.stat_id(value)
        elif isinstance(value, compressed):
            kind, stored = 8, gzip.compress(value.encode(), mtime=0)
        elif isinstance(value, uint64):
            kind = 3
        elif not isinstance(value, int):
            kind = {float: 2, str: 5, bytes: 6}[type(value)]
        return put(1, self.stat_id(name)) + put(kind, stored)

    def stat_id(self, name: str) -> int:
        if name not in self.stats:
            self.stats[name] = len(self.stats) + 1
            self.metadata += put(
                5, put(1, self.stats[name]) + put(2, put(1, self.stats[name]) + put(2, name))
            )
        return self.stats[name]

    def event_id(self, of: Event) -> int:
        if isinstance(of.name, int):
            return of.name
        key = (of.name, of.display_name, tuple(of.constants.items()), of.metadata_id)
        if key not in self.events:
            number = self.events[key] = of.metadata_id or len(self.events) + 1
            stats = b"".join(put(5, self.stat(name, value)) for name, value in of.constants.items())
            entry = put(1, number) + optional(2, of.name) + optional(4, of.display_name) + stats
            self.metadata += put(4, put(1, number) + put(2, entry))
        return self.events[key]

    def event(self, of: Event) -> bytes:
        when = put(5, of.occurrences) if of.occurrences else put(2, of.start_ps)
        stats = b"".join(put(4, self.stat(name, value)) for name, value in of.stats.items())
        return put(1, self.event_id(of)) + when + optional(3, of.duration_ps) + stats

    def line(self, of: Line) -> bytes:
        head = optional(1, of.id) + optional(2, of.name) + optional(3, of.timestamp_ns)
        return head + b"".join(put(4, self.event(e)) for e in of.events)


def plane(name: Text, *lines: Line, stats: Stats | None = None, unused: tuple[Event, ...] = ()) -> bytes:
    """A plane as XPlane bytes. `unused` are events of which only the metadata is written."""
    names = _Names()
    body = b"".join(put(3, names.line(one)) for one in lines)
    body += b"".join(put(6, names.stat(stat, value)) for stat, value in (stats or {}).items())
    for entry in unused:
        names.event_id(entry)
    return put(2, name) + names.metadata + body


def environment(start_ns: int, stop_ns: int = 0) -> bytes:
    """The plane that tells when the profile started and stopped."""
    times = {"profile_start_time": uint64(start_ns), "profile_stop_time": uint64(stop_ns)}
    return plane("Task Environment", stats={name: at for name, at in times.items() if at})


def space(
    *planes: bytes,
    hostnames: tuple[str, ...] = (),
    errors: tuple[str, ...] = (),
    warnings: tuple[str, ...] = (),
) -> bytes:
    """A whole profile as the bytes of its file."""
    texts = ((2, errors), (3, warnings), (4, hostnames))
    tail = b"".join(put(number, text) for number, values in texts for text in values)
    return b"".join(put(1, one) for one in planes) + tail


def instruction(name: str, opcode: str, op_name: str = "", source: tuple[str, int] = ("", 0)) -> bytes:
    """An HLO instruction with its framework path and source line."""
    told = optional(2, op_name) + optional(3, source[0]) + optional(4, source[1])
    return put(1, name) + put(2, opcode) + optional(7, told)


def program(name: str, program_id: int, *instructions: bytes) -> Event:
    """A program's entry in the plane /host:metadata: `unused` of `plane`."""
    module = put(1, name) + put(3, put(1, "main") + b"".join(put(2, one) for one in instructions))
    return event(f"{name}({program_id})", constants={"Hlo Proto": put(1, module)})
