"""`report` as Markdown and JSON, over a run captured on this machine."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from xspace import event, line, plane, space

from profdb.sql.reports.sections import sections
from profdb.sql.reports.units import human
from profdb.warehouse.ingest import ingest


@pytest.fixture(scope="module")
def captured(tmp_path_factory: pytest.TempPathFactory, cpu_capture: Path) -> str:
    root = str(tmp_path_factory.mktemp("report") / "warehouse")
    ingest([str(cpu_capture)], root, run="tiny")
    return root


def test_markdown_heads_with_quality_and_has_every_section_in_order(profdb: Callable, captured: str) -> None:
    done = profdb("report", "tiny", "-w", captured)
    assert (done.code, done.err) == (0, "")
    text = done.out.decode()
    assert re.match(r"# tiny\n\ncpu, 8 devices, [-0-9]+ [:0-9]+ UTC\n\n\*\*Quality: ", text)
    assert re.findall("^## (.+)$", text, re.MULTILINE) == [section.title for section in sections()]
    assert len(done.out) < 100_000


def test_markdown_says_what_the_views_say(profdb: Callable, captured: str) -> None:
    text = profdb("report", "-w", captured).out.decode()
    (steps,) = json.loads(profdb("summarize", "-w", captured, "--section", "steps", "--format", "json").out)
    assert f"| counted step count | {steps['counted_step_count']} |" in text
    assert f"| step median time | {human('step_median_ps', steps['step_median_ps'])} |" in text
    (files,) = json.loads(profdb("summarize", "-w", captured, "--section", "files", "--format", "json").out)
    assert f"`{files['sha256']}`" in text


def test_the_same_warehouse_gives_the_same_bytes(profdb: Callable, captured: str) -> None:
    for form in ("markdown", "html"):
        first, second = (profdb("report", "-w", captured, "--format", form).out for _ in range(2))
        assert first == second


def test_a_ranking_is_as_long_as_asked(profdb: Callable, captured: str) -> None:
    text = profdb("report", "-w", captured, "--set", "top=3").out.decode()
    ranks = re.findall(r"^\| (\d+) \|", text.partition("## Hottest ops")[2].partition("## ")[0], re.MULTILINE)
    assert ranks == ["1", "2", "3"]


def test_json_is_the_document_with_exact_numbers(profdb: Callable, captured: str) -> None:
    report = json.loads(profdb("report", "-w", captured, "--format", "json").out)
    assert report["kind"] == "profdb.report"
    summary = json.loads(profdb("summarize", "-w", captured, "--format", "json").out)
    assert report["sections"] == summary["sections"]


def test_a_file_is_written_whole_or_not_at_all(profdb: Callable, captured: str, tmp_path: Path) -> None:
    assert profdb("report", "-w", captured, "-o", str(tmp_path / "r.md")).out == b""
    assert (tmp_path / "r.md").read_bytes() == profdb("report", "-w", captured).out
    done = profdb("report", "tinny", "-w", captured, "-o", str(tmp_path / "none.md"))
    assert (done.code, (tmp_path / "none.md").exists()) == (3, False)
    assert done.err.startswith("profdb: error: there is no run 'tinny'; did you mean 'tiny'?")


def test_a_run_of_which_nothing_is_known_says_so(profdb: Callable, tmp_path: Path) -> None:
    (tmp_path / "h.xplane.pb").write_bytes(space(plane("/host:CPU", line("python", event("f", 0, 5)))))
    ingest([str(tmp_path / "h.xplane.pb")], str(tmp_path / "warehouse"))
    for form in ("markdown", "html"):
        done = profdb("report", "-w", str(tmp_path / "warehouse"), "--format", form)
        assert (done.code, done.err) == (0, "")
        shares = done.out.decode().partition("exposed communication share")[0]
        assert "Not known: share basis, measured share, busy share, compute share" in shares
