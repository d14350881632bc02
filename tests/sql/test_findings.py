"""The view findings: for each finding a planted run in which it fires, and a near miss in which it does not.

Times are picoseconds. A plant takes the value that the rule looks at, in percent.
"""

from collections.abc import Callable

import pytest

DOT, ADD, ALL_GATHER, COPY, SYNC, AGAIN = range(1, 7)
MANY = range(10, 20)


def ops(tiny):
    """Ops of each kind, and ten alike of which none is hot alone."""
    known = {"attribution_source": "event", "scope": "jit(f)/jvp(net)/layer/dot_general"}
    tiny.op(DOT, opcode="dot", name="dot.1", **known)
    tiny.op(ADD, opcode="add", name="add.1", **known)
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1", **known)
    tiny.op(COPY, opcode="copy", name="copy.1", **known)
    tiny.op(SYNC, name="Event Sync", **known)
    again = "jit(f)/transpose(jvp(net))/checkpoint/rematted_computation/layer/dot_general"
    tiny.op(AGAIN, opcode="dot", name="dot.2", **known | {"scope": again})
    for op in MANY:
        tiny.op(op, opcode="dot", name=f"dot.{op}", **known)


def busy(tiny, start, end, stream="0"):
    """Many equal ops from start to end."""
    share = (end - start) / len(MANY)
    for k, op in enumerate(MANY):
        tiny.event(op, round(start + k * share), round(start + (k + 1) * share), stream=stream)


def communication_heavy(tiny, percent):
    """Op self time of 1000, hidden behind compute as far as it can be."""
    busy(tiny, 0, 1000 - 10 * percent)
    tiny.event(ALL_GATHER, 0, 10 * percent, stream="1")
    tiny.window(0, 1000 - 10 * percent)


def exposed_collectives(tiny, percent):
    busy(tiny, 0, 1000 - 10 * percent)
    tiny.event(ALL_GATHER, 1000 - 10 * percent, 1000)
    tiny.window(0, 1000)


def copy_heavy(tiny, percent):
    busy(tiny, 0, 1000 - 10 * percent)
    tiny.event(COPY, 1000 - 10 * percent, 1000)
    tiny.window(0, 1000)


def stalled(tiny, percent):
    busy(tiny, 0, 1000 - 10 * percent)
    tiny.event(SYNC, 1000 - 10 * percent, 990)
    tiny.window(0, 1000)


def hot_op(tiny, percent):
    tiny.event(ADD, 0, 10 * percent)
    busy(tiny, 10 * percent, 1000)
    tiny.window(0, 1000)


def gap_before_op(tiny, percent):
    busy(tiny, 0, 500)
    tiny.event(ADD, 500 + 10 * percent, 600)
    busy(tiny, 600, 1000)
    tiny.window(0, 1000)


def recompute_heavy(tiny, percent):
    tiny.event(AGAIN, 0, 10 * percent)
    busy(tiny, 10 * percent, 1000)
    tiny.window(0, 1000)


def step_jitter(tiny, percent):
    """Six counted steps of 100, the last two longer; P90 is at 0.9 * 5 = 4.5, between those two."""
    busy(tiny, 0, 1000)
    tiny.window(0, 1000)
    at = 0
    for number, duration in enumerate([100, 100, 100, 100, percent, percent, 1], start=5):
        tiny.step(number, at, at + duration)
        at += duration


def memory_bound_ops(tiny, percent):
    """Ops of 1 flop and 1 byte a picosecond where the device can do 100 flops and 1 byte: bound by memory."""
    tiny.op(
        7,
        opcode="add",
        name="add.2",
        flops=10 * percent,
        bytes_accessed=10 * percent,
        attribution_source="event",
    )
    tiny.event(7, 0, 10 * percent)
    busy(tiny, 10 * percent, 1000)
    tiny.window(0, 1000)
    tiny.devices.clear()
    peaks = {"peak_flops_per_s": 100 * 10**12, "peak_hbm_bytes_per_s": 10**12}
    tiny.insert("devices", host="h", device="TPU:0", core_kind="tensorcore", op_count=11, **peaks)


def host_bound(tiny, percent):
    """The device does nothing while the thread with the step markers parses."""
    busy(tiny, 0, 1000 - 10 * percent)
    tiny.event(ADD, 999, 1000)
    tiny.window(0, 1000)
    tiny.step(0, 0, 1000, name="train", source="host")
    events = [
        ("train", 0, 1000),
        ("parse", 1000 - 10 * percent, 1000 - 5 * percent),
        ("read", 1000 - 5 * percent, 999),
    ]
    for name, start, end in events:
        row = {"host": "h", "thread": "python", "name": name, "step_num": 0}
        tiny.insert("host_events", **row, start_ps=start, duration_ps=end - start, self_ps=end - start)


