"""The device planes of one process: ops, program executions, step markers and counters of TPUs and GPUs."""

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from .assignment import Assign, by_key, by_time
from .device_ops import DeviceOps, Stream, add_program_time, text_ids
from .devices import describe_device
from .hlo import split_program
from .host_threads import NO_STEPS, ThreadNames, write_counters, write_thread
from .line_reader import LineReader
from .markers import HostSteps, Lookup, Marker, Windows, device_markers
from .opnames import OpNamer, Programs
from .planes import DeviceName, LineKind, line_kind, stream_name
from .profile_file import line_name
from .run_state import ModuleRun, program_name
from .tables import Coded
from .times import Times
from .xplane.line import Line
from .xplane.plane import Plane


@dataclass
class DevicePlane:
    """One device with what has to be known before its ops are read."""

    device: DeviceName
    planes: list[Plane]
    """Its planes: several where a plane is repeated, or cut into parts."""
    modules: list[ModuleRun] = field(default_factory=list)
    """Program executions, in time order."""
    markers: list[Marker] = field(default_factory=list)
    """Events of the device's own Steps line."""
    how: str = "none"
    """How ops find their steps."""

    def module_windows(self) -> Windows:
        """Program executions as windows that carry their position in `modules`."""
        return Windows.of([(m.start_ps, m.end_ps, i) for i, m in enumerate(self.modules)])

    def marker_windows(self) -> Windows:
        """The device's own markers as windows that carry their step."""
        return Windows.of([(m.start_ps, m.end_ps, m.step_num) for m in self.markers])


