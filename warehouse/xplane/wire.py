"""A walk over the protobuf wire format: where planes and lines lie in a file, without reading events.

Every length is checked against its parent, so that a cut or hostile file is an error that names
the byte and never a hang.
"""

import mmap
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...sql.errors import InputError

REPAIR = "copy the file again from where it was captured, in binary mode, and ingest it again"

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
PLANES, LINES, EVENTS = 1, 3, 4  # field numbers in XSpace, XPlane, XLine
HOSTNAMES = 4  # the last field of XSpace


class WireError(Exception):
    """The bytes are no message of the wire format; `at` is the offset in the file."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(f"byte {at}: {why}")
        self.at = at


@dataclass(frozen=True)
class Span:
    """Half-open range of bytes in the file."""

    start: int
    end: int

    def __len__(self) -> int:
        return self.end - self.start


@dataclass
class PlaneBytes:
    """Where one XPlane lies: its lines, and the rest of it in pieces."""

    lines: list[Span] = field(default_factory=list)
    rest: list[Span] = field(default_factory=list)


@dataclass
class SpaceBytes:
    """Where the parts of one XSpace lie."""

    planes: list[PlaneBytes] = field(default_factory=list)
    rest: list[Span] = field(default_factory=list)


def varint(buffer: memoryview, at: int, end: int) -> tuple[int, int]:
    """The unsigned varint at `at` and the offset behind it."""
    value = shift = 0
    start = at
    while at < end:
        byte = buffer[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift > 63:
            raise WireError(start, "a varint longer than 10 bytes")
    raise WireError(start, "a varint cut off by the end of its message")


def fields(buffer: memoryview, span: Span) -> Iterator[tuple[int, int, int, Span]]:
    """Each field of the message in `span`: number, wire type, offset of its tag, span of its value."""
    at, end = span.start, span.end
    while at < end:
        tag_at = at
        tag, at = varint(buffer, at, end)
        number, wire_type = tag >> 3, tag & 7
        if number == 0:
            raise WireError(tag_at, "field number 0")
        if wire_type == BYTES:
            length, at = varint(buffer, at, end)
        elif wire_type == VARINT:
            _, stop = varint(buffer, at, end)
            length = stop - at
        elif wire_type in (FIXED64, FIXED32):
            length = 8 if wire_type == FIXED64 else 4
        else:
            raise WireError(tag_at, f"wire type {wire_type}")
        if length > end - at:
            raise WireError(tag_at, f"a field of {length} bytes where {end - at} are left")
        yield number, wire_type, tag_at, Span(at, at + length)
        at += length


def _add(spans: list[Span], span: Span) -> None:
    if spans and spans[-1].end == span.start:
        spans[-1] = Span(spans[-1].start, span.end)
    else:
        spans.append(span)


def _plane(buffer: memoryview, span: Span) -> PlaneBytes:
    plane = PlaneBytes()
    for number, wire_type, tag_at, value in fields(buffer, span):
        if number == LINES and wire_type == BYTES:
            plane.lines.append(value)
        else:
            _add(plane.rest, Span(tag_at, value.end))
    return plane


def locate(buffer: memoryview) -> SpaceBytes:
    """Planes and lines of the XSpace in `buffer`. Raises WireError, also where it has no field of one."""
    space, is_space = SpaceBytes(), False
    for number, wire_type, tag_at, value in fields(buffer, Span(0, len(buffer))):
        if number == PLANES and wire_type == BYTES:
            space.planes.append(_plane(buffer, value))
        else:
            _add(space.rest, Span(tag_at, value.end))
        is_space |= PLANES <= number <= HOSTNAMES and wire_type == BYTES
    if not is_space:
        raise WireError(0, "no field of an XSpace from here on")
    return space


_NINE_BYTES = b"\xff" * 8 + b"\x01"
_NEAR_2_TO_64 = re.compile(
    rb"\xff{8}\x01(?<=[\x0a\x12\x1a\x22\x2a\x32\x3a\x42\x4a\x52\x5a].\xff{8}\x01)", re.DOTALL
)


def check_lengths(buffer: memoryview, line: Span) -> None:
    """Raise WireError for a length close to 2^64 in the line: added to an offset, it makes ptars panic."""
    if find(buffer, line, _NINE_BYTES) and _NEAR_2_TO_64.search(buffer[line.start : line.end]):
        _walk(buffer, line, 2)


def find(buffer: memoryview, span: Span, pattern: bytes) -> bool:
    """Whether the pattern occurs in the span, searched without a copy."""
    return buffer.obj.find(pattern, span.start, span.end) >= 0  # type: ignore[attr-defined, no-any-return]


def _walk(buffer: memoryview, span: Span, depth: int) -> None:
    """Check all lengths: events are field 4 of a line, and stats field 4 of an event."""
    for number, wire_type, _, value in fields(buffer, span):
        if depth and number == EVENTS and wire_type == BYTES:
            _walk(buffer, value, depth - 1)


def line_head(buffer: memoryview, line: Span) -> tuple[dict[int, int], dict[int, bytes]]:
    """The line's fields that stand before its first event: integers and byte strings by field number."""
    integers: dict[int, int] = {}
    strings: dict[int, bytes] = {}
    for number, wire_type, _, value in fields(buffer, line):
        if number == EVENTS:
            break
        if wire_type == VARINT:
            unsigned, _ = varint(buffer, value.start, value.end)
            integers[number] = unsigned - (1 << 64) if unsigned >> 63 else unsigned
        elif wire_type == BYTES:
            strings[number] = bytes(buffer[value.start : value.end])
    return integers, strings


def release(buffer: memoryview, span: Span) -> None:
    """Let go of the pages of bytes that have been read; where they are read again, they come back."""
    mapped = buffer.obj
    if isinstance(mapped, mmap.mmap):
        start = span.start - span.start % mmap.PAGESIZE
        mapped.madvise(mmap.MADV_DONTNEED, start, span.end - start)


def open_bytes(path: Path) -> memoryview:
    """The file's bytes, mapped. Raises InputError for what is no readable, non-empty file."""
    if path.is_dir():
        raise InputError(
            f"{path} is a directory, not a profile file",
            hint="profdb ingest LOGDIR  (the folder given to jax.profiler.start_trace)",
        )
    if path.exists() and not path.is_file():  # opening a pipe would wait for ever
        raise InputError(f"{path} is no regular file", hint=REPAIR)
    try:
        with path.open("rb") as file:
            return memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
    except ValueError:
        raise InputError(f"empty profile file: {path}", hint=REPAIR) from None
    except OSError as error:
        raise unreadable(path, error) from error


def unreadable(path: Path, error: OSError) -> InputError:
    """The error for a file that the system does not let us read."""
    reason = error.strerror or error
    return InputError(f"cannot read {path}: {reason}", hint=f"ls -ld {shlex.quote(str(path))}")
