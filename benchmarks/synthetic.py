"""A synthetic profile of training on eight TPU cores: `python benchmarks/synthetic.py OUT --events 1000000`.

Everything that a libtpu profile of such a loop has: device planes with Steps, XLA Modules, XLA Ops (nested,
with start and done of asynchronous ops) and Async XLA Ops, a device clock that differs from the timeline, op
facts in the event metadata, and host threads with step annotations and runtime events. Beside OUT, OUT.json
tells what is in it. One plane at a time is in memory.
"""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from profdb.benchmarks import wire
from profdb.benchmarks.host import host_plane, main_threads
from profdb.benchmarks.metadata import PlaneNames
from profdb.benchmarks.program import PROGRAM, TICK_PS, Op, Program, StepTimes, step_times, train_step
from profdb.benchmarks.xplane import message

DEVICES = 8
HOST_SHARE = 0.05
FIRST_STEP = 100
START_NS = 1_790_000_000_000_000_000
_CHUNK = 1 << 15
_NOISE_PS = 234
"""The timeline and the device clock differ by up to so much more than their skew."""
_HELPER = "jit__multi_slice(2433868464432466958)"


@dataclass(frozen=True)
class Plan:
    """What will be written."""

    program: Program
    steps: int
    host_events: int

    @staticmethod
    def of(events: int) -> "Plan":
        """A profile of about so many events: few of them make a small program, many make many steps."""
        per_device = events * (1 - HOST_SHARE) / DEVICES
        full = train_step(600, 650, 8)
        scale = per_device / 8 / len(full.slots)
        program = full
        if scale < 1:
            program = train_step(max(8, int(600 * scale)), max(20, int(650 * scale)), 8 if scale > 0.1 else 2)
        step_events = len(program.slots) + len(program.pairs) + 3
        steps = max(4, int(per_device / step_events))
        host_events = max(events - DEVICES * steps * step_events, int(events * HOST_SHARE))
        return Plan(program, steps, host_events)


def write(path: Path, events: int, seed: int = 7) -> dict[str, int]:
    """Write a profile of about `events` events; returns the counts of what is in it."""
    plan = Plan.of(events)
    counts = {"steps": plan.steps, "first_step": FIRST_STEP, "devices": DEVICES}
    with path.open("wb") as file:
        end_ps = 0
        for device in range(DEVICES):
            plane, end = _device_plane(plan, device, seed)
            file.write(plane)
            end_ps = max(end_ps, end)
        threads = main_threads(plan.steps, FIRST_STEP, plan.host_events, end_ps)
        file.write(host_plane(threads))
        file.write(_environment(end_ps))
        file.write(message("XSpace")(hostnames=["tpu-vm-0"]).SerializeToString())
    counts["op_events"] = DEVICES * plan.steps * len(plan.program.slots)
    counts["async_events"] = DEVICES * plan.steps * len(plan.program.pairs)
    counts["modules"] = DEVICES * plan.steps * 2
    counts["host_events"] = sum(thread.count for thread in threads)
    counts["ops"] = len(plan.program.ops)
    marks = DEVICES * plan.steps
    counts["events"] = sum(counts[k] for k in ("op_events", "async_events", "modules", "host_events")) + marks
    counts["bytes"] = path.stat().st_size
    return counts


