"""Start, done and async twin of one asynchronous op: one pair.

A done names its start by its HLO operand; where its operands are not known, the oldest open start of the
same program and kind is meant. Names' suffixes are never compared.
"""

from array import array
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .opnames import Op

Ints = npt.NDArray[np.int64]
Key = tuple[object, str]
"""(program id, HLO name)."""


@dataclass
class PairBook:
    """The pairs of one device, over all parts of its lines. A pair id is unique on its device."""

    _next: int = 0
    _open: dict[Key, tuple[int, int]] = field(default_factory=dict)
    """(start time, pair id) of the pairs that wait for their done, by their start, the oldest first."""
    _kinds: dict[Key, str] = field(default_factory=dict)
    """What a start begins, for example all-gather."""
    _begun: dict[Key, "array[int]"] = field(default_factory=dict)
    """Start time and id of each pair of a start or done, one after the other."""

    def match(self, codes: Ints, ops: list[Op], start: Ints) -> Ints:
        """Pair ids of executions on a core's line, -1 where one is no half of a pair. Parts come in order."""
        pair_ids = np.full(len(codes), -1, np.int64)
        halves = [op.half for op in ops]
        rows = np.flatnonzero(np.array([half is not None for half in halves], np.bool_)[codes])
        rows = rows[np.argsort(start[rows], kind="stable")]
        for row, code, time in zip(rows.tolist(), codes[rows].tolist(), start[rows].tolist(), strict=True):
            key, (kind, begins) = _key(ops[code]), halves[code] or ("", False)
            begun, pair = self._begin(key, kind, time) if begins else self._end(ops[code], kind)
            if pair >= 0:
                self._begun.setdefault(key, array("q")).extend((begun, pair))
            pair_ids[row] = pair
        return pair_ids

    def _begin(self, key: Key, kind: str, start: int) -> tuple[int, int]:
        self._open.pop(key, None)  # its done was lost: an instruction is in flight once
        self._open[key], self._kinds[key] = (start, self._next), kind
        self._next += 1
        return self._open[key]

    def _end(self, op: Op, kind: str) -> tuple[int, int]:
        program, operands = op.row["program_id"], op.row["operands"]
        if operands:
            named = [(program, name) for name in operands]
        else:
            named = [key for key in self._open if key[0] == program and self._kinds[key] == kind][:1]
        return next((self._open.pop(key) for key in named if key in self._open), (0, -1))

    def match_async(self, codes: Ints, ops: list[Op], start: Ints) -> Ints:
        """Pair ids of async rows: the pair of the same op that begins nearest to each."""
        pair_ids = np.full(len(codes), -1, np.int64)
        for code, op in enumerate(ops):
            known = [np.array(self._begun[key]).reshape(-1, 2) for key in self._keys(op)]
            if not known:
                continue
            pairs = np.concatenate(known)
            times, ids = pairs[np.argsort(pairs[:, 0], kind="stable")].T
            rows = np.flatnonzero(codes == code)
            right = np.clip(np.searchsorted(times, start[rows]), 0, len(times) - 1)
            left = np.maximum(right - 1, 0)
            nearer = np.abs(times[left] - start[rows]) <= np.abs(times[right] - start[rows])
            pair_ids[rows] = ids[np.where(nearer, left, right)]
        return pair_ids

    def _keys(self, op: Op) -> list[Key]:
        """Starts and dones that an async row may be of: those of its program, of any where it tells none."""
        program, name = _key(op)
        if program is not None:
            return [(program, name)] if (program, name) in self._begun else []
        return [key for key in self._begun if key[1] == name]


def _key(op: Op) -> Key:
    return op.row["program_id"], op.row["hlo_op"] or op.row["name"]
