"""`track` over hand-made training runs: its verdicts, exit codes, and where they are kept."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
import pytest
from training import training

from profdb.warehouse.ingest import ingest
from profdb.warehouse.store import Warehouse

OP = "jit(step)/jvp(layer{})/mlp/op"
LAYERS = 4
US = 1_000_000


def noisy(seed: int, count: int, noise: float = 0.01, **factors: float) -> list[dict[str, int]]:
    """Steps of four ops of 1 us each; `layer1=1.4` makes one slower."""
    draws = np.random.default_rng(seed)
    factor = [factors.get(f"layer{number}", 1.0) for number in range(LAYERS)]
    return [
        {OP.format(n): int(draws.normal(factor[n] * US, noise * US)) for n in range(LAYERS)}
        for _ in range(count)
    ]


def alike(count: int, *more: Mapping[str, int], us: float = 1) -> list[Mapping[str, int]]:
    """Steps of one op without any spread."""
    return [*[{OP.format(0): int(us * US)}] * count, *more]


PLANS: dict[str, Sequence[Mapping[str, int]]] = {
    "base": noisy(1, 20),
    "again": noisy(2, 20),
    "slower": noisy(3, 20, layer1=1.4),  # 4.4 us for 4: 10 %
    "faster": noisy(4, 20, layer1=0.6),
    "wild": [{OP.format(0): int(us * US)} for us in (9, 3, 4, 5, 4)],
    "wild-slower": [{OP.format(0): int(us * US)} for us in (9, 3.5, 5, 4, 4.5)],  # 6.25 % in the median
    "two": alike(2),
    "two-slower": alike(2, us=2),
    "even": alike(6),
    "even-slow-once": alike(9, {OP.format(0): 5 * US}),
    "even-slow-last": alike(6),
    "even-slower": alike(6, us=1.2),
}


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("track")
    for name, steps in PLANS.items():
        last = 5 * US if name == "even-slow-last" else 1
        (folder / f"{name}.xplane.pb").write_bytes(training(steps, last=last))
        ingest([str(folder / f"{name}.xplane.pb")], str(folder / "warehouse"), run=name)
    return folder


@pytest.fixture
def track(profdb: Callable, profiles: Path) -> Callable:
    return lambda *arguments: profdb("track", *arguments, "-w", str(profiles / "warehouse"))


def verdicts(done) -> dict[str, tuple[str, str]]:
    """Verdict and change by metric."""
    rows = [json.loads(line) for line in done.out.splitlines()]
    return {row["metric"]: (row["verdict"], row["change"]) for row in rows}


@pytest.mark.parametrize(
    ("pair", "code", "median"),
    [
        (("base", "again"), 0, ("pass", "same")),
        (("base", "slower"), 1, ("fail", "worse")),
        (("base", "faster"), 0, ("pass", "better")),
        (("wild", "wild-slower"), 4, ("cannot_tell", "worse")),
        (("two", "two-slower"), 4, ("cannot_tell", "worse")),
        (("even", "even"), 0, ("pass", "same")),
        (("even", "even-slower"), 1, ("fail", "worse")),
        (("even", "even-slow-once"), 0, ("pass", "same")),
        (("even", "even-slow-last"), 0, ("pass", "same")),
        (("base", "base"), 0, ("pass", "same")),
    ],
)
def test_verdicts_and_exit_codes(track: Callable, pair: tuple[str, str], code: int, median: tuple) -> None:
    done = track(*pair, "--format", "jsonl")
    assert (done.code, done.err) == (code, "")
    assert verdicts(done)["step_median"] == median


def test_a_fail_needs_steps_that_agree_unless_a_threshold_is_enough(track: Callable) -> None:
    done = track("wild", "wild-slower", "--no-evidence", "--format", "jsonl")
    assert (done.code, verdicts(done)["step_median"]) == (1, ("fail", "worse"))
    (row,) = [json.loads(line) for line in done.out.splitlines() if b"step_median" in line]
    assert (row["low"], row["high"]) == (None, None)


def test_thresholds_are_set_by_name(track: Callable) -> None:
    loose = ("--set", "track_step_median_fail=0.2", "--set", "track_step_p90_fail=0.2")
    assert track("base", "slower", *loose).code == 0
    assert track("base", "again", "--set", "track_step_count=50").code == 4


def test_a_screen_says_the_verdict_and_the_op_that_changed(track: Callable) -> None:
    done = track("base", "slower")
    text = done.out.decode()
    assert text.startswith("base -> slower: fail\n\nChecks (track_checks): ")
    checks, _, ops = text.partition("Ops that changed for sure (compare_ops):")
    (median,) = [line.split() for line in checks.splitlines() if line.startswith("step_median")]
    assert (median[0], median[-3:]) == ("step_median", ["+5.0%", "worse", "fail"])
    assert [line.split()[:3] for line in ops.splitlines()[4:]] == [["fusion.1", "forward", "layer1/mlp"]]


def test_every_verdict_is_kept_and_can_be_queried(profdb: Callable, profiles: Path, tmp_path: Path) -> None:
    root, history = str(tmp_path / "w"), tmp_path / "history.jsonl"
    for name in ("base", "slower"):
        ingest([str(profiles / f"{name}.xplane.pb")], root, run=name)
    arguments = ("base", "slower", "--label", "main", "--history", str(history), "-w", root)
    for _ in range(2):
        assert profdb("track", *arguments, "--format", "csv").code == 1
    # the verdicts stay when a run that they are about is replaced
    ingest([str(profiles / "again.xplane.pb")], root, run="slower", replace=True)
    sql = "SELECT label, before, after, metric, verdict, view_version FROM regressions"
    sql += " ORDER BY tracked_at, metric"
    rows = json.loads(profdb("query", sql, "-w", root, "--format", "json").out)
    assert len(rows) == 8
    assert rows[:4] == rows[4:]
    assert rows[2] == {
        "label": "main", "before": "base", "after": "slower", "metric": "step_median", "verdict": "fail",
        "view_version": "v1",
    }  # fmt: skip
    kept = [json.loads(line) for line in history.read_text().splitlines()]
    assert [row["metric"] for row in kept] == [row["metric"] for row in rows]
    query = "SELECT after_sha256 FROM regressions EXCEPT SELECT content_sha256 FROM runs"
    assert len(json.loads(profdb("query", query, "-w", root, "--format", "json").out)) == 1


def test_a_verdict_is_one_commit_of_one_file(track: Callable, profiles: Path) -> None:
    warehouse = Warehouse(str(profiles / "warehouse"))
    before = warehouse.snapshot()
    track("base", "again")
    after = warehouse.snapshot()
    assert after.version == before.version + 1
    assert len(after.files["regressions"]) == len(before.files.get("regressions", ())) + 1
    assert after.files["regressions"][-1].run is None
    assert after.runs == before.runs


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["base", "slwer"], 3, "there is no run 'slwer'; did you mean 'slower'?"),
        (
            ["base", "again", "--set", "track_median=3"],
            2,
            "no parameter or threshold 'track_median'; known: ",
        ),
        (["base", "again", "--history", "/"], 3, "cannot append to /: "),
    ],
)
def test_what_is_wrong_is_said(track: Callable, arguments: list[str], code: int, error: str) -> None:
    done = track(*arguments)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(f"profdb: error: {error}")
    assert "\n\nhint: " in done.err
