"""An XSpace made of the events of a trace viewer export."""

import mmap
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path
from typing import Any

from ..planes import device_name
from ..xplane.schema import message
from .events import TraceFile

CAPS = (1_000_000, 5_000_000)
"""Events at which XLA's export stops (trace_events_to_json.cc, formerly and now)."""
_UNEVEN = 0.1
"""A device that ends earlier than the rest by this share of the capture is reported."""
_OF_OPS = frozenset(
    {
        "bytes_accessed", "deduplicated_name", "flops", "hlo_category", "hlo_module", "hlo_op", "long_name",
        "model_flops", "program_id", "raw_bytes_accessed", "shape_with_layout", "source", "source_stack",
        "tf_op",
    }
)  # fmt: skip
"""Stats that a TPU's XPlane has once per op, in the event's metadata."""
_NAMES = frozenset({"hlo_module", "hlo_op", "kernel_details", "long_name", "name", "tf_op"})
"""Stats that are text even where they look like a number."""
_NUMBER = re.compile(r"-?[0-9]{1,18}|[0-9]{19}")
_LATEST_PS = 1 << 62
_EXACT_MICROSECONDS = 1e9
"""Below it a double that is rounded to six digits is exactly the picoseconds that were written."""
_OPAQUE = "<opaque bytes>"
_NO_DURATION = "1e-06"
"""How an export writes a duration of 0."""

_EVENT, _STAT = message("XEvent"), message("XStat")

Note = tuple[str, str | None, int, str]
"""check_name, subject, value and text of a row of quality_events."""


@dataclass
class Converted:
    """The bytes of an XSpace, and what was seen about completeness."""

    buffer: memoryview
    notes: list[Note]


@dataclass
class _Plane:
    name: str = ""
    lines: dict[int, list[bytes]] = field(default_factory=dict)
    """Encoded events by line."""
    line_names: dict[int, str] = field(default_factory=dict)
    ops: dict[tuple[str | None, ...], int] = field(default_factory=dict)
    stats: dict[str, int] = field(default_factory=dict)
    names: Any = field(default_factory=message("XPlaneParts"))
    """The plane's names of events and stats, as they come."""
    end_ps: int = 0

    def add(self, event: dict[str, Any], start_ps: int, duration_ps: int) -> None:
        """Add an event of one of the plane's lines."""
        args = {name: str(value) for name, value in _args(event).items() if value != _OPAQUE}
        of_op = self.name.startswith("/device:TPU") and "long_name" in args
        key = self._metadata(str(event.get("name", "")), args if of_op else {})
        stats = [
            self._stat(name, value).SerializeToString()
            for name, value in args.items()
            if not (of_op and name in _OF_OPS)
        ]
        made = _EVENT(metadata_id=key, offset_ps=start_ps, duration_ps=duration_ps, stats=stats)
        self.lines.setdefault(_number(event.get("tid")), []).append(made.SerializeToString())
        self.end_ps = max(self.end_ps, start_ps + duration_ps)

    def encoded(self, plane_id: int) -> bytes:
        """An XSpace with this plane in it."""
        line = message("XLineParts")
        lines = [
            line(id=key, name=_bytes(self.line_names.get(key, "")), events=self.lines.get(key, ()))
            for key in {**self.line_names, **self.lines}
        ]
        self.names.id, self.names.name = plane_id, _bytes(self.name)
        self.names.lines.extend(one.SerializeToString() for one in lines)
        return message("XSpaceParts")(planes=[self.names.SerializeToString()]).SerializeToString()  # type: ignore[no-any-return]

    def _metadata(self, name: str, args: dict[str, str]) -> int:
        """The id of an event's metadata; `args` are those of an op."""
        long_name = args.get("long_name")
        key = (name, long_name, args.get("tf_op"), args.get("source"), args.get("hlo_module"))
        known = self.ops.get(key)
        if known is None:
            known = self.ops[key] = len(self.ops) + 1
            entry = self.names.event_metadata.add(key=known)
            entry.value.id, entry.value.name = known, _bytes(long_name or name)
            entry.value.display_name = _bytes(name) if long_name else b""
            constants = (stat for stat in args if stat in _OF_OPS and stat != "long_name")
            entry.value.stats.extend(self._stat(stat, args[stat]) for stat in constants)
        return known

    def _stat(self, name: str, text: str) -> Any:
        key = self.stats.get(name)
        if key is None:
            key = self.stats[name] = len(self.stats) + 1
            entry = self.names.stat_metadata.add(key=key)
            entry.value.id, entry.value.name = key, _bytes(name)
        if name in _NAMES or not _NUMBER.fullmatch(text):
            return _STAT(metadata_id=key, str_value=_bytes(text))
        value = int(text)
        return _STAT(metadata_id=key, **{"int64_value" if value < 1 << 63 else "uint64_value": value})


