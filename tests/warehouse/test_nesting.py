"""Nesting: hand-worked streams, and random ones against a picosecond-by-picosecond count."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from profdb.warehouse.nesting import nest


def nested(*intervals: tuple[int, int]) -> tuple[list[int], list[int], list[bool], int]:
    columns = np.array(intervals, np.int64).reshape(-1, 2)
    found = nest(columns[:, 0], columns[:, 1] - columns[:, 0])
    return found.self_ps.tolist(), found.parent.tolist(), found.is_leaf.tolist(), found.crossings


def test_children_are_taken_from_their_parent() -> None:
    #  0         100
    #  |---------|      parent: 100 - 30 - 20
    #    10--40         child
    #         40--60    child, starts where the first one ends
    assert nested((0, 100), (10, 40), (40, 60)) == ([50, 30, 20], [-1, 0, 0], [False, True, True], 0)


def test_file_order_does_not_matter() -> None:
    assert nested((40, 60), (10, 40), (0, 100)) == ([20, 30, 50], [2, 2, -1], [True, True, False], 0)


def test_two_levels() -> None:
    assert nested((0, 100), (10, 50), (20, 30), (60, 70)) == (
        [50, 30, 10, 10],
        [-1, 0, 1, 0],
        [False, False, True, True],
        0,
    )


def test_an_event_of_no_duration_has_no_self_time() -> None:
    assert nested((0, 10), (5, 5), (10, 10)) == ([10, 0, 0], [-1, 0, -1], [False, True, True], 0)


def test_equal_intervals_nest_in_file_order() -> None:
    assert nested((0, 10), (0, 10)) == ([0, 10], [-1, 0], [False, True], 0)


def test_crossing_events_share_no_time_and_have_no_parent() -> None:
    # The second launch of a programmatic dependent launch starts before the first one ends: busy is 20.
    assert nested((0, 10), (8, 20)) == ([8, 12], [-1, -1], [True, True], 1)


def test_a_crossing_child_keeps_no_parent_so_that_siblings_never_overlap() -> None:
    # [10,30] is the parent's child; [20,50] crosses it: at 20 it takes over, at 50 the parent goes on.
    assert nested((0, 100), (10, 30), (20, 50)) == ([60, 10, 30], [-1, 0, -1], [False, True, True], 1)


def test_no_events() -> None:
    assert nested() == ([], [], [], 0)


INTERVALS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 12)), min_size=1, max_size=14)


@given(INTERVALS)
@settings(max_examples=400, deadline=None)
def test_self_time_is_the_last_started_running_event_of_each_moment(intervals: list[tuple[int, int]]) -> None:
    start = np.array([s for s, _ in intervals], np.int64)
    duration = np.array([d for _, d in intervals], np.int64)
    order = sorted(range(len(intervals)), key=lambda i: (start[i], -duration[i], i))
    expected = [0] * len(intervals)
    for moment in range(50):
        running = [i for i in order if start[i] <= moment < start[i] + duration[i]]
        if running:
            expected[running[-1]] += 1
    found = nest(start, duration)
    assert found.self_ps.tolist() == expected


@given(INTERVALS)
@settings(max_examples=400, deadline=None)
def test_children_lie_in_their_parent_and_never_overlap(intervals: list[tuple[int, int]]) -> None:
    start = np.array([s for s, _ in intervals], np.int64)
    end = start + np.array([d for _, d in intervals], np.int64)
    found = nest(start, end - start)
    for parent in set(found.parent.tolist()) - {-1}:
        children = sorted((start[i], end[i]) for i in np.flatnonzero(found.parent == parent))
        assert start[parent] <= children[0][0]
        assert max(e for _, e in children) <= end[parent]
        assert all(a[1] <= b[0] for a, b in itertools.pairwise(children))
        assert not found.is_leaf[parent]
