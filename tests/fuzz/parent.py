"""Runs workers over ranges of mutants, and outlives those that crash or hang."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, Queue
from threading import Thread
from typing import Any

TESTS = Path(__file__).parents[1]
BOUND_S = 30
"""A mutant that takes longer hangs; the slowest that does not takes a second on a busy machine."""


@dataclass
class Outcome:
    """What a range of mutants came to: failures as (number, what), and the summaries of the workers."""

    failures: list[tuple[int, str]] = field(default_factory=list)
    summaries: list[dict[str, Any]] = field(default_factory=list)

    def total(self, key: str) -> int:
        """Sum of a count over the workers."""
        return sum(summary[key] for summary in self.summaries)


def fuzz(folder: Path, count: int, every: int, processes: int, batch: int) -> Outcome:
    """Try `count` mutants, in batches of a fresh process and warehouse each."""
    outcome = Outcome()
    with ThreadPoolExecutor(processes) as pool:
        firsts = range(0, count, batch)
        for done in pool.map(lambda first: _range(folder, first, min(first + batch, count), every), firsts):
            outcome.failures += done.failures
            outcome.summaries += done.summaries
    return outcome


def _range(folder: Path, first: int, last: int, every: int) -> Outcome:
    """Try a range of mutants. A worker that dies is replaced, from the mutant after its last."""
    outcome = Outcome()
    while first < last:
        place = folder / str(first)
        place.mkdir()
        number = first
        for line in _lines([str(place), str(first), str(last), str(every)], place / "stderr"):
            if isinstance(line, int):
                number = line
            elif "what" in line:
                outcome.failures.append((line["number"], line["what"]))
            else:
                outcome.summaries.append(line)
                number = last
        if number < last:
            outcome.failures.append((number, (place / "stderr").read_text()[-500:] or "the process died"))
        first = number + 1
    return outcome


def _lines(arguments: list[str], stderr: Path) -> Iterator[Any]:
    """What a worker prints; ends where it is silent for BOUND_S, which ends it too."""
    command = [sys.executable, "-W", "error", "-m", "fuzz.worker", *arguments]
    with (
        stderr.open("w") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, cwd=TESTS) as process,
    ):
        lines: Queue[str] = Queue()

        def read() -> None:
            assert process.stdout
            for line in process.stdout:
                lines.put(line)
            lines.put("")

        Thread(target=read, daemon=True).start()
        try:
            while line := lines.get(timeout=BOUND_S):
                yield json.loads(line)
        except Empty:
            process.kill()
            errors.write(f"no answer within {BOUND_S} s")
