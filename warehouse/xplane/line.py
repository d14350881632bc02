"""One line's events as columns of numpy, some ten thousand events at a time."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from .plane import Plane
from .rows import decode, one_row
from .stats import INT_KINDS, NUMBER_KINDS, TEXT_KINDS, Bools, Ints, Positions, StatRows, read_stats
from .text import text_of
from .wire import Span, WireError, check_lengths

PART_EVENTS = 32_768


@dataclass(frozen=True)
class Texts:
    """A text per event as a code into `words`; -1 where the event has none."""

    codes: Ints
    words: list[str]

    def word(self, code: int) -> str | None:
        """The text of a code; None for -1."""
        return self.words[code] if code >= 0 else None


@dataclass(frozen=True)
class Events:
    """Events of one line. Columns have one entry per event, or per stat where they say so."""

    plane: Plane
    metadata_id: Ints
    """Id into the plane's event metadata."""
    offset_ps: Ints
    """Start in picoseconds since the line's timestamp; 0 for an aggregated event."""
    duration_ps: Ints
    """Duration in picoseconds, as stored."""
    occurrences: Ints
    """Executions that the event stands for; 0 for an event on the timeline."""
    stat_event: Ints
    """For each stat, the position of its event."""
    stat_row: Positions
    """For each stat, its row in `rows`."""
    rows: StatRows

    @property
    def count(self) -> int:
        """Number of events."""
        return len(self.metadata_id)

    @cached_property
    def stat_id(self) -> Ints:
        """For each stat, its id into the plane's stat metadata."""
        return self.rows.ids[self.stat_row]

    def _where(self, name: str) -> tuple[Ints, Positions]:
        """Events and rows of the stats called `name`."""
        ids = self.plane.stat_ids.get(name)
        if not ids or not len(self.stat_row):
            return np.empty(0, np.int64), np.empty(0, np.intp)
        hit = np.flatnonzero(self.stat_id == ids[0] if len(ids) == 1 else np.isin(self.stat_id, ids))
        return self.stat_event[hit], self.stat_row[hit]

    def ints(self, name: str) -> tuple[Ints, Bools]:
        """An integer stat per event (unsigned ones keep their 64 bits) and where it is present."""
        return self._numbers(name, INT_KINDS, np.int64)

    def doubles(self, name: str) -> tuple[npt.NDArray[np.float64], Bools]:
        """A numeric stat per event as a double, and where it is present."""
        return self._numbers(name, NUMBER_KINDS, np.float64)

    def _numbers(self, name: str, kinds: tuple[str, ...], dtype: Any) -> tuple[Any, Bools]:
        values, present = np.zeros(self.count, dtype), np.zeros(self.count, np.bool_)
        event, row = self._where(name)
        for kind in kinds if len(row) else ():
            column, valid = self.rows.numbers(kind)
            found = valid[row]
            values[event[found]] = column[row[found]].astype(dtype, casting="unsafe")
            present[event[found]] = True
        return values, present

    def texts(self, name: str) -> Texts:
        """A text stat per event: string, compressed string or reference."""
        codes, words = np.full(self.count, -1, np.int64), list[str]()
        event, row = self._where(name)
        for kind in TEXT_KINDS if len(row) else ():
            if self.rows.has(kind):
                coded, more = self.rows.texts(kind)
                found = coded[row] >= 0
                codes[event[found]] = coded[row[found]] + len(words)
                words += more
        return Texts(codes, words)

    def take(self, keep: npt.NDArray[Any]) -> "Events":
        """The events of a mask."""
        positions = np.cumsum(keep) - 1
        stats = keep[self.stat_event]
        return Events(
            self.plane,
            self.metadata_id[keep],
            self.offset_ps[keep],
            self.duration_ps[keep],
            self.occurrences[keep],
            positions[self.stat_event[stats]],
            self.stat_row[stats],
            self.rows,
        )


@dataclass(frozen=True)
class Line:
    """A line, or a part of it: its id, its names and the time from which its events count."""

    id: int
    name: str
    display_name: str
    timestamp_ns: int
    events: Events

    def take(self, keep: Bools) -> "Line":
        """The line with only the events of a mask."""
        return replace(self, events=self.events.take(keep))


def read_line(buffer: memoryview, span: Span, plane: Plane, *, nested: bool = True) -> Iterator[Line]:
    """Decode the line in `span`, part by part, so that memory stays bounded.

    Where `nested`, no event of one part reaches into the time of a later part, whatever their order in the
    file: parts nest on their own. A line without events is one part without events. Raises WireError where
    the bytes are no XLine, or more than Arrow's offsets reach.
    """
    if len(span) > np.iinfo(np.int32).max:
        raise WireError(span.start, f"a line of {len(span):,} bytes, of which 2 GiB can be decoded")
    check_lengths(buffer, span)
    try:
        row = decode("XLineParts", one_row(buffer[span.start : span.end]))
        names = [text_of(row[name][0].as_py()) for name in ("name", "display_name")]
        raw, start = row["events"].values, 0
        for end in [*_cuts(raw, nested), len(raw)]:
            events = _events(decode("XEvent", raw.slice(start, end - start)), plane)
            yield Line(row["id"][0].as_py(), names[0], names[1], row["timestamp_ns"][0].as_py(), events)
            start = end
    except ValueError as error:
        raise WireError(span.start, f"the line here does not decode ({error})") from None


def _events(batch: Any, plane: Plane) -> Events:
    rows, event = read_stats(batch["stats"], plane)
    return Events(
        plane=plane,
        metadata_id=_ints(batch["metadata_id"]),
        offset_ps=_ints(batch["offset_ps"]),
        duration_ps=_ints(batch["duration_ps"]),
        occurrences=_ints(batch["num_occurrences"]),
        stat_event=event,
        stat_row=np.arange(len(event)),
        rows=rows,
    )


def _ints(column: Any) -> Ints:
    return np.asarray(column.fill_null(0) if column.null_count else column)


def _cuts(events: Any, nested: bool) -> list[int]:
    """Positions at which the line is cut, about PART_EVENTS apart; where `nested`, only between events."""
    n = len(events)
    if n <= PART_EVENTS:
        return []
    if not nested:
        return list(range(PART_EVENTS, n, PART_EVENTS))
    latest, earliest = _reach(events)
    free = np.flatnonzero(latest[:-1] <= earliest[1:]) + 1
    wanted = np.searchsorted(free, np.arange(PART_EVENTS, n, PART_EVENTS))
    return np.unique(free[wanted[wanted < len(free)]]).tolist()  # type: ignore[no-any-return]


def _reach(events: Any) -> tuple[Ints, Ints]:
    """For each event the latest end up to it and the earliest start from it on, in place: lines are long."""
    latest, earliest = np.empty(len(events), np.int64), np.empty(len(events), np.int64)
    for first in range(0, len(events), PART_EVENTS):
        times = decode("XEventTimes", events.slice(first, PART_EVENTS))
        timed = _ints(times["num_occurrences"]) == 0
        start = _ints(times["offset_ps"])
        end = start + np.maximum(_ints(times["duration_ps"]), 1)  # an instant nests in what begins with it
        part = slice(first, first + len(start))
        latest[part] = np.where(timed, end, np.iinfo(np.int64).min)
        earliest[part] = np.where(timed, start, np.iinfo(np.int64).max)
    np.maximum.accumulate(latest, out=latest)
    np.minimum.accumulate(earliest[::-1], out=earliest[::-1])
    return latest, earliest
