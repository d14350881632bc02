"""The windows of one loop: when each opens and closes. Between their borders nothing here runs."""

import os
import signal
from bisect import bisect_right
from collections.abc import Callable
from pathlib import Path
from typing import Any

from . import endings, processes, trace
from .config import ProfilerConfig
from .job import Job, Run, open_job
from .log import logger, say, warn
from .on_demand import Requests
from .recording import Recording
from .schedule import NEVER, SCHEDULED, Schedule, Window
from .signals import Borrowed
from .step_times import StepTimes
from .trigger import POLL_SECONDS, Trigger

_DYING_SECONDS = 10.0
"""How long SIGTERM waits for uploads: schedulers kill after some 30 seconds, and the export comes first."""


class Windows:
    """`wake`: the first step at which `at` has something to do; `poll_at`: the time to look for a trigger.

    `end`: the first step behind the open window; `last`: the last step that was seen.
    """

    def __init__(self, config: ProfilerConfig, run: Run) -> None:
        self._config, self._run = config, run
        self.wake, self.poll_at, self.end, self.last = 0, NEVER, NEVER, -1
        self.times = StepTimes()
        self.manifests: list[dict[str, Any]] = []
        self.directory: Path | None = None
        self.annotation: Any = None
        self.is_traced: Callable[[], bool] = never
        self._job: Job | None = None
        self._schedule: Schedule | None = None
        is_on_demand = config.is_enabled and config.on_demand
        self._trigger = Trigger(self._wake_up) if is_on_demand else None
        self._requests: Requests | None = None
        self._next: Window | None = None
        self._window: Window | None = None
        self._recording: Recording | None = None
        self._sigterm: Borrowed | None = None
        self._starts: list[int] = []
        self._ends: list[int] = []
        self._closed_at = 0
        self._pid = os.getpid()
        self._has_warned = self._is_busy = self._has_to_die = self._affects = self._has_failed = False

    @property
    def is_open(self) -> bool:
        """Whether a window is open."""
        return self._window is not None

    @property
    def is_strict(self) -> bool:
        """Whether errors of the profiler reach the loop."""
        return self._config.strict

    @property
    def has_begun(self) -> bool:
        """Whether a first step was seen and could be prepared for."""
        return self._job is not None

    def affects(self, step: int) -> bool:
        """Whether the wall time of a step has profiling in it."""
        window = self._window
        if window is not None and self._affects and window.start <= step <= window.end:
            return True
        at = bisect_right(self._starts, step) - 1
        return at >= 0 and step <= self._ends[at]

    @property
    def affected_steps(self) -> list[int]:
        """Steps of the windows that are over, each with the one after it."""
        ranges = zip(self._starts, self._ends, strict=True)
        return sorted({step for start, end in ranges for step in range(start, end + 1)})

    def begin(self, first_step: int, opens_from: int) -> bool:
        """Get ready at the first step; False where that failed, and then there are no windows."""
        if not self._has_failed:
            self._guarded(lambda: self._begin(first_step, opens_from))
        if not self.has_begun:
            self._has_failed = True
            self.wake = self.poll_at = NEVER
            if self._trigger is not None:
                self._trigger.close()
        return self.has_begun

    def _begin(self, first_step: int, opens_from: int) -> None:
        """Only now jax is there, and the step of a resume is known."""
        self.annotation = trace.jax().profiler.TraceAnnotation
        self.is_traced = getattr(self.annotation, "is_enabled", never)
        self._schedule = Schedule.of(self._config, first_step, self._run.num_train_steps)
        self._warn_once(self._schedule.warning(opens_from))
        self._next = self._schedule.next_from(opens_from, inside=True)
        self._sleep()
        self._job = open_job(self._config, self._run, self.times)
        self.directory = self._job.directory
        self._requests = Requests(self._job)
        if self._trigger is not None:
            self._trigger.watch(self.directory, is_told=self._job.process_index == 0)
            self.poll_at = self._trigger.next_poll()

    def _wake_up(self) -> None:
        """Called from a signal handler."""
        self.wake = -1

    def _sleep(self) -> None:
        """Until the next step at which something happens."""
        if self._window is not None:
            self.wake = self.end = self._window.end
        else:
            self.end = NEVER
            asked = NEVER if self._requests is None else self._requests.start
            self.wake = asked if self._next is None else min(asked, self._next.start)

    def at(self, step: int) -> None:
        """Before a step at which something may have to happen."""
        if self._schedule is None or self._job is None or self._requests is None:
            return
        if self._window is not None and step >= self._window.end:
            self.close_window(self.last + 1, None)
        if self._trigger is not None:
            self.poll_at = self._trigger.next_poll()
            self._listen(self._trigger, self._requests, step)
        asked_for = self._requests.due(step, self._window.end if self._window else self._closed_at)
        if self._window is None:
            if self._next is not None and step >= self._next.start:
                self._next = self._schedule.next_from(step, inside=True)
            if self._next is not None and step >= self._next.start:
                self._open_window(self._job, self._next)
            elif asked_for is not None and (window := self._schedule.on_demand(asked_for, step)) is not None:
                self._open_window(self._job, window)
        self._sleep()

    def _listen(self, trigger: Trigger, requests: Requests, step: int) -> None:
        """Whether a window was asked for, here or in another process, which hears of it at its next poll."""
        if (name := trigger.take()) is not None:
            requests.ask(name, step, lead=self.times.steps_in(2 * POLL_SECONDS))
        try:
            requests.hear()
        except Exception:
            logger.debug("what other processes asked for is unknown", exc_info=True)

    def _open_window(self, job: Job, window: Window) -> None:
        self._window, self._affects = window, True
        if not job.is_profiled:
            return
        recording = Recording(job, window)
        self._guarded(recording.start)
        if recording.is_running:
            self._recording = recording
            endings.before_exit(self._at_exit)
            self._sigterm = Borrowed(signal.SIGTERM, self._terminated)
        else:
            self._affects = job.process_count > 1  # the others' profiling slows this one down too
            self.manifests.append(recording.manifest)
            self._raise_if_strict(recording.error)

    def went_back(self) -> None:
        """The loop starts again at an earlier step: what comes now is not what the window was to hold."""
        if self._window is not None:
            self.close_window(self.last + 1, "the step number went back")
        self._closed_at = 0

    def close_window(self, end: int, why: str | None) -> None:
        """Close the open window before step `end`; `why` it ends early."""
        window, recording, schedule = self._window, self._recording, self._schedule
        if window is None or schedule is None or self._is_busy:
            return
        self._is_busy = True
        try:
            if recording is not None:
                self._guarded(lambda: recording.stop(end, why))
        finally:
            if recording is not None and recording.manifest:
                self.manifests.append(recording.manifest)
            self._closed(schedule, window, end)
        if self._config.sync_after_stop and why is None:
            self._guarded(lambda: self._sync(window))
        if recording is not None:
            self._raise_if_strict(recording.error)

    def _closed(self, schedule: Schedule, window: Window, end: int) -> None:
        if self._affects:
            self._starts.append(window.start)
            self._ends.append(end)
        self._window = self._recording = None
        self._closed_at = end
        planned = window.planned_end if window.reason == SCHEDULED else end
        self._next = schedule.next_from(max(planned, end))
        self._sleep()
        self._is_busy = False
        endings.forget(self._at_exit)
        if self._sigterm is not None:
            self._sigterm.give_back()
        if self._has_to_die:
            self.wait_for_uploads(_DYING_SECONDS)
            os.kill(os.getpid(), signal.SIGTERM)

    def _sync(self, window: Window) -> None:
        """Every process comes here after each window, whether it recorded, failed or was left out."""
        if self._job is not None:
            name = f"{self._job.token}/{window.start}-{window.planned_end}"
            processes.wait_for_all(name, self._config.sync_timeout_seconds)

    def close(self, why: str | None) -> None:
        """The loop is over: `why` is None, or an exception."""
        window = self._window
        if window is not None:
            if why is None and self.last + 1 < window.end:
                why = "the run ended inside the window"
                at = f"the run ended after step {self.last}, inside the window that ends with step"
                self._warn_once(f"{at} {window.end - 1}")
            self.close_window(self.last + 1, why)
        elif not self.manifests and not self._starts:
            self._warn_once(self._why_none_opened())
        if self._trigger is not None:
            self._trigger.close()
        self._guarded(self.wait_for_uploads)
        self.wake = self.poll_at = NEVER
        uploader = self._job.uploader if self._job is not None else None
        if uploader is not None and uploader.errors:
            self._raise_if_strict(uploader.errors[0])

    def _why_none_opened(self) -> str | None:
        if self._schedule is None:
            return "no step was reported to the profiler: no window opened"
        if self._next is None:
            return None
        start = self._next.start
        return f"the run ended after step {self.last}, before the window that starts with step {start}"

    def wait_for_uploads(self, most_seconds: float | None = None) -> None:
        """Wait, bounded, for what is under way."""
        if self._job is not None and self._job.uploader is not None:
            self._job.uploader.close(most_seconds)

    def _terminated(self) -> None:
        """SIGTERM inside a window, where nobody else handles it: export first, then die of it."""
        say("SIGTERM inside a window: exporting what there is")
        self._has_to_die = True
        self.quietly(lambda: self.close_window(self.last + 1, "SIGTERM"))

    def _at_exit(self) -> None:
        if os.getpid() == self._pid:
            self.quietly(lambda: self.close("the program ended inside the window"))

    def quietly(self, act: Callable[[], Any]) -> None:
        """Also with `strict`: an error of the program must stay the one that is seen."""
        try:
            act()
        except Exception as error:
            warn("profiling failed", error)

    def _guarded(self, act: Callable[[], Any]) -> None:
        try:
            act()
        except Exception as error:
            if self._config.strict:
                raise
            warn("profiling failed, training goes on", error)
            logger.debug("where it failed", exc_info=True)

    def _raise_if_strict(self, error: Exception | None) -> None:
        if self._config.strict and error is not None:
            raise error

    def _warn_once(self, text: str | None) -> None:
        if text is not None and not self._has_warned:
            self._has_warned = True
            warn(text)


def never() -> bool:
    """False."""
    return False
