"""step_breakdown against a union of intervals in numpy, for the whole capture and for every step."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from oracles.intervals import PARTS, Executions, breakdown
from oracles.profiles import PROFILES, Ingested

CATEGORIES = ("compute", "communication", "copy", "sync", "control")

OPS = """
SELECT device, stream, step_num, start_ps, duration_ps, self_ps, is_async, coalesce(pair_id, -1) AS pair_id,
  category
FROM op_events e JOIN op_classes c ON c.run = e.run AND c.op_id = e.op_id
WHERE e.run = $run AND start_ps IS NOT NULL ORDER BY device
"""
BREAKDOWN = f"""
SELECT device, step_num, start_ps, window_ps, {", ".join(f"{part}_ps" for part in PARTS)},
  {", ".join(f"{category}_self_ps" for category in CATEGORIES)}
FROM step_breakdown WHERE run = $run
"""


def columns(table: pa.Table) -> dict[str, np.ndarray]:
    return {name: table[name].to_numpy() for name in table.column_names}


def windows(ops: dict[str, np.ndarray], capture: tuple[int, int]) -> dict[int | None, tuple[int, int]]:
    """The windows of one device: from a step's first op to the next one's; the last ends with its last op."""
    end = ops["start_ps"] + ops["duration_ps"]
    found: dict[int | None, tuple[int, int]] = {None: capture}
    steps = []
    for step in np.unique(ops["step_num"][~np.isnan(ops["step_num"].astype(float))]):
        rows = (ops["step_num"] == step) & ~ops["is_async"]
        steps.append((int(ops["start_ps"][rows].min()), int(end[rows].max()), int(step)))
    steps.sort()
    for i, (start, last_end, step) in enumerate(steps):
        found[step] = (start, steps[i + 1][0] if i + 1 < len(steps) else last_end)
    return found


def expected_rows(table: pa.Table) -> dict[tuple[str, int | None], tuple[int, ...]]:
    """(device, step_num) -> start, window, the seven parts and the self time of each category."""
    every = columns(table)
    capture = int(every["start_ps"].min()), int((every["start_ps"] + every["duration_ps"]).max())
    rows: dict[tuple[str, int | None], tuple[int, ...]] = {}
    for device in np.unique(every["device"]):
        ops = {name: values[every["device"] == device] for name, values in every.items()}
        start, end = ops["start_ps"], ops["start_ps"] + ops["duration_ps"]
        executions = Executions(ops["stream"], start, end, ops["category"], ops["is_async"], ops["pair_id"])
        own = windows(ops, capture)
        for (step, window), parts in zip(own.items(), breakdown(executions, list(own.values())), strict=True):
            in_step = ~ops["is_async"] & ((ops["step_num"] == step) if step is not None else True)
            self_times = [int(ops["self_ps"][in_step & (ops["category"] == c)].sum()) for c in CATEGORIES]
            rows[device, step] = (window[0], window[1] - window[0], *parts.values(), *self_times)
    return rows


@pytest.mark.parametrize("name", PROFILES)
def test_breakdown(name: str, ingested: Callable[[str], Ingested]) -> None:
    run = ingested(name)
    table = run.table(OPS)
    found: dict[Any, Any] = {row[:2]: row[2:] for row in run.rows(BREAKDOWN)}
    assert found == (expected_rows(table) if table.num_rows else {})
    for _, window, *parts in (row[: 2 + len(PARTS)] for row in found.values()):
        assert window == sum(parts)
