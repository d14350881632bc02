"""Questions to a warehouse of many runs: `python benchmarks/query.py [--runs 200] [--events 200000]`.

The warehouse is made once, in a folder of the system's temporary directory. Prints Markdown: medians of warm
runs in one process, and of whole `profdb query` processes.
"""

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from profdb.benchmarks import synthetic
from profdb.benchmarks.measure import run
from profdb.sql.engine import Settings
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session

HERE = Path(__file__).parent
WRITES = ("sql/tables", "sql/v1/derived", "sql/data", "warehouse", "benchmarks/synthetic.py")
"""What a warehouse of this benchmark depends on: it is made again when one of these is newer."""
ONE = "run-0100"
QUERIES = {
    "run_summary of all runs": "SELECT * FROM run_summary",
    "hot_ops of one run": f"SELECT * FROM hot_ops WHERE run = '{ONE}' AND rank <= 25",
    "group-by over all op_stats": (
        "SELECT c.category, c.family, sum(s.self_ps) FROM op_stats s "
        "JOIN op_classes c ON c.run = s.run AND c.op_id = s.op_id GROUP BY c.category, c.family"
    ),
    "group-by over one run's op_events": (
        f"SELECT device, name, count(*), sum(self_ps) FROM op_events WHERE run = '{ONE}' "
        "GROUP BY device, name"
    ),
}
SMALL = "SELECT run, step_median_ps, quality FROM run_summary ORDER BY run LIMIT 5"


def warehouse(folder: Path, runs: int, events: int) -> Path:
    """The warehouse of synthetic runs, made where there is none that is fresh."""
    root = folder / f"fleet-{runs}-{events}"
    done = root / "_benchmark_done"
    if not done.exists() or done.stat().st_mtime < max(map(_changed, WRITES)):
        shutil.rmtree(root, ignore_errors=True)
        with ProcessPoolExecutor(2) as pool:
            jobs = [pool.submit(_add, root, number, events) for number in range(runs)]
            for number, job in enumerate(jobs, start=1):
                job.result()
                sys.stderr.write(f"\rmaking the warehouse: run {number} of {runs}")
        sys.stderr.write("\n")
        done.touch()
    return root


def _changed(path: str) -> float:
    target = HERE.parent / path
    files = target.rglob("*.*") if target.is_dir() else [target]
    return max(file.stat().st_mtime for file in files if file.suffix in {".sql", ".csv", ".py"})


def _add(root: Path, number: int, events: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / f"host-{number}.xplane.pb"
        synthetic.write(profile, events, seed=number)
        ingest([str(profile)], str(root), run=f"run-{number:04}", tags={"series": f"model-{number % 4}"})


def engine_table(root: Path, repeats: int) -> list[str]:
    """One row per query: its fresh connection, which reads small relations, and the query on it."""
    rows = ["| query | rows | connection | query | both |", "|---|--:|--:|--:|--:|"]
    session = open_session(str(root), Settings())
    for name, sql in QUERIES.items():
        opened, asked, count = [], [], 0
        for _ in range(repeats + 1):
            took, con = _timed(lambda sql=sql: session.connect(sql))
            opened.append(took)
            took, table = _timed(lambda con=con, sql=sql: con.sql(sql).to_arrow_table())
            asked.append(took)
            count = table.num_rows
            con.close()
        both = [sum(pair) for pair in zip(opened, asked, strict=True)]
        rows.append(f"| {name} | {count} | {_ms(opened[1:])} | {_ms(asked[1:])} | {_ms(both[1:])} |")
    return rows


def process_table(root: Path, repeats: int, scratch: Path) -> list[str]:
    """Whole `profdb query` processes."""
    rows = ["| process | wall | CPU | peak |", "|---|--:|--:|--:|"]
    for name, sql in {"small query": SMALL, **QUERIES}.items():
        command = [sys.executable, "-m", "profdb", "query", sql, "-w", str(root), "--limit", "25"]
        usages = [run(command, scratch / "query.log") for _ in range(repeats)]
        wall = statistics.median(usage.wall_s for usage in usages)
        cpu = statistics.median(usage.cpu_s for usage in usages)
        peak = max(usage.peak_bytes for usage in usages)
        rows.append(f"| {name} | {wall:.2f} s | {cpu:.2f} s | {peak / 1e6:.0f} MB |")
    return rows


def _timed(work: Callable) -> tuple[float, object]:
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def _ms(seconds: list[float]) -> str:
    return f"{1000 * statistics.median(seconds):.0f} ms"


def main() -> None:
    """Make the warehouse if need be, ask, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--events", type=int, default=200_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    folder = Path(tempfile.gettempdir()) / "profdb-benchmark"
    root = warehouse(folder, arguments.runs, arguments.events)
    with tempfile.TemporaryDirectory() as scratch:
        tables = [
            engine_table(root, arguments.repeats),
            process_table(root, arguments.repeats, Path(scratch)),
        ]
    sys.stdout.write("\n\n".join("\n".join(table) for table in tables) + "\n")


if __name__ == "__main__":
    main()
