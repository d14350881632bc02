"""`compare` over hand-made training runs and over a run captured on this machine."""

import csv
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from training import training

from profdb.sql.reports.sections import COMPARED
from profdb.warehouse.ingest import ingest

ATTENTION, MLP, NORM = (
    f"jit(step)/jvp(layer)/{name}/op" for name in ("attention", "mlp", "norm")
)  # one op each


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Runs of 1 us: `slow` has a slower mlp and a faster norm than `fast`, and another number of steps."""
    folder = tmp_path_factory.mktemp("compare")
    plans = {
        "fast": ([{ATTENTION: 400_000, MLP: 300_000, NORM: 100_000}] * 4, "TPU v6e"),
        "slow": ([{ATTENTION: 400_000, MLP: 450_000, NORM: 80_000}] * 6, "TPU v6e"),
        "other-chip": ([{ATTENTION: 200_000, MLP: 150_000, NORM: 50_000}] * 4, "TPU v5"),
        "no-steps": ([], "TPU v6e"),
    }
    for name, (steps, chip) in plans.items():
        file = folder / f"{name}.xplane.pb"
        file.write_bytes(training(steps, gap=200_000, chip=chip))
        ingest([str(file)], str(folder / "warehouse"), run=name)
    return str(folder / "warehouse")


@pytest.fixture
def compare(profdb: Callable, root: str) -> Callable:
    return lambda *arguments: profdb("compare", *arguments, "-w", root)


def table(text: str, heading: str) -> list[str]:
    """The rows below a heading, one space between words."""
    lines = text.partition(heading)[2].splitlines()[4:]
    return [" ".join(line.split()) for line in lines[: lines.index("") if "" in lines else None]]


def test_a_screen_leads_with_what_differs_and_ends_with_what_improved(compare: Callable) -> None:
    done = compare("fast", "slow")
    assert (done.code, done.err) == (0, "")
    text = done.out.decode()
    assert text.startswith("fast -> slow\n\nWhat differs (compare_context): ")
    headings = ("What differs", "Step time", "Where the time went", "Regressed: Regions", "Improved: Regions")
    places = [text.find(f"\n{heading}") for heading in headings]
    assert places == sorted(places)
    assert min(places) > 0
    # 0.8 us of ops and 0.2 us of gap before; 0.93 us and the same gap after
    assert table(text, "Step time")[0] == "all median 1.000 us 1.130 us +130.0 ns +13.0%"
    regressed = table(text, "Regressed: Regions")
    assert regressed == ["all layer/mlp both 300.0 ns 450.0 ns +150.0 ns +50.0% +18.8% +150.0 ns"]
    improved = table(text, "Improved: Regions")
    assert improved == ["all layer/norm both 100.0 ns 80.00 ns -20.00 ns -20.0% -2.5% -20.00 ns"]


@pytest.mark.parametrize(
    ("level", "key", "expected"),
    [
        ("region", "region", {"layer": 0, "layer/attention": 0, "layer/mlp": 150_000, "layer/norm": -20_000}),
        ("phase", "phase", {"forward": 130_000}),
        ("op", "region", {"layer/attention": 0, "layer/mlp": 150_000, "layer/norm": -20_000}),
        ("family", "family", {"fusion": 130_000}),
        ("collective", "collective", {}),
    ],
)
def test_one_level_goes_into_any_format(
    compare: Callable, level: str, key: str, expected: dict[str, int]
) -> None:
    done = compare("fast", "slow", "--level", level, "--format", "csv")
    rows = list(csv.DictReader(done.out.decode().splitlines()))
    assert {row[key]: int(row["delta_ps"]) for row in rows if row[key]} == expected


def test_top_is_of_each_direction(compare: Callable) -> None:
    done = compare("fast", "slow", "--level", "op", "--top", "1", "--format", "jsonl")
    deltas = [json.loads(row)["delta_ps"] for row in done.out.splitlines()]
    assert deltas == [150_000, -20_000]


def test_the_document_holds_every_section_and_its_query(
    compare: Callable, profdb: Callable, root: str
) -> None:
    done = compare("fast", "slow", "--format", "json")
    found = json.loads(done.out)
    assert [found[key] for key in ("kind", "before", "after", "views")] == [
        "profdb.comparison", "fast", "slow", "v1",
    ]  # fmt: skip
    assert tuple(found["sections"]) == COMPARED
    for section in found["sections"].values():
        pair = ("-p", "before", "fast", "-p", "after", "slow")
        asked = profdb("query", section["sql"], *pair, "-w", root, "--format", "json")
        assert json.loads(asked.out) == section["rows"]


def test_a_real_run_with_itself_is_called_identical_and_has_no_delta(
    profdb: Callable, tmp_path: Path, cpu_capture: Path
) -> None:
    root = str(tmp_path / "w")
    ingest([str(cpu_capture)], root, run="tiny")
    done = profdb("compare", "tiny", "tiny", "-w", root, "--format", "json")
    sections = json.loads(done.out)["sections"]
    (difference,) = sections["compare_differences"]["rows"]
    assert (difference["key"], difference["problem"]) == ("content_sha256", "identical")
    deltas = [row["delta_ps"] for s in sections.values() for row in s["rows"] if "delta_ps" in row]
    assert len(deltas) > 30
    assert set(deltas) == {0}


@pytest.mark.parametrize(
    ("pair", "message"),
    [
        (
            ("fast", "other-chip"),
            "fast and other-chip are no fair pair: unlike (device_kind: TPU v6e and TPU v5)",
        ),
        (("fast", "fast"), "fast and fast are no fair pair: identical (content_sha256: "),
    ],
)
def test_strict_refuses_a_bad_pair(compare: Callable, pair: Sequence[str], message: str) -> None:
    assert compare(*pair).code == 0
    done = compare(*pair, "--strict")
    assert (done.code, done.out) == (4, b"")
    assert done.err.startswith(f"profdb: error: {message}")
    assert done.err.endswith(f"\n\nhint: profdb compare {' '.join(pair)}, without --strict\n")


def test_strict_lets_a_fair_pair_pass(compare: Callable) -> None:
    assert compare("fast", "slow", "--strict").code == 0


def test_a_cut_profile_is_refused_where_that_is_asked(profdb: Callable, tmp_path: Path) -> None:
    root, whole = str(tmp_path / "w"), training([{MLP: 10}] * 3)
    for name, data in (("whole", whole), ("cut", whole + b"\x0a\x7f")):
        folder = tmp_path / name / "plugins" / "profile" / "s"
        folder.mkdir(parents=True)
        (folder / "h.xplane.pb").write_bytes(training([{MLP: 11}] * 3))
        (folder / "i.xplane.pb").write_bytes(data)
        ingest([str(tmp_path / name)], root, run=name)
    done = profdb("compare", "whole", "cut", "--strict", "-w", root)
    assert done.code == 4
    assert "incomplete (incomplete: None and " in done.err


def test_a_run_with_steps_does_not_compare_with_one_without(compare: Callable) -> None:
    done = compare("fast", "no-steps")
    assert done.code == 4
    assert done.out.startswith(b"fast -> no-steps\n\nWhat differs")
    assert done.err.startswith(
        "profdb: error: no times compare: fast is measured by steady steps, no-steps by capture\n\nhint: "
    )


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["fast", "slwo"], 3, "there is no run 'slwo'; did you mean 'slow'?"),
        (["fast", "slow", "--format", "csv"], 2, "a comparison is several tables, which csv cannot hold"),
    ],
)
def test_what_is_not_there_is_said(compare: Callable, arguments: list[str], code: int, error: str) -> None:
    done = compare(*arguments)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(f"profdb: error: {error}")
    assert "\n\nhint: " in done.err
