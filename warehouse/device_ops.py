"""Device op executions: from the events of a stream to rows of op_events, with step, nesting and pair."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from .assignment import Assign
from .nesting import nest
from .opnames import Op, OpNamer, codes_of
from .pairs import PairBook
from .run_state import Program, RunState, StepSpan
from .stats_map import args_map
from .tables import Coded, masked
from .times import Times
from .xplane.line import Events

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

COLUMN_STATS = (
    "hlo_op", "hlo_module", "program_id", "run_id", "device_ordinal", "correlation_id", "tf_op", "name",
    "device_offset_ps", "device_duration_ps", "flops", "bytes_accessed", "uses_ici",
)  # fmt: skip
"""Stats that have columns of their own in ops or op_events."""


@dataclass(frozen=True)
class Stream:
    """One line of op executions."""

    host: str
    name: str
    is_async: bool = False


@dataclass(frozen=True)
class NamedOps:
    """For each execution its op, as a position in `ops`, and its self time in picoseconds."""

    codes: Ints
    ops: list[Op]
    self_ps: Ints

    def programs(self) -> tuple[list[Program], Ints]:
        """The programs of the ops, and for each op the position of its program."""
        programs = [(op.row["program_id"], op.row["module"] or "") for op in self.ops]
        position = {program: i for i, program in enumerate(dict.fromkeys(programs))}
        return list(position), np.array([position[program] for program in programs], np.int64)


@dataclass
class DeviceOps:
    """The op executions of one device, or of all CPU devices of a process."""

    state: RunState
    namer: OpNamer
    spans: dict[tuple[str, int], StepSpan] = field(default_factory=dict)
    """(device, step_num) -> span of the step's ops."""
    op_counts: dict[str, int] = field(default_factory=dict)
    pairs: dict[str, PairBook] = field(default_factory=dict)

    def add(
        self,
        stream: Stream,
        events: Events,
        times: Times,
        device: Coded,
        assign: Assign,
        launch: Coded | None,
    ) -> "NamedOps":
        """Write the events as rows; returns which op each of them is."""
        codes, ops = self.namer.name(events)
        nesting = self._nest(stream, times, np.asarray(device.codes))
        step, has_step, how = assign(events, times)
        has_step = has_step & times.timed
        self._count(stream, times, device, step, has_step)
        pair_id = self._pair(stream, codes, ops, times, device)
        op_ids = np.array([op.op_id for op in ops], np.int64)
        parent, has_parent = nesting.parent, nesting.parent >= 0
        _add_shaped_time(ops, codes, nesting.self_ps)
        columns: dict[str, Any] = {
            "run": self.state.run,
            "host": stream.host,
            "device": device,
            "stream": stream.name,
            "step_num": masked(step, has_step),
            "assignment": Coded(np.where(has_step, 0, 1), [how, "none"]),
            "op_id": op_ids[codes],
            "parent_op_id": masked(op_ids[codes[parent]], has_parent) if has_parent.any() else None,
            "name": Coded(codes, [op.row["name"] for op in ops]),
            "start_ps": masked(times.start, times.timed),
            "duration_ps": times.duration,
            "inner_ps": 0 if stream.is_async else times.duration - nesting.self_ps,
            "is_leaf": nesting.is_leaf,
            "is_async": stream.is_async,
            "pair_id": masked(pair_id, pair_id >= 0) if (pair_id >= 0).any() else None,
            "occurrences": np.where(times.timed, 1, events.occurrences),
            "launch_id": launch,
            "flops": _optional(*events.ints("flops")),
            "bytes_accessed": _optional(*events.ints("bytes_accessed")),
            "device_start_delta_ps": _delta(events, "device_offset_ps", events.offset_ps),
            "device_duration_delta_ps": _delta(events, "device_duration_ps", events.duration_ps),
            "args": args_map(events, COLUMN_STATS),
        }
        self.state.writers["op_events"].write(events.count, columns)
        return NamedOps(codes, ops, nesting.self_ps)

    def _nest(self, stream: Stream, times: Times, device: Ints) -> Any:
        """Nesting within (stream, device); aggregated and async rows nest in nothing."""
        n = len(times.start)
        result = _Nested(
            np.where(times.timed, 0, times.duration), np.full(n, -1, np.int64), np.ones(n, np.bool_)
        )
        if stream.is_async:
            result.self_ps[:] = 0
            return result
        rows = np.flatnonzero(times.timed)
        if not len(rows):
            return result
        start, duration = times.start[rows], times.duration[rows]
        if device.max() > 0:
            start = start + device[rows] * (int(start.max() - start.min() + duration.max()) + 1)
        found = nest(start, duration)
        result.self_ps[rows] = found.self_ps
        result.is_leaf[rows] = found.is_leaf
        result.parent[rows] = np.where(found.parent >= 0, rows[found.parent], -1)
        if found.crossings:
            self.state.quality.note(stream.host, "crossing_events", stream.name, found.crossings)
        return result

    def _count(self, stream: Stream, times: Times, device: Coded, step: Ints, has_step: Bools) -> None:
        device_codes = np.asarray(device.codes).astype(np.int64)
        for code, count in zip(*np.unique(device_codes, return_counts=True), strict=True):
            name = device.words[code]
            self.op_counts[name] = self.op_counts.get(name, 0) + int(count)
        timed = times.timed
        if timed.any():
            self.state.widen_window(int(times.start[timed].min()), int(times.end[timed].max()))
        if stream.is_async or not has_step.any():
            return
        rows = np.flatnonzero(has_step)
        for key, span in group_spans([device_codes[rows], step[rows]], times.take(rows)):
            name = (device.words[key[0]], key[1])
            self.spans.setdefault(name, StepSpan(span.first_start, span.last_end, 0)).widen(span)

    def _pair(self, stream: Stream, codes: Ints, ops: list[Op], times: Times, device: Coded) -> Ints:
        if len(device.words) != 1:
            return np.full(len(codes), -1, np.int64)
        book = self.pairs.setdefault(device.words[0], PairBook())
        match = book.match_async if stream.is_async else book.match
        return match(codes, ops, times.start)