def _environment(end_ps: int) -> bytes:
    names = PlaneNames(3, "Task Environment")
    names.plane_stat("profile_start_time", uint64_value=START_NS)
    names.plane_stat("profile_stop_time", uint64_value=START_NS + end_ps // 1000 + 1_000_000)
    return wire.field(1, names.plane.SerializeToString())


def _device_plane(plan: Plan, device: int, seed: int) -> tuple[bytes, int]:
    draws = np.random.default_rng((seed, device))
    times = step_times(plan.program, plan.steps, draws)
    names = PlaneNames(2 + 8 * device, f"/device:TPU:{device}")
    names.describe_tpu(device)
    lines = [
        _steps_line(plan, times, names),
        _modules_line(plan, times, names, draws),
        _ops_line(plan, times, names, draws),
        _async_line(plan, times, names, draws),
    ]
    end_ps = int(times.start[-1, -1] + times.duration[-1, -1]) * TICK_PS
    plane = b"".join([names.plane.SerializeToString(), *lines])
    return wire.field(1, plane), end_ps


def _line(number: int, name: str, events: bytes) -> bytes:
    head = message("XLine")(id=number, name=name).SerializeToString()
    return wire.field(3, head + events)


def _step_bounds(times: StepTimes) -> tuple[np.ndarray, np.ndarray]:
    """First start and last end of every step, in picoseconds."""
    ends = (times.start + times.duration).max(axis=1)
    return times.start[:, 0] * TICK_PS - 2000, ends * TICK_PS + 2000


def _steps_line(plan: Plan, times: StepTimes, names: PlaneNames) -> bytes:
    start, end = _step_bounds(times)
    numbers = np.arange(FIRST_STEP, FIRST_STEP + plan.steps)
    ids = np.array([names.event(str(number)) for number in numbers])
    group = stat(names.stat_id("group_id"), 4, numbers)
    return _line(1, "Steps", wire.to_bytes(event(ids, start - 1000, end - start + 2000, group)))


def _modules_line(plan: Plan, times: StepTimes, names: PlaneNames, draws: np.random.Generator) -> bytes:
    start, end = _step_bounds(times)
    count = plan.steps
    ids = np.tile([names.event(PROGRAM), names.event(_HELPER)], count)
    starts = np.stack([start, end + 10_000_000], axis=1).ravel()
    durations = np.stack([end - start, np.full(count, 1_000_000)], axis=1).ravel()
    run = np.arange(2 * count)
    stats = [
        stat(names.stat_id("run_id"), 3, 5000 + run),
        stat(names.stat_id("replica_id"), 4, run * 0),
        stat(names.stat_id("queue_id"), 3, run * 0),
        stat(names.stat_id("core_type"), 3, run * 0),
        stat(names.stat_id("_ct"), 4, run * 0 + 12),
        stat(names.stat_id("_c"), 4, draws.integers(-(1 << 62), 1 << 62, len(run))),
    ]
    return _line(2, "XLA Modules", wire.to_bytes(event(ids, starts, durations, *stats)))


def _ops_line(plan: Plan, times: StepTimes, names: PlaneNames, draws: np.random.Generator) -> bytes:
    ids = np.array([names.op(op, number) for number, op in enumerate(plan.program.ops)])
    slots = np.array(plan.program.slots)
    is_reduce = np.array([op.opcode == "all-reduce" for op in plan.program.ops])[slots]
    step_skew = _skew(plan.steps, draws)
    stat_ids = [names.stat_id(n) for n in ("device_offset_ps", "device_duration_ps", "all_reduce_unique_id")]
    chunks = []
    for first, last in _ranges(times.start.size):
        step, slot = np.divmod(np.arange(first, last), len(slots))
        start, duration = times.start[step, slot] * TICK_PS, times.duration[step, slot] * TICK_PS
        begin_noise, end_noise = draws.integers(-_NOISE_PS, _NOISE_PS + 1, (2, len(step)))
        unique = wire.only(stat(stat_ids[2], 3, step << 16 | 1), is_reduce[slot])
        cells = event(
            ids[slots[slot]],
            start + begin_noise,
            duration + end_noise - begin_noise,
            stat(stat_ids[0], 3, start + step_skew[step]),
            stat(stat_ids[1], 3, duration),
            unique,
        )
        chunks.append(wire.to_bytes(cells))
    return _line(3, "XLA Ops", b"".join(chunks))


def _skew(steps: int, draws: np.random.Generator) -> np.ndarray:
    """Device clock minus timeline by step, in picoseconds: the clocks are compared every few steps."""
    return (5_000_000 + np.repeat(draws.integers(-12_000, 12_000, steps // 4 + 1), 4)[:steps]) * TICK_PS


def _async_line(plan: Plan, times: StepTimes, names: PlaneNames, draws: np.random.Generator) -> bytes:
    if not plan.program.pairs:
        return _line(4, "Async XLA Ops", b"")
    begins, dones = (np.array(column) for column in zip(*plan.program.pairs, strict=True))
    order = np.argsort(begins)
    begins, dones = begins[order], dones[order]
    slots = plan.program.slots
    ids = np.array([names.async_op(plan.program.ops[slots[slot]]) for slot in begins])
    done_stat = _done_stats(names, [plan.program.ops[slots[slot]] for slot in dones])
    start = times.start[:, begins].ravel() * TICK_PS
    end = (times.start + times.duration)[:, dones].ravel() * TICK_PS
    row = np.arange(len(start))
    at = row % len(begins)
    noise = draws.integers(-_NOISE_PS, _NOISE_PS + 1, (2, len(row)))
    cells = event(
        ids[at],
        start + noise[0],
        end - start + noise[1] - noise[0],
        wire.Cells(done_stat.data[at], done_stat.used[at]),
        stat(names.stat_id("_a"), 4, row * 0 + 1),
        stat(names.stat_id("flow"), 3, 616_168_039 + 4 * row),
        stat(names.stat_id("id"), 3, row),
    )
    return _line(4, "Async XLA Ops", wire.to_bytes(cells))


def _done_stats(names: PlaneNames, ops: list[Op]) -> wire.Cells:
    """The stat hlo_op as each of these ops carries it."""
    stat_type, number = message("XStat"), names.stat_id("hlo_op")
    raw = [stat_type(metadata_id=number, str_value=op.name).SerializeToString() for op in ops]
    fields = [wire.field(4, one) for one in raw]
    width = max(len(one) for one in fields)
    data = np.array([list(one.ljust(width, b"\0")) for one in fields], np.uint8)
    return wire.Cells(data, np.arange(width) < np.array([[len(one)] for one in fields]))


def stat(stat_id: int, number: int, values: np.ndarray) -> wire.Cells:
    """An event's integer stat; `number` is the field of XStat (3 unsigned, 4 signed, 7 a reference)."""
    kind = wire.to_bytes(wire.varint(np.array([stat_id])))
    head = wire.constant(len(values), b"\x08" + kind)
    return wire.message(4, head, wire.integer(number, values))


def event(ids: np.ndarray, offset: np.ndarray, duration: np.ndarray, *stats: wire.Cells) -> wire.Cells:
    """XEvents, as the field of their line."""
    times = (wire.integer(2, offset), wire.integer(3, duration))
    return wire.message(4, wire.integer(1, ids), *times, *stats)


def _ranges(count: int) -> list[tuple[int, int]]:
    return [(first, min(first + _CHUNK, count)) for first in range(0, count, _CHUNK)]


def main() -> None:
    """Write the file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    counts = write(arguments.out, arguments.events)
    Path(f"{arguments.out}.json").write_text(json.dumps(counts))


if __name__ == "__main__":
    main()
