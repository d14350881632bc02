"""The view step_classes over tiny runs; times are picoseconds."""

import pytest

COLUMNS = (
    "step_class, step_basis, step_count, step_share, duration_share, median_ps, p90_ps, mean_ps, "
    "min_ps, max_ps, period_step_count, representative_step_num"
)


def take_steps(tiny, durations, first=5):
    """Consecutive whole steps of these durations, and one more that is the last and does not count."""
    at = 0
    for number, duration in enumerate([*durations, 1], start=first):
        tiny.step(number, at, at + duration)
        at += duration
    tiny.rolled_up()


def test_heavy_steps_are_told_apart_with_their_period(tiny):
    # every third step is heavy: 10 12 100  10 14 120  10 10 110
    take_steps(tiny, [10, 12, 100, 10, 14, 120, 10, 10, 110])
    assert tiny.rows(f"SELECT {COLUMNS} FROM step_classes") == [
        tuple(COLUMNS.split(", ")),
        # light: 10 10 10 10 12 14, 66 in all of 396; P90 at 0.9 * 5 = 4.5 between 12 and 14
        ("light", "steady", 6, pytest.approx(6 / 9), pytest.approx(66 / 396), 10, 13, 11, 10, 14, None, 5),
        # heavy: 100 110 120; P90 at 0.9 * 2 = 1.8 between 110 and 120; steps 7, 10, 13
        (
            "heavy",
            "steady",
            3,
            pytest.approx(3 / 9),
            pytest.approx(330 / 396),
            110,
            118,
            110,
            100,
            120,
            3,
            13,
        ),
    ]


@pytest.mark.parametrize(
    ("durations", "classes"),
    [
        ([100, 100, 151, 151], ["light", "heavy"]),  # 1.51 times
        ([100, 100, 149, 149], ["all"]),  # 1.49 times: no real split
        ([100, 100, 100, 300], ["all"]),  # one heavy step is an outlier, not a class
        ([100] * 21 + [300] * 2, ["all"]),  # 2 of 23 are below 10 %
        ([100] * 18 + [300] * 2, ["light", "heavy"]),  # 2 of 20 are 10 %
        ([100], ["all"]),
        ([], []),
    ],
)
def test_a_split_must_be_real(tiny, durations, classes):
    take_steps(tiny, durations)
    assert tiny.rows("SELECT step_class FROM step_classes")[1:] == [(name,) for name in classes]


def test_thresholds_decide(tiny):
    tiny.con.execute("UPDATE thresholds SET value = 1.2 WHERE name = 'step_class_ratio'")
    take_steps(tiny, [100, 100, 149, 149])
    assert tiny.rows("SELECT step_class, median_ps FROM step_classes")[1:] == [("light", 100), ("heavy", 149)]


def test_without_steady_steps_the_whole_ones_are_classed(tiny):
    take_steps(tiny, [10, 20], first=0)
    assert tiny.rows("SELECT step_class, step_basis, step_count, median_ps FROM step_classes")[1:] == [
        ("all", "whole", 2, 15)
    ]


def test_runs_are_apart(tiny):
    for run, duration in (("a", 10), ("b", 1000)):
        for number in range(5, 9):
            tiny.step(number, number * duration, (number + 1) * duration, run=run)
    tiny.rolled_up()
    assert tiny.rows("SELECT run, step_class, step_count, median_ps FROM step_classes ORDER BY run")[1:] == [
        ("a", "all", 3, 10),
        ("b", "all", 3, 1000),
    ]
