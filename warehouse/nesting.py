"""Self time and enclosing event of the events of one stream.

Well-nested events are handled by numpy, one pass per level; events that cross (the later one ends
after the earlier one) by an exact stack. An event's self time is the time in which it was the
last-started event still running, so that the self times of a stream add up to its busy time.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Nesting:
    """Per event, in the order given: self time, position of the enclosing event (-1: none), being a leaf.

    The children of one parent never overlap each other: an event that crosses another one has no parent.
    """

    self_ps: Ints
    parent: Ints
    is_leaf: npt.NDArray[np.bool_]
    crossings: int


def nest(start: Ints, duration: Ints) -> Nesting:
    """Nesting of events given by start and duration, in picoseconds, of any order."""
    n = len(start)
    if n == 0:
        empty = np.empty(0, np.int64)
        return Nesting(empty, empty, np.empty(0, np.bool_), 0)
    end = start + duration
    order: Any = _time_order(start, duration)
    if order is None:
        parent, crossings, self_ps = _levels(start, end)
    else:
        parent_s, crossings, self_s = _levels(start[order], end[order])
        parent, self_ps = np.empty(n, np.int64), np.empty(n, np.int64)
        parent[order] = np.where(parent_s >= 0, order[parent_s], -1)
        self_ps[order] = self_s
    is_leaf = np.ones(n, np.bool_)
    is_leaf[parent[parent >= 0]] = False
    return Nesting(self_ps, parent, is_leaf, crossings)


def _time_order(start: Ints, duration: Ints) -> npt.NDArray[np.intp] | None:
    """Order by start, the longer first; None where the events are in that order already."""
    step = np.diff(start)
    if (step > 0).all() or ((step >= 0).all() and not ((step == 0) & (np.diff(duration) > 0)).any()):
        return None
    return np.lexsort((-duration, start))


def _levels(start: Ints, end: Ints) -> tuple[Ints, int, Ints]:
    """Parents and self times of events in time order."""
    n = len(start)
    parent = np.full(n, -1, np.int64)
    level = np.arange(n)
    above: npt.NDArray[np.intp] | None = None
    while len(level):
        ends = np.maximum.accumulate(end[level])
        top = np.ones(len(level), np.bool_)
        top[1:] = start[level[1:]] >= ends[:-1]
        heads = level[top]
        if above is not None:
            owner = above[np.searchsorted(above, heads, side="right") - 1]
            parent[heads] = owner
            crossing = end[heads] > end[owner]
            if crossing.any():
                return _stack(start, end)
        above, level = heads, level[~top]
    self_ps = end - start
    inner = np.flatnonzero(parent >= 0)
    if len(inner):
        self_ps = self_ps - _sums(parent[inner], (end - start)[inner], n)
    return parent, 0, self_ps


def _sums(group: Ints, values: Ints, n: int) -> Ints:
    """Exact integer sums of `values` per group (bincount alone would add doubles)."""
    total = np.zeros(n, np.int64)
    np.add.at(total, group, values)
    return total


def _stack(start: Ints, end: Ints) -> tuple[Ints, int, Ints]:
    starts, ends = start.tolist(), end.tolist()
    n = len(starts)
    self_ps, parent, child_end = [0] * n, [-1] * n, [-(1 << 62)] * n
    stack: list[int] = []
    now, crossings = starts[0], 0
    for i in range(n):
        now = _advance(stack, ends, self_ps, now, starts[i])
        crosses = False
        for j in reversed(stack):
            if ends[j] <= starts[i] < ends[i]:
                continue
            if ends[j] >= ends[i]:
                if child_end[j] <= starts[i]:
                    parent[i] = j
                else:
                    crosses = True
                child_end[j] = max(child_end[j], ends[i])
                break
            if ends[j] > starts[i]:
                crosses = True
        crossings += crosses
        stack.append(i)
    _advance(stack, ends, self_ps, now, max(ends))
    return np.array(parent, np.int64), crossings, np.array(self_ps, np.int64)


def _advance(stack: list[int], ends: list[int], self_ps: list[int], now: int, until: int) -> int:
    """Give the time from `now` to `until` to the last-started running event of each moment."""
    while stack:
        top = stack[-1]
        stop = min(ends[top], until)
        if stop > now:
            self_ps[top] += stop - now
            now = stop
        if ends[top] > until:
            break
        stack.pop()
    return until