FIRES: list[tuple[Callable, int, int, str]] = [
    (
        communication_heavy,
        30,
        29,
        "communication is 30.0 % of the op self time of the capture; its hottest op is all-gather.1",
    ),
    (
        exposed_collectives,
        10,
        9,
        "for 10.0 % of the capture communication runs and no compute does; most of it in all-gather",
    ),
    (copy_heavy, 20, 19, "for 20.0 % of the capture devices only move data; the hottest copy is copy.1"),
    (stalled, 20, 19, "devices are idle or synchronise for 20.0 % of the capture"),
    (host_bound, 11, 9, "devices wait for the host for 10.9 % of the capture; it is busiest in parse"),
    (hot_op, 25, 24, "add.1 alone is 25.0 % of the op self time of the capture"),
    (gap_before_op, 5, 4, "devices stand idle right before add.1 for 5.0 % of the capture"),
    (
        recompute_heavy,
        20,
        19,
        "computing activations again takes 20.0 % of the op self time of the capture; "
        "most of it in net/layer",
    ),
    (step_jitter, 120, 119, "the 90th percentile of the step time is 120.0 % of the median"),
    (
        memory_bound_ops,
        30,
        29,
        "ops bound by memory are 30.0 % of the op self time of the capture; the hottest is add.2",
    ),
]


def found(tiny):
    tiny.rolled_up()
    return {
        row[0]: row[1:] for row in tiny.rows("SELECT finding, value, threshold, evidence FROM findings")[1:]
    }


@pytest.mark.parametrize(("plant", "enough", "too_little", "evidence"), FIRES)
def test_a_finding_fires_at_its_threshold(tiny, plant, enough, too_little, evidence):
    ops(tiny)
    plant(tiny, enough)
    value, threshold, said = found(tiny)[plant.__name__]
    assert value == pytest.approx(enough / 100, abs=0.002)
    assert threshold == pytest.approx(enough / 100, abs=0.011)
    assert said == evidence


@pytest.mark.parametrize(("plant", "enough", "too_little", "evidence"), FIRES)
def test_a_near_miss_does_not(tiny, plant, enough, too_little, evidence):
    ops(tiny)
    plant(tiny, too_little)
    assert plant.__name__ not in found(tiny)


def test_nothing_dominant_is_said_so(tiny):
    ops(tiny)
    busy(tiny, 0, 1000)
    tiny.window(0, 1000, device_count=1)
    assert found(tiny) == {
        "no_dominant_bottleneck": (
            None,
            None,
            "no single dominant bottleneck: every share stays below its threshold",
        )
    }


def test_a_poor_capture_comes_first_and_is_no_cause(tiny):
    ops(tiny)
    busy(tiny, 0, 1000)
    tiny.window(0, 1000, device_count=1)
    tiny.insert("quality_events", check_name="dropped_events", text="lost 5", host="h")
    tiny.rolled_up()
    assert tiny.rows("SELECT rank, finding, evidence FROM findings")[1:] == [
        (
            1,
            "poor_capture",
            "the capture is not fit for conclusions: the profiler dropped events, totals are too low: lost 5",
        ),
        (2, "no_dominant_bottleneck", "no single dominant bottleneck: every share stays below its threshold"),
    ]


def test_a_capture_with_a_warning_is_not_poor(tiny):
    ops(tiny)
    busy(tiny, 0, 1000)
    tiny.window(0, 1000, device_count=1)
    tiny.insert("quality_events", check_name="producer_warning", text="hot", host="h")
    assert list(found(tiny)) == ["no_dominant_bottleneck"]


def test_a_capture_without_device_ops_has_no_bottleneck_to_name(tiny):
    tiny.insert("runs", device_count=0)
    assert list(found(tiny)) == ["poor_capture"]


def test_the_costliest_comes_first(tiny):
    ops(tiny)
    busy(tiny, 0, 300)
    tiny.event(ALL_GATHER, 300, 700)
    tiny.window(0, 1000, device_count=1)
    tiny.rolled_up()
    # 400 of 700 self time communicates; 400 of 1000 exposed; 300 of 1000 idle
    assert [row[0] for row in tiny.rows("SELECT finding FROM findings")[1:]] == [
        "communication_heavy",
        "exposed_collectives",
        "stalled",
    ]


def test_shares_of_steps_say_so(tiny):
    ops(tiny)
    busy(tiny, 0, 700)
    tiny.step(5, 0, 1000)
    tiny.step(6, 1000, 1001)
    tiny.window(0, 2000, device_count=1)
    assert found(tiny)["stalled"][2] == "devices are idle or synchronise for 30.0 % of the steady steps"


def test_half_of_a_transfer_is_no_hot_op(tiny):
    """It waits for the transfer: a finding on its kernel would send its reader the wrong way."""
    ops(tiny)
    tiny.op(8, opcode="copy-done", name="copy-done.2", attribution_source="none")
    tiny.event(8, 0, 900, pair_id=0)
    busy(tiny, 900, 1000)
    tiny.window(0, 1000, device_count=1)
    assert list(found(tiny)) == ["copy_heavy"]


def test_jitter_needs_steps(tiny):
    busy_steps = [100, 130, 130, 130, 1]  # four count
    ops(tiny)
    busy(tiny, 0, 491)
    tiny.window(0, 491)
    at = 0
    for number, duration in enumerate(busy_steps, start=5):
        tiny.step(number, at, at + duration)
        at += duration
    assert "step_jitter" not in found(tiny)


def test_set_moves_a_threshold(tiny):
    ops(tiny)
    hot_op(tiny, 24)
    tiny.con.execute("UPDATE thresholds SET value = 0.2 WHERE name = 'finding_hot_op'")
    assert found(tiny)["hot_op"][:2] == (pytest.approx(0.24), 0.2)
