"""Every device op line against jax's own reader: each execution, how long it took and how long by itself."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from oracles.intervals import self_times
from oracles.profiles import PROFILES, REAL_PROFILES, Ingested, OpLine, OtherLine, op_lines

from profdb.warehouse.ingest import ingest

Ingest = Callable[[str], Ingested]
Read = Callable[[str], list[OtherLine]]

EXECUTIONS = """
SELECT device, stream, is_async, start_ps, duration_ps, self_ps FROM op_events
WHERE run = $run AND occurrences = 1
"""
TOTALS = """
SELECT device, sum(occurrences)::BIGINT, sum(duration_ps)::BIGINT, sum(self_ps)::BIGINT FROM op_events
WHERE run = $run AND NOT is_async GROUP BY device
"""


def executions(line: OpLine) -> list[tuple[int, int, int]]:
    """(start, duration, self time) of the line's executions, sorted. An async span has no self time."""
    start, duration = line.events.start_ps, line.events.duration_ps
    own = np.zeros_like(start) if line.is_async else self_times(start, duration)
    return sorted(zip(start.tolist(), duration.tolist(), own.tolist(), strict=True))


def test_every_real_profile_is_compared(real: Callable[[str], Path]) -> None:
    files = {path.name for path in real("xplane").iterdir()}
    assert files == {f"{name}.xplane.pb" for name in REAL_PROFILES}


@pytest.mark.parametrize("name", PROFILES)
def test_every_execution(name: str, ingested: Ingest, profile_data: Read) -> None:
    expected = {
        (line.device, line.stream, line.is_async): executions(line)
        for line in op_lines(profile_data(name))
        if len(line.events.name)
    }
    found: dict[tuple[str, str, bool], list[tuple[int, int, int]]] = {}
    for device, stream, is_async, *times in ingested(name).rows(EXECUTIONS):
        found.setdefault((device, stream, is_async), []).append(tuple(times))
    assert {line: sorted(times) for line, times in found.items()} == expected


@pytest.mark.parametrize("name", PROFILES)
def test_totals_per_device(name: str, ingested: Ingest, profile_data: Read) -> None:
    expected: dict[str, tuple[int, int, int]] = {}
    for line in op_lines(profile_data(name)):
        if len(line.events.name) and not line.is_async:
            _, durations, own = zip(*executions(line), strict=True)
            count, total, self_time = expected.get(line.device, (0, 0, 0))
            expected[line.device] = (count + len(own), total + sum(durations), self_time + sum(own))
    assert {device: tuple(totals) for device, *totals in ingested(name).rows(TOTALS)} == expected


@pytest.mark.parametrize("name", ["tpu_v6e_4chip_inference", "gpu_amd_te_fused_attention"])
def test_lines_read_in_small_parts(
    name: str, ingested: Ingest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A line of millions of events is read in parts; here in parts of about fifty."""
    monkeypatch.setattr("profdb.warehouse.xplane.line.PART_EVENTS", 50)
    whole = ingested(name)
    ingest([str(whole.path)], str(tmp_path), run=name)
    for table in ("op_events", "host_events", "modules", "steps", "step_breakdown"):
        found = Ingested(name, whole.path, str(tmp_path)).rows(f"SELECT * FROM {table} WHERE run = $run")
        expected = whole.rows(f"SELECT * FROM {table} WHERE run = $run")
        assert sorted(map(str, found)) == sorted(map(str, expected))
