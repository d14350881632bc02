"""The compare views over two tiny runs, `b` before and `a` after; times are picoseconds."""

import pytest
from sql_runs import add_ops, add_run

PAIR = "before = 'b' AND after = 'a'"
DOT = {"name": "sm90_xmma_gemm", "opcode": "dot", "hlo_op": "dot.5", "scope": "jit(f)/jvp(mlp)/dot_general"}
ADD = {"name": "add_kernel", "opcode": "add", "hlo_op": "add.6", "scope": "jit(f)/jvp(mlp)/up/add"}
REDUCE = {"name": "reduce", "opcode": "all-reduce", "hlo_op": "all-reduce.7"}
COPY = {"name": "copy", "opcode": "copy", "hlo_op": "copy.8"}


def compared(tiny, view, columns, order):
    """Rows of a compare view for the pair, without its header."""
    return tiny.rows(f"SELECT {columns} FROM compare_{view} WHERE {PAIR} ORDER BY {order}")[1:]


@pytest.fixture
def pair(tiny):
    """Three steps of 100 before, two of 120 after; the dot has another kernel, a copy came for the reduce.

    Per step before: dot 20, add 10, all-reduce 6; after: dot 31, add 8, copy 3.
    """
    add_ops(tiny, "b", [DOT, ADD, REDUCE])
    add_run(tiny, "b", {1: 20, 2: 10, 3: 6}, {1: 19, 2: 11, 3: 6}, {1: 21, 2: 9, 3: 6})
    add_ops(tiny, "a", [DOT | {"name": "nvjet_tss"}, ADD, COPY])
    # other programs: no op has the id that it had before
    for op_id, new in ((1, 11), (2, 12), (3, 13)):
        tiny.con.execute("UPDATE ops SET op_id = ? WHERE run = 'a' AND op_id = ?", [new, op_id])
    add_run(tiny, "a", {11: 30, 12: 8, 13: 3}, {11: 32, 12: 8, 13: 3}, window=120)
    tiny.rolled_up()
    return tiny


def test_steps_compare_per_step_whatever_the_length_of_the_capture(pair):
    columns = (
        "step_class, measure, before_step_count, after_step_count, before_ps, after_ps, delta_ps, delta_pct"
    )
    assert compared(pair, "steps", columns, "before_ps DESC, measure") == [
        ("all", "max", 3, 2, 100, 120, 20, 20.0),
        ("all", "mean", 3, 2, 100, 120, 20, 20.0),
        ("all", "median", 3, 2, 100, 120, 20, 20.0),
        ("all", "min", 3, 2, 100, 120, 20, 20.0),
        ("all", "p90", 3, 2, 100, 120, 20, 20.0),
        ("all", "window", 3, 2, 100, 120, 20, 20.0),
        ("all", "op_self", 3, 2, 36, 42, 6, pytest.approx(100 / 6)),
        ("all", "communication_self", 3, 2, 6, 0, -6, -100.0),
    ]


def test_parts_add_up_to_the_step(pair):
    columns = "part, before_ps, after_ps, delta_ps, delta_pct, impact_pct"
    assert compared(pair, "breakdown", columns, "abs(delta_ps) DESC, part") == [
        ("idle", 64, 78, 14, 21.875, 14.0),
        ("compute_only", 30, 39, 9, 30.0, 9.0),
        ("comm_exposed", 6, 0, -6, -100.0, -6.0),
        ("copy", 0, 3, 3, None, 3.0),
        ("control", 0, 0, 0, None, 0.0),
        ("overlapped", 0, 0, 0, None, 0.0),
        ("sync", 0, 0, 0, None, 0.0),
    ]  # 14 + 9 - 6 + 3 = 20, the delta of the window


def test_ops_pair_by_hlo_op_and_region_where_kernels_have_other_names(pair):
    columns = "name, before_name, presence, matched_by, phase, region, before_ps, after_ps, delta_ps"
    assert compared(pair, "ops", columns, "delta_ps DESC, name") == [
        ("nvjet_tss", "sm90_xmma_gemm", "renamed", "hlo_op", "forward", "mlp", 20, 31, 11),
        ("copy", None, "added", None, None, None, 0, 3, 3),
        ("add_kernel", "add_kernel", "both", "name", "forward", "mlp/up", 10, 8, -2),
        ("reduce", "reduce", "removed", None, None, None, 6, 0, -6),
    ]
    columns = "before_executions, after_executions, delta_pct, impact_pct"
    assert compared(pair, "ops", columns, "delta_ps DESC, name") == [
        (1, 1, pytest.approx(55), pytest.approx(1100 / 36)),
        (0, 1, None, pytest.approx(300 / 36)),
        (1, 1, pytest.approx(-20), pytest.approx(-200 / 36)),
        (1, 0, pytest.approx(-100), pytest.approx(-600 / 36)),
    ]