@dataclass
class _Nested:
    self_ps: Ints
    parent: Ints
    is_leaf: Bools


def _add_shaped_time(ops: list[Op], codes: Ints, self_ps: Ints) -> None:
    """Add the executions' self time to the ops whose flops come from shapes."""
    shaped = [i for i, op in enumerate(ops) if op.row["flops_source"] == "hlo_shapes"]
    if shaped:
        total = np.bincount(codes, weights=self_ps, minlength=len(ops))
        for i in shaped:
            ops[i].shaped_ps += int(total[i])


def add_program_time(state: RunState, named: NamedOps) -> None:
    """Add the executions' self time to the device time of their programs."""
    programs, program_of = named.programs()
    total = np.zeros(len(programs), np.int64)
    np.add.at(total, program_of[named.codes], named.self_ps)
    for program, picoseconds in zip(programs, total.tolist(), strict=True):
        state.add_program_time(program, picoseconds)


def group_spans(keys: list[Ints], times: Times) -> list[tuple[tuple[int, ...], StepSpan]]:
    """First start, last end and count of the events of each distinct key."""
    codes = np.zeros(len(times.start), np.int64)
    for key in keys:
        other, others = codes_of(key)
        codes, count = codes_of(codes * others + other)
    first_row = np.empty(count, np.int64)
    first_row[codes[::-1]] = np.arange(len(codes))[::-1]
    low, high = np.full(count, np.iinfo(np.int64).max), np.full(count, np.iinfo(np.int64).min)
    np.minimum.at(low, codes, times.start)
    np.maximum.at(high, codes, times.end)
    counts = np.bincount(codes, minlength=count)
    return [
        (tuple(int(key[first_row[i]]) for key in keys), StepSpan(int(low[i]), int(high[i]), int(counts[i])))
        for i in range(count)
    ]


def _optional(values: Ints, present: Bools) -> Any | None:
    return masked(values, present) if present.any() else None


def _delta(events: Events, stat: str, timeline: Ints) -> Any | None:
    values, present = events.ints(stat)
    return masked(values - timeline, present) if present.any() else None


def text_ids(values: Ints, present: Bools, unsigned: bool = False) -> Coded | None:
    """Ids as text: launch ids run from negative to 2^64-1."""
    if not present.any():
        return None
    coded = pa.array(values.view(np.uint64) if unsigned else values, mask=~present).dictionary_encode()
    codes = np.asarray(coded.indices.fill_null(-1)).astype(np.int64)
    return Coded(codes, [str(value) for value in coded.dictionary.to_pylist()])
