"""Windows and look-ups that give executions their step."""

import numpy as np

from profdb.warehouse.markers import Lookup, Windows


def at(windows: Windows, *times: int) -> list[int | None]:
    number, inside = windows.at(np.array(times, np.int64))
    return [n if found else None for n, found in zip(number.tolist(), inside.tolist(), strict=True)]


def test_a_window_holds_its_start_and_not_its_end() -> None:
    windows = Windows.of([(20, 30, 6), (0, 10, 5)])
    assert at(windows, -1, 0, 9, 10, 20, 29, 30) == [None, 5, 5, None, 6, 6, None]


def test_windows_of_one_step_that_overlap_are_one() -> None:
    # The outer event of a run goes on after the inner one has ended.
    assert at(Windows.of([(0, 100, 5), (10, 20, 5)]), 50) == [5]


def test_no_window() -> None:
    assert at(Windows.of([]), 1) == [None]


def test_keys_up_to_64_bits() -> None:
    lookup = Lookup.of({-5: 1, 7: 2})
    number, found = lookup.at(np.array([7, 8, -5], np.int64))
    assert number.tolist() == [2, 0, 1]
    assert found.tolist() == [True, False, True]
    assert Lookup.of({}).at(np.array([1], np.int64))[1].tolist() == [False]
