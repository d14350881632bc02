"""The views host_bound and host_bound_frames over tiny runs; one letter of a drawing is 1 ps."""

import random

import pytest

PARTS = (
    "thread, device_count, idle_ps, host_wait_ps, both_wait_ps, untraced_ps, host_wait_share, "
    "untraced_share, reason"
)
OP = 1


@pytest.fixture
def run(tiny):
    tiny.op(OP, opcode="fusion", name="fusion.1")
    return tiny


def host_event(run, name, start_ps, end_ps, *, thread="python", host="h", **more):
    span = {"start_ps": start_ps, "duration_ps": end_ps - start_ps, "self_ps": end_ps - start_ps}
    run.insert("host_events", host=host, thread=thread, name=name, **span | more)


def bound(run):
    run.rolled_up()
    return run.rows(f"SELECT {PARTS} FROM host_bound")


def frames(run):
    return run.rows("SELECT rank, name, host_wait_ps, host_wait_share FROM host_bound_frames")


def test_idle_time_belongs_to_what_the_feeding_thread_does_meanwhile(run):
    # GPU:0   ..oooo....oooooo....     GPU:1   ....................  but for its last 4
    # python  tttttttttttttttt....     train
    # inside  LLLLwww.pppp........     LLLL launches, inside them .c.., www waits, inside them ..x
    run.window(0, 20)
    run.event(OP, 2, 6, device="GPU:0")
    run.event(OP, 10, 16, device="GPU:0")
    run.event(OP, 16, 20, device="GPU:1")
    run.step(0, 0, 16, name="train", source="host")
    host_event(run, "train", 0, 16, step_num=0)
    host_event(run, "PjitFunction(f)", 0, 4, step_num=0)
    host_event(run, "collect", 1, 2, step_num=0)
    host_event(run, "Wait for donation holds", 4, 7, step_num=0)
    host_event(run, "callback", 6, 7, step_num=0)
    host_event(run, "parse", 8, 12, step_num=0)
    host_event(run, "PjitFunction(busy)", 0, 20, thread="other")
    # Idle devices at each instant: 2211 112 2 2211 1111 1111. Launches 2 + 1 + 1, collect 2, waits 1 + 1 + 2,
    # nothing 2, parse 2 + 2 + 1 + 1, nothing 4 and 4.
    assert bound(run) == [
        tuple(PARTS.split(", ")),
        ("python", 2, 26, 12, 4, 10, 0.3, 0.25, None),
    ]
    # It works at 0 to 4 and 8 to 12; GPU:0 is idle at 0, 1, 8 and 9 of these, GPU:1 at all.
    columns = "device, step_num, idle_ps, host_wait_ps"
    assert run.rows(f"SELECT {columns} FROM time_breakdown WHERE step_num IS NULL")[1:] == [
        ("GPU:0", None, 10, 4),
        ("GPU:1", None, 16, 8),
    ]
    assert frames(run) == [
        ("rank", "name", "host_wait_ps", "host_wait_share"),
        (1, "parse", 6, 0.15),
        (2, "PjitFunction(f)", 4, 0.1),
        (3, "collect", 2, 0.05),
    ]


def test_without_markers_the_thread_that_launches_most_feeds_the_devices(run):
    run.window(0, 10)
    run.event(OP, 0, 1)
    run.event(OP, 9, 10)
    host_event(run, "load", 0, 10, thread="loader")
    host_event(run, "PjitFunction(f)", 1, 2, thread="loader")
    host_event(run, "TfrtTpuLoadedExecutable::Execute", 3, 8, thread="main")
    assert bound(run)[1:] == [("main", 1, 8, 5, 0, 3, 0.5, 0.3, None)]
    assert frames(run)[1:] == [(1, "TfrtTpuLoadedExecutable::Execute", 5, 0.5)]


def test_what_is_unknown_is_null_with_a_reason(run):
    run.window(0, 10)
    run.event(OP, 0, 4, host="left-out")
    run.event(OP, 0, 5, host="no-launch")
    host_event(run, "parse", 0, 10, host="no-launch")
    unknown = (None,) * 5
    assert bound(run)[1:] == [
        (None, 1, 6, *unknown, "host events were left out or not recorded"),
        (None, 1, 5, *unknown, "no thread carries step markers or launches that are known"),
    ]
    assert frames(run)[1:] == []


def test_a_device_that_is_never_idle_waits_for_nobody(run):
    run.window(0, 10)
    run.event(OP, 0, 10)
    host_event(run, "PjitFunction(f)", 0, 10)
    assert bound(run)[1:] == [("python", 1, 0, 0, 0, 0, 0, 0, None)]


def test_transfers_are_no_idle_time_and_sparse_cores_do_not_count(run):
    run.op(2, opcode="all-gather-start", name="all-gather-start.1")
    run.window(0, 10)
    run.event(2, 0, 1, pair_id=0)
    run.event(2, 5, 6, pair_id=0)
    run.event(OP, None, 9, occurrences=3)
    run.insert("devices", host="h", device="TPU:0/SC:0", core_kind="sparsecore", op_count=1)
    host_event(run, "PjitFunction(f)", 0, 10)
    assert bound(run)[1:] == [("python", 1, 4, 4, 0, 0, 0.4, 0, None)]


@pytest.mark.parametrize("seed", range(8))
def test_nested_events_equal_an_independent_count(run, seed):
    rng = random.Random(seed)
    names = ["PjitFunction(f)", "Wait for x", "parse", "load"]
    stacks = [[] for _ in range(60)]

    def fill(start, end, depth):
        at = start
        while (at := at + rng.randint(0, 4)) < end and depth < 4:
            # Of two events with the same span, nothing tells which is the inner one.
            stop, name = min(end - (at == start), at + rng.randint(1, 20)), rng.choice(names)
            if stop <= at:
                return
            host_event(run, name, at, stop)
            for instant in range(at, stop):
                stacks[instant].append(name)
            fill(at, stop, depth + 1)
            at = stop

    fill(0, 60, 0)
    host_event(run, "PjitFunction(f)", 60, 61)
    idle = [0] * 60
    run.window(0, 60)
    for device in ("GPU:0", "GPU:1"):
        busy = [False] * 60
        run.event(OP, 0, 1, device=device)
        run.event(OP, 59, 60, device=device)
        busy[0] = busy[59] = True
        for _ in range(5):
            start = rng.randint(1, 50)
            end = start + rng.randint(1, 8)
            run.event(OP, start, end, device=device, stream=str(start))
            busy[start:end] = [True] * (end - start)
        idle = [count + (not runs) for count, runs in zip(idle, busy, strict=True)]
    expected = {}
    for stack, count in zip(stacks, idle, strict=True):
        if not stack:
            key = (None, "untraced")
        else:
            key = (stack[-1], "waiting" if "Wait for x" in stack else "working")
        expected[key] = expected.get(key, 0) + count
    run.rolled_up()
    working = sum(count for (_, state), count in expected.items() if state == "working")
    assert run.rows("SELECT sum(host_wait_ps) FROM time_breakdown WHERE step_num IS NULL")[1:] == [(working,)]
    found = run.rows("SELECT name, state, idle_ps FROM _host_idle")[1:]
    assert {(name, state): idle_ps for name, state, idle_ps in found} == {
        k: v for k, v in expected.items() if v
    }
