"""The host planes of one process: its threads, the step markers and launches on them, a CPU's ops."""

from dataclasses import dataclass, field

import numpy as np

from .assignment import Assign, by_key, by_time
from .device_ops import DeviceOps, Stream, add_program_time, group_spans, text_ids
from .devices import describe_device
from .host_threads import ThreadNames, write_counters, write_thread
from .line_reader import LineReader, mentions
from .markers import HostSteps, Lookup
from .opnames import OpNamer, Programs
from .planes import DeviceName
from .run_state import ModuleRun, StepSpan, program_name
from .tables import Coded
from .times import Times
from .xplane.line import Line
from .xplane.plane import Plane
from .xplane.wire import Span

LAUNCH_STATS = ("step_num", "run_id", "correlation_id")
"""Threads are read in this order: those with step markers first, then those with launches."""

Launch = tuple[str, int, int | None, str]
"""(device, run_id, program id, module name)."""


@dataclass
class HostPlanes:
    """Reads the host planes; `steps` and `threads` serve the device planes afterwards."""

    reader: LineReader
    programs: Programs
    threads: ThreadNames
    steps: HostSteps = field(default_factory=HostSteps)
    _launches: dict[Launch, StepSpan] = field(default_factory=dict)
    _run_order: dict[int, int] = field(default_factory=dict)
    """Where there are no markers: step by run_id of the main program."""

    def read(self, planes: list[Plane]) -> None:
        """Read every thread of the planes."""
        ops = DeviceOps(self.reader.state, OpNamer(self.programs, self.reader.state.ops))
        lines = [(self._order(plane, span), plane, span) for plane in planes for span in plane.lines]
        lines.sort(key=lambda item: item[0])
        for i, (order, plane, span) in enumerate(lines):
            if order > 0 and (i == 0 or lines[i - 1][0] == 0) and not self.steps.markers:
                self._run_order = self._number_runs(planes)
            self._read_thread(plane, span, ops)
        self._finish(ops)

    def _order(self, plane: Plane, span: Span) -> int:
        for order, stat in enumerate(LAUNCH_STATS):
            if any(mentions(self.reader.profile.buffer, span, i) for i in plane.stat_ids.get(stat, ())):
                return order
        return len(LAUNCH_STATS)

    def _read_thread(self, plane: Plane, span: Span, ops: DeviceOps) -> None:
        for line, times in self.reader.read(plane, span):
            self._read_part(line, times, ops)

    def _read_part(self, line: Line, times: Times, ops: DeviceOps) -> None:
        state, host, events = self.reader.state, self.reader.host, line.events
        if line.name == "_counters_":
            write_counters(state, host, None, events, times)
            return
        thread = self.threads.name(line.display_name or line.name or f"(thread {line.id})", line.id)
        # A launch of a GPU kernel carries the kernel's hlo_op too: its correlation id gives it away.
        is_op = (events.texts("hlo_op").codes >= 0) & ~events.ints("correlation_id")[1]
        steps = self.steps.read_markers(line, times.start, times.end)
        self.steps.read_launches(line, times.start, times.end, steps, is_op)
        self.steps.read_compilations(line, times.start, steps)
        if is_op.any():
            self._add_ops(thread, line.take(is_op), times.take(is_op), ops)
        if state.keep_host_events:
            write_thread(state, host, thread, events, times, is_op, steps)

    def _add_ops(self, thread: str, line: Line, times: Times, ops: DeviceOps) -> None:
        """Op executions on the CPU: the device is the event's device_ordinal, the stream is the thread."""
        events = line.events
        ordinal, has_ordinal = events.ints("device_ordinal")
        ordinals, codes = np.unique(np.where(has_ordinal, ordinal, 0), return_inverse=True)
        device = Coded(codes.astype(np.int64), [f"CPU:{number}" for number in ordinals])
        run, has_run = events.ints("run_id")
        stream = Stream(self.reader.host, thread)
        named = ops.add(stream, events, times, device, self._assign(), text_ids(run, has_run))
        add_program_time(self.reader.state, named)
        rows = np.flatnonzero(has_run & times.timed)
        if not len(rows):
            return
        programs, program_of = named.programs()
        keys = [device.codes[rows], run[rows], program_of[named.codes[rows]]]
        for key, span in group_spans(keys, times.take(rows)):
            launch = (device.words[key[0]], key[1], *programs[key[2]])
            self._launches.setdefault(launch, StepSpan(span.first_start, span.last_end, 0)).widen(span)

    def _assign(self) -> Assign:
        if self.steps.run_steps:
            return by_key("run_id", Lookup.of(self.steps.run_steps), "launch")
        if self.steps.markers:
            return by_time(self.steps.windows(), "time")
        return by_key("run_id", Lookup.of(self._run_order), "module")

    def _number_runs(self, planes: list[Plane]) -> dict[int, int]:
        """The main program's run ids in order of their first op, numbered from 0."""
        first: dict[int, int] = {}
        busy: dict[str, int] = {}
        runs: dict[str, set[int]] = {}
        spans = ((p, s) for p in planes if "hlo_op" in p.stat_ids for s in p.lines)
        for line, times in (part for plane, span in spans for part in self.reader.peek(plane, span)):
            run, has_run = line.events.ints("run_id")
            program, _ = line.events.ints("program_id")
            rows = np.flatnonzero(has_run & times.timed & (line.events.texts("hlo_op").codes >= 0))
            if not len(rows):
                continue
            module = line.events.texts("hlo_module")
            keys = [run[rows], program[rows], module.codes[rows]]
            for (run_id, program_id, code), ops in group_spans(keys, times.take(rows)):
                name = program_name((program_id, module.word(code) or ""))
                first[run_id] = min(first.get(run_id, ops.first_start), ops.first_start)
                busy[name] = busy.get(name, 0) + ops.last_end - ops.first_start
                runs.setdefault(name, set()).add(run_id)
        if not busy:
            return {}
        main = min(busy, key=lambda name: (-busy[name], name))
        return {run_id: number for number, run_id in enumerate(sorted(runs[main], key=lambda r: first[r]))}

    def _finish(self, ops: DeviceOps) -> None:
        """Write down the CPU's devices, the spans of their steps, and its program executions."""
        state, host = self.reader.state, self.reader.host
        how = "launch" if self.steps.run_steps else "time" if self.steps.markers else "module"
        found = bool(self._launches or ops.spans)
        counts = ops.op_counts
        for (device, step), span in ops.spans.items():
            state.add_span(host, device, step, span)
        for device in sorted(counts, key=lambda name: int(name.partition(":")[2])):
            name = DeviceName(device, int(device.partition(":")[2]), "cpu", "cpu")
            state.add_device(host, describe_device(name, (), counts[device]), how if found else "none")
        step_of = self.steps.run_steps or self._run_order
        for (device, run_id, program_id, module), span in self._launches.items():
            number = step_of.get(run_id)
            run = ModuleRun(host, device, module, program_id, str(run_id), span.first_start, span.last_end)
            run.step_num, run.assignment = number, how if number is not None else "none"
            run.op_count = span.op_count
            state.modules.append(run)
