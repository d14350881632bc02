"""Ingest against xprof's converter and a plain loop: `python benchmarks/ingest.py [--quick]`.

Every program runs as a whole process on the same file, pair by pair in turn. Prints Markdown. Profiles are
made once and kept in a folder of the system's temporary directory.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from profdb.benchmarks.measure import FailedError, Usage, run

HERE = Path(__file__).parent
CONVERTER = (
    "import sys; from xprof.convert.events_db.python import pywrap_events_db_c_api as api; "
    "api.xspace_to_parquet(input_path=sys.argv[1], output_path=sys.argv[2] + '/events.parquet')"
)
PROGRAMS: dict[str, Callable[[Path, Path], list[str]]] = {
    "profdb": lambda source, out: ["-m", "profdb", "ingest", str(source), "--warehouse", str(out)],
    "converter": lambda source, out: ["-c", CONVERTER, str(source), str(out)],
    "loop": lambda source, out: [str(HERE / "loop_baseline.py"), str(source), str(out)],
}
MAKERS = {"synthetic": ("synthetic", "program", "metadata", "host", "wire"), "cpu_capture": ("cpu_capture",)}
"""The modules whose change makes a cached profile stale."""


@dataclass
class Case:
    """One profile and what was measured on it."""

    name: str
    path: Path
    events: int
    usage: dict[str, list[Usage]] = field(default_factory=lambda: {name: [] for name in PROGRAMS})
    stored: dict[str, int] = field(default_factory=dict)
    phases: dict[str, float] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)

    def median(self, program: str, value: Callable[[Usage], float]) -> float:
        """Median over the pairs."""
        return statistics.median(value(usage) for usage in self.usage[program])

    def ratio(self, program: str, value: Callable[[Usage], float]) -> float:
        """Median over the pairs of how many times as much a program takes as profdb."""
        pairs = zip(self.usage[program], self.usage["profdb"], strict=True)
        return statistics.median(value(other) / value(ours) for other, ours in pairs)


def profile(cache: Path, kind: str, events: int) -> Case:
    """The profile of that kind, made where it is not in the cache yet."""
    script = HERE / f"{kind}.py"
    changed = max((HERE / f"{module}.py").stat().st_mtime for module in MAKERS[kind])
    path = cache / f"{kind}-{events}.xplane.pb"
    counts = Path(f"{path}.json")
    if not counts.exists() or counts.stat().st_mtime < changed:
        say(f"making {path.name}")
        run([sys.executable, str(script), str(path), "--events", str(events)], cache / "make.log")
    found = json.loads(counts.read_text())["events"]
    return Case(f"{kind.replace('_', ' ')} {found / 1e6:.2f} M", path, found)


def measure(case: Case, pairs: int, programs: list[str], scratch: Path) -> None:
    """Run the programs in turn, as many times as there are pairs; the order alternates."""
    case.path.read_bytes()  # in the page cache for all of them
    for number in range(pairs):
        for name in programs if number % 2 == 0 else reversed(programs):
            if name in case.failed:
                continue
            out = _fresh(scratch / name)
            say(f"{case.name}: {name}, pair {number + 1} of {pairs}")
            command = [sys.executable, *PROGRAMS[name](case.path, out)]
            try:
                case.usage[name].append(run(command, scratch / f"{name}.log"))
            except FailedError as error:
                case.failed[name] = str(error)
                say(str(error))
            case.stored[name] = _size(out)
    phases = scratch / "phases.log"
    run([sys.executable, str(HERE / "phases.py"), str(case.path), str(_fresh(scratch / "phases"))], phases)
    case.phases = json.loads(phases.read_text().splitlines()[-1])


def _fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def comparison(cases: list[Case]) -> list[str]:
    """One row per profile and program."""
    lines = [
        "| profile | program | wall s | CPU s | events/s | peak MB | peak - file MB | stored bytes/event | "
        "wall, times profdb's | CPU, times profdb's |",
        "| --- | --- | --: | --: | --: | --: | --: | --: | --: | --: |",
    ]
    for case in cases:
        for name, usage in case.usage.items():
            if name in case.failed:
                lines.append(f"| {case.name} | {name} | failed | | | | | | | |")
            elif usage:
                lines.append(_row(case, name))
    return lines


def _row(case: Case, name: str) -> str:
    wall = case.median(name, lambda usage: usage.wall_s)
    peak = case.median(name, lambda usage: usage.peak_bytes)
    cells = [
        case.name,
        name,
        f"{wall:.2f}",
        f"{case.median(name, lambda usage: usage.cpu_s):.2f}",
        f"{case.events / wall:,.0f}",
        f"{peak / 1e6:,.0f}",
        f"{(peak - case.path.stat().st_size) / 1e6:,.0f}",
        f"{case.stored[name] / case.events:.1f}",
        f"{case.ratio(name, lambda usage: usage.wall_s):.2f}",
        f"{case.ratio(name, lambda usage: usage.cpu_s):.2f}",
    ]
    return f"| {' | '.join(cells)} |"


def phase_table(cases: list[Case]) -> list[str]:
    """profdb's time by phase, in seconds, from one more run with clocks in it."""
    phases = list(dict.fromkeys(phase for case in cases for phase in case.phases))
    totals = {phase: sum(case.phases.get(phase, 0) for case in cases) for phase in phases}
    lines = [
        f"| phase, s | {' | '.join(case.name for case in cases)} |",
        f"| --- |{' --: |' * len(cases)}",
    ]
    for phase in sorted(phases, key=lambda name: -totals[name]):
        lines.append(f"| {phase} | {' | '.join(f'{case.phases.get(phase, 0):.2f}' for case in cases)} |")
    return lines


def say(text: str) -> None:
    """Progress, on stderr."""
    sys.stderr.write(text + "\n")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    sizes: dict[str, Any] = {"type": float, "metavar": "M"}
    parser.add_argument("--pairs", type=int, default=5, help="runs of each program (5)")
    parser.add_argument("--events", nargs="*", default=[1, 4, 10], help="millions, synthetic", **sizes)
    parser.add_argument("--cpu-events", default=1, help="millions, CPU capture; 0: none", **sizes)
    parser.add_argument("--programs", nargs="*", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--quick", action="store_true", help="one pair on 1 M synthetic events")
    arguments = parser.parse_args()
    if arguments.quick:
        arguments.pairs, arguments.events, arguments.cpu_events = 1, [1], 0
    cache = Path(tempfile.gettempdir()) / "profdb-benchmark"
    cache.mkdir(exist_ok=True)
    cases = [profile(cache, "synthetic", int(size * 1e6)) for size in arguments.events]
    if arguments.cpu_events:
        cases.append(profile(cache, "cpu_capture", int(arguments.cpu_events * 1e6)))
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        measure(profile(cache, "synthetic", 5000), 1, arguments.programs, Path(folder))  # warms imports
        for case in cases:
            measure(case, arguments.pairs, arguments.programs, Path(folder))
    sys.stdout.write("\n".join([*comparison(cases), "", *phase_table(cases), ""]))


if __name__ == "__main__":
    main()
