"""The profiler of one training loop: windows open and close as steps go by."""

import atexit
import os
import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

from . import folders, manifest, processes, provenance, trace
from .config import ProfilerConfig
from .log import logger, say, warn
from .recording import Job, Recording
from .schedule import SCHEDULED, Schedule, Window
from .signals import Borrowed
from .step_times import StepTimes
from .trigger import Trigger
from .upload import Uploader, destination

_NEVER = 1 << 62
STEP_NAME = "train"


class Profiler:
    """Put `with profiler.step(n):` around each step, or call the profiler after each step as a callback.

    `with profiler:` around the loop closes it, also after an exception.

    Nothing here raises into the loop unless the configuration says `strict`.
    """

    def __init__(
        self,
        config: ProfilerConfig,
        *,
        run_id: str | None,
        num_train_steps: int | None,
        mesh: Any,
        config_of_run: Any,
        tags: Mapping[str, str],
    ) -> None:
        self._config, self._run_id, self._total = config, run_id, num_train_steps
        self._mesh, self._config_of_run, self._tags = mesh, config_of_run, dict(tags)
        self._is_on = config.is_enabled
        self._wake = 0 if self._is_on else _NEVER
        self._poll_at = _NEVER
        self._end = _NEVER
        self._next: Window | None = None
        self._window: Window | None = None
        self._recording: Recording | None = None
        self._schedule: Schedule | None = None
        self._job: Job | None = None
        self._trigger: Trigger | None = None
        self._sigterm: Borrowed | None = None
        self._last = -1
        self._number = processes.built() if self._is_on else -1
        self._has_warned = self._is_busy = self._has_to_die = self._affects = False
        self._affected: list[tuple[int, int]] = []
        self._times = StepTimes()
        self._annotation: Any = None
        self._is_traced: Callable[[], bool] = _no
        self._step = _Step(self) if self._is_on else _NO_STEP
        self.manifests: list[dict[str, Any]] = []
        """One per window that this process tried to record, as written beside the profile."""
        self.directory: Path | None = None
        """The local folder that gets plugins/profile, once the first step was seen."""

    def step(self, number: int) -> "_Step":
        """A context for one training step; it is the step in the profile, on every platform."""
        self._step.number = number
        return self._step

    def __call__(self, info: Any, force: bool = False) -> None:
        """Callback after a step: `info` is its number or has it as `.step`. `force` ends an open window."""
        if not self._is_on:
            return
        number = int(getattr(info, "step", info))
        now = time.perf_counter_ns()
        if self._schedule is None and not self._begins(number, number + 1):
            return
        if self._window is not None and (force or number + 1 >= self._end):
            self._last = number
            self._close_window(number + 1, None)
        elif not force and (number + 1 >= self._wake or now >= self._poll_at):
            self._at(number + 1)
            now = time.perf_counter_ns()
        self._last = number
        self._times.add(now)

    def __enter__(self) -> "Profiler":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self._close(None)
        else:
            self._quietly(lambda: self._close(f"the loop raised {type(error).__name__}"))

    def is_affected(self, step: int) -> bool:
        """Whether a step's wall time has profiling in it: steps of a window, and the one after it.

        True for the steps of a window that is open, so that a training metric can ask during the step.
        """
        window = self._window
        if window is not None and self._affects and window.start <= step <= window.end:
            return True
        return any(start <= step <= end for start, end in self._affected)

    @property
    def affected_steps(self) -> list[int]:
        """All steps so far whose wall time has profiling in it."""
        return sorted({step for start, end in self._affected for step in range(start, end + 1)})

    def close(self) -> None:
        """End an open window, wait for uploads (bounded), and give signals back. Can be called twice."""
        self._close(None)

    # What follows runs at the border of a window only.

    def _begins(self, first_step: int, opens_from: int) -> bool:
        """Get ready at the first step; False where that failed, and then the profiler is off."""
        self._guarded(lambda: self._begin(first_step, opens_from))
        if self._job is None:
            self._turn_off()
        return self._job is not None

    def _begin(self, first_step: int, opens_from: int) -> None:
        """At the first step: only now jax is there, and the step of a resume is known."""
        jax = trace.jax()
        self._annotation = jax.profiler.TraceAnnotation
        self._is_traced = getattr(self._annotation, "is_enabled", _no)
        self._schedule = Schedule.of(self._config, first_step, self._total)
        if (warning := self._schedule.warning(opens_from)) is not None:
            self._has_warned = True
            warn(warning)
        self._next = self._schedule.next_from(opens_from, inside=True)
        self._sleep()
        token = processes.token(self._number)
        run_id = self._run_id or f"run-{token[:8]}"
        self._job = self._new_job(run_id, token)
        self.directory = self._job.directory
        provenance.fact(lambda: processes.announce(token, provenance.host()["name"]))
        if self._config.on_demand:
            self._trigger = Trigger(self.directory, self._wake_up, is_told=self._job.process_index == 0)
            self._poll_at = self._trigger.next_poll()

    def _new_job(self, run_id: str, token: str) -> Job:
        config, index = self._config, processes.process_index()
        upload, directory = config.upload, config.directory
        root = destination(upload, run_id)
        if directory is not None and folders.is_remote(directory):
            warn(f"directory {directory} is not local: profiling into ./profiles and uploading from there")
            root = root or (_bucket(directory) if upload.enabled else None)
            directory = None
        local = (
            Path(directory.removeprefix("file://"))
            if directory
            else Path("profiles") / folders.safe_name(run_id)
        )
        job = Job(
            config=config,
            run_id=run_id,
            token=token,
            directory=local.absolute(),
            process_index=index,
            process_count=processes.process_count(),
            read_facts=lambda: manifest.static_facts(config, self._mesh, self._config_of_run),
            tags=self._tags,
            times=self._times,
        )
        if root is not None:
            tells = index == (config.process_index or 0)
            job.uploader = Uploader(upload, root, token, tells_link=tells)
        return job

    def _wake_up(self) -> None:
        """Called from a signal handler."""
        self._wake = -1

    def _sleep(self) -> None:
        """Until the next step at which something happens."""
        if self._window is not None:
            self._wake = self._end = self._window.end
        else:
            self._end = _NEVER
            self._wake = _NEVER if self._next is None else self._next.start

    def _at(self, step: int) -> None:
        """Before a step at which something may have to happen."""
        if self._schedule is None and not self._begins(step, step):
            return
        schedule = self._schedule
        assert schedule is not None
        if self._window is not None and step >= self._window.end:
            self._close_window(self._last + 1, None)
        asked = False
        if self._trigger is not None:
            asked = self._trigger.take()
            self._poll_at = self._trigger.next_poll()
        if self._window is None:
            if self._next is not None and step >= self._next.start:
                self._next = schedule.next_from(step, inside=True)
            if self._next is not None and step >= self._next.start:
                self._open_window(self._next)
            elif asked and (window := schedule.now(step)) is not None:
                self._open_window(window)
        self._sleep()

    def _turn_off(self) -> None:
        self._is_on, self._wake, self._poll_at = False, _NEVER, _NEVER
        self._step = _NO_STEP

    def _open_window(self, window: Window) -> None:
        job = self._job
        assert job is not None
        self._window, self._affects = window, True
        if self._config.process_index not in (None, job.process_index):
            return
        recording = Recording(job, window)
        self._guarded(recording.start)
        if recording.is_running:
            self._recording = recording
            atexit.register(self._at_exit)
            self._sigterm = Borrowed(signal.SIGTERM, self._terminated)
        else:
            self._affects = job.process_count > 1  # the others' profiling slows this one down too
            self.manifests.append(recording.manifest)
            self._raise_if_strict(recording.error)

    def _close_window(self, end: int, why: str | None) -> None:
        window, recording, schedule = self._window, self._recording, self._schedule
        if window is None or schedule is None or self._is_busy:
            return
        self._is_busy = True
        try:
            if recording is not None:
                self._guarded(lambda: recording.stop(end, why))
        finally:
            self._closed(schedule, window, end)
            if recording is not None and recording.manifest:
                self.manifests.append(recording.manifest)
        if self._config.sync_after_stop and why is None:
            self._guarded(lambda: self._sync(window))
        if recording is not None:
            self._raise_if_strict(recording.error)

    def _closed(self, schedule: Schedule, window: Window, end: int) -> None:
        if self._affects:
            self._affected.append((window.start, end))
        self._window = self._recording = None
        planned = window.planned_end if window.reason == SCHEDULED else end
        self._next = schedule.next_from(max(planned, end))
        self._sleep()
        self._is_busy = False
        atexit.unregister(self._at_exit)
        if self._sigterm is not None:
            self._sigterm.give_back()
            if self._has_to_die:
                self._wait_for_uploads()
                os.kill(os.getpid(), signal.SIGTERM)

    def _raise_if_strict(self, error: Exception | None) -> None:
        if self._config.strict and error is not None:
            raise error

    def _sync(self, window: Window) -> None:
        """Every process comes here after each window, whether it recorded, failed or was left out."""
        job = self._job
        if job is not None:
            name = f"{job.token}/{window.start}-{window.planned_end}"
            processes.wait_for_all(name, self._config.sync_timeout_seconds)

    def _guarded(self, act: Callable[[], Any]) -> None:
        try:
            act()
        except Exception as error:
            if self._config.strict:
                raise
            warn("profiling failed, training goes on", error)
            logger.debug("where it failed", exc_info=True)

    def _terminated(self) -> None:
        """SIGTERM inside a window, where nobody else handles it: export first, then die of it."""
        say("SIGTERM inside a window: exporting what there is")
        self._has_to_die = True
        self._quietly(lambda: self._close_window(self._last + 1, "SIGTERM"))

    def _at_exit(self) -> None:
        self._quietly(lambda: self._close("the program ended inside the window"))

    def _quietly(self, act: Callable[[], Any]) -> None:
        """Also with `strict`: an error of the program must stay the one that is seen."""
        try:
            act()
        except Exception as error:
            warn("profiling failed", error)

    def _wait_for_uploads(self) -> None:
        if self._job is not None and self._job.uploader is not None:
            self._job.uploader.close()

    def _close(self, why: str | None) -> None:
        if self._window is not None:
            if why is None and self._last + 1 < self._window.end:
                why = "the run ended inside the window"
                self._warn_once(
                    f"the run ended after step {self._last}, inside the window that ends with step "
                    f"{self._window.end - 1}"
                )
            self._close_window(self._last + 1, why)
        elif self._is_on and not self.manifests and not self._affected:
            self._warn_once(self._never_opened())
        if self._trigger is not None:
            self._trigger.close()
        self._guarded(self._wait_for_uploads)
        self._turn_off()
        uploader = self._job.uploader if self._job is not None else None
        self._raise_if_strict(next(iter(uploader.errors), None) if uploader is not None else None)

    def _never_opened(self) -> str | None:
        if self._schedule is None:
            return "no step was reported to the profiler: no window opened"
        if self._next is None:
            return None
        start = self._next.start
        return f"the run ended after step {self._last}, before the window that starts with step {start}"

    def _warn_once(self, text: str | None) -> None:
        if text is not None and not self._has_warned:
            self._has_warned = True
            warn(text)


