"""The demo capture, for real: a training run on eight CPU devices, profiled in a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from profdb.capture.demo import DEVICES, LAYERS, STEPS
from profdb.sql.engine import Settings
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session


@pytest.fixture(scope="module")
def warehouse(cpu_capture: Path, tmp_path_factory: pytest.TempPathFactory) -> str:
    root = str(tmp_path_factory.mktemp("warehouse"))
    ingest([str(cpu_capture)], root)
    return root


def _rows(warehouse: str, sql: str) -> list[tuple[object, ...]]:
    with open_session(warehouse, Settings()) as session:
        return [tuple(row.values()) for row in session.query(sql).table.to_pylist()]


def test_it_writes_the_layout_that_jax_writes(cpu_capture: Path) -> None:
    assert cpu_capture.name == f"steps-0-to-{STEPS}"
    assert cpu_capture.parts[-3:-1] == ("plugins", "profile")
    (profile,) = cpu_capture.glob("*.xplane.pb")
    assert 100_000 < profile.stat().st_size < 20_000_000


def test_every_device_ran_every_step(warehouse: str) -> None:
    steps = _rows(
        warehouse, "SELECT device, step_num FROM steps WHERE name = 'train' ORDER BY device, step_num"
    )
    assert steps == [(f"CPU:{device}", step) for device in range(DEVICES) for step in range(STEPS)]


def test_the_loop_does_not_wait_for_its_results(warehouse: str) -> None:
    sql = "SELECT max(marker_start_ps + marker_duration_ps) < max(start_ps) AS ahead FROM steps"
    assert _rows(warehouse, sql) == [(True,)]


def test_scopes_name_each_layer_the_loss_and_the_update(warehouse: str) -> None:
    for scope in [*(rf"layer{i}.*/mlp/" for i in range(LAYERS)), r"\(?loss\)?", r"/sgd/"]:
        sql = f"SELECT count(*) > 0 AS found FROM ops WHERE regexp_matches(scope, '{scope}')"
        assert _rows(warehouse, sql) == [(True,)], scope


def test_layers_are_rematerialised(warehouse: str) -> None:
    sql = "SELECT count(*) > 0 AS found FROM ops WHERE scope LIKE '%rematted_computation%'"
    assert _rows(warehouse, sql) == [(True,)]


def test_gradients_are_summed_over_devices_and_compute_shows_beside_the_wait(warehouse: str) -> None:
    sql = """
        SELECT
          count(DISTINCT e.device) FILTER (WHERE o.opcode = 'all-reduce') AS devices,
          sum(e.self_ps) FILTER (WHERE o.opcode <> 'all-reduce') / sum(e.self_ps) > 0.2 AS compute_is_visible
        FROM op_events e JOIN ops o USING (run, op_id)
    """
    assert _rows(warehouse, sql) == [(DEVICES, True)]


def test_without_jax_it_says_how_to_get_it(tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("raise ModuleNotFoundError(\"No module named 'jax'\")\n")
    done = subprocess.run(
        [sys.executable, "-m", "profdb.capture.demo", str(tmp_path)],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "profdb: error: No module named 'jax'\n\nhint: pip install 'profdb[capture]'\n"


def test_wrong_usage_is_2(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "profdb.capture.demo"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "profdb: error: no LOGDIR was given\n\nhint: python -m profdb.capture.demo LOGDIR\n"


def test_the_run_knows_how_it_was_captured(warehouse: str) -> None:
    sql = """
        SELECT run_id, mesh, expected_device_count, expected_host_count, expected_process_count,
          facts['capture.outcome'] AS outcome
        FROM runs"""
    assert _rows(warehouse, sql) == [("demo", f"data={DEVICES}", DEVICES, 1, 1, "ok")]
    sql = "SELECT value FROM capture_quality WHERE check_name = 'devices_per_core'"
    assert _rows(warehouse, sql) == [(DEVICES / len(os.sched_getaffinity(0)),)]