def test_a_region_s_inclusive_delta_is_its_own_and_those_of_the_regions_below(pair):
    columns = "region, parent, depth, presence, before_ps, after_ps, delta_ps"
    inclusive = "before_inclusive_ps, after_inclusive_ps, inclusive_delta_ps"
    assert compared(pair, "regions", f"{columns}, {inclusive}", "depth NULLS LAST") == [
        ("", None, 0, "both", 0, 0, 0, 30, 39, 9),
        ("mlp", "", 1, "both", 20, 31, 11, 30, 39, 9),
        ("mlp/up", "mlp", 2, "both", 10, 8, -2, 10, 8, -2),
        (None, None, None, "both", 6, 3, -3, 6, 3, -3),
    ]


def test_phases_families_and_collectives(pair):
    columns = "presence, before_op_count, after_op_count, before_ps, after_ps, delta_ps"
    assert compared(pair, "phases", f"phase, {columns}", "phase") == [
        ("forward", "both", 2, 2, 30, 39, 9),
        (None, "both", 1, 1, 6, 3, -3),
    ]
    assert compared(pair, "families", f"family, {columns}", "family") == [
        ("collective", "removed", 1, 0, 6, 0, -6),
        ("copy", "added", 0, 1, 0, 3, 3),
        ("elementwise", "both", 1, 1, 10, 8, -2),
        ("matmul", "both", 1, 1, 20, 31, 11),
    ]
    columns = "collective, presence, before_executions, after_executions, before_ps, after_ps, delta_ps"
    # exposed before: 3 times 6 of a capture of 3 steps of 100 and one of 5
    shares = "before_exposed_share, after_exposed_share"
    assert compared(pair, "collectives", f"{columns}, {shares}", "collective") == [
        ("all-reduce", "removed", 1, 0, 6, 0, -6, 18 / 305, None)
    ]


LEVELS = {
    "op_self": ("phases", "families", "regions", "ops"),
    "window": ("breakdown",),
    "communication_self": ("collectives",),
}


@pytest.mark.parametrize(("measure", "view"), [(m, view) for m, views in LEVELS.items() for view in views])
def test_contributions_add_up_exactly_for_every_pair(pair, measure, view):
    assert not_adding_up(pair.con.execute, measure, view) == []


def not_adding_up(execute, measure, view):
    """Pairs of runs and classes where the rows of a view are not what compare_steps says."""
    sums = ", ".join(f"coalesce(sum(v.{c}), 0)" for c in ("before_ps", "after_ps", "delta_ps"))
    return execute(
        f"SELECT s.before, s.after, s.step_class, s.delta_ps FROM compare_steps s LEFT JOIN compare_{view} v "
        "ON v.before = s.before AND v.after = s.after AND v.step_class = s.step_class "
        f"WHERE s.measure = '{measure}' "
        "GROUP BY s.before, s.after, s.step_class, s.before_ps, s.after_ps, s.delta_ps "
        f"HAVING ({sums}) <> (s.before_ps, s.after_ps, s.delta_ps)"
    ).fetchall()


def test_ops_add_up_to_their_region_and_phase(pair):
    for level, column in (("regions", "region"), ("phases", "phase")):
        joined = f"v.{column} IS NOT DISTINCT FROM o.{column}"
        assert (
            pair.con.execute(
                f"SELECT o.{column}, sum(o.delta_ps), v.delta_ps FROM compare_ops o JOIN compare_{level} v "
                f"ON v.before = o.before AND v.after = o.after AND v.step_class = o.step_class AND {joined} "
                f"GROUP BY o.before, o.after, o.{column}, v.delta_ps HAVING sum(o.delta_ps) <> v.delta_ps"
            ).fetchall()
            == []
        )


def test_a_run_compares_with_itself_as_the_same(pair):
    assert pair.rows("SELECT DISTINCT delta_ps FROM compare_ops WHERE before = after")[1:] == [(0,)]
    assert pair.rows("SELECT DISTINCT matched_by, presence FROM compare_ops WHERE before = after")[1:] == [
        ("op_id", "both")
    ]


def test_ops_of_an_hlo_op_with_another_number_pair_by_shape_and_the_rest_by_family(tiny):
    scope = {"scope": "jit(f)/jvp(mlp)/add", "opcode": "fusion"}
    fusions = [
        {"name": f"fusion.{n}", "canonical_name": "fusion", "hlo_op": f"fusion.{n}", "shape": shape} | scope
        for n, shape in ((2, "f32[8]"), (10, "f32[8]"), (30, "f32[4]"))
    ]
    add_ops(tiny, "b", [*fusions, {"name": "softmax", "opcode": "exponential", "scope": "jit(f)/jvp(a)/exp"}])
    add_run(tiny, "b", {1: 1, 2: 2, 3: 4, 4: 8})
    renumbered = [dict(op) for op in fusions]
    for op, n in zip(renumbered, (3, 11, 30), strict=True):
        op |= {"name": f"fusion.{n}", "hlo_op": f"fusion.{n}"}
    new = {"name": "fast_softmax", "opcode": "tanh", "scope": "jit(f)/jvp(a)/tanh"}
    add_ops(tiny, "a", [*renumbered, new])
    tiny.con.execute("UPDATE ops SET op_id = op_id + 10 WHERE run = 'a'")
    add_run(tiny, "a", {11: 1, 12: 2, 13: 4, 14: 9})
    tiny.rolled_up()
    # in the order of their numbers, so 2 before 10
    assert compared(tiny, "ops", "before_op_id, after_op_id, matched_by, presence, delta_ps", "1") == [
        (1, 11, "shape", "both", 0),
        (2, 12, "shape", "both", 0),
        (3, 13, "name", "both", 0),
        (4, 14, "family", "renamed", 1),
    ]


