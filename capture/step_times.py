"""What profiling costs, measured: seconds per step inside a window and before it."""

from collections import deque
from itertools import pairwise
from statistics import median
from typing import Any

_KEPT = 33


class StepTimes:
    """The starts of the last steps, in nanoseconds. `add` is called in every step: it is one append.

    A loop that does not wait for its results runs ahead of the devices, so a short stretch of steps is
    measured up to the moment when the devices are done.
    """

    def __init__(self) -> None:
        self._starts: deque[int] = deque(maxlen=_KEPT)
        self.add = self._starts.append
        self._before: float | None = None
        self._profiled: float | None = None

    def window_opens(self, now: int) -> None:
        """The devices are done; the next step is the first of a window."""
        starts = list(self._starts)
        self._starts.clear()
        self._before = self._profiled = None
        if (
            len(starts) == _KEPT
        ):  # by now the loop goes at the pace of the devices; some steps have more to do
            self._before = median(end - start for start, end in pairwise(starts)) / 1e9
        elif len(starts) >= 3:  # the first has the compilation in it
            self._before = (now - starts[1]) / (len(starts) - 1) / 1e9

    def window_closes(self, now: int | None) -> None:
        """The last step of the window is over and the devices are done; None where nobody waited for them."""
        if now is not None and self._starts:
            self._profiled = (now - self._starts[0]) / len(self._starts) / 1e9
        self._starts.clear()

    def steps_in(self, seconds: float) -> int:
        """Steps that will start in a time, at the pace of the last ones; at least 1."""
        starts = list(self._starts)
        if len(starts) < 2 or starts[-1] <= starts[0]:
            return 1
        return 1 + int(seconds * 1e9 * (len(starts) - 1) / (starts[-1] - starts[0]))

    def measured(self) -> dict[str, Any]:
        """Seconds per step before the window and in it, and the ratio of what is added."""
        before, profiled = self._before, self._profiled
        ratio = None if not profiled or not before else round(profiled / before - 1, 4)
        return {"step_seconds_before": before, "step_seconds_profiled": profiled, "overhead_ratio": ratio}
