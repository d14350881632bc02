"""What capture says: to the logger `profdb.capture`, or to stderr where the program set up no logging."""

import logging
import sys

logger = logging.getLogger("profdb.capture")


def say(message: str) -> None:
    """Say something that the user wants to see even where logging is not set up."""
    if logger.hasHandlers():
        logger.info(message)
    else:
        sys.stderr.write(f"profdb: {message}\n")


def warn(message: str, error: BaseException | None = None) -> None:
    """Warn; never raises."""
    if error is not None:
        message = f"{message}: {describe(error)}"
    logger.warning(message)


def describe(error: BaseException) -> str:
    """An error in one line."""
    text = str(error).strip().split("\n", 1)[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
