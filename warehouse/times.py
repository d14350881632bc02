"""Absolute and relative time: where each event lies on the run's timeline."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from .xplane.line import Events

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

EPOCH_NS = 10**17
"""A line timestamp above this (1973) counts from the epoch, one below from the profile's start."""
_FAR_PS = 1 << 61
"""No two times of one run lie further apart (26 days); what does is no time at all."""


@dataclass(frozen=True)
class Clock:
    """The clock of one file. `epoch_lines`: its line timestamps count from the epoch, not from `start_ns`."""

    start_ns: int | None
    epoch_lines: bool
    offset_ps: int = 0
    """Added to every time, to rebase the file to the run's earliest start."""

    def line_start_ps(self, timestamp_ns: int) -> int | None:
        """A line's start on the run's timeline; None for one at 0 among epoch times and one out of reach."""
        at_ps = timestamp_ns * 1000
        if timestamp_ns >= EPOCH_NS and self.start_ns is not None:
            at_ps -= self.start_ns * 1000
        elif self.epoch_lines:
            return None
        return at_ps + self.offset_ps if abs(at_ps) < _FAR_PS else None


def common_start(times_ns: Sequence[int]) -> int | None:
    """The earliest of the times that are within reach of the middle one."""
    middle = sorted(times_ns)[len(times_ns) // 2] if times_ns else 0
    return min((time for time in times_ns if within_reach(time, middle)), default=None)


def within_reach(time_ns: int, other_ns: int) -> bool:
    """Whether the two can be times of one run."""
    return abs(time_ns - other_ns) * 1000 < _FAR_PS


def file_clock(start_ns: int | None, lines: Sequence[tuple[int, int]]) -> Clock:
    """The clock of a file with this profile start, and for each line its timestamp and its size in bytes.

    Where most of the bytes are in lines that count from the epoch, one at 0 has lost its clock.
    """
    epochs = [at for at, _ in lines if at >= EPOCH_NS and (start_ns is None or within_reach(at, start_ns))]
    known = set(epochs)
    since_epoch = sum(size for at, size in lines if at in known)
    if not since_epoch or 2 * since_epoch < sum(size for _, size in lines):
        return Clock(start_ns, False)
    return Clock(start_ns if start_ns is not None else common_start(epochs), True)


@dataclass(frozen=True)
class Times:
    """Start, end and duration of the events of a line, and which of them have a place on the timeline."""

    start: Ints
    duration: Ints
    timed: Bools
    """False for aggregated events."""

    @property
    def end(self) -> Ints:
        """End of each event."""
        return self.start + self.duration

    def take(self, rows: Any) -> "Times":
        """The times of some of the events."""
        return Times(self.start[rows], self.duration[rows], self.timed[rows])


def event_times(events: Events, line_start_ps: int | None) -> tuple[Times, Bools]:
    """Times of a line's events, and which are sound: no negative offset, duration or count, no lost clock."""
    duration, offset = events.duration_ps, events.offset_ps
    timed = events.occurrences == 0
    sound = (duration >= 0) & (duration < _FAR_PS) & (events.occurrences >= 0)
    sound &= ~timed | ((offset >= 0) & (offset < _FAR_PS) & (line_start_ps is not None))
    start = np.where(sound & timed, offset, 0) + (line_start_ps or 0)
    return Times(start, np.where(sound, duration, 0), timed), sound
