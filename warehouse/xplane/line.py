"""One line's events as columns: ptars turns the protobuf bytes into Arrow, numpy reads them.

This is the only place that knows ptars.
"""

import base64
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from ptars import HandlerPool

from .plane import Plane
from .schema import descriptor
from .text import inflate, text_of
from .wire import Span, WireError

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

PART_EVENTS = 65_536
INT_KINDS = ("int64_value", "uint64_value")


@dataclass(frozen=True)
class Texts:
    """A text per event as a code into `words`; -1 where the event has none."""

    codes: Ints
    words: list[str]

    def word(self, code: int) -> str | None:
        """The text of a code; None for -1."""
        return self.words[code] if code >= 0 else None


class Events:
    """The events of one line, in file order. Columns are numpy arrays with one entry per event."""

    def __init__(self, rows: Any, plane: Plane) -> None:
        self._rows = rows
        self.plane = plane
        self.count = len(rows)

    def _ints(self, name: str) -> Ints:
        column = self._rows.field(name)
        return np.asarray(column.fill_null(0) if column.null_count else column)

    @cached_property
    def metadata_id(self) -> Ints:
        """Id into the plane's event metadata."""
        return self._ints("metadata_id")

    @cached_property
    def offset_ps(self) -> Ints:
        """Start in picoseconds since the line's timestamp; 0 for an aggregated event."""
        return self._ints("offset_ps")

    @cached_property
    def duration_ps(self) -> Ints:
        """Duration in picoseconds, as stored."""
        return self._ints("duration_ps")

    @cached_property
    def occurrences(self) -> Ints:
        """Executions that the event stands for; 0 for an event on the timeline."""
        return self._ints("num_occurrences")

    @cached_property
    def _stat_bounds(self) -> tuple[int, int]:
        offsets = self._rows.field("stats").offsets
        return (offsets[0].as_py(), offsets[-1].as_py()) if len(offsets) else (0, 0)

    @cached_property
    def stats(self) -> Any:
        """All stats of all events, one after the other, as an Arrow struct array."""
        first, last = self._stat_bounds
        return self._rows.field("stats").values.slice(first, last - first)

    @cached_property
    def stat_counts(self) -> Ints:
        """Number of stats of each event."""
        offsets: Ints = np.asarray(self._rows.field("stats").offsets).astype(np.int64)
        return offsets[1:] - offsets[:-1]

    @cached_property
    def stat_event(self) -> Ints:
        """For each stat, the index of its event."""
        return np.repeat(np.arange(self.count, dtype=np.int64), self.stat_counts)

    @cached_property
    def stat_id(self) -> Ints:
        """For each stat, its id into the plane's stat metadata."""
        return np.asarray(self.stats.field("metadata_id"))

    def where(self, name: str) -> npt.NDArray[np.intp]:
        """Positions in `stats` of the stats called `name`."""
        ids = self.plane.stat_ids.get(name)
        if not ids or not len(self.stat_id):
            return np.empty(0, np.intp)
        hit = self.stat_id == ids[0]
        for other in ids[1:]:
            hit |= self.stat_id == other
        return np.flatnonzero(hit)

    def ints(self, name: str) -> tuple[Ints, Bools]:
        """An integer stat per event (unsigned ones keep their 64 bits) and where it is present."""
        values, present = np.zeros(self.count, np.int64), np.zeros(self.count, np.bool_)
        at = self.where(name)
        if len(at):
            picked = self.stats.take(pa.array(at))
            event = self.stat_event[at]
            for kind in INT_KINDS:
                column = picked.field(kind)
                valid = np.asarray(column.is_valid())
                values[event[valid]] = np.asarray(column.fill_null(0))[valid].astype(
                    np.int64, casting="unsafe"
                )
                present[event[valid]] = True
        return values, present

    def texts(self, name: str) -> Texts:
        """A text stat per event: string, compressed string or reference."""
        codes, words = np.full(self.count, -1, np.int64), []
        at = self.where(name)
        if not len(at):
            return Texts(codes, [])
        coded = self.stat_texts(at)
        words = coded.dictionary.to_pylist()
        indices = coded.indices
        valid = np.asarray(indices.is_valid())
        codes[self.stat_event[at][valid]] = np.asarray(indices.fill_null(0)).astype(np.int64)[valid]
        return Texts(codes, words)

    def stat_texts(self, at: npt.NDArray[np.intp]) -> Any:
        """The values of the stats at `at` as dictionary-encoded text; bytes as base64."""
        picked = self.stats.take(pa.array(at))
        parts = [
            pc.cast(picked.field(kind), pa.string())
            for kind in (*INT_KINDS, "double_value")
            if picked.field(kind).null_count < len(picked)
        ]
        parts += [
            _words(picked.field(kind), self._word_of(kind))
            for kind in ("ref_value", "str_value", "compressed_str_value", "bytes_value")
            if picked.field(kind).null_count < len(picked)
        ]
        if not parts:
            return pa.nulls(len(picked), pa.string()).dictionary_encode()
        return pc.coalesce(*parts).dictionary_encode()

    def _word_of(self, kind: str) -> Any:
        return {
            "ref_value": self.plane.stat_name,
            "str_value": text_of,
            "compressed_str_value": lambda raw: text_of(inflate(raw)),
            "bytes_value": _base64,
        }[kind]

    def doubles(self, name: str) -> tuple[npt.NDArray[np.float64], Bools]:
        """A numeric stat per event as a double, and where it is present."""
        values, present = np.zeros(self.count), np.zeros(self.count, np.bool_)
        at = self.where(name)
        if len(at):
            picked = self.stats.take(pa.array(at))
            for kind in ("double_value", *INT_KINDS):
                column = picked.field(kind)
                valid = np.asarray(column.is_valid())
                event = self.stat_event[at][valid]
                values[event] = np.asarray(column.fill_null(0)).astype(np.float64)[valid]
                present[event] = True
        return values, present

    def take(self, keep: npt.NDArray[Any]) -> "Events":
        """The events at the given positions, or those of a mask."""
        positions = np.flatnonzero(keep) if keep.dtype == np.bool_ else keep
        return Events(self._rows.take(pa.array(positions)), self.plane)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _words(column: Any, word_of: Any) -> Any:
    """Each distinct value of the column through `word_of`, as text."""
    coded = column.dictionary_encode()
    words = pa.array([word_of(value) for value in coded.dictionary.to_pylist()], pa.string())
    return words.take(coded.indices)


