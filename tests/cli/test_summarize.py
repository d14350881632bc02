"""`summarize` over a run captured on this machine."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from profdb.sql.reports.sections import sections
from profdb.warehouse.ingest import ingest

NAMES = [section.name for section in sections()]


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory, cpu_capture: Path) -> str:
    root = str(tmp_path_factory.mktemp("summarize") / "warehouse")
    ingest([str(cpu_capture)], root, run="tiny")
    return root


@pytest.fixture
def summarize(profdb: Callable, captured: str) -> Callable:
    return lambda *arguments: profdb("summarize", "-w", captured, *arguments)


def document(done) -> dict:
    assert (done.code, done.err) == (0, "")
    return json.loads(done.out)


def test_a_screen_starts_with_quality_and_names_the_view_of_every_number(summarize: Callable) -> None:
    done = summarize()  # the newest run
    assert done.code == 0
    text = done.out.decode()
    assert text.startswith("tiny\n\nQuality of the capture (capture_quality): ")
    headings = [f"{section.title} ({section.view}): " for section in sections() if section.brief]
    places = [text.find(heading) for heading in headings]
    assert places == sorted(places)
    assert min(places) > 0
    assert len(text.splitlines()) < 110


def test_a_screen_shows_short_tables_whole_and_rankings_as_asked(summarize: Callable) -> None:
    parts = ["compute_only", "overlapped", "comm_exposed", "copy", "sync", "control", "idle"]
    for arguments, most_ops in (((), 5), (("--top", "7"), 7)):
        text = summarize(*arguments).out.decode()
        breakdown, _, rest = text.partition("(run_breakdown)")[2].partition("(hot_ops)")
        assert sorted(line.split()[0] for line in breakdown.splitlines()[4:11]) == sorted(parts)
        ranking = rest.partition("\n\n")[2].partition("\n\n")[0]
        assert len(ranking.splitlines()) == 2 + most_ops


def test_a_screen_says_what_is_not_known(
    profdb: Callable, tmp_path: Path, real: Callable[[str], Path]
) -> None:
    root = str(tmp_path / "w")
    ingest([str(real("xplane/gpu_mi300x_jax08_conv.xplane.pb"))], root)
    text = profdb("summarize", "-w", root).out.decode()
    steps = text.partition("(run_summary): Start to start")[2].partition("\n\n")
    assert steps[0].endswith(
        "Not known: step_basis, step_median_ps, step_p90_ps, step_mean_ps, step_min_ps, step_max_ps, "
        "jitter_ratio."
    )
    assert steps[2].startswith("counted_step_count\n")


def test_the_document_has_all_sections_in_order_with_exact_numbers(
    summarize: Callable, profdb: Callable, captured
) -> None:
    found = document(summarize("tiny", "--format", "json"))
    head = [
        "schema_version",
        "kind",
        "run",
        "profdb_version",
        "views",
        "host",
        "device",
        "params",
        "sections",
    ]
    assert list(found) == head
    assert (found["schema_version"], found["kind"], found["run"], found["views"]) == (
        1,
        "profdb.summary",
        "tiny",
        "v1",
    )
    assert found["params"] == {"warmup_steps": 5, "top": 25}
    assert list(found["sections"]) == NAMES
    (steps,) = found["sections"]["steps"]["rows"]
    assert (steps["step_count"], steps["counted_step_count"], steps["warmup_step_count"]) == (10, 4, 5)
    median = "SELECT CAST(round(median(duration_ps)) AS BIGINT) AS m FROM step_time WHERE is_steady"
    asked = profdb("query", median, "-w", captured, "--format", "json")
    assert json.loads(asked.out) == [{"m": steps["step_median_ps"]}]


def test_every_query_of_the_document_gives_its_rows_again(
    summarize: Callable, profdb: Callable, captured: str
) -> None:
    for section in document(summarize("tiny", "--format", "json"))["sections"].values():
        done = profdb("query", section["sql"], "-p", "run", "tiny", "-w", captured, "--format", "json")
        assert json.loads(done.out) == section["rows"]


def test_the_same_warehouse_gives_the_same_bytes(summarize: Callable) -> None:
    assert summarize("tiny", "--format", "json").out == summarize("tiny", "--format", "json").out


def test_parameters_reach_the_views(summarize: Callable) -> None:
    found = document(summarize("--format", "json", "--warmup-steps", "2", "--top", "3"))
    assert found["params"] == {"warmup_steps": 2, "top": 3}
    assert found["sections"]["steps"]["rows"][0]["counted_step_count"] == 7
    assert [row["rank"] for row in found["sections"]["hot_ops"]["rows"]] == [1, 2, 3]


def test_one_device_is_all_that_is_summarized(summarize: Callable) -> None:
    found = document(summarize("--format", "json", "--device", "CPU:3"))
    assert found["device"] == "CPU:3"
    assert [row["device"] for row in found["sections"]["devices"]["rows"]] == ["CPU:3"]
    (whole, one) = (
        document(summarize("--format", "json", *more))["sections"] for more in ([], ["--device", "CPU:3"])
    )
    assert sum(row["total_ps"] for row in one["breakdown"]["rows"]) < sum(
        row["total_ps"] for row in whole["breakdown"]["rows"]
    )


def test_one_section_goes_into_any_format(summarize: Callable) -> None:
    done = summarize("--section", "breakdown", "--format", "csv")
    rows = list(csv.DictReader(done.out.decode().splitlines()))
    assert {row["part"] for row in rows} == {
        "compute_only", "overlapped", "comm_exposed", "copy", "sync", "control", "idle",
    }  # fmt: skip


def test_a_section_without_rows_says_what_it_needs(summarize: Callable) -> None:
    done = summarize("--section", "utilization", "--format", "csv")
    assert (done.code, len(done.out.splitlines())) == (0, 1)
    assert done.err == (
        "profdb: note: no rows; the section needs counter samples, "
        "which the profiler records where it is asked to.\n"
    )


def test_warm_up_that_leaves_no_steady_step_is_said(summarize: Callable) -> None:
    done = summarize("--section", "steps", "--format", "json", "--warmup-steps", "1000")
    assert json.loads(done.out)[0]["step_basis"] == "whole"
    assert done.err == (
        "profdb: note: no step is steady with --warmup-steps 1000; the numbers are of the whole steps\n"
    )


def test_warm_up_where_steps_are_program_executions_is_said_to_change_nothing(
    profdb: Callable, tmp_path: Path, real: Callable[[str], Path]
) -> None:
    root = str(tmp_path / "w")
    ingest([str(real("xplane/tpu_v6e_4chip_inference.xplane.pb"))], root)
    done = profdb("summarize", "-w", root, "--section", "steps", "--format", "csv", "--warmup-steps", "98")
    assert done.code == 0
    assert done.err.startswith(
        "profdb: note: --warmup-steps changes nothing: the steps are program executions"
    )


def test_explain_prints_queries_that_run(summarize: Callable, process: Callable, captured: str) -> None:
    done = summarize("--explain", "--section", "phases")
    assert done.out.decode().startswith("-- Phases of training: ")
    rows = process("query", "-", "-p", "run", "tiny", "-w", captured, "--format", "json", stdin=done.out)
    assert {row["phase"] for row in json.loads(rows.out)} >= {"forward", "backward", "recompute"}


@pytest.mark.parametrize(
    ("arguments", "code", "error"),
    [
        (["tinny"], 3, "there is no run 'tinny'; did you mean 'tiny'?"),
        (["tiny", "--device", "CPU:8"], 3, "there is no device 'CPU:8'; did you mean "),
        (["tiny", "--host", "x"], 3, "there is no host 'x'"),
        (["tiny", "--section", "ops"], 2, "there is no section 'ops'; there are quality, summary, findings"),
        (["tiny", "--format", "csv"], 2, "a summary is several tables, which csv cannot hold"),
    ],
)
def test_what_is_not_there_is_said(summarize: Callable, arguments: list[str], code: int, error: str) -> None:
    done = summarize(*arguments)
    assert (done.code, done.out) == (code, b"")
    assert done.err.startswith(f"profdb: error: {error}")
    assert "\n\nhint: " in done.err
