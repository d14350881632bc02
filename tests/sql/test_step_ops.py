"""The views counted_steps, step_class_breakdown and step_ops over tiny runs; times are picoseconds."""

import pytest
from sql_runs import add_ops, add_run

DOT, ADD, ALL_REDUCE = 1, 2, 3
OPS = [
    {"name": "dot", "opcode": "dot", "scope": "jit(f)/jvp(a)/dot_general"},
    {"name": "add", "opcode": "add", "scope": "jit(f)/jvp(a)/b/add"},
    {"name": "all-reduce", "opcode": "all-reduce"},
]


def test_times_per_step_add_up_to_the_last_picosecond(tiny):
    add_ops(tiny, "r", OPS)
    add_run(
        tiny,
        "r",
        {DOT: 4, ADD: 2, ALL_REDUCE: 1},
        {DOT: 4, ADD: 2, ALL_REDUCE: 1},
        {DOT: 5, ADD: 3, ALL_REDUCE: 2},
    )
    tiny.rolled_up()
    # Over 3 steps 13, 7 and 4. Running totals 13, 20, 24 per step: 4 1/3, 6 2/3, 8, rounded 4, 7, 8.
    # Rounded one by one they would be 4, 2 and 1, which is 7 and not 8.
    assert tiny.rows("SELECT op_id, executions, self_ps FROM step_ops ORDER BY op_id")[1:] == [
        (DOT, 1.0, 4),
        (ADD, 1.0, 3),
        (ALL_REDUCE, 1.0, 1),
    ]
    columns = "step_class, share_basis, step_count, window_count, window_ps"
    selfs = "compute_only_ps, comm_exposed_ps, idle_ps, compute_self_ps, communication_self_ps, op_self_ps"
    # compute 20 and exposed communication 4 of 300: 6 2/3 -> 7, 24/3 - 7 = 1, and the rest of 100
    assert tiny.rows(f"SELECT {columns}, {selfs} FROM step_class_breakdown")[1:] == [
        ("all", "steady steps", 3, 3, 100, 7, 1, 92, 7, 1, 8)
    ]


def test_without_steps_the_whole_capture_of_a_device_is_one_window(tiny):
    add_ops(tiny, "r", OPS)
    tiny.window(0, 50, run="r")
    for device in ("GPU:0", "GPU:1"):
        tiny.event(DOT, 0, 10, run="r", device=device)
        tiny.event(DOT, 10, 15, run="r", device=device)
    tiny.event(ADD, 20, 23, run="r", device="GPU:1")
    tiny.rolled_up()
    # on two devices: dot 4 times, 30 in all; add once, 3: running 15, 16 1/2 -> 17
    assert tiny.rows("SELECT step_class, op_id, executions, self_ps FROM step_ops ORDER BY op_id")[1:] == [
        ("all", DOT, 2.0, 15),
        ("all", ADD, 0.5, 2),
    ]
    columns = "step_class, share_basis, step_count, window_count, window_ps, op_self_ps"
    assert tiny.rows(f"SELECT {columns} FROM step_class_breakdown")[1:] == [("all", "capture", 0, 2, 50, 17)]


def test_light_and_heavy_steps_have_rows_of_their_own(tiny):
    add_ops(tiny, "r", OPS)
    busy = (4, 6, 30, 5, 32)
    add_run(tiny, "r", *[{DOT: self_ps} for self_ps in busy], window=[10, 10, 40, 10, 40])
    tiny.rolled_up()
    # light 5, 6, 8: 15 / 3; heavy 7, 9: 62 / 2; all: 77 / 5 = 15.4
    assert tiny.rows("SELECT step_class, self_ps FROM step_ops ORDER BY step_class")[1:] == [
        ("all", 15),
        ("heavy", 31),
        ("light", 5),
    ]
    steps = tiny.rows(
        "SELECT step_class, list(step_num ORDER BY step_num) FROM counted_steps GROUP BY 1 ORDER BY 1"
    )
    assert steps[1:] == [("all", [5, 6, 7, 8, 9]), ("heavy", [7, 9]), ("light", [5, 6, 8])]


@pytest.mark.parametrize("name", ["cpu_capture", "tpu_v6e_4chip_inference", "gpu_mi300x_jax08_conv"])
def test_ops_of_a_real_run_add_up_to_the_self_time_of_its_steps(ingested, name):
    run = ingested(name)
    whole = "SELECT step_class, op_self_ps FROM step_class_breakdown WHERE run = $run ORDER BY 1"
    ops = "SELECT step_class, sum(self_ps) FROM step_ops WHERE run = $run GROUP BY 1 ORDER BY 1"
    assert run.rows(ops) == run.rows(whole) != []
    parts = "compute_only_ps + overlapped_ps + comm_exposed_ps + copy_ps + sync_ps + control_ps + idle_ps"
    assert run.rows(f"SELECT run FROM step_class_breakdown WHERE run = $run AND {parts} <> window_ps") == []
