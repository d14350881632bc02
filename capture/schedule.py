"""Which steps are profiled: windows as half-open ranges of step numbers."""

from dataclasses import dataclass

from .config import ProfilerConfig

NEVER = 1 << 62
"""A step that does not come."""
SCHEDULED, ON_DEMAND = "schedule", "on demand"


@dataclass(frozen=True)
class Window:
    """Steps `start` to `end - 1`. `planned_end` is what was asked for, before the run's end cut it."""

    start: int
    end: int
    planned_end: int
    reason: str


@dataclass(frozen=True)
class Schedule:
    """Windows [start, start + count), again every `every`, in a run of `total` steps (None: unknown)."""

    start: int | None
    count: int
    every: int | None = None
    total: int | None = None

    @classmethod
    def of(cls, config: ProfilerConfig, first_step: int, total: int | None) -> "Schedule":
        """The schedule of a loop whose first step here is `first_step`."""
        start = config.start_step
        if start is not None and config.relative_to_resume:
            start += first_step
        return cls(start, config.num_steps, config.every, total)

    def next_from(self, step: int, *, inside: bool = False) -> Window | None:
        """The first window that starts at `step` or later; with `inside` also the rest of one around it."""
        if self.start is None:
            return None
        start = self.start
        if self.every is not None and step > start:
            start += (step - start) // self.every * self.every
        if start < step and not (inside and step < start + self.count):
            if self.every is None:
                return None
            start += self.every
        return self._cut(max(start, step), start + self.count, SCHEDULED)

    def on_demand(self, start: int, step: int) -> Window | None:
        """A window that was asked for at `start`, as far as `step` leaves it."""
        return self._cut(max(start, step), start + self.count, ON_DEMAND)

    def _cut(self, start: int, planned_end: int, reason: str) -> Window | None:
        end = planned_end if self.total is None else min(planned_end, self.total)
        return Window(start, end, planned_end, reason) if start < end else None

    def warning(self, first_step: int) -> str | None:
        """What the user should know about the first window, seen from the first step of the loop."""
        if self.start is None:
            return None
        asked = f"the window of steps {self.start} to {self.start + self.count - 1}"
        window = self.next_from(first_step, inside=True)
        if window is None and self.total is not None and self.start >= self.total:
            return f"{asked} never opens: the run ends with step {self.total - 1}"
        if window is None:
            return (
                f"{asked} never opens: this process starts with step {first_step}; start_step counts from "
                "step 0 of the run, or with relative_to_resume=True from the first step after a resume"
            )
        if window.end < window.planned_end:
            return f"{asked} is cut to steps {window.start} to {window.end - 1}, where the run ends"
        if self.start < first_step < self.start + self.count:
            return (
                f"{asked} is cut to steps {window.start} to {window.end - 1}: this process starts inside it"
            )
        return None
