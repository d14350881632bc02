"""The view hot_ops over tiny runs; times are picoseconds."""


def test_ops_are_ranked_by_self_time_over_all_devices(tiny):
    facts = {"hlo_op": "dot.1", "module": "jit_step", "opcode": "dot", "shape": "f32[8]", "name": "k"}
    tiny.op(
        1,
        **facts,
        scope="jit(step)/jvp(layer0)/dot_general",
        source_file="train.py",
        source_line=12,
        attribution_source="event",
    )
    tiny.op(2, name="ncclDevKernel_AllReduce")
    tiny.op(3, name="MemcpyD2H", source_file="a.py")
    tiny.window(0, 100)
    tiny.event(1, 0, 11, device="GPU:0")
    tiny.event(1, 0, 20, device="GPU:1", self_ps=15)
    tiny.event(2, 20, 60, device="GPU:1")
    tiny.event(3, 0, 50, is_async=True, self_ps=0, device="GPU:0")
    tiny.rolled_up()
    columns = "rank, op_id, name, hlo_op, module, category, family, phase, region, source, shape"
    assert tiny.rows(f"SELECT {columns} FROM hot_ops ORDER BY rank") == [
        tuple(columns.split(", ")),
        (1, 2, "ncclDevKernel_AllReduce", None, None, "communication", "collective", *[None] * 4),
        (2, 1, "k", "dot.1", "jit_step", "compute", "matmul", "forward", "layer0", "train.py:12", "f32[8]"),
    ]  # fmt: skip
    assert tiny.rows("SELECT op_id, count, total_ps, self_ps, average_ps FROM hot_ops ORDER BY rank") == [
        ("op_id", "count", "total_ps", "self_ps", "average_ps"),
        (2, 1, 40, 40, 40),
        (1, 2, 31, 26, 16),
    ]
    assert tiny.rows("SELECT op_id, round(self_share, 4) AS share FROM hot_ops ORDER BY rank") == [
        ("op_id", "share"),
        (2, 0.6061),
        (1, 0.3939),
    ]


def test_flops_and_bytes_are_of_all_executions_and_of_no_loop(tiny):
    tiny.op(1, opcode="dot", name="dot.1", flops=7, bytes_accessed=3)
    tiny.op(2, opcode="while", name="while.1", flops=14, bytes_accessed=6)
    tiny.op(3, opcode="add", name="add.1")
    tiny.window(0, 50)
    tiny.event(2, 0, 40, self_ps=20, is_leaf=False)
    tiny.event(1, 0, 10, parent=2)
    tiny.event(1, 10, 20, parent=2)
    tiny.event(3, 40, 50)
    tiny.rolled_up()
    assert tiny.rows("SELECT name, total_flops, total_bytes FROM hot_ops ORDER BY name")[1:] == [
        ("add.1", None, None),
        ("dot.1", 14, 6),
        ("while.1", None, None),
    ]
    assert tiny.rows("SELECT total_flops FROM step_breakdown")[1:] == [(14,)]


def test_ops_that_took_no_time_have_no_share(tiny):
    tiny.op(1)
    tiny.window(0, 0)
    tiny.event(1, 5, 5)
    tiny.rolled_up()
    assert tiny.rows("SELECT op_id, count, total_ps, average_ps, self_share FROM hot_ops")[1:] == [
        (1, 1, 0, 0, None)
    ]
