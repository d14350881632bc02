"""The stats of a line's events, one after the other, as columns by kind of value."""

import base64
from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from .plane import Plane
from .rows import decode
from .text import inflate, text_of

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.intp]

INTERNAL = ("_p", "_c", "_pt", "_ct", "_src", "_r", "_a")
"""TraceMe's own bookkeeping: ids that link producer and consumer inside the tracer, and its source file."""
INT_KINDS = ("int64_value", "uint64_value")
NUMBER_KINDS = (*INT_KINDS, "double_value")
TEXT_KINDS = ("ref_value", "str_value", "compressed_str_value", "bytes_value")


class StatRows:
    """Decoded stats. Columns have one entry per stat; a stat has a value of one kind, or none."""

    def __init__(self, integers: Any, others: Any, is_other: Bools, plane: Plane) -> None:
        self._integers = integers
        """Ids of all stats, and values of the integer kinds."""
        self._others = others
        """The stats that are no integers: those of `is_other`, in order."""
        self._is_other = is_other
        self._plane = plane
        self._numbers: dict[str, tuple[Any, Bools]] = {}
        self._texts: dict[str, tuple[Ints, list[str]]] = {}

    @cached_property
    def ids(self) -> Ints:
        """Id of each stat into the plane's stat metadata."""
        return np.asarray(self._integers["metadata_id"])

    def has(self, kind: str) -> bool:
        """Whether any stat has a value of this kind."""
        batch = self._integers if kind in INT_KINDS else self._others
        return batch[kind].null_count < len(batch)  # type: ignore[no-any-return]

    def _column(self, kind: str) -> Any:
        if kind in INT_KINDS:
            return self._integers[kind]
        return self._others[kind].take(pa.array(np.cumsum(self._is_other) - 1, mask=~self._is_other))

    def numbers(self, kind: str) -> tuple[Any, Bools]:
        """Values of a numeric kind (0 where absent), and where they are present."""
        if kind not in self._numbers:
            column = self._column(kind)
            self._numbers[kind] = (np.asarray(column.fill_null(0)), np.asarray(column.is_valid()))
        return self._numbers[kind]

    def texts(self, kind: str) -> tuple[Ints, list[str]]:
        """Values of a text kind as codes into words; -1 where absent."""
        if kind not in self._texts:
            coded = self._others[kind].dictionary_encode()
            word_of = self._word_of(kind)
            codes = np.full(len(self._is_other), -1, np.int64)
            codes[self._is_other] = np.asarray(coded.indices.fill_null(-1))
            self._texts[kind] = (codes, [word_of(value) for value in coded.dictionary.to_pylist()])
        return self._texts[kind]

    def _word_of(self, kind: str) -> Callable[[Any], str]:
        words: dict[str, Callable[[Any], str]] = {
            "ref_value": self._plane.stat_name,
            "str_value": text_of,
            "compressed_str_value": lambda raw: text_of(inflate(raw)),
            "bytes_value": lambda raw: base64.b64encode(raw).decode(),
        }
        return words[kind]

    def as_text(self, at: Positions) -> Any:
        """The values at these positions as an Arrow string array; bytes as base64."""
        rows = pa.array(at)
        parts = [
            pc.cast(self._column(kind).take(rows), pa.string()) for kind in NUMBER_KINDS if self.has(kind)
        ]
        for kind in TEXT_KINDS:
            if self.has(kind):
                codes, words = self.texts(kind)
                picked = codes[at]
                parts.append(pa.array(words, pa.string()).take(pa.array(picked, mask=picked < 0)))
        return pc.coalesce(*parts) if parts else pa.nulls(len(at), pa.string())


def read_stats(stats: Any, plane: Plane) -> tuple[StatRows, Ints]:
    """Decode a column of lists of XStat bytes, without the internal ones; and for each stat its event.

    Most stats are integers, which take half the time where no other kind is looked for.
    """
    offsets = np.asarray(stats.offsets).astype(np.int64)
    raw = stats.values.slice(offsets[0], offsets[-1] - offsets[0])
    event = np.repeat(np.arange(len(stats), dtype=np.int64), offsets[1:] - offsets[:-1])
    integers = decode("XStatIntegers", raw)
    internal = [i for name in INTERNAL for i in plane.stat_ids.get(name, ())]
    if internal and len(raw):
        kept = ~np.isin(np.asarray(integers["metadata_id"]), internal)
        if not kept.all():
            mask = pa.array(kept)
            raw, integers, event = raw.filter(mask), integers.filter(mask), event[kept]
    is_other = np.logical_and.reduce([np.asarray(integers[kind].is_null()) for kind in INT_KINDS])
    others = decode("XStat", raw.filter(pa.array(is_other)))
    return StatRows(integers, others, is_other, plane), event
