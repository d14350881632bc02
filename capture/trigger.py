"""Windows on demand: a touched file or SIGUSR2 asks for one."""

import signal
import time
from collections.abc import Callable
from pathlib import Path

from .log import say
from .signals import Borrowed

FILE = "profile-now"
POLL_NS = 1_000_000_000


class Trigger:
    """Tells whether a window was asked for. `wake` is called from a signal handler: it may only set flags."""

    def __init__(self, directory: Path, wake: Callable[[], None], *, is_told: bool) -> None:
        self._file = directory / FILE
        self._wake = wake
        self._seen = self._touched()
        self._asked = False
        self._signal = Borrowed(signal.SIGUSR2, self._ask)
        if not is_told:
            return
        how = " or send SIGUSR2" if self._signal.is_ours else ""
        say(f"to profile now: touch {self._file}{how}")

    def _ask(self) -> None:
        self._asked = True
        self._wake()

    def take(self) -> bool:
        """Whether somebody asked since the last call. A file from before the loop does not count."""
        touched = self._touched()
        asked = self._asked or (touched is not None and touched != self._seen)
        self._seen, self._asked = touched, False
        return asked

    def next_poll(self) -> int:
        """When to look again, in `time.perf_counter_ns`."""
        return time.perf_counter_ns() + POLL_NS

    def _touched(self) -> int | None:
        try:
            return self._file.stat().st_mtime_ns
        except OSError:
            return None

    def close(self) -> None:
        """Give the signal back."""
        self._signal.give_back()