class _Step:
    """The context of a step; one object for the whole loop, because each step pays for it."""

    __slots__ = ("_annotation", "_profiler", "number")

    def __init__(self, profiler: Profiler) -> None:
        self._profiler = profiler
        self._annotation: Any = None
        self.number = 0

    def __enter__(self) -> None:
        profiler, number = self._profiler, self.number
        now = time.perf_counter_ns()
        if number >= profiler._wake or now >= profiler._poll_at:
            profiler._at(number)
            now = time.perf_counter_ns()
        profiler._times.add(now)
        profiler._last = number
        if profiler._is_traced():  # by us or by anybody else
            self._annotation = profiler._annotation(STEP_NAME, _r=1, step_num=number)
            self._annotation.__enter__()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._annotation is not None:
            self._annotation.__exit__(kind, error, where)
            self._annotation = None
        profiler = self._profiler
        if error is not None:
            if profiler._window is not None:
                why = f"step {self.number} raised {type(error).__name__}"
                profiler._quietly(lambda: profiler._close_window(self.number + 1, why))
        elif self.number + 1 >= profiler._end:
            profiler._close_window(self.number + 1, None)


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


def _no() -> bool:
    return False


def _bucket(directory: str) -> str:
    """A bucket's URL, also where pathlib took one of its slashes."""
    scheme, _, rest = directory.partition(":")
    return f"{scheme}://{rest.lstrip('/')}"