def test_kernels_without_an_hlo_op_never_pair_across_regions(tiny):
    add_ops(
        tiny, "b", [{"name": "k", "scope": "jit(f)/jvp(x)/add"}, {"name": "k", "scope": "jit(f)/jvp(y)/add"}]
    )
    add_ops(
        tiny, "a", [{"name": "k", "scope": "jit(f)/jvp(z)/add"}, {"name": "k", "scope": "jit(f)/jvp(y)/add"}]
    )
    tiny.con.execute("UPDATE ops SET op_id = op_id + 10 WHERE run = 'a'")
    add_run(tiny, "b", {1: 1, 2: 2})
    add_run(tiny, "a", {11: 1, 12: 2})
    tiny.rolled_up()
    assert compared(tiny, "ops", "before_op_id, after_op_id, presence", "1, 2") == [
        (1, None, "removed"),
        (2, 12, "both"),
        (None, 11, "added"),
    ]


def test_classes_compare_where_both_runs_have_them(tiny):
    for run, heavy in (("b", 40), ("a", 50), ("one kind", 10)):
        add_ops(tiny, run, [DOT])
        windows = [10, 10, heavy, 10, heavy]
        add_run(tiny, run, *[{1: window // 2} for window in windows], window=windows)
    tiny.rolled_up()
    assert compared(tiny, "pairs", "step_class, before_step_count", "1") == [
        ("all", 5),
        ("heavy", 2),
        ("light", 3),
    ]
    columns = "step_class, before_ps, after_ps"
    assert compared(tiny, "ops", columns, "1") == [("all", 11, 13), ("heavy", 20, 25), ("light", 5, 5)]
    other = "SELECT step_class FROM compare_pairs WHERE before = 'b' AND after = 'one kind'"
    assert tiny.rows(other)[1:] == [("all",)]


def test_steps_do_not_compare_with_a_capture_that_has_none(tiny):
    for run in "ba":
        add_ops(tiny, run, [DOT])
        add_run(tiny, run, {1: 10})
    tiny.con.execute("DELETE FROM steps WHERE run = 'a'")
    tiny.rolled_up()
    assert compared(tiny, "pairs", "step_class", "1") == compared(tiny, "ops", "name", "1") == []
    assert compared(tiny, "context", "before_value, after_value, problem", "key = 'share_basis' DESC")[0] == (
        "steady steps", "capture", "unlike",
    )  # fmt: skip


def test_context_tells_what_differs_and_what_makes_the_pair_unlike(tiny):
    add_ops(tiny, "b", [DOT])
    add_ops(tiny, "a", [DOT])
    flags, tags = (
        ({"flag.XLA_FLAGS": "--x", "capture.attempt": run} for run in "ba"),
        ({"team": x} for x in "xy"),
    )
    for run, sha, chip, flag, tag in zip("ba", "12", ("H100", "H200"), flags, tags, strict=True):
        add_run(tiny, run, {1: 10}, content_sha256=sha, device_kind=chip, facts=flag, tags=tag, git_sha=sha)
    tiny.insert("quality_events", run="b", host="h", check_name="cut_file", subject="x", text="at byte 7")
    tiny.rolled_up()
    columns = "key, before_value, after_value, is_same, problem"
    found = compared(tiny, "context", columns, "problem NULLS LAST, is_same, key")
    assert [row for row in found if (row[4] or not row[3]) and row[0] != "quality"] == [
        ("incomplete", "cut_file", None, False, "incomplete"),
        ("device_kind", "H100", "H200", False, "unlike"),
        ("content_sha256", "1", "2", False, None),
        ("git_sha", "1", "2", False, None),
        ("tag.team", "x", "y", False, None),
    ]
    assert ("flag.XLA_FLAGS", "--x", "--x", True, None) in found
    assert "mesh" not in {row[0] for row in found}  # neither tells it
    same = tiny.rows(
        "SELECT key FROM compare_context WHERE before = 'b' AND after = 'b' AND problem = 'identical'"
    )
    assert same[1:] == [("content_sha256",)]


@pytest.mark.parametrize("name", ["cpu_capture", "tpu_v6e_4chip_inference", "gpu_mi300x_jax08_conv"])
def test_a_real_run_has_no_delta_with_itself(ingested, name):
    run = ingested(name)
    itself = "FROM compare_{} WHERE before = $run AND after = $run AND delta_ps <> 0"
    for view in ("steps", "breakdown", "phases", "families", "regions", "collectives", "ops"):
        assert run.rows(f"SELECT before {itself.format(view)}") == []
    assert run.rows(
        "SELECT count(*) > 0, bool_and(matched_by = 'op_id') FROM compare_ops WHERE before = $run"
    ) == [(True, True)]
