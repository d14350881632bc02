"""Self time and breakdown from spans between edges: no sweep, no nesting, no sums that run."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


def self_times(start: np.ndarray, duration: np.ndarray) -> np.ndarray:
    """Per event of one stream, the time in which it was the last-started event still running.

    Of events that start together the shorter one started last; of equal ones the later in the file. Each
    event in that order paints the spans that it covers; what it has in the end is its own.
    """
    edges = np.unique(np.concatenate([start, start + duration]))
    painted_by = np.full(max(len(edges) - 1, 0), -1)
    first, behind = np.searchsorted(edges, start), np.searchsorted(edges, start + duration)
    for event in np.lexsort((np.arange(len(start)), -duration, start)):
        painted_by[first[event] : behind[event]] = event
    result = np.zeros(len(start), np.int64)
    np.add.at(result, painted_by[painted_by >= 0], np.diff(edges)[painted_by >= 0])
    return result


PARTS = ("compute_only", "overlapped", "comm_exposed", "copy", "sync", "control", "idle")


@dataclass(frozen=True)
class Executions:
    """The executions of one device. `pair` is -1 for those of no pair."""

    stream: np.ndarray
    start: np.ndarray
    end: np.ndarray
    category: np.ndarray
    is_async: np.ndarray
    pair: np.ndarray


def breakdown(ops: Executions, windows: list[tuple[int, int]]) -> list[dict[str, int]]:
    """For each window (start, end), the picoseconds of each of PARTS: a union of intervals per category."""
    edges = np.unique(np.concatenate([ops.start, ops.end, np.array(windows).ravel()]))
    running = {name: np.zeros(len(edges) - 1, bool) for name in np.unique(ops.category)}
    for category, spans in _active(ops, edges):
        running[category] |= spans
    none = np.zeros(len(edges) - 1, bool)
    compute, communication = running.get("compute", none), running.get("communication", none)
    part = np.full(len(edges) - 1, "idle", object)
    for name in ("control", "sync", "copy"):
        part[running.get(name, none)] = name
    part[communication], part[compute], part[compute & communication] = PARTS[2], PARTS[0], PARTS[1]
    lengths = np.diff(edges)
    found = []
    for start, end in windows:
        inside = (edges[:-1] >= start) & (edges[1:] <= end)
        found.append({name: int(lengths[inside & (part == name)].sum()) for name in PARTS})
    return found


def _active(ops: Executions, edges: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """For each execution or pair, its category and the spans in which it runs."""

    def spans(start: int, end: int) -> np.ndarray:
        return (edges[:-1] >= start) & (edges[1:] <= end)

    for pair in np.unique(ops.pair[ops.pair >= 0]):
        rows = ops.pair == pair
        yield ops.category[rows][0], spans(ops.start[rows].min(), ops.end[rows].max())
    for row in np.flatnonzero(ops.pair < 0):
        own = spans(ops.start[row], ops.end[row])
        if not ops.is_async[row]:
            for inner in _inside(ops, row):
                own &= ~spans(ops.start[inner], ops.end[inner])
        yield ops.category[row], own


def _inside(ops: Executions, row: int) -> np.ndarray:
    """The executions on the row's stream that began and ended while it ran."""
    within = (ops.start >= ops.start[row]) & (ops.end <= ops.end[row]) & (ops.stream == ops.stream[row])
    shorter = (ops.end - ops.start) < (ops.end[row] - ops.start[row])
    return np.flatnonzero(within & shorter & ~ops.is_async)
