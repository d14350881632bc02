"""Ingests mutants, in a process that may crash or hang without harm.

`python -m fuzz.worker FOLDER FIRST LAST EVERY` prints the number of each mutant before it is tried; {number,
what} as JSON for each one that fails; and last a summary. A mutant passes where it is ingested, or refused by
a ProfdbError that leaves the warehouse as it was. All are decoded; those whose number EVERY divides are
ingested as a whole, which takes ten times as long.
"""

import json
import resource
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

from fuzz.mutate import mutant
from fuzz.seeds import synthetic

from profdb.sql import catalog
from profdb.sql.engine import Settings
from profdb.sql.errors import ProfdbError
from profdb.warehouse.extract import Options, RefusedFileError, extract
from profdb.warehouse.grouping import profile_sets
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session
from profdb.warehouse.sources import SourceSession
from profdb.warehouse.store import Warehouse

REAL = Path(__file__).parents[3] / "shared" / "real" / "xplane"
SMALL = ("cpu_github_runner", "gpu_gtx1080ti_x2_xla")


@dataclass
class Summary:
    """What became of the mutants of one process."""

    ingested: int = 0
    decoded: int = 0
    refused: int = 0
    slowest_s: float = 0
    slowest: int = -1
    peak_mb: int = 0


@dataclass
class Worker:
    """Tries mutants in a folder of its own."""

    folder: Path
    seeds: list[bytes]
    every: int
    summary: Summary

    def try_all(self, first: int, last: int) -> None:
        """Try the mutants with numbers from `first` to before `last`."""
        for number in range(first, last):
            print(number, flush=True)  # noqa: T201
            started = time.monotonic()
            report(number, lambda: self.try_one(number))  # noqa: B023
            seconds = time.monotonic() - started
            if seconds > self.summary.slowest_s:
                self.summary.slowest_s, self.summary.slowest = seconds, number
        self.read_views()
        self.summary.peak_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10

    def try_one(self, number: int) -> None:
        """Raises where the mutant does not pass."""
        file = self.folder / f"{number}.xplane.pb"
        file.write_bytes(mutant(number, self.seeds))
        try:
            if number % self.every:
                self.decode(file)
                self.summary.decoded += 1
            else:
                self.ingest(file)
                self.summary.ingested += 1
        except (ProfdbError, RefusedFileError):
            self.summary.refused += 1
        finally:
            file.unlink()

    @property
    def root(self) -> Path:
        return self.folder / "warehouse"

    def decode(self, file: Path) -> None:
        """Decode the file into tables, and store nothing."""
        for profiles in profile_sets(SourceSession(file.parent, [file], None, None)):
            if not profiles.heads:
                raise ProfdbError(profiles.refused[0][1])
            with Warehouse(str(self.root)).staging() as staging:
                extract(profiles, "run", Options({}, None, True), staging, lambda _: None)

    def ingest(self, file: Path) -> None:
        """Ingest the file. Raises AssertionError for a refused file that left a trace."""
        before = self.trace()
        try:
            ingest([str(file)], str(self.root))
        except ProfdbError:
            assert self.trace() == before, "a refused file left a trace in the warehouse"
            raise

    def trace(self) -> list[Path]:
        """All that is in the warehouse."""
        return sorted(path for path in self.root.rglob("*") if path.is_file())

    def read_views(self) -> None:
        """Read every view over all runs; where one fails, over each run by itself."""
        session = open_session(str(self.root), Settings())
        for name in (name for name in catalog.views() if not name.startswith("_")):
            try:
                session.query(f"SELECT * FROM {name}")
            except ProfdbError:
                for run in session.snapshot.runs:
                    report(int(run), lambda: session.query(f"SELECT * FROM {name} WHERE run = '{run}'"))  # noqa: B023


def report(number: int, work: Callable[[], object]) -> None:
    """Do the work for a mutant, and print what it raises: a panic in native code is no Exception."""
    try:
        work()
    except BaseException as error:
        frames = [
            f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[-4:]
        ]
        what = f"{type(error).__name__}: {str(error)[:300]} ({' > '.join(frames)})"
        print(json.dumps({"number": number, "what": what}), flush=True)  # noqa: T201


def main() -> None:
    """Run the process."""
    folder, first, last, every = Path(sys.argv[1]), *map(int, sys.argv[2:])
    real = [REAL / f"{name}.xplane.pb" for name in SMALL] if REAL.is_dir() else []
    seeds = [*synthetic(), *(path.read_bytes() for path in real)]
    worker = Worker(folder, seeds, every, Summary())
    worker.try_all(first, last)
    print(json.dumps(asdict(worker.summary)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
