"""Track a pair of runs: the verdict of track_checks, what single steps and ops say, where it is kept."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from .. import __version__
from ..sql import catalog
from .evidence import interval
from .op_evidence import false_shares
from .reader import Session
from .store import Change, Warehouse
from .tables import TableWriter

VERDICTS = ("fail", "cannot_tell", "warn", "pass")
"""The worst first."""
_QUANTILES = {"step_median": 0.5, "step_p90": 0.9}
_UNSUPPORTED = {"step_median": "cannot_tell", "step_p90": "warn"}
"""The verdict on a fail that single steps do not support: one slow step moves the tail of a short capture."""
_CHECKS = "SELECT * FROM track_checks WHERE before = $before AND after = $after ORDER BY metric, step_class"
_STEPS = "SELECT run, step_class, duration_ps FROM counted_steps ORDER BY run, step_class, step_num"
_LIMITS = "SELECT name, value FROM thresholds WHERE name LIKE 'track%'"
_RUNS = "SELECT run, content_sha256 FROM runs"
_OPS = """\
SELECT name, before_name, region, phase, before_ps, after_ps, delta_ps, delta_pct, impact_pct, before_op_id,
       after_op_id
FROM compare_ops
WHERE before = $before AND after = $after AND step_class = 'all' AND before_op_id IS NOT NULL
  AND after_op_id IS NOT NULL
ORDER BY abs(delta_ps) DESC, name, before_op_id"""
_SAMPLES = """\
SELECT s.run, s.op_id, s.step_num, s.self_ps
FROM step_op_stats s
JOIN counted_steps c ON c.run = s.run AND c.step_num = s.step_num AND c.step_class = 'all'"""


@dataclass(frozen=True)
class Tracked:
    """What was found; rows as dictionaries, the checks with the columns of the table regressions."""

    checks: tuple[dict[str, Any], ...]
    ops: tuple[dict[str, Any], ...]
    """Ops that changed for sure, the largest change first; empty without evidence."""

    @property
    def verdict(self) -> str:
        """The worst of the checks."""
        found = {row["verdict"] for row in self.checks}
        return next(verdict for verdict in VERDICTS if verdict in found)


def track(
    session: Session, before: str, after: str, *, label: str | None, views: str, evidence: bool
) -> Tracked:
    """Judge `after` against `before`. Without `evidence` a fail needs no single steps that agree."""
    both = session.restricted(run=(before, after))
    pair = {"before": before, "after": after}
    limits = {row["name"]: row["value"] for row in both.query(_LIMITS).table.to_pylist()}
    hashes = {row["run"]: row["content_sha256"] for row in both.query(_RUNS).table.to_pylist()}
    head = {
        "tracked_at": datetime.now(UTC),
        "label": label,
        "before_sha256": hashes[before],
        "after_sha256": hashes[after],
        "view_version": views,
        "profdb_version": __version__,
    }
    checks = [head | row | {"low": None, "high": None} for row in both.query(_CHECKS, pair).table.to_pylist()]
    if not evidence:
        return Tracked(tuple(checks), ())
    steps: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in both.query(_STEPS).table.to_pylist():
        steps[row["run"], row["step_class"]].append(row["duration_ps"])
    judged = [_with_evidence(row, steps, limits["track_confidence"]) for row in checks]
    return Tracked(tuple(judged), tuple(_changed_ops(both, pair, limits)))


def _with_evidence(
    check: dict[str, Any], steps: Mapping[tuple[str, str], Sequence[int]], confidence: float
) -> dict[str, Any]:
    """The check with the interval of its delta, and without a fail that the interval does not support."""
    if check["metric"] not in _QUANTILES or check["reason"] is not None:
        return check
    sides = [steps[check[side], check["step_class"]] for side in ("before", "after")]
    found = interval(sides[0], sides[1], _QUANTILES[check["metric"]], confidence)
    if found is None:
        return check
    check = check | {"low": found[0], "high": found[1]}
    if check["verdict"] == "fail" and found[0] <= 0:
        check |= {"verdict": _UNSUPPORTED[check["metric"]], "reason": "the steps vary more than that"}
    return check


def _changed_ops(both: Session, pair: Mapping[str, str], limits: Mapping[str, float]) -> list[dict[str, Any]]:
    """Ops whose steps say that they changed, by enough to matter."""
    import numpy as np

    ops = both.query(_OPS, pair).table.to_pylist()
    samples = both.query(_SAMPLES).table.to_pylist()
    if not ops or not samples:
        return []
    matrices = []
    for run, column in ((pair["before"], "before_op_id"), (pair["after"], "after_op_id")):
        rows = {op[column]: place for place, op in enumerate(ops)}
        mine = [sample for sample in samples if sample["run"] == run]
        columns = {number: place for place, number in enumerate(sorted({s["step_num"] for s in mine}))}
        matrix = np.zeros((len(ops), len(columns)))
        for sample in mine:
            if sample["op_id"] in rows:
                matrix[rows[sample["op_id"]], columns[sample["step_num"]]] = sample["self_ps"]
        matrices.append(matrix)
    shares = false_shares(*matrices)
    return [
        op | {"false_share": float(share)}
        for op, share in zip(ops, shares, strict=True)
        if share <= limits["track_op_false"]
        and abs(op["delta_ps"]) >= limits["track_op_ratio"] * op["before_ps"]
        and abs(op["impact_pct"] or 0) >= 100 * limits["track_op_impact"]
    ]


def store(warehouse: Warehouse, checks: Sequence[Mapping[str, Any]]) -> None:
    """Append the checks to the table regressions, in one commit."""
    relation = catalog.tables()["regressions"]
    with warehouse.staging() as folder:
        writer = TableWriter(relation, folder / "regressions.parquet")
        writer.write_rows([dict(check) for check in checks])
        writer.close()
        file = warehouse.put("regressions", writer.path, run=None, rows=writer.rows)
    try:
        warehouse.commit(lambda _: Change("track", add=(file,)))
    except BaseException:
        warehouse.discard([file])
        raise
