"""The profiler of one training loop, as the loop sees it."""

import time
from numbers import Integral
from pathlib import Path
from types import NoneType, TracebackType
from typing import Any

from .config import ProfilerConfig
from .job import Run
from .log import warn
from .windows import Windows

STEP_NAME = "train"


class Profiler:
    """Put `with profiler.step(n):` around each step, or call the profiler after each step as a callback.

    `with profiler:` around the loop closes it, also after an exception. Nothing here raises into the loop
    unless the configuration says `strict`.
    """

    def __init__(self, config: ProfilerConfig, run: Run) -> None:
        self._windows = Windows(config, run)
        self._is_on = config.is_enabled
        self._step = _Step(self._windows) if self._is_on else _NO_STEP

    def step(self, number: Any) -> "_Step":
        """A context for one training step; it is the step in the profile, on every platform.

        An array (`state.step`) is read at the first step only and counted on from there: reading it would
        make every step wait for the device.
        """
        if type(number) is not int:
            number = self._whole(number) if self._is_on else 0
        self._step.number = number
        return self._step

    def __call__(self, info: Any, force: bool = False) -> None:
        """Callback after a step: `info` is its number or has it as `.step`. `force` ends an open window."""
        if not self._is_on:
            return
        windows, number = self._windows, getattr(info, "step", info)
        if type(number) is not int:
            number = self._whole(number)
            if not self._is_on:
                return
        now = time.perf_counter_ns()
        if number < windows.last:
            windows.went_back()
        if not windows.has_begun and not windows.begin(number, number + 1):
            self._turn_off()
            return
        if windows.is_open and (force or number + 1 >= windows.end):
            windows.last = number
            windows.close_window(number + 1, None)
        elif not force and (number + 1 >= windows.wake or now >= windows.poll_at):
            windows.at(number + 1)
            now = time.perf_counter_ns()
        windows.last = number
        windows.times.add(now)

    def _whole(self, number: Any) -> int:
        """The number of a step that is told otherwise than as an int; without one the profiler turns off."""
        try:
            if self._windows.last >= 0 and not isinstance(number, Integral | float | str | NoneType):
                return self._windows.last + 1
            return int(number)
        except Exception as error:
            if self._windows.is_strict:
                raise
            warn(f"{number!r} is no step number: profiling is off", error)
            self.close()
            return 0

    def __enter__(self) -> "Profiler":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self.close()
        elif self._is_on:
            self._windows.quietly(lambda: self._windows.close(f"the loop raised {type(error).__name__}"))
            self._turn_off()

    def close(self) -> None:
        """End an open window, wait for uploads (bounded), and give signals back. Can be called twice."""
        if self._is_on:
            try:
                self._windows.close(None)
            finally:
                self._turn_off()

    def is_affected(self, step: int) -> bool:
        """Whether a step's wall time has profiling in it: steps of a window, and the one after it.

        True for the steps of a window that is open, so that a training metric can ask during the step.
        """
        return self._windows.affects(step)

    @property
    def affected_steps(self) -> list[int]:
        """All steps so far whose wall time has profiling in it."""
        return self._windows.affected_steps

    @property
    def manifests(self) -> list[dict[str, Any]]:
        """One per window that this process tried to record, as written beside the profile."""
        return self._windows.manifests

    @property
    def directory(self) -> Path | None:
        """The local folder that gets plugins/profile, once the first step was seen."""
        return self._windows.directory

    def _turn_off(self) -> None:
        self._is_on, self._step = False, _NO_STEP


class _Step:
    """The context of a step; one object for the whole loop, because each step pays for it."""

    __slots__ = ("_annotation", "_windows", "number")

    def __init__(self, windows: Windows) -> None:
        self._windows = windows
        self._annotation: Any = None
        self.number = 0

    def __enter__(self) -> None:
        windows, number = self._windows, self.number
        now = time.perf_counter_ns()
        if number < windows.last:
            windows.went_back()
        if number >= windows.wake or now >= windows.poll_at:
            if windows.has_begun or windows.begin(number, number):
                windows.at(number)
            now = time.perf_counter_ns()
        windows.times.add(now)
        windows.last = number
        if windows.is_traced():  # by us or by anybody else
            self._annotation = windows.annotation(STEP_NAME, _r=1, step_num=number)
            self._annotation.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._annotation is not None:
            self._annotation.__exit__(kind, error, where)
            self._annotation = None
        windows, end = self._windows, self.number + 1
        if error is not None and windows.is_open:
            why = f"step {self.number} raised {type(error).__name__}"
            windows.quietly(lambda: windows.close_window(end, why))
        elif end >= windows.end:
            windows.close_window(end, None)


class _NoStep(_Step):
    """The step of a profiler that is off."""

    __slots__ = ()

    def __init__(self) -> None:
        self.number = 0

    def __enter__(self) -> None:
        return None

    def __exit__(self, *_: object) -> None:
        return None


_NO_STEP = _NoStep()
