"""What single steps and ops say to a change: planted ones are found, noise is not."""

import numpy as np
import pytest

from profdb.warehouse.evidence import interval
from profdb.warehouse.op_evidence import false_shares


def steps(seed: int, count: int, mean: float, noise: float) -> list[int]:
    return [int(step) for step in np.random.default_rng(seed).normal(mean, noise * mean, count)]


@pytest.mark.parametrize("seed", range(5))
def test_a_planted_loss_lies_in_the_interval_and_no_change_does_not_leave_it(seed: int) -> None:
    before, after = steps(seed, 30, 1e9, 0.01), steps(seed + 100, 30, 1.05e9, 0.01)
    low, high = interval(before, after, 0.5, 0.95)  # type: ignore[misc]
    assert 0.03 < low < 0.05 < high < 0.07
    low, high = interval(before, steps(seed + 200, 30, 1e9, 0.01), 0.5, 0.999)  # type: ignore[misc]
    assert low < 0 < high


def test_steps_without_spread_are_sure() -> None:
    assert interval([100] * 5, [110] * 5, 0.5, 0.95) == pytest.approx((0.1, 0.1))
    assert interval([100] * 5, [100] * 5, 0.9, 0.95) == (0.0, 0.0)


@pytest.mark.parametrize("before", [[], [0, 0, 0]], ids=["no steps", "no time"])
def test_nothing_is_divided_by_nothing(before: list[int]) -> None:
    assert interval(before, [1, 2, 3], 0.5, 0.95) is None


def test_the_same_steps_give_the_same_interval() -> None:
    before, after = steps(1, 10, 1e9, 0.05), steps(2, 10, 1e9, 0.05)
    assert interval(before, after, 0.5, 0.95) == interval(before, after, 0.5, 0.95)


def ops(seed: int, count: int = 200, steps: int = 20) -> np.ndarray:
    """Self times with 5 % of noise."""
    return np.random.default_rng(seed).normal(1e6, 5e4, (count, steps)).clip(min=0)


@pytest.mark.parametrize("seed", range(10))
def test_200_ops_without_a_change_raise_at_most_one_alarm_and_move_both_ways(seed: int) -> None:
    before, after = ops(seed), ops(seed + 100)
    moved = after.mean(1) - before.mean(1)
    assert 60 < (moved > 0).sum() < 140
    assert (false_shares(before, after) <= 0.05).sum() <= 1


@pytest.mark.parametrize("factor", [1.2, 0.8])
def test_ops_that_changed_are_found_among_many(factor: float) -> None:
    before, after = ops(1), ops(2)
    after[:5] *= factor
    shares = false_shares(before, after)
    assert (shares[:5] <= 0.05).all()
    assert (shares[5:] <= 0.05).sum() <= 1


def test_one_slow_step_of_many_changes_no_op() -> None:
    before, after = ops(1), ops(2)
    after[:, -1] *= 10
    assert (false_shares(before, after) <= 0.05).sum() == 0


def test_without_spread_an_op_changed_or_it_did_not() -> None:
    before = np.full((3, 4), 100.0)
    after = before * [[1.0], [1.5], [0.0]]
    assert false_shares(before, after).tolist() == [1.0, 0.0, 0.0]


def test_one_step_each_tells_nothing() -> None:
    assert false_shares(np.array([[1.0]]), np.array([[9.0]])).tolist() == [1.0]
