"""Every row against xprof's own events converter, which truncates starts and durations to whole nanoseconds.

What differs is listed below as data, by run and line with its exact number; there is no tolerance.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from oracles.profiles import CAPTURE, PROFILES, Ingested

CONVERTER = Path(__file__).parents[1] / "oracles" / "xprof_events.py"
TPU = "tpu_v6e_4chip_inference"

# (run, device of the converter, line) -> (rows that only profdb has, why)
LEFT_OUT = {
    (TPU, "TPU:0", "Async XLA Ops"): (600, "it drops the async ops of a TPU"),
    (TPU, "cpu:0", "TPU:0/XLA TraceMe"): (
        108,
        "it drops XLA TraceMe; profdb keeps it among the host's events",
    ),
    (TPU, "cpu:0", "TPU:1/XLA TraceMe"): (106, "as above"),
    (TPU, "cpu:0", "TPU:2/XLA TraceMe"): (106, "as above"),
    (TPU, "cpu:0", "TPU:3/XLA TraceMe"): (106, "as above"),
}
# (run, device, line) -> (events, nanoseconds that the converter counts twice, why)
SELF_TIME_COUNTED_TWICE = {
    ("gpu_amd_te_fused_attention", "gpu:0", "2"): (
        6,
        458,
        "six kernels overlap the next one on their stream",
    ),
}

# Every row of the converter: TPU modules and ops are named as in HLO, the rest as on the timeline.
CONVERTED = """
SELECT
  device,
  coalesce(thread_name, CASE WHEN device NOT LIKE 'TPU:%' THEN stream_id::VARCHAR
    WHEN stream_id = 2 THEN 'XLA Modules' WHEN stream_id = 3 THEN 'XLA Ops' END) AS line,
  start_ns, end_ns - start_ns AS duration_ns,
  CASE WHEN device LIKE 'TPU:%' THEN coalesce(hlo_op, kernel_name) ELSE kernel_name END AS name,
  self_time_ns, hlo_op, regexp_replace(hlo_module, '\\(\\d+\\)$', '') AS module,
  correlation_id::VARCHAR AS launch_id, flops, memory_accessed AS bytes_accessed
FROM read_parquet(?)
"""
# The device as the converter calls it: a CPU's ops are events of the host.
DEVICE = "CASE WHEN device LIKE 'CPU:%' THEN 'cpu:0' ELSE replace(device, 'GPU', 'gpu') END"
EVENTS = f"""
SELECT {DEVICE}, stream, start_ps // 1000, duration_ps // 1000,
  CASE WHEN device LIKE 'TPU:%' THEN hlo_op ELSE e.name END
FROM op_events e JOIN ops o ON o.run = e.run AND o.op_id = e.op_id WHERE e.run = $run
UNION ALL
SELECT device, 'XLA Modules', start_ps // 1000, duration_ps // 1000,
  'HLO Module:' || module || '(' || program_id::VARCHAR || ')'
FROM modules WHERE run = $run AND device LIKE 'TPU:%'
UNION ALL
SELECT 'cpu:0', thread, start_ps // 1000, duration_ps // 1000, name FROM host_events WHERE run = $run
"""
OPS = f"""
SELECT {DEVICE}, stream, start_ps // 1000, hlo_op, module, CASE WHEN device LIKE 'GPU:%' THEN launch_id END,
  coalesce(e.flops, CASE WHEN o.flops_source = 'producer' THEN o.flops END),
  coalesce(e.bytes_accessed, CASE WHEN o.bytes_source = 'producer' THEN o.bytes_accessed END)
FROM op_events e JOIN ops o ON o.run = e.run AND o.op_id = e.op_id
WHERE e.run = $run AND NOT is_async AND device NOT LIKE 'CPU:%'
"""
SELF_TIMES = f"""
SELECT {DEVICE}, stream, count(*), sum(self_ps // 1000)::BIGINT, count(*) FILTER (WHERE self_ps < duration_ps)
FROM op_events WHERE run = $run AND NOT is_async AND device NOT LIKE 'CPU:%' GROUP BY ALL
"""

Ask = Callable[[str, str], list[tuple[Any, ...]]]
Ingest = Callable[[str], Ingested]


@pytest.fixture(scope="module")
def converted(profile_path: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Ask:
    """What a query over the relation `converted` gives for one of PROFILES."""
    folder = tmp_path_factory.mktemp("converted")

    def ask(name: str, sql: str) -> list[tuple[Any, ...]]:
        path = profile_path(name)
        output = folder / f"{path.name}.parquet"
        if not output.exists():
            command = [sys.executable, str(CONVERTER), str(folder), str(path)]
            subprocess.run(command, check=True, capture_output=True)
        with duckdb.connect() as con:
            return con.execute(f"WITH converted AS ({CONVERTED}) {sql}", [str(output)]).fetchall()

    return ask


@pytest.mark.parametrize("name", PROFILES)
def test_every_event(name: str, ingested: Ingest, converted: Ask) -> None:
    theirs = Counter(converted(name, "SELECT device, line, start_ns, duration_ns, name FROM converted"))
    ours = Counter(ingested(name).rows(EVENTS))
    assert theirs - ours == Counter()
    left_out = Counter((name, *row[:2]) for row in (ours - theirs).elements())
    assert left_out == {line: count for line, (count, _) in LEFT_OUT.items() if line[0] == name}


@pytest.mark.parametrize("name", PROFILES)
def test_attribution_of_device_ops(name: str, ingested: Ingest, converted: Ask) -> None:
    theirs = converted(name, """
        SELECT device, line, start_ns, hlo_op, module, launch_id, flops, bytes_accessed FROM converted
        WHERE device <> 'cpu:0' AND line <> 'XLA Modules'
    """)  # fmt: skip
    assert Counter(ingested(name).rows(OPS)) == Counter(theirs)


@pytest.mark.parametrize("name", PROFILES)
def test_self_time_of_device_lines(name: str, ingested: Ingest, converted: Ask) -> None:
    """The converter gives every event its whole duration."""
    theirs = converted(name, """
        SELECT device, line, count(*), sum(self_time_ns)::BIGINT FROM converted
        WHERE device <> 'cpu:0' AND line <> 'XLA Modules' GROUP BY ALL
    """)  # fmt: skip
    ours = {row[:2]: row[2:] for row in ingested(name).rows(SELF_TIMES)}
    assert ours.keys() == {row[:2] for row in theirs}
    for device, line, count, self_time in theirs:
        overlapping, twice, _ = SELF_TIME_COUNTED_TWICE.get((name, device, line), (0, 0, ""))
        assert ours[device, line] == (count, self_time - twice, overlapping)


def test_the_converter_finds_no_op_on_a_cpu(ingested: Ingest, converted: Ask) -> None:
    assert converted(
        CAPTURE, "SELECT count(hlo_op), count(*) FILTER (WHERE device <> 'cpu:0') FROM converted"
    ) == [(0, 0)]
    found = ingested(CAPTURE).rows("""
        SELECT count(*), count(hlo_op), count(DISTINCT device)
        FROM op_events e JOIN ops o ON o.run = e.run AND o.op_id = e.op_id WHERE e.run = $run
    """)
    (executions, with_op, devices) = found[0]
    assert executions == with_op > 0
    assert devices == 8