@dataclass
class DevicePlanes:
    """Reads the device planes of a process whose host planes have been read."""

    reader: LineReader
    programs: Programs
    threads: ThreadNames
    steps: HostSteps

    def __post_init__(self) -> None:
        self._namer = OpNamer(self.programs, self.reader.state.ops)

    def read(self, planes: list[tuple[DeviceName, Plane]]) -> None:
        """Read every line of the planes: Steps and modules first, since ops need them."""
        by_device: dict[DeviceName, list[Plane]] = {}
        for device, plane in planes:
            by_device.setdefault(device, []).append(plane)
        found = [DevicePlane(device, parts) for device, parts in by_device.items()]
        for one in found:
            one.markers = self._markers(one)
            one.modules = self._modules(one)
        main = self.reader.state.main_program()
        for one in found:
            self._number_modules(one, main)
            self._finish(one, self._read_lines(one))

    def _lines(self, one: DevicePlane, kind: LineKind) -> Iterator[tuple[Line, Times]]:
        nested = kind in (LineKind.OPS, LineKind.SIDE)
        for plane, span in [(p, span) for p in one.planes for span in p.lines]:
            if line_kind(one.device, line_name(self.reader.profile.buffer, span)) is kind:
                for line, times in self.reader.read(plane, span, nested=nested):
                    if line.events.count:
                        yield line, times

    def _markers(self, one: DevicePlane) -> list[Marker]:
        lines = self._lines(one, LineKind.STEPS)
        return [marker for line, times in lines for marker in device_markers(line, times.start, times.end)]

    def _modules(self, one: DevicePlane) -> list[ModuleRun]:
        found, host, device = [], self.reader.host, one.device.device
        for line, times in self._lines(one, LineKind.MODULES):
            launch = text_ids(*line.events.ints("run_id"), unsigned=True)
            for i in np.flatnonzero(times.timed):
                name, program_id = split_program(
                    line.events.plane.event_name(int(line.events.metadata_id[i])).name
                )
                if program_id is not None:
                    self.programs.names.setdefault(program_id, name)
                launch_id = launch.words[launch.codes[i]] if launch and launch.codes[i] >= 0 else None
                start, end = int(times.start[i]), int(times.end[i])
                found.append(ModuleRun(host, device, name, program_id, launch_id, start, end))
                self.reader.state.add_program_time((program_id, name), end - start)
        return sorted(found, key=lambda m: (m.start_ps, -m.end_ps))

    def _number_modules(self, one: DevicePlane, main: str | None) -> None:
        """Decide how steps are found on the device, and give each program execution its step."""
        numbers: dict[int, int] = {}
        runs = self.steps.run_steps
        if one.markers:
            one.how, numbers = "device", _numbers(one, one.marker_windows())
        elif one.device.platform == "gpu":
            one.how = "launch" if self.steps.correlation_steps else "time" if self.steps.markers else "none"
        elif self.steps.markers:
            numbers = {
                i: runs[run_id]
                for i, m in enumerate(one.modules)
                if m.launch_id is not None and (run_id := _signed(int(m.launch_id))) in runs
            }
            one.how = "launch" if numbers else "time"
            numbers = numbers or _numbers(one, self.steps.windows())
        elif one.modules:
            mains = [i for i, m in enumerate(one.modules) if program_name(m.program) == main]
            one.how, numbers = "module", {i: step for step, i in enumerate(mains)}
        for i, step_num in numbers.items():
            one.modules[i].step_num, one.modules[i].assignment = step_num, one.how

    def _assign(self, one: DevicePlane) -> Assign:
        if one.how == "device":
            return by_time(one.marker_windows(), one.how)
        if one.how == "launch" and one.device.platform == "gpu":
            return by_key("correlation_id", Lookup.of(self.steps.correlation_steps), one.how)
        if one.how in ("launch", "module"):
            numbered = [(m.start_ps, m.end_ps, m.step_num) for m in one.modules if m.step_num is not None]
            return by_time(Windows.of(numbered), one.how)
        return by_time(self.steps.windows() if one.how == "time" else NO_STEPS, one.how)

    def _read_lines(self, one: DevicePlane) -> int:
        """Read what needs the steps; returns the number of op executions."""
        state, host, device = self.reader.state, self.reader.host, one.device.device
        ops, assign = DeviceOps(state, self._namer), self._assign(one)
        for kind in (LineKind.OPS, LineKind.ASYNC_OPS):  # async rows look for the pairs that ops make
            for line, times in self._lines(one, kind):
                self._read_ops(one, line, times, ops, assign)
        for line, times in self._lines(one, LineKind.COUNTERS):
            write_counters(state, host, device, line.events, times)
        for line, times in self._lines(one, LineKind.SIDE):
            if state.keep_host_events:
                thread = self.threads.name(f"{device}/{line.name or line.display_name}", line.id)
                no_op = np.zeros(line.events.count, np.bool_)
                write_thread(state, host, thread, line.events, times, no_op)
        for (name, step), span in ops.spans.items():
            state.add_span(host, name, step, span)
        return ops.op_counts.get(device, 0)

    def _read_ops(self, one: DevicePlane, line: Line, times: Times, ops: DeviceOps, assign: Assign) -> None:
        events, device = line.events, one.device.device
        is_async = line_kind(one.device, line.name) is LineKind.ASYNC_OPS
        stream = Stream(self.reader.host, stream_name(one.device, line.name), is_async)
        coded = Coded(np.zeros(events.count, np.int64), [device])
        named = ops.add(stream, events, times, coded, assign, self._launch_ids(one, line, times))
        if not one.modules and not is_async:
            add_program_time(self.reader.state, named)
        position, inside = one.module_windows().at(times.start)
        counts = np.bincount(position[inside & times.timed], minlength=len(one.modules))
        for module, count in zip(one.modules, counts.tolist(), strict=True):
            module.op_count += count

    def _launch_ids(self, one: DevicePlane, line: Line, times: Times) -> Coded | None:
        """GPU: the correlation id. TPU: the run_id of the program execution around the op."""
        if one.device.platform == "gpu":
            return text_ids(*line.events.ints("correlation_id"), unsigned=True)
        position, inside = one.module_windows().at(times.start)
        inside &= (
            np.array([m.launch_id is not None for m in one.modules], np.bool_)[position]
            if inside.any()
            else False
        )
        if not inside.any():
            return None
        return Coded(np.where(inside, position, -1), [m.launch_id or "" for m in one.modules])

    def _finish(self, one: DevicePlane, op_count: int) -> None:
        state, host = self.reader.state, self.reader.host
        state.modules.extend(one.modules)
        if one.markers:
            state.device_markers[(host, one.device.device)] = {m.step_num: m for m in one.markers}
        if one.device.core_kind != "custom" or any(plane.lines for plane in one.planes):
            state.add_device(host, describe_device(one.device, one.planes, op_count), one.how)


def _numbers(one: DevicePlane, windows: Windows) -> dict[int, int]:
    """Step by position of the program executions that start inside a window."""
    starts: npt.NDArray[np.int64] = np.array([m.start_ps for m in one.modules], np.int64)
    step, inside = windows.at(starts)
    return {int(i): int(step[i]) for i in np.flatnonzero(inside)}


def _signed(unsigned: int) -> int:
    """The int64 with the same 64 bits."""
    return unsigned - (1 << 64) if unsigned >> 63 else unsigned
