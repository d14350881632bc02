"""Steps against markers and launches that are read by hand from what jax's own reader finds."""

from collections.abc import Callable

import numpy as np
import pytest
from oracles.profiles import CAPTURE, Ingested, OpLine, OtherLine, op_lines

Ingest = Callable[[str], Ingested]
Read = Callable[[str], list[OtherLine]]
Interval = tuple[int, int]
StepOfOps = tuple[list[OpLine], list[np.ndarray]]

TPU, TENSORFLOW = "tpu_v6e_4chip_inference", "gpu_x8_tf2020_worker"
DEMO_STEPS, DEMO_DEVICES, WARMUP = 10, 8, 5

STEPS = """
SELECT device, step_num, start_ps, duration_ps, marker_start_ps, marker_duration_ps, source
FROM steps WHERE run = $run ORDER BY device, start_ps
"""
ASSIGNED = """
SELECT device, stream, start_ps, duration_ps, step_num FROM op_events WHERE run = $run
ORDER BY device, stream, start_ps, duration_ps, step_num
"""


def step_spans(lines: list[OpLine], steps: list[np.ndarray]) -> dict[str, dict[int, Interval]]:
    """By device and step, the start of the first op and the end of the last; -1 is no step."""
    found: dict[str, dict[int, Interval]] = {}
    for line, step_of_op in zip(lines, steps, strict=True):
        if line.is_async:
            continue
        for step in set(step_of_op[step_of_op >= 0].tolist()):
            mine = line.events.take(step_of_op == step)
            start, end = int(mine.start_ps.min()), int(mine.end_ps.max())
            known = found.setdefault(line.device, {}).get(step, (start, end))
            found[line.device][step] = (min(start, known[0]), max(end, known[1]))
    return found


def start_to_start(spans: dict[int, Interval]) -> list[tuple[int, int, int]]:
    """(step, start, step time) in time order; the last step ends with its last op."""
    ordered = sorted((start, end, step) for step, (start, end) in spans.items())
    ends = [start for start, _, _ in ordered[1:]] + [ordered[-1][1]]
    return [(step, start, end - start) for (start, _, step), end in zip(ordered, ends, strict=True)]


def step_rows(ops: StepOfOps, marker: Callable[[str, int], tuple[object, ...]]) -> list[tuple[object, ...]]:
    """What STEPS should give, where `marker` gives the last columns of a device and step."""
    return [
        (device, step, start, duration, *marker(device, step))
        for device, spans in sorted(step_spans(*ops).items())
        for step, start, duration in start_to_start(spans)
    ]


def assigned(lines: list[OpLine], steps: list[np.ndarray]) -> list[tuple[object, ...]]:
    """What ASSIGNED should give."""
    rows = [
        (line.device, line.stream, start, duration, step if step >= 0 else None)
        for line, step_of_op in zip(lines, steps, strict=True)
        for start, duration, step in zip(
            line.events.start_ps.tolist(), line.events.duration_ps.tolist(), step_of_op.tolist(), strict=True
        )
    ]
    return sorted(rows, key=lambda row: (*row[:4], np.inf if row[4] is None else row[4]))


def by_time(line: OpLine, windows: list[tuple[int, int, int]]) -> np.ndarray:
    """For each op of the line the step of the (start, end, step) in which it begins, else -1."""
    steps = np.full(len(line.events.name), -1)
    for start, end, step in windows:
        steps[(line.events.start_ps >= start) & (line.events.start_ps < end)] = step
    return steps


@pytest.fixture(scope="module")
def markers(profile_data: Read) -> tuple[OtherLine, dict[int, Interval]]:
    """The capture's thread that carries the step annotations, and start and duration of each by step."""
    (thread,) = (line for line in profile_data(CAPTURE) if "step_num" in line.stats)
    is_marker = thread.stat("step_num") != None  # noqa: E711
    mine = thread.take(is_marker)
    times = zip(mine.start_ps.tolist(), mine.duration_ps.tolist(), strict=True)
    return thread, dict(zip(mine.stat("step_num").tolist(), times, strict=True))


