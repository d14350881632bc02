"""One window on this process: JAX's trace is started and stopped, and its files get their names."""

import time
from pathlib import Path
from typing import Any

from . import folders, landing, manifest, processes, provenance, trace
from .heartbeat import heartbeat
from .job import Job
from .log import describe, say, warn
from .schedule import Window

OK, PARTIAL, BUSY, TAKEN = "ok", "partial", "skipped: busy", "taken"
START_FAILED, EXPORT_FAILED = "start_failed", "export_failed"


class Recording:
    """Goes through `start` and `stop` once each; `manifest` says how it went.

    `window` None is a window of time in a program whose steps nobody tells: it does not wait for the devices.
    """

    def __init__(self, job: Job, window: Window | None) -> None:
        self._job = job
        self._window = window
        self._staging: Path | None = None
        self._handle: object | None = None
        self._seconds: dict[str, float | None] = dict.fromkeys(("start", "wait", "export"))
        self.manifest: dict[str, Any] = {}
        self.error: Exception | None = None
        self._outcome, self._reason = OK, ""
        self._started_at = manifest.now()
        self.is_running = False

    def start(self) -> None:
        """Start the trace. What prevents it is in the manifest and in `error`."""
        config, began = self._job.config, time.monotonic()
        try:
            folders.check(self._job.directory)
            self._staging = folders.staging(self._job.directory)
            if self._window is not None:
                self._wait_for_devices()
            self._job.times.window_opens(time.perf_counter_ns())
            self._handle = trace.start(
                self._staging,
                config.profile_options.resolve(config.preset),
                perfetto_link=config.perfetto_link and self._job.process_index == 0,
                perfetto_trace=config.create_perfetto_trace or config.perfetto_link,
            )
            self.is_running = True
        except trace.BusyError as error:
            self._failed(BUSY, "another profiling session is active in this process", error)
        except Exception as error:
            self._failed(START_FAILED, "the profile could not be started", error)
        finally:
            if not self.is_running and self._staging is not None:
                folders.discard(self._staging)
        self._seconds["start"] = time.monotonic() - began
        if not self.is_running:
            self._finish(None if self._window is None else self._window.start)

    def stop(self, end: int | None, why: str | None) -> None:
        """Stop before step `end`. `why` the window ends early; then nothing is waited for."""
        if not self.is_running:
            return
        self.is_running = False
        if why or (self._window is not None and end != self._window.end):
            self._outcome, self._reason = PARTIAL, why or "the loop left the window"
        try:
            if not why and self._window is not None:
                self._seconds["wait"] = self._wait_for_devices()
            self._job.times.window_closes(None if why else time.perf_counter_ns())
            self._export()
        except trace.TakenError as error:
            self._failed(TAKEN, "the profile is lost", error)
        except trace.BusyError as error:
            self._failed(BUSY, "nothing was recorded", error)
        except BaseException as error:
            self._export_failed(error)
            if not isinstance(error, Exception):
                raise
        finally:
            self._finish(end)

    def _export_failed(self, error: BaseException) -> None:
        is_forgotten = trace.release(self._handle, error)
        self._handle = None
        advice = "" if is_forgotten else (
            "; JAX will answer 'Profile has already been started' until this process ends"
        )  # fmt: skip
        self._failed(EXPORT_FAILED, f"the profile could not be exported{advice}", error)

    def _wait_for_devices(self) -> float:
        began = time.monotonic()
        try:
            trace.wait_for_devices()
        except Exception as error:  # of the user's program: it surfaces where the program waits
            warn("a computation of the training program failed", error)
        return time.monotonic() - began

    def _export(self) -> None:
        staging, began = self._staging, time.monotonic()
        assert staging is not None
        with heartbeat("exporting the profile", lambda: folders.size_of(staging)):
            trace.stop(self._handle)
        self._seconds["export"] = time.monotonic() - began

    def _failed(self, outcome: str, message: str, error: BaseException) -> None:
        self._outcome, self._reason = outcome, describe(error)
        self.error = error if isinstance(error, Exception) else None
        warn(message, error)

    def _finish(self, end: int | None) -> None:
        if self._staging is not None and self._outcome not in (OK, PARTIAL):
            folders.discard(self._staging)  # where the disk is full, the manifest needs its room
        self._describe(end)
        try:
            self._publish(end)
        except Exception as error:
            if self._outcome in (OK, PARTIAL):
                self.error = error
                self.manifest["outcome"], self.manifest["reason"] = EXPORT_FAILED, describe(error)
            warn(f"the profile could not be written below {self._job.directory}", error)
        finally:
            if self._staging is not None:
                folders.discard(self._staging)

    def _publish(self, end: int | None) -> None:
        job, window = self._job, self._window
        has_profile = self._staging is not None and self._outcome in (OK, PARTIAL)
        files = landing.exported(self._staging) if has_profile and self._staging is not None else {}
        if window is None or end is None:
            names, what = folders.timed_names(self._started_at), "profiled"
        else:
            names = folders.session_names(window.start, end)
            what = f"profiled steps {window.start} to {end - 1}"
        folder, stem = landing.land(job.directory, job.token, names, files, self.manifest)
        if has_profile:
            say(f"{what}: {folder} ({self.manifest['profile']['bytes'] / 1e6:.1f} MB)")
        if job.uploader is not None:
            job.uploader.submit(folder, stem, self.manifest)

    def _describe(self, end: int | None) -> None:
        job, window = self._job, self._window
        hosts = provenance.fact(lambda: processes.hosts(job.token)) or {}
        self.manifest = {
            **job.facts,
            "run_id": job.run_id,
            "session": None,
            "attempt": job.token,
            "outcome": self._outcome,
            "reason": self._reason or None,
            "window": manifest.window_of_time()
            if window is None
            else {
                "why": window.reason,
                "first_step": window.start,
                "end_step": end,
                "planned_end_step": window.planned_end,
                "affected_steps": [window.start, end],
            },
            "started_at": self._started_at,
            "ended_at": manifest.now(),
            "cost": {
                **{f"{name}_seconds": seconds for name, seconds in self._seconds.items()},
                **job.times.measured(),
            },
            "process": {"index": job.process_index, "count": job.process_count, "hosts": hosts},
            "tags": job.tags,
            "profile": None,
            "upload": None,
        }
