"""Signals, borrowed for as long as they are needed and only where nobody else uses them."""

import ctypes
import os
import signal
import threading
from collections.abc import Callable
from types import FrameType

from .log import logger

_HANDLER_BYTES, _SIGACTION_BYTES = ctypes.sizeof(ctypes.c_void_p), 256


class Borrowed:
    """Calls `act` at a signal, until `give_back`. Does nothing where the signal has another handler."""

    def __init__(self, number: int, act: Callable[[], None]) -> None:
        self._number, self._act = number, act
        self.is_ours, self._pid = False, os.getpid()
        if threading.current_thread() is not threading.main_thread() or not _is_default(number):
            logger.debug("signal %d is left to its own handler", number)
            return
        signal.signal(number, self._handle)
        self.is_ours = True

    def _handle(self, _number: int, _frame: FrameType | None) -> None:
        if os.getpid() == self._pid:
            self._act()
        else:  # a worker that the program forked: nothing of ours
            signal.signal(self._number, signal.SIG_DFL)
            os.kill(os.getpid(), self._number)

    def give_back(self) -> None:
        """Restore the default, unless somebody has taken the signal since."""
        if not self.is_ours or threading.current_thread() is not threading.main_thread():
            return
        self.is_ours = False
        if signal.getsignal(self._number) == self._handle:
            signal.signal(self._number, signal.SIG_DFL)


def _is_default(number: int) -> bool:
    """Whether nobody handles the signal. Python does not see handlers of C++, such as JAX has for SIGTERM."""
    if signal.getsignal(number) is not signal.SIG_DFL:
        return False
    try:
        action = ctypes.create_string_buffer(_SIGACTION_BYTES)
        if ctypes.CDLL(None).sigaction(number, None, action) != 0:
            return False
    except (AttributeError, OSError, TypeError):  # no C library that can be asked
        return False
    return action.raw[:_HANDLER_BYTES] == bytes(_HANDLER_BYTES)
