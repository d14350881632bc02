"""One command as a whole process: wall time, CPU time and peak memory of it and its children.

This process stays small: on Linux a child's peak memory counts from that of the process that started it.
"""

import os
import subprocess
import threading
import time
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """What a process took."""

    wall_s: float
    cpu_s: float
    """User and system time, of its children too."""
    peak_bytes: int
    """Largest resident set: of the process by the kernel, or of it and its children together by sampling."""


class FailedError(Exception):
    """The command failed; the text is the end of what it said."""


def run(command: list[str], log: Path) -> Usage:
    """Run a command to its end. Raises FailedError."""
    with log.open("wb") as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
        sampler = _Sampler(process.pid)
        sampler.start()
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
    sampler.stop()
    if process.returncode:
        raise FailedError(f"{' '.join(command)}: exit {process.returncode}\n{log.read_text()[-2000:]}")
    peak = max(used.ru_maxrss * 1024, sampler.peak_bytes)
    return Usage(wall, used.ru_utime + used.ru_stime, peak)


class _Sampler(threading.Thread):
    """Watches the resident sets of a process and its children, where /proc tells them."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak_bytes = 0
        self._pid, self._done = pid, threading.Event()

    def run(self) -> None:
        """Sample until stopped; a single process needs no sampling, since the kernel knows its peak."""
        while not self._done.wait(0.05):
            family = _family(self._pid)
            if len(family) > 1:
                self.peak_bytes = max(self.peak_bytes, sum(map(_resident, family)))

    def stop(self) -> None:
        """Stop sampling."""
        self._done.set()
        self.join()


def _family(pid: int) -> list[int]:
    found = [pid]
    for parent in found:
        try:
            tasks = list(Path(f"/proc/{parent}/task").iterdir())
            found += [int(child) for task in tasks for child in (task / "children").read_text().split()]
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGE_SIZE")