def convert(path: Path) -> Converted:
    """Read an export into an XSpace in a temporary file.

    Raises:
        InputError: the file is no JSON, holds no events, or is no export of XLA's.
    """
    planes: dict[int, _Plane] = {}
    trace, count = TraceFile(path), 0
    for event in trace.events():
        if "cat" in event:
            raise trace.broken("events have categories, so another tool than XLA's profiler wrote it")
        plane = planes.setdefault(_number(event.get("pid")), _Plane())
        if event.get("ph") == "X":
            plane.add(event, _picoseconds(event.get("ts")), _duration(event.get("dur")))
            count += 1
        elif event.get("ph") == "M":
            _name(plane, event)
    planes = {number: plane for number, plane in planes.items() if plane.lines or plane.name}
    if not planes:
        raise trace.broken("it holds no events")
    notes = list(_notes(trace, count, [*planes.values()]))
    return Converted(_written(planes), notes)


def _name(plane: _Plane, event: dict[str, Any]) -> None:
    name = str(_args(event).get("name", ""))
    if event.get("name") == "process_name":
        plane.name = name
    elif event.get("name") == "thread_name":
        plane.line_names[_number(event.get("tid"))] = name


def _notes(trace: TraceFile, count: int, planes: list[_Plane]) -> Iterator[Note]:
    yield "trace_export", None, count, "the source is a trace viewer export"
    if trace.cut is not None:
        yield "truncated", None, count, f"yes: {trace.cut}; {count:,} events before that were read"
    elif count in CAPS:
        yield "truncated", None, count, f"likely: it holds {count:,} events, at which the export stops"
    end_ps = max(plane.end_ps for plane in planes)
    for plane in planes:
        device, behind = device_name(plane.name), end_ps - plane.end_ps
        if plane.lines and behind > _UNEVEN * end_ps:
            name = device.device if device else plane.name
            yield (
                "early_end",
                name,
                behind,
                f"{behind / 1e12:.3g} s before the end of the trace, at {end_ps / 1e12:.3g} s",
            )


def _written(planes: dict[int, _Plane]) -> memoryview:
    with tempfile.TemporaryFile() as file:
        for number, plane in planes.items():
            file.write(plane.encoded(number))  # one XSpace behind the other is the XSpace of both
        file.flush()
        return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))


def _duration(value: Any) -> int:
    return 0 if value == _NO_DURATION else max(0, _picoseconds(value))


def _picoseconds(value: Any) -> int:
    """Microseconds as JSON has them, text where they have a fraction, in picoseconds."""
    if isinstance(value, int):
        return _bounded(value * 1_000_000)
    try:
        if 0 <= (near := float(value)) < _EXACT_MICROSECONDS:
            return round(near * 1e6)
        exact = Decimal(str(value))
        return (
            _bounded(int(exact.scaleb(6).to_integral_value(ROUND_HALF_EVEN)))
            if exact < _LATEST_PS
            else _LATEST_PS
        )
    except (ArithmeticError, TypeError, ValueError):
        return 0


def _bounded(time_ps: int) -> int:
    return max(-_LATEST_PS, min(time_ps, _LATEST_PS))


def _args(event: dict[str, Any]) -> dict[str, Any]:
    found = event.get("args")
    return found if isinstance(found, dict) else {}


def _number(value: Any) -> int:
    return value if isinstance(value, int) and abs(value) < 1 << 62 else 0


def _bytes(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a lone surrogate that JSON's escapes wrote
        return text.encode("utf-8", "surrogatepass")
