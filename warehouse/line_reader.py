"""Reads lines of one profiled process, and keeps account of what was read and what was unsound."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .profile_file import ProfileFile
from .run_state import RunState
from .times import Clock, Times, event_times
from .xplane.line import Line, read_line
from .xplane.plane import Plane
from .xplane.wire import Span


@dataclass
class LineReader:
    """The lines of one file. `host` is the process's name in the run; `clock` is rebased to its start."""

    state: RunState
    profile: ProfileFile
    host: str
    clock: Clock
    progress: Callable[[int], None]
    event_count: int = 0

    def read(self, plane: Plane, span: Span) -> tuple[Line, Times]:
        """A line without its unsound events, and their times. Raises WireError where it does not decode."""
        line = read_line(self.profile.buffer, span, plane)
        self.progress(len(span))
        self.event_count += line.events.count
        events, where = line.events, f"{plane.name} {line.name}"
        times, sound = event_times(events, self.clock.line_start_ps(line.timestamp_ns))
        if not sound.all():
            self.state.quality.note(self.host, "quarantined_event", where, int((~sound).sum()))
            line, times = line.take(sound), times.take(sound)
        unknown = [i for i in np.unique(line.events.metadata_id).tolist() if not plane.known(i)]
        if unknown:
            count = int(np.isin(line.events.metadata_id, unknown).sum())
            self.state.quality.note(self.host, "unknown_metadata", where, count)
        return line, times

    def peek(self, plane: Plane, span: Span) -> tuple[Line, Times]:
        """A line and its times, without account of it: for what has to be known before reading in order."""
        line = read_line(self.profile.buffer, span, plane)
        times, sound = event_times(line.events, self.clock.line_start_ps(line.timestamp_ns))
        return (line, times) if sound.all() else (line.take(sound), times.take(sound))


def mentions(buffer: memoryview, span: Span, stat_id: int) -> bool:
    """Whether the line's bytes may hold a stat with this id: they contain its field 1 as it is encoded."""
    encoded, value = bytearray([0x08]), stat_id
    while value >= 0x80:
        encoded.append(value & 0x7F | 0x80)
        value >>= 7
    encoded.append(value)
    return bytes(encoded) in bytes(buffer[span.start : span.end])
