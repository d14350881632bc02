"""The benchmark's synthetic profile is what it says, and its programs run. No times are asserted."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest

from profdb.benchmarks import loop_baseline, synthetic, wire
from profdb.benchmarks.xplane import message
from profdb.sql.engine import Settings
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "tiny.xplane.pb"
    Path(f"{path}.json").write_text(json.dumps(synthetic.write(path, 5_000)))
    return path


@pytest.fixture(scope="module")
def counts(profile: Path) -> dict[str, int]:
    found: dict[str, int] = json.loads(Path(f"{profile}.json").read_text())
    return found


def test_rows_are_the_bytes_that_protobuf_writes() -> None:
    numbers, offsets = np.array([1, 300, -1]), np.array([0, 1 << 40, 127])
    stat = wire.message(4, wire.integer(1, numbers * 0 + 200), wire.integer(4, numbers))
    rows = wire.message(4, wire.integer(1, numbers), wire.integer(2, offsets), wire.only(stat, numbers > 0))
    line = message("XLine").FromString(wire.to_bytes(rows))
    assert [(e.metadata_id, e.offset_ps) for e in line.events] == [(1, 0), (300, 1 << 40), (-1, 127)]
    assert [[(s.metadata_id, s.int64_value) for s in e.stats] for e in line.events] == [
        [(200, 1)],
        [(200, 300)],
        [],
    ]


def test_counts_are_those_of_the_file(profile: Path, counts: dict[str, int]) -> None:
    space = message("XSpace").FromString(profile.read_bytes())
    lengths = dict.fromkeys(("Steps", "XLA Modules", "XLA Ops", "Async XLA Ops", "host"), 0)
    for plane in space.planes:
        for line in plane.lines:
            lengths[line.name if plane.name.startswith("/device:") else "host"] += len(line.events)
    assert lengths["Steps"] == counts["devices"] * counts["steps"]
    assert lengths["XLA Modules"] == counts["modules"]
    assert lengths["XLA Ops"] == counts["op_events"]
    assert lengths["Async XLA Ops"] == counts["async_events"]
    assert lengths["host"] == counts["host_events"]
    assert sum(lengths.values()) == counts["events"]


def test_ingest_finds_what_was_written(profile: Path, counts: dict[str, int], tmp_path: Path) -> None:
    report = ingest([str(profile)], str(tmp_path))
    assert [run.events for run in report.runs] == [counts["events"]]
    rows = _rows(
        tmp_path,
        """
        SELECT
          count(*) FILTER (WHERE NOT is_async), count(*) FILTER (WHERE is_async), count(pair_id),
          count(*) FILTER (WHERE assignment = 'device'), min(step_num), max(step_num),
          count(DISTINCT device), count(device_start_delta_ps),
          count(*) FILTER (WHERE device_duration_delta_ps <> 0)
        FROM op_events
        """,
    )
    ops, asyncs, paired, assigned, first, last, devices, with_clock, off_clock = rows[0]
    assert (ops, asyncs, devices) == (counts["op_events"], counts["async_events"], counts["devices"])
    assert paired == 3 * counts["async_events"]
    assert assigned == ops + asyncs
    assert (first, last) == (counts["first_step"], counts["first_step"] + counts["steps"] - 1)
    assert with_clock == ops
    assert off_clock > 0.9 * ops
    steps = _rows(tmp_path, "SELECT count(*), bool_and(is_whole), min(source) FROM steps")
    assert steps == [(counts["devices"] * counts["steps"], True, "device")]
    assert _rows(tmp_path, "SELECT count(*) FROM quality_events") == [(0,)]


def test_containers_hold_the_ops_of_their_loop(profile: Path, counts: dict[str, int], tmp_path: Path) -> None:
    ingest([str(profile)], str(tmp_path))
    rows = _rows(
        tmp_path,
        """
        SELECT e.name.split('.')[1] AS kind, p.opcode AS parent, count(*) AS n
        FROM op_events e JOIN ops p ON p.op_id = e.parent_op_id
        WHERE e.name.split('.')[1] IN ('while', 'conditional', 'call') GROUP BY kind, parent ORDER BY kind
        """,
    )
    each = counts["devices"] * counts["steps"] * 2 * 2  # two loops of two iterations
    assert rows == [("call", "while", each), ("conditional", "while", each)]


def test_loop_writes_every_event(profile: Path, counts: dict[str, int], tmp_path: Path) -> None:
    loop_baseline.main(profile, tmp_path)
    events = pq.read_table(tmp_path / "events.parquet")
    assert events.num_rows == counts["events"]
    stats = dict(events.filter(pq.filters_to_expression([("line", "=", "XLA Ops")]))["stats"][0].as_py())
    assert stats.keys() == {"device_offset_ps", "device_duration_ps"}


def test_phases_have_all_of_an_ingest(profile: Path, tmp_path: Path) -> None:
    command = [sys.executable, str(BENCHMARKS / "phases.py"), str(profile), str(tmp_path / "warehouse")]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    seconds = json.loads(done.stdout)
    assert {"decode", "naming", "nesting", "parquet", "rollups", "commit"} <= seconds.keys()
    assert _rows(tmp_path / "warehouse", "SELECT count(*) FROM runs") == [(1,)]


def _rows(warehouse: Path, sql: str) -> list[tuple[object, ...]]:
    with open_session(str(warehouse), Settings()) as session:
        table = session.query(sql).table
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def test_capture_prints_its_tables() -> None:
    command = [sys.executable, str(BENCHMARKS / "capture.py"), "--rounds", "1", "--steps", "2"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    assert len(rows) == 1 + 2 + 1 + 5
    assert all(line.count("|") == rows[3].count("|") for line in rows[3:])
