"""One profile file, opened: its planes, its clock, who wrote it. No event is read here."""

from dataclasses import dataclass, field
from pathlib import Path

from ..sql.errors import InputError
from .times import Clock, file_clock
from .trace.events import is_trace
from .trace.planes import Note, convert
from .xplane.plane import Plane, StatValue, parse, read_planes
from .xplane.text import text_of
from .xplane.wire import REPAIR, Span, WireError, line_head, locate, open_bytes

_NAME, _TIMESTAMP = 2, 3  # field numbers in XLine


@dataclass
class ProfileFile:
    """A readable XSpace."""

    path: Path
    buffer: memoryview
    planes: list[Plane]
    hostname: str | None
    notes: list[Note] = field(default_factory=list)
    """What was seen about completeness before any event is read."""
    errors: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def plane_stats(self, name: str) -> dict[str, StatValue]:
        """The stats of the planes of that name, together."""
        return {k: v for plane in self.planes if plane.name == name for k, v in plane.stats.items()}

    def clock(self, start_ns: int | None) -> Clock:
        """The clock of the file, not yet rebased. `start_ns`: the profile start that the file tells."""
        spans = (line for plane in self.planes for line in plane.lines)
        return file_clock(
            start_ns, [(line_head(self.buffer, s)[0].get(_TIMESTAMP, 0), len(s)) for s in spans]
        )


def open_profile(path: Path) -> ProfileFile:
    """Open a profile file. Raises InputError that names the file and the byte where it is no XSpace."""
    converted = convert(path) if is_trace(path) else None
    buffer = converted.buffer if converted else open_bytes(path)
    try:
        space = locate(buffer)
        head = parse("XSpace", buffer, space.rest) if space.rest else None
        planes = read_planes(buffer, space.planes)
        profile = ProfileFile(path, buffer, planes, None, converted.notes if converted else [])
        if head is not None:
            profile.errors = [text_of(text) for text in head.errors]
            profile.warnings = [text_of(text) for text in head.warnings]
            profile.hostname = text_of(head.hostnames[0]) if head.hostnames else None
        return profile
    except WireError as error:
        raise broken(path, error) from None


def broken(path: Path, error: WireError) -> InputError:
    """The error for a file whose bytes are no XSpace."""
    return InputError(
        f"not a readable XPlane profile: {path}: {error}",
        hint=REPAIR,
    )


def line_name(buffer: memoryview, line: Span) -> str:
    """The name of a line, without reading its events."""
    return text_of(line_head(buffer, line)[1].get(_NAME, b""))
