"""What has to be done before the interpreter ends, while threads can still be started."""

import atexit
import concurrent.futures.thread
import functools
import os
import threading
from collections.abc import Callable
from typing import Any

_pending: dict[Callable[[], Any], int] = {}
"""What to call, and in which process: workers that a program forks end earlier."""


def before_exit(act: Callable[[], Any]) -> None:
    """Call `act` when the program ends, unless `forget` comes first.

    `atexit` is late for an upload: by then thread pools refuse work, and the clients of object stores look
    names up in one. A loop in another thread than the main one may go on after that: there it is `atexit`.
    """
    if threading.current_thread() is not threading.main_thread():
        atexit.register(act)
        return
    _watch()
    _pending[act] = os.getpid()


def forget(act: Callable[[], Any]) -> None:
    """Take back `before_exit`; nothing happens where it was not asked."""
    atexit.unregister(act)
    _pending.pop(act, None)


@functools.cache
def _watch() -> None:
    # The hook by which concurrent.futures ends its pools; what is registered after it is called before it.
    # It is no public name, hence the other one.
    assert concurrent.futures.thread
    register = getattr(threading, "_register_atexit", atexit.register)
    register(_run)


def _run() -> None:
    while _pending:
        act, process = _pending.popitem()
        if process == os.getpid():
            act()
