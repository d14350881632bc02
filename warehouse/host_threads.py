"""Rows of host_events: what host threads did, and what happened on a device beside its ops."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .markers import Windows
from .nesting import nest
from .opnames import codes_of
from .run_state import RunState
from .stats_map import args_map
from .tables import Coded, masked
from .times import Times
from .xplane.line import Events

Bools = npt.NDArray[np.bool_]
NO_STEPS = Windows.of([])


@dataclass
class ThreadNames:
    """Thread names of one host, made unique by the line's id where two lines share a name."""

    _taken: dict[str, int] = field(default_factory=dict)

    def name(self, line_name: str, line_id: int) -> str:
        """The name of the line's thread."""
        owner = self._taken.setdefault(line_name, line_id)
        return line_name if owner == line_id else f"{line_name}#{line_id}"


def write_thread(
    state: RunState,
    host: str,
    thread: str,
    events: Events,
    times: Times,
    is_op: Bools,
    steps: Windows = NO_STEPS,
) -> None:
    """Write the events of a thread that are no op executions; ops count only for the others' self time."""
    self_ps = np.where(times.timed, 0, times.duration)
    timed = np.flatnonzero(times.timed)
    self_ps[timed] = nest(times.start[timed], times.duration[timed]).self_ps
    rows = np.flatnonzero(~is_op)
    if not len(rows):
        return
    if len(rows) < events.count:
        events, times, self_ps = events.take(~is_op), times.take(rows), self_ps[rows]
    step, inside = steps.at(times.start)
    columns: dict[str, Any] = {
        "run": state.run,
        "host": host,
        "thread": thread,
        "name": event_names(events),
        "start_ps": masked(times.start, times.timed),
        "duration_ps": times.duration,
        "inner_ps": times.duration - self_ps,
        "step_num": masked(step, inside & times.timed),
        "args": args_map(events, ()),
    }
    state.writers["host_events"].write(events.count, columns)


def event_names(events: Events) -> Coded:
    """The names of events, from their metadata."""
    codes, _ = codes_of(events.metadata_id)
    ids = np.empty(int(codes.max()) + 1 if len(codes) else 0, np.int64)
    ids[codes] = events.metadata_id
    return Coded(codes, [events.plane.event_name(int(i)).name for i in ids])


def write_counters(state: RunState, host: str, device: str | None, events: Events, times: Times) -> None:
    """Write the samples of a counter line: one row per numeric stat of each event."""
    names = event_names(events)
    for stat in events.plane.stat_ids:
        if stat.startswith("_"):
            continue
        values, present = events.doubles(stat)
        rows = np.flatnonzero(present)
        if not len(rows):
            continue
        finite = np.isfinite(values[rows])
        if not finite.all():
            state.quality.note(host, "non_finite_stat", stat, int((~finite).sum()))
        unit = None if stat in names.words or stat == "counter_value" else stat
        state.writers["counters"].write(
            len(rows),
            {
                "run": state.run,
                "host": host,
                "device": device,
                "name": Coded(np.asarray(names.codes)[rows], names.words),
                "at_ps": times.start[rows],
                "value": masked(values[rows], finite),
                "unit": unit,
            },
        )
