"""Reads lines of one profiled process, and keeps account of what was read and what was unsound."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from .profile_file import ProfileFile
from .run_state import RunState
from .times import Clock, Times, event_times
from .xplane.line import Line, read_line
from .xplane.plane import Plane
from .xplane.wire import Span, find, release


@dataclass
class LineReader:
    """The lines of one file. `host` is the process's name in the run; `clock` is rebased to its start."""

    state: RunState
    profile: ProfileFile
    host: str
    clock: Clock
    progress: Callable[[int], None]
    event_count: int = 0

    def read(self, plane: Plane, span: Span, *, nested: bool = True) -> Iterator[tuple[Line, Times]]:
        """A line, part by part, without its unsound events, and their times. Raises WireError."""
        for part in read_line(self.profile.buffer, span, plane, nested=nested):
            self.event_count += part.events.count
            line, times = self._sound(part)
            lost, where = part.events.count - line.events.count, f"{plane.name} {line.name}"
            if lost:
                self.state.quality.note(self.host, "quarantined_event", where, lost)
            unknown = [i for i in np.unique(line.events.metadata_id).tolist() if not plane.known(i)]
            if unknown:
                count = int(np.isin(line.events.metadata_id, unknown).sum())
                self.state.quality.note(self.host, "unknown_metadata", where, count)
            yield line, times
        release(self.profile.buffer, span)
        self.progress(len(span))

    def peek(self, plane: Plane, span: Span) -> Iterator[tuple[Line, Times]]:
        """The same without account of it: for what has to be known before reading in order."""
        return map(self._sound, read_line(self.profile.buffer, span, plane))

    def _sound(self, line: Line) -> tuple[Line, Times]:
        times, sound = event_times(line.events, self.clock.line_start_ps(line.timestamp_ns))
        return (line, times) if sound.all() else (line.take(sound), times.take(sound))


def mentions(buffer: memoryview, span: Span, stat_id: int) -> bool:
    """Whether the line's bytes may hold a stat with this id: they contain its field 1 as it is encoded."""
    encoded, value = bytearray([0x08]), stat_id % (1 << 64)
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return find(buffer, span, bytes(encoded))
