"""The real profiles: what they are known to hold, read back by SQL."""

from collections.abc import Callable
from pathlib import Path

import pytest

from profdb.sql.engine import Settings
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session


@pytest.fixture(scope="module")
def warehouse(real: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> str:
    root = str(tmp_path_factory.mktemp("warehouse"))
    report = ingest([str(real("xplane/*.xplane.pb"))], root)
    assert sorted(run.status for run in report.runs) == ["ingested"] * 6
    assert report.skipped == ()
    return root


def rows(warehouse: str, sql: str) -> list[tuple[object, ...]]:
    with open_session(warehouse, Settings()) as session:
        table = session.query(sql).table
    return [tuple(row.values()) for row in table.to_pylist()]


def test_op_executions(warehouse: str) -> None:
    sql = "SELECT run, is_async, sum(occurrences)::BIGINT AS n FROM op_events GROUP BY ALL ORDER BY ALL"
    assert rows(warehouse, sql) == [
        ("gpu_amd_te_fused_attention", False, 150),
        ("gpu_gtx1080ti_x2_xla", False, 2),
        ("gpu_mi300x_jax08_conv", False, 235),
        ("gpu_x8_tf2020_worker", False, 1556),
        ("tpu_v6e_4chip_inference", False, 6013),
        ("tpu_v6e_4chip_inference", True, 600),
    ]


def test_module_executions(warehouse: str) -> None:
    sql = "SELECT run, count(*) AS n, count(DISTINCT device) AS devices FROM modules GROUP BY run"
    assert rows(warehouse, sql) == [("tpu_v6e_4chip_inference", 414, 4)]


def test_devices(warehouse: str) -> None:
    sql = """
        SELECT run, count(*) AS devices, count(*) FILTER (WHERE op_count > 0) AS active,
          min(peak_flops_per_s) AS flops
        FROM devices GROUP BY run ORDER BY run
    """
    assert rows(warehouse, sql) == [
        ("gpu_amd_te_fused_attention", 8, 1, None),
        ("gpu_gtx1080ti_x2_xla", 2, 2, None),
        ("gpu_mi300x_jax08_conv", 8, 8, None),
        ("gpu_x8_tf2020_worker", 8, 3, None),
        ("tpu_v6e_4chip_inference", 4, 4, 918_000_000_000_000),
    ]


def test_steps_and_where_they_come_from(warehouse: str) -> None:
    sql = """
        SELECT r.run, any_value(r.step_source) AS source, count(s.step_num) AS steps
        FROM runs r LEFT JOIN steps s ON s.run = r.run GROUP BY r.run ORDER BY r.run
    """
    assert rows(warehouse, sql) == [
        ("cpu_github_runner", None, 0),
        ("gpu_amd_te_fused_attention", None, 0),
        ("gpu_gtx1080ti_x2_xla", None, 0),
        ("gpu_mi300x_jax08_conv", None, 0),
        ("gpu_x8_tf2020_worker", "device", 2),
        ("tpu_v6e_4chip_inference", "module", 400),
    ]


def test_where_nothing_marks_steps_the_reason_is_told(warehouse: str) -> None:
    sql = "SELECT DISTINCT run FROM quality_events WHERE check_name = 'no_step_markers' ORDER BY run"
    assert [run for (run,) in rows(warehouse, sql)] == [
        "gpu_amd_te_fused_attention",
        "gpu_gtx1080ti_x2_xla",
        "gpu_mi300x_jax08_conv",
        "gpu_x8_tf2020_worker",
        "tpu_v6e_4chip_inference",
    ]


def test_where_only_some_devices_lack_steps_they_are_named(warehouse: str) -> None:
    sql = (
        "SELECT run, subject FROM quality_events WHERE check_name = 'no_step_markers' AND subject IS NOT NULL"
    )
    assert rows(warehouse, sql) == [("gpu_x8_tf2020_worker", "GPU:1")]


def test_a_tpu_all_reduce_has_its_facts(warehouse: str) -> None:
    sql = """
        SELECT opcode, hlo_category, module, count(*) AS n FROM ops
        WHERE run = 'tpu_v6e_4chip_inference' AND opcode = 'all-reduce' GROUP BY ALL
    """
    assert rows(warehouse, sql) == [("all-reduce", "all-reduce", "jit__psum", 1)]


def test_the_breakdown_adds_up_on_every_device(warehouse: str) -> None:
    sql = """
        SELECT count(*) AS windows, count(*) FILTER (WHERE window_ps != compute_only_ps + overlapped_ps
          + comm_exposed_ps + copy_ps + sync_ps + control_ps + idle_ps) AS wrong FROM step_breakdown
    """
    assert rows(warehouse, sql) == [(418 + 2, 0)]


def test_idle_time_that_is_the_hosts_is_the_same_in_the_breakdown_and_frame_by_frame(warehouse: str) -> None:
    """Two independent sweeps: one merged with the device's own, one over every event of the host's thread."""
    sql = """
        SELECT b.run, b.host_wait_ps, CAST(sum(t.host_wait_ps) AS BIGINT) AS summed_ps
        FROM host_bound b
        JOIN time_breakdown t ON t.run = b.run AND t.host = b.host AND t.step_num IS NULL
        GROUP BY b.run, b.host, b.host_wait_ps ORDER BY b.run
    """
    found = rows(warehouse, sql)
    assert [run for run, *_ in found] == [
        "gpu_amd_te_fused_attention",
        "gpu_gtx1080ti_x2_xla",
        "gpu_mi300x_jax08_conv",
        "gpu_x8_tf2020_worker",
        "tpu_v6e_4chip_inference",
    ]
    assert [row[1] for row in found] == [row[2] for row in found]
    assert [row[1] for row in found] == [491427000, 2632000, 445310169000, None, 17395870201810]
