"""time_breakdown and its rollups, device_breakdown and run_breakdown; times are picoseconds."""

import pytest

FUSION, ALL_GATHER = 1, 2


@pytest.fixture
def run(tiny):
    tiny.op(FUSION, opcode="fusion", name="fusion.1", flops=100)
    tiny.op(ALL_GATHER, opcode="all-gather", name="all-gather.1")
    return tiny


def two_steps(run):
    """Step 5 is [0, 10) and steady, step 6 is [10, 20) and the last, on two devices.

    TPU:0  ccccGGGG..cccc......     TPU:1  cccccccc..cc........
    """
    run.window(0, 20)
    for device, first, second in (("TPU:0", 4, 14), ("TPU:1", 8, 12)):
        run.step(5, 0, 10, device=device)
        run.step(6, 10, 20, device=device)
        run.event(FUSION, 0, first, device=device, step_num=5)
        run.event(FUSION, 10, second, device=device, step_num=6)
    run.event(ALL_GATHER, 4, 8, device="TPU:0", step_num=5)
    run.rolled_up()


def test_time_breakdown(run):
    two_steps(run)
    columns = (
        "device, step_num, is_steady, share_basis, window_ps, busy_ps, compute_only_ps, comm_exposed_ps, "
        "idle_ps, busy_share, compute_self_ps, communication_self_ps, total_flops"
    )
    assert run.rows(f"SELECT {columns} FROM time_breakdown") == [
        tuple(columns.split(", ")),
        ("TPU:0", 5, True, "steady steps", 10, 8, 4, 4, 2, 0.8, 4, 4, 100),
        ("TPU:0", 6, False, None, 10, 4, 4, 0, 6, 0.4, 4, 0, 100),
        ("TPU:0", None, None, None, 20, 12, 8, 4, 8, 0.6, 8, 4, 200),
        ("TPU:1", 5, True, "steady steps", 10, 8, 8, 0, 2, 0.8, 8, 0, 100),
        ("TPU:1", 6, False, None, 10, 2, 2, 0, 8, 0.2, 2, 0, 100),
        ("TPU:1", None, None, None, 20, 10, 10, 0, 10, 0.5, 10, 0, 200),
    ]


def test_rollups_are_over_the_steady_steps(run):
    two_steps(run)
    columns = "device, share_basis, step_count, window_ps, busy_ps, compute_only_ps, comm_exposed_ps, idle_ps"
    assert run.rows(f"SELECT {columns} FROM device_breakdown")[1:] == [
        ("TPU:0", "steady steps", 1, 10, 8, 4, 4, 2),
        ("TPU:1", "steady steps", 1, 10, 8, 8, 0, 2),
    ]
    assert run.rows("SELECT part, share_basis, total_ps, per_step_ps, window_share FROM run_breakdown") == [
        ("part", "share_basis", "total_ps", "per_step_ps", "window_share"),
        ("compute_only", "steady steps", 12, 6, 0.6),
        ("comm_exposed", "steady steps", 4, 2, 0.2),
        ("idle", "steady steps", 4, 2, 0.2),
        ("control", "steady steps", 0, 0, 0.0),
        ("copy", "steady steps", 0, 0, 0.0),
        ("overlapped", "steady steps", 0, 0, 0.0),
        ("sync", "steady steps", 0, 0, 0.0),
    ]


def test_without_counted_steps_the_whole_capture_is_the_basis(run):
    run.window(0, 10)
    run.step(7, 0, 10)  # the only step is the last
    run.event(FUSION, 0, 4, step_num=7)
    run.rolled_up()
    assert run.rows("SELECT step_num, share_basis FROM time_breakdown")[1:] == [(7, None), (None, "capture")]
    assert run.rows("SELECT part, share_basis, total_ps, per_step_ps FROM run_breakdown WHERE total_ps > 0")[
        1:
    ] == [
        ("idle", "capture", 6, None),
        ("compute_only", "capture", 4, None),
    ]


def test_a_sparsecore_is_beside_its_tensorcore_and_not_added_to_it(run):
    run.window(0, 10)
    run.event(FUSION, 0, 10)
    run.event(FUSION, 0, 2, device="TPU:0/SC:0")
    run.devices.clear()
    run.insert("devices", host="h", device="TPU:0", core_kind="tensorcore", op_count=1)
    run.insert("devices", host="h", device="TPU:0/SC:0", core_kind="sparsecore", op_count=1)
    run.rolled_up()
    assert run.rows("SELECT device, busy_ps FROM device_breakdown")[1:] == [("TPU:0", 10), ("TPU:0/SC:0", 2)]
    assert run.rows("SELECT part, total_ps FROM run_breakdown WHERE total_ps > 0")[1:] == [
        ("compute_only", 10)
    ]


def test_facts_of_ops_that_the_window_keeps(run):
    dot, unknown = 3, 4
    run.op(dot, opcode="dot", name="dot.1")
    run.op(unknown, opcode="fusion", name="fusion.2", flops=7, attribution_source="event")
    run.window(0, 30)
    run.event(FUSION, 0, 10, flops=50, occurrences=2)  # the event's own flops win, each occurrence counts
    run.event(dot, 10, 15)
    run.event(unknown, 15, 30)
    run.rolled_up()
    columns = "unattributed_self_ps, unknown_flops_self_ps, total_flops"
    assert run.rows(f"SELECT {columns} FROM step_breakdown")[1:] == [(15, 5, 107)]


def test_copies_that_nobody_wrote_are_not_missing_a_path(run):
    copy = 3
    run.op(copy, opcode="copy-done", name="copy-done.1")
    run.window(0, 30)
    run.event(copy, 0, 20)
    run.event(FUSION, 20, 30)
    run.rolled_up()
    assert run.rows("SELECT copy_self_ps, unattributed_self_ps FROM step_breakdown")[1:] == [(20, 10)]
