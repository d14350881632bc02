"""Mutated profiles: each is ingested or refused with one line, and none crashes, hangs or leaves a trace.

A few hundred are tried here. By hand, `PROFDB_FUZZ=20000 pytest tests/warehouse/test_fuzz.py` tries that many
and ingests each as a whole. A failure names the mutant's number, which tests/fuzz/mutate.py makes again.
"""

import os
from pathlib import Path

from fuzz.parent import fuzz

SHORT = 300


def test_mutants_are_ingested_or_refused(tmp_path: Path) -> None:
    count = int(os.environ.get("PROFDB_FUZZ", SHORT))
    is_short = count <= SHORT
    outcome = fuzz(tmp_path, count, every=15 if is_short else 1, processes=2, batch=150 if is_short else 250)
    slowest = max(outcome.summaries, key=lambda summary: summary["slowest_s"])
    peak_mb = max(summary["peak_mb"] for summary in outcome.summaries)
    counts = {key: outcome.total(key) for key in ("ingested", "decoded", "refused")}
    print(counts, f"peak {peak_mb} MB, slowest {slowest}")  # noqa: T201
    assert outcome.failures == []
    assert min(counts["ingested"], counts["refused"]) > count // 100
    assert sum(counts.values()) == count
    assert peak_mb < 1000
