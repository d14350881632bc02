"""Ingest as a whole, on a real capture: what it reads out of it, and that it is all or nothing."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from profdb.sql.engine import Settings
from profdb.sql.errors import InputError, ProfdbError
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session
from profdb.warehouse.store import Warehouse


def rows(root: str | Path, sql: str) -> list[tuple[object, ...]]:
    with open_session(str(root), Settings()) as session:
        return [tuple(row.values()) for row in session.query(sql).table.to_pylist()]


@pytest.fixture(scope="module")
def warehouse(cpu_capture: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("warehouse")
    ingest([str(cpu_capture)], str(root))
    return root


@pytest.fixture
def profile(cpu_capture: Path, tmp_path: Path) -> Path:
    """A copy of the capture as a lone file, whose handle is `one`."""
    (source,) = cpu_capture.glob("*.xplane.pb")
    return Path(shutil.copy(source, tmp_path / "one.xplane.pb"))


# What the capture holds: 10 annotated steps of one program on 8 devices that did not wait for results.


def test_the_run(warehouse: Path, cpu_capture: Path) -> None:
    sql = """
        SELECT run, run_id, session, platform, device_count, host_count, process_count, step_source, format,
          is_partial FROM runs
    """
    session, logdir = cpu_capture.name, cpu_capture.parents[2].name
    # The manifest of the capture tells the run id, the folders its handle.
    assert rows(warehouse, sql) == [
        (f"{logdir}/{session}", "demo", session, "cpu", 8, 1, 1, "host", "xplane", False)
    ]


def test_every_op_of_every_whole_step_is_assigned_by_launch(warehouse: Path) -> None:
    steps = "SELECT count(*) AS steps, count(DISTINCT step_num) AS n, bool_and(is_whole) AS whole FROM steps"
    assert rows(warehouse, steps) == [(80, 10, True)]
    assert rows(warehouse, "SELECT DISTINCT assignment, step_num IS NULL AS lost FROM op_events") == [
        ("launch", False)
    ]
    per_step = "SELECT DISTINCT count(*) AS n FROM op_events GROUP BY device, step_num"
    assert (
        len(rows(warehouse, per_step)) == 1
    )  # each of the 10 launches ran the same ops on each of the 8 devices


def test_almost_all_op_time_has_a_scope(warehouse: Path) -> None:
    sql = """
        SELECT sum(s.self_ps) FILTER (WHERE o.scope IS NOT NULL) / sum(s.self_ps) AS share
        FROM op_stats s JOIN ops o ON o.run = s.run AND o.op_id = s.op_id
    """
    ((share,),) = rows(warehouse, sql)
    assert isinstance(share, float)
    assert share >= 0.95


def test_forward_backward_and_recompute_are_told_apart(warehouse: Path) -> None:
    sql = """
        SELECT c.phase FROM op_stats s JOIN op_classes c ON c.run = s.run AND c.op_id = s.op_id
        WHERE c.phase IN ('forward', 'backward', 'recompute')
        GROUP BY c.phase HAVING sum(s.self_ps) > 0 ORDER BY c.phase
    """
    assert rows(warehouse, sql) == [("backward",), ("forward",), ("recompute",)]


def test_a_layer_is_one_region_in_all_phases(warehouse: Path) -> None:
    sql = """
        SELECT region, string_agg(DISTINCT phase, ' ' ORDER BY phase) AS phases FROM op_classes
        WHERE regexp_matches(region, 'layer\\d') GROUP BY region ORDER BY region
    """
    assert rows(warehouse, sql) == [(f"layer{i}/block/mlp", "backward forward recompute") for i in range(4)]


def test_program_executions_come_from_launches(warehouse: Path) -> None:
    sql = """
        SELECT module, is_main, assignment, count(*) AS n, count(DISTINCT launch_id) AS launches FROM modules
        GROUP BY module, is_main, assignment
    """
    assert rows(warehouse, sql) == [("jit__step", True, "launch", 80, 10)]


# All or nothing.


def test_the_same_bytes_again_change_nothing(profile: Path, tmp_path: Path) -> None:
    root = str(tmp_path / "w")
    assert [run.status for run in ingest([str(profile)], root).runs] == ["ingested"]
    before = Warehouse(root).snapshot()
    (again,) = ingest([str(profile)], root, run="another-name").runs
    assert (again.run, again.status) == ("one", "unchanged")
    assert Warehouse(root).snapshot() == before


def test_a_taken_handle_is_refused_and_replaced_on_demand(
    profile: Path, tmp_path: Path, cpu_capture: Path
) -> None:
    root = str(tmp_path / "w")
    ingest([str(profile)], root)
    (tmp_path / "two.xplane.pb").write_bytes(b"\x22\x04host" + profile.read_bytes())
    with pytest.raises(InputError) as refusal:
        ingest([str(tmp_path / "two.xplane.pb")], root, run="one")
    assert refusal.value.message == "run one is in the warehouse already, from other bytes"
    assert refusal.value.hint == "--replace to replace it, or --run NAME to give this one another name"
    assert rows(root, "SELECT DISTINCT host FROM devices") != [("host",)]

    (report,) = ingest([str(tmp_path / "two.xplane.pb")], root, run="one", replace=True).runs
    assert report.status == "replaced"
    assert rows(root, "SELECT count(*) AS runs FROM runs") == [(1,)]
    assert rows(root, "SELECT DISTINCT host FROM devices") == [("host",)]


def test_tags_and_missing_hosts(profile: Path, tmp_path: Path) -> None:
    root = str(tmp_path / "w")
    ingest([str(profile)], root, tags={"team": "vision"}, expect_hosts=64)
    sql = "SELECT tags['team'] AS team, host_count, expected_host_count, is_partial FROM runs"
    assert rows(root, sql) == [("vision", 1, 64, True)]
    assert rows(root, "SELECT check_name, value FROM quality_events") == [("missing_host", 63)]


def test_without_host_events_steps_are_the_same(profile: Path, tmp_path: Path, warehouse: Path) -> None:
    root = str(tmp_path / "w")
    ingest([str(profile)], root, host_events=False)
    assert rows(root, "SELECT count(*) AS n FROM host_events") == [(0,)]
    assert rows(root, "SELECT check_name FROM quality_events") == [("host_events_left_out",)]
    steps = "SELECT device, step_num, start_ps, duration_ps, is_whole FROM steps ORDER BY ALL"
    assert rows(root, steps) == rows(warehouse, steps)


def test_what_is_no_profile_is_skipped_with_the_reason(profile: Path, tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    (tmp_path / "logs" / "host.trace.json.gz").write_bytes(b"")
    (tmp_path / "logs" / "notes.txt").write_text("hello")
    shutil.copy(profile, tmp_path / "logs")
    report = ingest([str(tmp_path / "logs"), str(tmp_path / "gone")], str(tmp_path / "w"))
    assert [run.run for run in report.runs] == ["one"]
    assert report.skipped == (
        (
            str(tmp_path / "logs" / "host.trace.json.gz"),
            "one.xplane.pb beside it holds more",
        ),
        (str(tmp_path / "logs" / "notes.txt"), "its name does not end in .xplane.pb"),
    )
    assert [(error.message, error.hint) for error in report.refused] == [
        (f"no such file or folder: {tmp_path / 'gone'}", f"ls {tmp_path}")
    ]


def test_nothing_to_ingest_leaves_no_warehouse(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"^no such file or folder: .*gone$"):
        ingest([str(tmp_path / "gone")], str(tmp_path / "w"))
    assert not (tmp_path / "w").exists()


def test_progress_ends_at_all_bytes(profile: Path, tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    ingest([str(profile)], str(tmp_path / "w"), progress=lambda done, total: seen.append((done, total)))
    size = profile.stat().st_size
    assert seen[-1] == (size, size)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


def _start(profile: Path, root: Path) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "profdb", "ingest", str(profile), "-w", str(root)]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def test_two_ingests_of_the_same_bytes_at_once_are_one_run(profile: Path, tmp_path: Path) -> None:
    root = tmp_path / "w"
    processes = [_start(profile, root) for _ in range(2)]
    assert [process.wait() for process in processes] == [0, 0]
    assert rows(root, "SELECT run FROM runs") == [("one",)]
    assert Warehouse(str(root)).snapshot().version == 0
    assert (
        rows(root, "SELECT count(*) AS n FROM op_stats GROUP BY run, host, device, op_id HAVING count(*) > 1")
        == []
    )


def test_a_kill_at_any_point_leaves_the_warehouse_as_it_was(profile: Path, tmp_path: Path) -> None:
    root, other = tmp_path / "w", tmp_path / "other.xplane.pb"
    other.write_bytes(b"\x22\x04host" + profile.read_bytes())
    ingest([str(profile)], str(root))
    counts = "SELECT count(*) AS runs, (SELECT count(*) FROM op_events) AS ops FROM runs"
    ((runs, ops),) = before = rows(root, counts)
    started = time.monotonic()
    assert _start(other, tmp_path / "elsewhere").wait() == 0
    whole = time.monotonic() - started
    dice = random.Random(0)
    finished = 0
    for _ in range(30):
        process = _start(other, root)
        time.sleep(dice.uniform(0.2, 1.05) * whole)
        process.send_signal(signal.SIGKILL)
        process.wait()
        after = rows(root, counts)
        assert after in (before, [(runs + 1, 2 * ops)])
        if after != before:
            finished += 1
            shutil.rmtree(root)
            ingest([str(profile)], str(root))
    assert finished < 30
    assert _start(other, root).wait() == 0
    assert rows(root, counts) == [(runs + 1, 2 * ops)]


def test_reading_in_small_parts_changes_nothing(
    profile: Path, tmp_path: Path, warehouse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("profdb.warehouse.xplane.line.PART_EVENTS", 1000)
    ingest([str(profile)], str(tmp_path / "w"))
    tables = ("op_events", "host_events", "ops", "steps", "modules", "devices", "op_stats", "step_breakdown")
    for table in tables:
        columns = rows(warehouse, f"SELECT column_name FROM (DESCRIBE {table}) WHERE column_name != 'run'")
        sql = f"SELECT {', '.join(str(name) for (name,) in columns)} FROM {table}"
        ordered = f"SELECT hash(q) AS h, count(*) AS n FROM ({sql}) q GROUP BY h ORDER BY h"
        assert rows(tmp_path / "w", ordered) == rows(warehouse, ordered)


def _other_bytes(profile: Path, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x22\x04" + path.parent.name.encode()[:4].ljust(4, b"_") + profile.read_bytes())
    return path


def test_profiles_of_one_name_in_different_folders_are_runs_of_their_own(
    profile: Path, tmp_path: Path
) -> None:
    for folder in ("h1", "h2"):
        _other_bytes(profile, tmp_path / "in" / folder / "x.xplane.pb")
    root = str(tmp_path / "w")
    for replace, status in ((False, "ingested"), (True, "replaced"), (False, "unchanged")):
        report = ingest([str(tmp_path / "in")], root, replace=replace)
        assert [(run.run, run.status) for run in report.runs] == [("h1/x", status), ("h2/x", status)]
        assert rows(root, "SELECT run FROM runs ORDER BY run") == [("h1/x",), ("h2/x",)]


def test_log_dirs_of_one_run_and_session_name_are_runs_of_their_own(profile: Path, tmp_path: Path) -> None:
    for job in ("job1", "job2"):
        session = tmp_path / job / "logs/plugins/profile/S"
        session.mkdir(parents=True)
        data = b"\x22\x04" + job.encode() + profile.read_bytes()
        (session / "h.xplane.pb").write_bytes(data)
    report = ingest([str(tmp_path / "job1"), str(tmp_path / "job2")], str(tmp_path / "w"))
    assert [run.run for run in report.runs] == ["job1/logs/S", "job2/logs/S"]


def test_a_taken_handle_does_not_stop_the_other_runs(profile: Path, tmp_path: Path) -> None:
    root = str(tmp_path / "w")
    ingest([str(profile)], root)
    clash = _other_bytes(profile, tmp_path / "a" / "one.xplane.pb")
    free = _other_bytes(profile, tmp_path / "b" / "two.xplane.pb")
    report = ingest([str(clash), str(free)], root)
    assert [(run.run, run.status) for run in report.runs] == [("two", "ingested")]
    assert [error.message for error in report.refused] == [
        "run one is in the warehouse already, from other bytes"
    ]
    assert rows(root, "SELECT run FROM runs ORDER BY run") == [("one",), ("two",)]


def test_options_that_known_bytes_cannot_take_are_said(profile: Path, tmp_path: Path) -> None:
    root = str(tmp_path / "w")
    ingest([str(profile)], root)
    (again,) = ingest([str(profile)], root, tags={"a": "b"}, expect_hosts=4).runs
    assert again.notes == (
        "the bytes are there: --run, --tag and --expect-hosts change nothing without --replace",
    )
    (replaced,) = ingest([str(profile)], root, tags={"a": "b"}, expect_hosts=4, replace=True).runs
    assert (replaced.status, rows(root, "SELECT tags['a'] AS a, is_partial FROM runs")) == (
        "replaced",
        [("b", True)],
    )


def test_a_bad_file_beside_one_capture_is_an_error_of_its_own(profile: Path, tmp_path: Path) -> None:
    bad = tmp_path / "two.xplane.pb"
    bad.write_bytes(profile.read_bytes()[:1000])
    root = str(tmp_path / "w")
    report = ingest([str(profile), str(bad)], root)
    assert ([run.run for run in report.runs], len(report.refused)) == (["one"], 1)
    bad.write_bytes(b"\x22\x04host" + profile.read_bytes())
    assert {run.status for run in ingest([str(bad)], root).runs} == {"ingested"}
    assert rows(root, "SELECT run, is_partial FROM runs ORDER BY run") == [("one", False), ("two", False)]


def test_a_file_name_that_is_no_text_is_escaped(profile: Path, tmp_path: Path) -> None:
    shutil.copy(profile, os.fsencode(tmp_path) + b"/we\xffird.xplane.pb")
    (report,) = ingest([str(tmp_path / "we*.xplane.pb")], str(tmp_path / "w")).runs
    assert report.run == r"bytes:we\xffird"
    ((paths,),) = rows(tmp_path / "w", "SELECT paths FROM profile_files")
    assert paths == [f"bytes:{tmp_path}/we\\xffird.xplane.pb"]


@pytest.mark.parametrize("run", ["", "  ", "\udcff"])
def test_a_handle_that_nobody_can_name_is_refused(run: str, profile: Path, tmp_path: Path) -> None:
    with pytest.raises(ProfdbError) as error:
        ingest([str(profile)], str(tmp_path / "w"), run=run)
    assert (error.value.message, error.value.exit_code) == (f"--run {run!r} is no name for a run", 2)


def test_an_empty_source_is_not_the_current_folder(tmp_path: Path) -> None:
    with pytest.raises(ProfdbError, match="a source is empty"):
        ingest([""], str(tmp_path / "w"))
