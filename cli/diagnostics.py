"""Everything that is said to a person: the only module of the command line that writes to stderr."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum

from ..sql.reports.text import printable


class ExitCode(IntEnum):
    """What a command's exit status means."""

    OK = 0
    REGRESSION = 1
    USAGE = 2
    INPUT = 3
    CANNOT_TELL = 4
    DEFECT = 70
    INTERRUPTED = 130


EXIT_MEANINGS = {
    ExitCode.OK: "ok",
    ExitCode.REGRESSION: "regression found, or a check failed",
    ExitCode.USAGE: "wrong usage",
    ExitCode.INPUT: "bad or missing input",
    ExitCode.CANNOT_TELL: "cannot tell: not enough data",
    ExitCode.DEFECT: "a defect in profdb",
    ExitCode.INTERRUPTED: "interrupted",
}


def error(message: str, hint: str | None = None, keep: str = "") -> None:
    """Print an error and, after a blank line, the command or flag that mends it.

    It is one line, unless it may `keep` line feeds."""
    _say(f"error: {message}", keep)
    if hint:
        _write(f"\nhint: {printable(hint)}\n")


def note(message: str) -> None:
    """Print one line that qualifies the output."""
    _say(f"note: {message}")


def summary(message: str) -> None:
    """Print one line that says what was done."""
    _say(message)


def text(message: str) -> None:
    """Print help or another ready text as it is."""
    _write(message if message.endswith("\n") else message + "\n")


@contextmanager
def progress(label: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield a callback (bytes done, bytes in all) that draws a bar, or None where stderr is no terminal."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), DownloadColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _say(message: str, keep: str = "") -> None:
    _write(f"profdb: {printable(message, keep)}\n")


def _write(message: str) -> None:
    """Write to stderr after everything on stdout; a closed stderr is nobody listening."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
        if sys.stderr is not None:
            sys.stderr.write(message)
            sys.stderr.flush()
    except OSError:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115  (the interpreter flushes it once more at exit)
