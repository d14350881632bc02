"""The view gap_regions over tiny runs; times are picoseconds."""


def test_gaps_by_region_and_what_came_before_them(tiny):
    scopes = {"a": "attention/dot_general", "b": "mlp/dot_general", "c": "mlp/add"}
    for op_id, (name, scope) in enumerate(scopes.items(), start=1):
        tiny.op(op_id, name=f"{name}.7", canonical_name=name, opcode="dot", scope=f"jit(f)/{scope}")
    tiny.op(4, name="b.8", canonical_name="b", opcode="dot", scope="jit(f)/mlp/dot_general")
    tiny.op(5, name="tuple.1", canonical_name="tuple", opcode="tuple")
    tiny.op(6, name="k", canonical_name="k", opcode="dot")
    # before b in mlp: 10 after a, 3 + 4 after c (a tuple between them), 6 after k; before k: 5 after b
    executions = [
        (1, 0, 10), (2, 20, 30), (3, 30, 40), (5, 43, 44), (4, 48, 50), (6, 55, 60), (2, 66, 70), (3, 70, 80),
    ]  # fmt: skip
    for op_id, start, end in executions:
        tiny.event(op_id, start, end, step_num=1 if start < 20 else 2)
    tiny.window(0, 100)
    tiny.rolled_up()
    assert tiny.rows("SELECT * EXCLUDE (run) FROM gap_regions ORDER BY total_ps DESC") == [
        (
            *("canonical_name", "region", "op_count", "count", "total_ps", "average_ps", "max_ps"),
            *("between_steps_ps", "gap_share", "idle_ps", "idle_share", "previous_name", "previous_region"),
        ),
        ("b", "mlp", 2, 3, 23, 8, 10, 10, 0.23, 23, 0.23, "a", "attention"),
        ("k", None, 1, 1, 5, 5, 5, 0, 0.05, 5, 0.05, "b", "mlp"),
    ]


def test_nothing_came_before_the_gap_behind_a_leading_marker(tiny):
    tiny.op(1, opcode="iota", canonical_name="iota")
    tiny.op(2, opcode="dot", canonical_name="dot")
    tiny.event(1, 0, 1)
    tiny.event(2, 4, 9)
    tiny.window(0, 9)
    tiny.rolled_up()
    columns = "canonical_name, total_ps, previous_name, previous_region"
    assert tiny.rows(f"SELECT {columns} FROM gap_regions")[1:] == [("dot", 3, None, None)]


def test_both_views_have_the_same_gaps(ingested):
    run = ingested("cpu_capture")
    both = "SELECT sum(count)::BIGINT, sum(total_ps)::BIGINT, sum(idle_ps)::BIGINT FROM {} WHERE run = $run"
    assert run.rows(both.format("gap_regions")) == run.rows(both.format("pre_op_gaps"))
