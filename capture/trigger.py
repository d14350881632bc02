"""Windows on demand: a touched file or SIGUSR2 asks for one."""

import secrets
import signal
import time
from collections.abc import Callable
from pathlib import Path

from .log import say
from .signals import Borrowed

FILE = "profile-now"
POLL_SECONDS = 1


class Trigger:
    """Tells whether a window was asked for. `wake` is called from a signal handler: it may only set flags.

    SIGUSR2 is taken at once, because it kills a program that does not handle it; the file is looked at after
    `watch` has told where it is.
    """

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._file: Path | None = None
        self._seen: int | None = None
        self._asked = False
        self._signal = Borrowed(signal.SIGUSR2, self._ask)

    def watch(self, directory: Path, *, is_told: bool) -> None:
        """Look at the file in a folder from now on; one from before does not count."""
        self._file = directory / FILE
        self._seen = self._touched()
        if is_told:
            how = " or send SIGUSR2" if self._signal.is_ours else ""
            say(f"to profile now: touch {self._file}{how}")

    def _ask(self) -> None:
        self._asked = True
        self._wake()

    def take(self) -> str | None:
        """A name for what somebody asked for since the last call: all who see one file give it one name."""
        seen, asked = self._seen, self._asked
        self._seen, self._asked = self._touched(), False
        if self._seen is not None and self._seen != seen:
            return f"file-{self._seen}"
        return f"signal-{secrets.token_hex(8)}" if asked else None

    def next_poll(self) -> int:
        """When to look again, in `time.perf_counter_ns`."""
        return time.perf_counter_ns() + POLL_SECONDS * 1_000_000_000

    def _touched(self) -> int | None:
        try:
            return self._file.stat().st_mtime_ns if self._file is not None else None
        except OSError:
            return None

    def close(self) -> None:
        """Give the signal back."""
        self._signal.give_back()
