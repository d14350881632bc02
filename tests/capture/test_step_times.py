"""Seconds per step, worked out by hand; starts in seconds here."""

from profdb.capture.step_times import StepTimes

S = 1_000_000_000


def _times(*starts: float) -> StepTimes:
    times = StepTimes()
    for start in starts:
        times.add(int(start * S))
    return times


def test_a_loop_that_runs_ahead_is_measured_until_the_devices_are_done() -> None:
    # Compiles for 10 s, then launches 3 steps at once, each 2 s long: 10..16.
    times = _times(0, 10, 10.1, 10.2)
    times.window_opens(16 * S)
    for start in (17, 17.1):
        times.add(int(start * S))
    times.window_closes(22 * S)
    assert times.measured() == {
        "step_seconds_before": 2.0,
        "step_seconds_profiled": 2.5,
        "overhead_ratio": 0.25,
    }


def test_a_long_loop_is_measured_without_its_long_steps() -> None:
    starts = [0.0]
    for number in range(40):
        starts.append(starts[-1] + (60 if number == 20 else 1))  # a checkpoint
    times = _times(*starts)
    times.window_opens(200 * S)
    assert times.measured()["step_seconds_before"] == 1.0


def test_what_is_not_measured_is_null() -> None:
    times = _times(0, 10)
    times.window_opens(11 * S)
    times.add(12 * S)
    times.window_closes(None)
    nothing = {"step_seconds_before": None, "step_seconds_profiled": None, "overhead_ratio": None}
    assert times.measured() == nothing
