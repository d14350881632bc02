"""Step markers and launches: which step an execution belongs to."""

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from .xplane.line import Line

Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]

_NUMBER = re.compile(r"\d+")
_COMPILE = re.compile(r"backend_compile.*|.*::Compile")


@dataclass(frozen=True)
class Marker:
    """A step marker: an annotation on a host thread, or an event of a device's Steps line."""

    step_num: int
    name: str | None
    start_ps: int
    end_ps: int


@dataclass(frozen=True)
class Windows:
    """Intervals in time order that carry a number each: the last one that has begun counts."""

    start: Ints
    end: Ints
    number: Ints

    @staticmethod
    def of(intervals: list[tuple[int, int, int]]) -> "Windows":
        """Windows of (start, end, number) triples; overlapping ones of one number become one."""
        merged: list[list[int]] = []
        for start, end, number in sorted(intervals):
            if merged and merged[-1][2] == number and start <= merged[-1][1]:
                merged[-1][1] = max(merged[-1][1], end)
            else:
                merged.append([start, end, number])
        columns = np.array(merged, np.int64).reshape(-1, 3)
        return Windows(columns[:, 0].copy(), columns[:, 1].copy(), columns[:, 2].copy())

    def at(self, time: Ints) -> tuple[Ints, Bools]:
        """For each time the number of its window, and whether it lies in one."""
        if not len(self.start):
            return np.zeros(len(time), np.int64), np.zeros(len(time), np.bool_)
        position = np.searchsorted(self.start, time, side="right") - 1
        found = (position >= 0) & (time < self.end[position])
        return np.where(found, self.number[position], 0), found


@dataclass(frozen=True)
class Lookup:
    """A map from int64 keys to numbers, for whole columns."""

    keys: Ints
    numbers: Ints

    @staticmethod
    def of(pairs: dict[int, int]) -> "Lookup":
        """Lookup over a dictionary."""
        keys = np.fromiter(pairs.keys(), np.int64, len(pairs))
        order = np.argsort(keys)
        return Lookup(keys[order], np.fromiter(pairs.values(), np.int64, len(pairs))[order])

    def at(self, keys: Ints) -> tuple[Ints, Bools]:
        """For each key its number, and whether it has one."""
        if not len(self.keys):
            return np.zeros(len(keys), np.int64), np.zeros(len(keys), np.bool_)
        position = np.minimum(np.searchsorted(self.keys, keys), len(self.keys) - 1)
        found = self.keys[position] == keys
        return np.where(found, self.numbers[position], 0), found


@dataclass
class HostSteps:
    """What the host threads of one process tell about steps."""

    markers: dict[int, Marker] = field(default_factory=dict)
    """By step number; the markers of one number on several threads are one."""
    run_steps: dict[int, int] = field(default_factory=dict)
    """XLA's run_id -> step."""
    correlation_steps: dict[int, int] = field(default_factory=dict)
    """GPU correlation id -> step."""
    run_windows: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    """Thread id -> (start, end, step) of the events there that carry a run_id of a step."""
    compiling: set[int] = field(default_factory=set)
    """Steps with a compilation inside their marker."""
    other_names: set[str] = field(default_factory=set)
    """Marker names that were left out, since another name marks more steps."""

    def windows(self) -> Windows:
        """The markers as windows that carry their step."""
        return Windows.of([(m.start_ps, m.end_ps, m.step_num) for m in self.markers.values()])

    def read_markers(self, line: Line, start: Ints, end: Ints) -> Windows:
        """Take the step markers of a host thread; returns them as windows of the thread."""
        step, marked = line.events.ints("step_num")
        plane, metadata = line.events.plane, line.events.metadata_id
        found = [
            Marker(int(step[i]), plane.event_name(int(metadata[i])).name, int(start[i]), int(end[i]))
            for i in np.flatnonzero(marked)
        ]
        kept = self._main_name(found)
        for marker in kept:
            known = self.markers.get(marker.step_num, marker)
            self.markers[marker.step_num] = Marker(
                marker.step_num,
                marker.name,
                min(known.start_ps, marker.start_ps),
                max(known.end_ps, marker.end_ps),
            )
        return Windows.of([(m.start_ps, m.end_ps, m.step_num) for m in kept])

    def _main_name(self, found: list[Marker]) -> list[Marker]:
        """The markers of the name that marks most steps: nested annotations of another name are no steps."""
        counts: dict[str | None, int] = {}
        for marker in [*self.markers.values(), *found]:
            counts[marker.name] = counts.get(marker.name, 0) + 1
        if not counts:
            return []
        main = max(counts, key=lambda name: counts[name])
        self.other_names |= {name for name in counts if name is not None and name != main}
        self.markers = {n: m for n, m in self.markers.items() if m.name == main}
        return [marker for marker in found if marker.name == main]

    def read_launches(self, line: Line, start: Ints, end: Ints, steps: Windows, is_op: Bools) -> None:
        """Take the launches of a host thread, inside its own step markers or inside a run of a step."""
        thread = thread_id(line)
        run, has_run = line.events.ints("run_id")
        has_run &= ~is_op
        step, inside = steps.at(start)
        for i in np.flatnonzero(has_run & inside):
            self.run_steps[int(run[i])] = int(step[i])
        if has_run.any():
            step_of_run, known = Lookup.of(self.run_steps).at(run)
            rows = np.flatnonzero(has_run & known)
            self.run_windows.setdefault(thread, []).extend(
                zip(start[rows].tolist(), end[rows].tolist(), step_of_run[rows].tolist(), strict=True)
            )
        correlation, has_correlation = line.events.ints("correlation_id")
        if has_correlation.any():
            by_run, in_run = Windows.of(self.run_windows.get(thread, [])).at(start)
            step, inside = np.where(in_run, by_run, step), inside | in_run
            rows = np.flatnonzero(has_correlation & inside)
            self.correlation_steps.update(zip(correlation[rows].tolist(), step[rows].tolist(), strict=True))

    def read_compilations(self, line: Line, start: Ints, steps: Windows) -> None:
        """Note the steps in which the thread compiled a program."""
        if not len(steps.start):
            return
        ids, first = np.unique(line.events.metadata_id, return_inverse=True)
        names = [line.events.plane.event_name(int(i)).name for i in ids]
        compiles = np.array([bool(_COMPILE.fullmatch(name)) for name in names], np.bool_)[first]
        step, inside = steps.at(start)
        self.compiling |= set(step[compiles & inside].tolist())


def thread_id(line: Line) -> str:
    """Operating system id of a host line's thread: the number in its name, else the line's own id."""
    match = re.search(r"/(-?\d+)(?:/|$)", line.name)
    return match[1] if match else str(line.id)


def device_markers(line: Line, start: Ints, end: Ints) -> list[Marker]:
    """The markers of a device's Steps line. The number comes from step_num, else the name, else group_id."""
    step, has_step = line.events.ints("step_num")
    group, has_group = line.events.ints("group_id")
    names = line.events.texts("step_name")
    markers: list[Marker] = []
    for i in range(line.events.count):
        entry = line.events.plane.event_name(int(line.events.metadata_id[i]))
        name = names.word(int(names.codes[i])) or entry.display_name or entry.name
        number: Any = int(step[i]) if has_step[i] else None
        if number is None and (written := _NUMBER.findall(name)) and len(written[-1]) < 20:
            number = int(written[-1])
        if number is None and has_group[i]:
            number = int(group[i])
        if number is not None and number < 1 << 63:
            markers.append(Marker(number, name, int(start[i]), int(end[i])))
    return markers
