"""What profiling costs, measured: the time from step to step, inside a window and before it."""

from collections import deque
from itertools import pairwise
from statistics import median
from typing import Any


class StepTimes:
    """The starts of the last steps. `add` is called in every step: it is one append."""

    def __init__(self) -> None:
        self._starts: deque[int] = deque(maxlen=33)
        self.add = self._starts.append
        self._before: float | None = None
        self._profiled: float | None = None

    def window_opens(self) -> None:
        """Forget the steps so far, but for their median time."""
        self._before, self._profiled = self._median(), None
        self._starts.clear()

    def window_closes(self) -> None:
        """Note the steps of the window and start anew: the next step has the export in it."""
        self._profiled = self._median()
        self._starts.clear()

    def measured(self) -> dict[str, Any]:
        """Median seconds per step before the window and in it, and the ratio of what is added."""
        before, profiled = self._before, self._profiled
        ratio = None if not profiled or not before else round(profiled / before - 1, 4)
        return {"step_seconds_before": before, "step_seconds_profiled": profiled, "overhead_ratio": ratio}

    def _median(self) -> float | None:
        """None below three steps: the first has compilation in it."""
        steps = [(end - start) / 1e9 for start, end in pairwise(self._starts)]
        return median(steps) if len(steps) >= 3 else None