@pytest.fixture(scope="module")
def launched(profile_data: Read, markers: tuple[OtherLine, dict[int, Interval]]) -> StepOfOps:
    """The capture's op lines and the step of each op: annotation -> launch inside it -> run_id -> op."""
    thread, annotations = markers
    step_of_run = {}
    for run_id, start in zip(thread.stat("run_id"), thread.start_ps.tolist(), strict=True):
        if run_id is not None:
            (step,) = (n for n, (at, duration) in annotations.items() if at <= start < at + duration)
            step_of_run[run_id] = step
    assert sorted(step_of_run.values()) == list(range(DEMO_STEPS))
    lines = list(op_lines(profile_data(CAPTURE)))
    return lines, [np.array([step_of_run[run] for run in line.events.stat("run_id")]) for line in lines]


def test_cpu_ops_follow_their_launch(ingested: Ingest, launched: StepOfOps) -> None:
    assert ingested(CAPTURE).rows(ASSIGNED) == assigned(*launched)


def test_cpu_steps(
    ingested: Ingest,
    launched: StepOfOps,
    markers: tuple[OtherLine, dict[int, Interval]],
) -> None:
    expected = step_rows(launched, lambda _, step: (*markers[1][step], "host"))
    assert len(expected) == DEMO_STEPS * DEMO_DEVICES
    assert ingested(CAPTURE).rows(STEPS) == expected


def test_cpu_step_times(ingested: Ingest, launched: StepOfOps) -> None:
    """Median over the devices; steady are those after warm-up, but for the last."""
    spans = step_spans(*launched)
    times: dict[int, list[int]] = {}
    for device in spans:
        for step, _, duration in start_to_start(spans[device]):
            times.setdefault(step, []).append(duration)
    first = {step: min(spans[device][step][0] for device in spans) for step in times}
    last = max(first, key=lambda step: first[step])
    expected = [
        (step, int(np.floor(np.median(times[step]) + 0.5)), first[step], WARMUP <= step != last)
        for step in range(DEMO_STEPS)
    ]
    sql = (
        "SELECT step_num, duration_ps, start_ps, is_steady FROM step_time WHERE run = $run ORDER BY step_num"
    )
    assert ingested(CAPTURE).rows(sql) == expected


def test_steps_line_of_tensorflow(ingested: Ingest, profile_data: Read) -> None:
    """Two devices have a Steps line of one event named 0, the third one copied data only."""
    markers = {
        line.plane.removeprefix("/device:"): (int(line.start_ps[0]), int(line.duration_ps[0]))
        for line in profile_data(TENSORFLOW)
        if line.line == "Steps"
    }
    assert markers == {"GPU:4": (1921299828000, 19865491000), "GPU:6": (2568855601000, 21310352000)}
    lines = list(op_lines(profile_data(TENSORFLOW)))
    windows = {device: [(start, start + length, 0)] for device, (start, length) in markers.items()}
    steps = [by_time(line, windows.get(line.device, [])) for line in lines]
    expected = step_rows((lines, steps), lambda device, _: (*markers[device], "device"))
    assert ingested(TENSORFLOW).rows(STEPS) == expected
    assert ingested(TENSORFLOW).rows(ASSIGNED) == assigned(lines, steps)


def test_executions_of_the_main_program_of_a_tpu(ingested: Ingest, profile_data: Read) -> None:
    """Nothing marks steps: the executions of the program with most device time stand for them, from 0."""
    modules = [line for line in profile_data(TPU) if line.line == "XLA Modules"]
    busy: dict[str, int] = {}
    for line in modules:
        for name, duration in zip(line.name, line.duration_ps.tolist(), strict=True):
            busy[name] = busy.get(name, 0) + duration
    main = max(busy, key=lambda name: busy[name])
    windows: dict[str, list[tuple[int, int, int]]] = {}
    for line in modules:
        mine = line.take(line.name == main)
        times = sorted(zip(mine.start_ps.tolist(), mine.end_ps.tolist(), strict=True))
        windows[line.plane.removeprefix("/device:")] = [(*t, step) for step, t in enumerate(times)]
    assert {device: len(own) for device, own in windows.items()} == {f"TPU:{n}": 100 for n in range(4)}
    lines = [line for line in op_lines(profile_data(TPU)) if len(line.events.name)]
    steps = [by_time(line, windows[line.device]) for line in lines]
    expected = step_rows((lines, steps), lambda *_: (None, None, "module"))
    assert ingested(TPU).rows(STEPS) == expected
    assert ingested(TPU).rows(ASSIGNED) == assigned(lines, steps)
