"""Which steps a window has, worked out by hand."""

import pytest

from profdb.capture import ProfilerConfig
from profdb.capture.schedule import Schedule, Window


def _steps(window: Window | None) -> tuple[int, int] | None:
    return None if window is None else (window.start, window.end - 1)


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [
        (Schedule(5, 10), 0, (5, 14)),
        (Schedule(5, 10), 5, (5, 14)),
        (Schedule(5, 10), 7, None),
        (Schedule(5, 10, total=9), 0, (5, 8)),
        (Schedule(5, 10, total=5), 0, None),
        (Schedule(None, 10), 0, None),
        (Schedule(5, 2, every=10), 6, (15, 16)),
        (Schedule(5, 2, every=10), 15, (15, 16)),
        (Schedule(5, 2, every=10), 16, (25, 26)),
        (Schedule(5, 2, every=10, total=26), 16, (25, 25)),
        (Schedule(5, 2, every=10, total=25), 16, None),
        (Schedule(5, 2, every=2), 7, (7, 8)),
    ],
)
def test_the_next_window(schedule: Schedule, step: int, expected: tuple[int, int] | None) -> None:
    assert _steps(schedule.next_from(step)) == expected


@pytest.mark.parametrize(
    ("schedule", "step", "expected"),
    [
        (Schedule(5, 10), 7, (7, 14)),
        (Schedule(5, 10), 15, None),
        (Schedule(5, 2, every=10), 16, (16, 16)),
        (Schedule(5, 2, every=10), 17, (25, 26)),
    ],
)
def test_the_rest_of_a_window(schedule: Schedule, step: int, expected: tuple[int, int] | None) -> None:
    assert _steps(schedule.next_from(step, inside=True)) == expected


def test_relative_to_resume() -> None:
    absolute = ProfilerConfig(start_step=5, num_steps=3)
    relative = ProfilerConfig(start_step=5, num_steps=3, relative_to_resume=True)
    assert _steps(Schedule.of(absolute, 1000, None).next_from(1000)) is None
    assert _steps(Schedule.of(relative, 1000, None).next_from(1000)) == (1005, 1007)


@pytest.mark.parametrize(
    ("schedule", "first_step", "warning"),
    [
        (Schedule(5, 10, total=20), 0, None),
        (
            Schedule(5, 25, total=20),
            0,
            "the window of steps 5 to 29 is cut to steps 5 to 19, where the run ends",
        ),
        (Schedule(50, 5, total=20), 0, "the window of steps 50 to 54 never opens: the run ends with step 19"),
        (
            Schedule(5, 5),
            1000,
            "the window of steps 5 to 9 never opens: this process starts with step 1000; start_step counts "
            "from step 0 of the run, or with relative_to_resume=True from the first step after a resume",
        ),
        (
            Schedule(5, 5),
            7,
            "the window of steps 5 to 9 is cut to steps 7 to 9: this process starts inside it",
        ),
        (Schedule(5, 5, every=100), 1000, None),
    ],
)
def test_warnings(schedule: Schedule, first_step: int, warning: str | None) -> None:
    assert schedule.warning(first_step) == warning
