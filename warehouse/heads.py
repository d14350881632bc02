"""A first look at profile files: who wrote each one and when, without its events or event names."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ..sql.errors import InputError
from .planes import ENVIRONMENT, METADATA
from .profile_file import broken
from .times import EPOCH_NS
from .trace.events import is_trace
from .xplane.plane import StatValue, parse, stat_values
from .xplane.text import text_of
from .xplane.wire import Span, WireError, locate, open_bytes, release, unreadable

FileVersion = tuple[int, int, int]
"""Inode, size and time of modification."""

_CHUNK = 32 << 20


@dataclass(frozen=True)
class FileHead:
    """What one file tells of itself. Times in nanoseconds since the epoch; None: not told."""

    path: Path
    sha256: str
    size: int
    hostname: str | None
    process_id: int | None
    start_ns: int | None
    stop_ns: int | None
    version: FileVersion

    def check_unchanged(self) -> None:
        """Raises InputError where the file is not the one that was looked at."""
        if _version(self.path) != self.version:
            raise InputError(
                f"{self.path} changed while it was read, from {self.size:,} bytes: is it being written?",
                hint="ingest it again when the profiler has finished",
            )


def read_head(path: Path) -> FileHead:
    """Look at a file. Raises InputError that names it where it is no readable XSpace."""
    version, buffer = _version(path), open_bytes(path)
    if is_trace(path):  # tells none of it
        return FileHead(path, _sha256(buffer), len(buffer), None, None, None, None, version)
    try:
        space = locate(buffer)
        names = parse("XSpace", buffer, space.rest).hostnames if space.rest else []
        stats: dict[str, StatValue] = {}
        for plane in space.planes:
            raw = parse("XPlaneHead", buffer, plane.rest) if plane.rest else None
            if raw is not None and text_of(raw.name) in (ENVIRONMENT, METADATA, "/host:CPU"):
                stats |= stat_values(raw.stats, {e.key: text_of(e.value.name) for e in raw.stat_metadata})
    except WireError as error:
        raise broken(path, error) from None
    return FileHead(
        path=path,
        sha256=_sha256(buffer),
        size=len(buffer),
        hostname=text_of(names[0]) if len(names) else None,
        process_id=_integer(stats.get("process_id")),
        start_ns=_epoch(stats.get("profile_start_time")),
        stop_ns=_epoch(stats.get("profile_stop_time")),
        version=version,
    )


def _version(path: Path) -> FileVersion:
    try:
        status = path.stat()
    except OSError as error:
        raise unreadable(path, error) from error
    return status.st_ino, status.st_size, status.st_mtime_ns


def _sha256(buffer: memoryview) -> str:
    digest = hashlib.sha256()
    for start in range(0, len(buffer), _CHUNK):
        span = Span(start, min(start + _CHUNK, len(buffer)))
        digest.update(buffer[span.start : span.end])
        release(buffer, span)
    return digest.hexdigest()


def _integer(value: StatValue | None) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 1 << 63 else None


def _epoch(value: StatValue | None) -> int | None:
    return value if isinstance(value, int) and EPOCH_NS <= value < 1 << 63 else None