@dataclass(frozen=True)
class Line:
    """A line: its id, its names and the time from which its events count."""

    id: int
    name: str
    display_name: str
    timestamp_ns: int
    events: Events

    def take(self, keep: npt.NDArray[Any]) -> "Line":
        """The line with only some of its events."""
        return replace(self, events=self.events.take(keep))


@cache
def _handler(message: str) -> Any:
    return HandlerPool([descriptor(message).file]).get_for_message(descriptor(message))


def _binary(data: memoryview) -> Any:
    offsets = pa.py_buffer(np.array([0, len(data)], np.int32))
    return pa.Array.from_buffers(pa.binary(), 1, [None, offsets, pa.py_buffer(data)])


def read_line(buffer: memoryview, span: Span, plane: Plane, *, nested: bool = True) -> Iterator[Line]:
    """Decode the line in `span`, some ten thousand events at a time, so that memory stays bounded.

    Where `nested`, no event of one part reaches into the time of a later part, whatever their order in the
    file: parts nest on their own. A line without events is one part without events. Raises WireError where
    the bytes are no XLine.
    """
    try:
        head, events = _split(buffer, span)
        start = 0
        for end in [*_cuts(events, nested), len(events)]:
            part = _handler("XEvent").array_to_record_batch(events.slice(start, end - start))
            yield Line(*head, Events(part.to_struct_array(), plane))
            start = end
    except ValueError as error:
        raise WireError(span.start, f"the line here does not decode ({error})") from None


def _split(buffer: memoryview, span: Span) -> tuple[tuple[int, str, str, int], Any]:
    """Id, names and timestamp of the line, and the bytes of each event."""
    row = _handler("XLineParts").array_to_record_batch(_binary(buffer[span.start : span.end]))
    names = [text_of(row[name][0].as_py()) for name in ("name", "display_name")]
    return (row["id"][0].as_py(), names[0], names[1], row["timestamp_ns"][0].as_py()), row["events"].values


def _cuts(events: Any, nested: bool) -> list[int]:
    """Positions at which the line is cut, about PART_EVENTS apart; where `nested`, only between events."""
    n = len(events)
    if n <= PART_EVENTS:
        return []
    if not nested:
        return list(range(PART_EVENTS, n, PART_EVENTS))
    times = _handler("XEventTimes").array_to_record_batch(events)
    timed = np.asarray(times["num_occurrences"].fill_null(0)) == 0
    start = np.asarray(times["offset_ps"].fill_null(0))
    end = start + np.maximum(np.asarray(times["duration_ps"]), 0)
    latest = np.maximum.accumulate(np.where(timed, end, np.iinfo(np.int64).min))
    earliest = np.minimum.accumulate(np.where(timed, start, np.iinfo(np.int64).max)[::-1])[::-1]
    free = np.flatnonzero(latest[:-1] <= earliest[1:]) + 1
    wanted = np.searchsorted(free, np.arange(PART_EVENTS, n, PART_EVENTS))
    return np.unique(free[wanted[wanted < len(free)]]).tolist()  # type: ignore[no-any-return]
