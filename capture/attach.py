"""A window of time in a program that was never changed: what `profdb capture -- PROGRAM` starts inside it.

The clock starts when jax has compiled its first program, so that imports and loading data do not count.
"""

import atexit
import os
import sys
import threading
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from . import manifest, processes
from .config import ProfilerConfig
from .job import Job
from .log import say, warn
from .recording import Recording

DIRECTORY, AFTER, DURATION, RUN_ID = (
    f"PROFDB_CAPTURE_{name}" for name in ("DIRECTORY", "AFTER", "DURATION", "RUN_ID")
)
_COMPILED = "/jax/core/compile/backend_compile_duration"
_POLL_SECONDS = 0.05


class JaxWatch:
    """A finder of modules that finds none: it only notices that the program imports jax."""

    def find_spec(
        self, name: str, _path: Sequence[str] | None = None, _target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None; starts the capture's thread at the first import of jax."""
        if name == "jax":
            sys.meta_path.remove(self)
            threading.Thread(target=_Attached().run, name="profdb-capture", daemon=True).start()
        return None


def attach() -> None:
    """Wait for jax in this process, if the environment asks for a capture."""
    if os.environ.get(DIRECTORY):
        sys.meta_path.insert(0, JaxWatch())


class _Attached:
    """The window: opens in a thread, and closes there or when the program ends."""

    def __init__(self) -> None:
        self._after, self._duration = float(os.environ[AFTER]), float(os.environ[DURATION])
        self._compiled = threading.Event()
        self._ended = threading.Event()
        self._closed = threading.Lock()
        self._recording: Recording | None = None
        atexit.register(self._at_exit)

    def run(self) -> None:
        """Wait, profile, and never raise into the program."""
        try:
            self._run()
        except Exception as error:
            warn("the program could not be profiled", error)

    def _run(self) -> None:
        jax = self._jax()
        if jax is None:
            return
        jax.monitoring.register_event_duration_secs_listener(self._note)
        self._compiled.wait()
        if self._ended.wait(self._after):
            return
        config = ProfilerConfig.from_env(ProfilerConfig(enabled=True))
        token = processes.token(processes.built())
        job = Job(
            config=config,
            run_id=os.environ.get(RUN_ID) or f"run-{token[:8]}",
            token=token,
            directory=Path(os.environ[DIRECTORY]),
            process_index=processes.process_index(),
            process_count=processes.process_count(),
            read_facts=lambda: manifest.static_facts(config, None, None),
            tags={},
        )
        recording = Recording(job, None)
        recording.start()
        self._recording = recording
        self._ended.wait(self._duration)
        self._close(None)

    def _jax(self) -> Any:
        """jax, once its import is complete; None where the program ended before."""
        while not self._ended.wait(_POLL_SECONDS):
            jax = sys.modules.get("jax")
            spec = getattr(jax, "__spec__", None)
            if hasattr(jax, "monitoring") and not getattr(spec, "_initializing", False):
                return jax
        return None

    def _note(self, event: str, _seconds: float, **_: Any) -> None:
        if event == _COMPILED:
            self._compiled.set()

    def _close(self, why: str | None) -> None:
        with self._closed:
            if self._recording is not None:
                self._recording.stop(None, why)

    def _at_exit(self) -> None:
        has_opened = self._recording is not None
        self._close("the program ended inside the window")
        self._ended.set()
        if not has_opened:
            when = f"within {self._after:g} s of it" if self._compiled.is_set() else "without one"
            say(f"the window opens after the first compilation; the program ended {when}: nothing profiled")
