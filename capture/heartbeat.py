"""A log line now and then while something takes long, so that it does not look like a hang."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from .log import say

SECONDS = 10.0


@contextmanager
def heartbeat(what: str, written: Callable[[], int], every: float | None = None) -> Iterator[None]:
    """Say every `every` seconds (None: SECONDS) what goes on, how long it took and what `written` tells."""
    done = threading.Event()
    started = time.monotonic()

    def beat() -> None:
        while not done.wait(SECONDS if every is None else every):
            seconds = time.monotonic() - started
            say(f"{what}: {seconds:.0f} s, {written() / 1e6:.1f} MB; training goes on when it is done")

    thread = threading.Thread(target=beat, name="profdb-heartbeat", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join(1)
