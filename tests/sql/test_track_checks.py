"""The view track_checks over tiny runs: rules alone; times are picoseconds."""

import pytest
from sql_runs import add_ops, add_run

DOT = {"name": "dot", "opcode": "dot"}
REDUCE = {"name": "all-reduce", "opcode": "all-reduce"}


def checks(tiny, columns, order="metric, step_class"):
    return tiny.rows(
        f"SELECT {columns} FROM track_checks WHERE before = 'b' AND after = 'a' ORDER BY {order}"
    )[1:]


def two_runs(tiny, before, after, **facts):
    """Five steps each; `before` and `after` are the length of a step, its dot and its all-reduce."""
    for run, (window, dot, reduce) in (("b", before), ("a", after)):
        add_ops(tiny, run, [DOT, REDUCE])
        add_run(
            tiny, run, *[{1: dot, 2: reduce}] * 5, window=window, content_sha256=run, **facts.get(run, {})
        )
    tiny.rolled_up()


@pytest.mark.parametrize(
    ("after", "delta", "change", "verdict"),
    [
        (1040, 0.04, "same", "pass"),
        (1050, 0.05, "worse", "fail"),  # the threshold itself is one
        (950, -0.05, "better", "pass"),
        (1000, 0.0, "same", "pass"),
    ],
)
def test_a_median_fails_from_its_threshold_on(tiny, after, delta, change, verdict):
    two_runs(tiny, (1000, 100, 0), (after, 100, 0))
    columns = "before_value, after_value, delta, threshold, change, verdict, reason"
    assert checks(tiny, f"metric, {columns}")[2:] == [
        ("step_median", 1000.0, after, delta, 0.05, change, verdict, None),
        ("step_p90", 1000.0, after, delta, 0.1, "same", "pass", None),
    ]


def test_shares_warn_by_points(tiny):
    # before: communication 20 of 100 and stall 900 of 1000; after: 26 of 104 and 896 of 1000
    two_runs(tiny, (1000, 80, 20), (1000, 78, 26))
    columns = "metric, before_value, after_value, delta, threshold, change, verdict"
    assert checks(tiny, columns)[:2] == [
        ("communication_share", 0.2, 0.25, 0.05, 0.05, "worse", "warn"),
        ("stall_share", 0.9, 0.896, -0.004, 0.05, "same", "pass"),
    ]


def test_the_90th_percentile_is_judged_by_itself(tiny):
    for run, slow in (("b", 100), ("a", 130)):
        add_ops(tiny, run, [DOT])
        add_run(tiny, run, *[{1: 10}] * 11, window=[100] * 9 + [slow] * 2)
    tiny.rolled_up()
    # of 11 steps the tenth is the 90th percentile
    columns = "metric, before_value, after_value, verdict"
    assert checks(tiny, columns)[2:] == [
        ("step_median", 100.0, 100.0, "pass"),
        ("step_p90", 100.0, 130.0, "fail"),
    ]


def test_too_few_steps_cannot_tell(tiny):
    for run, step in (("b", 100), ("a", 200)):
        add_ops(tiny, run, [DOT])
        add_run(tiny, run, {1: 10}, {1: 10}, window=step)
    tiny.rolled_up()
    assert checks(tiny, "metric, before_step_count, verdict, reason")[2:] == [
        ("step_median", 2, "cannot_tell", "too few steps: 2"),
        ("step_p90", 2, "cannot_tell", "too few steps: 2"),
    ]


def test_runs_without_steps_cannot_tell_a_step_time(tiny):
    for run in "ba":
        add_ops(tiny, run, [DOT])
        add_run(tiny, run, {1: 21}, window=100)
    tiny.con.execute("DELETE FROM steps")
    tiny.rolled_up()
    # 21 of the whole capture of 105
    assert checks(tiny, "metric, after_value, verdict, reason") == [
        ("communication_share", 0.0, "pass", None),
        ("stall_share", 0.8, "pass", None),
        ("step_median", None, "cannot_tell", "too few steps: 0"),
        ("step_p90", None, "cannot_tell", "too few steps: 0"),
    ]


def test_an_unlike_pair_cannot_tell(tiny):
    two_runs(tiny, (1000, 100, 0), (2000, 100, 0), b={"device_kind": "H100"}, a={"device_kind": "H200"})
    assert set(checks(tiny, "verdict, reason")) == {("cannot_tell", "unlike: device_kind")}


def test_classes_are_judged_apart_where_both_runs_have_them(tiny):
    for run, heavy in (("b", 400), ("a", 500)):
        add_ops(tiny, run, [DOT])
        add_run(tiny, run, *[{1: 10}] * 12, window=[100, heavy, 100] * 4)
    tiny.rolled_up()
    # the median of all steps has not moved
    columns = "metric, step_class, before_step_count, delta, verdict"
    assert checks(tiny, columns)[2:4] == [
        ("step_median", "heavy", 4, 0.25, "fail"),
        ("step_median", "light", 8, 0.0, "pass"),
    ]
