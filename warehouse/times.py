"""Absolute and relative time: where each event lies on the run's timeline."""

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


@dataclass(frozen=True)
class Clock:
    """The clock of one file. `epoch_lines`: its line timestamps count from the epoch, not from `start_ns`."""

    start_ns: int | None
    epoch_lines: bool
    offset_ps: int = 0
    """Added to every time, to rebase the file to the run's earliest start."""

    def line_start_ps(self, timestamp_ns: int) -> int | None:
        """Start of a line on the run's timeline; None for a line at 0 in a file of epoch times."""
        if not self.epoch_lines:
            return timestamp_ns * 1000 + self.offset_ps
        if timestamp_ns < EPOCH_NS or self.start_ns is None:
            return None
        return (timestamp_ns - self.start_ns) * 1000 + self.offset_ps


def file_clock(start_ns: int | None, timestamps_ns: list[int]) -> Clock:
    """The clock of a file with this profile start and these line timestamps."""
    epochs = [t for t in timestamps_ns if t >= EPOCH_NS]
    if not epochs:
        return Clock(start_ns, False)
    return Clock(start_ns if start_ns is not None else min(epochs), True)


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
    """Times of a line's events, and which are sound: no negative offset or duration, no lost clock."""
    duration, offset = events.duration_ps, events.offset_ps
    timed = events.occurrences == 0
    sound = (duration >= 0) & (duration < _FAR_PS)
    sound &= ~timed | ((offset >= 0) & (offset < _FAR_PS) & (line_start_ps is not None))
    start = np.where(sound & timed, offset, 0) + (line_start_ps or 0)
    return Times(start, np.where(sound, duration, 0), timed), sound
