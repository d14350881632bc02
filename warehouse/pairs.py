"""Start, done and async twin of one asynchronous op: one pair.

A done names its start by its HLO operand; where it does not, the first unmatched start of the same
program and kind is meant. Names' suffixes are never compared.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .opnames import Op

Ints = npt.NDArray[np.int64]
Key = tuple[object, str]


@dataclass
class PairBook:
    """The pairs of one device. A pair id is unique on its device."""

    _next: int = 0
    _starts: dict[Key, list[tuple[int, int]]] = field(default_factory=dict)
    """(program, start's or done's HLO name) -> (start time, pair id) in time order."""

    def match(self, codes: Ints, ops: list[Op], start: Ints) -> Ints:
        """Pair ids of the executions of a core's line, -1 where an execution is no half of a pair."""
        pair_ids = np.full(len(codes), -1, np.int64)
        rows = _rows_by_op(codes, ops, start)
        for begin, done in _couples(rows, ops):
            for first, last in _zip_in_order(start, rows[begin], rows[done]):
                pair_ids[first] = pair_ids[last] = self._next
                for op in (ops[begin], ops[done]):
                    self._starts.setdefault(_key(op), []).append((int(start[first]), self._next))
                self._next += 1
        return pair_ids

    def match_async(self, codes: Ints, ops: list[Op], start: Ints) -> Ints:
        """Pair ids of async rows: the pair of the same op that begins nearest to each."""
        pair_ids = np.full(len(codes), -1, np.int64)
        for code, op in enumerate(ops):
            known = self._starts.get(_key(op))
            if not known:
                continue
            times = np.array([time for time, _ in known], np.int64)
            ids = np.array([pair for _, pair in known], np.int64)
            rows = np.flatnonzero(codes == code)
            right = np.clip(np.searchsorted(times, start[rows]), 0, len(times) - 1)
            left = np.maximum(right - 1, 0)
            nearer = np.abs(times[left] - start[rows]) <= np.abs(times[right] - start[rows])
            pair_ids[rows] = ids[np.where(nearer, left, right)]
        return pair_ids


def _key(op: Op) -> Key:
    return op.row["program_id"], op.row["hlo_op"] or op.row["name"]


def _kind(op: Op, half: str) -> str | None:
    opcode = op.row["opcode"] or op.row["hlo_category"] or op.row["canonical_name"]
    return opcode.removesuffix(half) if opcode and opcode.endswith(half) else None


def _rows_by_op(codes: Ints, ops: list[Op], start: Ints) -> dict[int, Ints]:
    halves = [
        i for i, op in enumerate(ops) if _kind(op, "-start") is not None or _kind(op, "-done") is not None
    ]
    found = {i: np.flatnonzero(codes == i) for i in halves}
    return {i: rows[np.argsort(start[rows], kind="stable")] for i, rows in found.items()}


def _couples(rows: dict[int, Ints], ops: list[Op]) -> Iterator[tuple[int, int]]:
    """(start op, done op) positions: by operand, else in order of first execution within (program, kind)."""
    starts = {_key(ops[i]): i for i in rows if _kind(ops[i], "-start") is not None}
    free: dict[Key, list[int]] = {}
    dones = []
    for i in rows:
        if (kind := _kind(ops[i], "-done")) is None:
            continue
        program = ops[i].row["program_id"]
        named = [starts.pop((program, name), None) for name in ops[i].row["operands"] or ()]
        begin = next((s for s in named if s is not None), None)
        if begin is not None:
            yield begin, i
        else:
            dones.append((i, (program, kind)))
    for i in starts.values():
        free.setdefault((ops[i].row["program_id"], _kind(ops[i], "-start") or ""), []).append(i)
    for i, group in dones:
        if free.get(group):
            yield free[group].pop(0), i


def _zip_in_order(start: Ints, begins: Ints, dones: Ints) -> Iterator[tuple[int, int]]:
    """Each start with the first later done that is still free."""
    at = 0
    for begin in begins:
        while at < len(dones) and start[dones[at]] < start[begin]:
            at += 1
        if at == len(dones):
            return
        yield int(begin), int(dones[at])
        at += 1
