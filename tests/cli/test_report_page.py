"""`report --format html` in headless Chromium."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import Page, chromium
from xspace import event, line, plane, ref, space

from profdb.cli.main import run
from profdb.warehouse.ingest import ingest

HOSTILE = [
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "</script><script>alert(1)</script><!--",
    "'quotes\" & &amp; `ticks`",
    "right\u202eleft\u2028line\x00nul",
    "{{ 7 * 7 }}",
]
READABLE = "right\\u202eleft\\u2028line\\x00nul"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("chromium")) as opened:
        yield opened


def report(root: Path, folder: Path) -> tuple[Path, dict]:
    """The page of the only run of a warehouse, and the rows that it is of."""
    for form in ("html", "json"):
        assert run(["report", "-w", str(root), "--format", form, "-o", str(folder / f"report.{form}")]) == 0
    return folder / "report.html", json.loads((folder / "report.json").read_text(encoding="utf-8"))[
        "sections"
    ]


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory, cpu_capture: Path) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("page")
    ingest([str(cpu_capture)], str(folder / "warehouse"), run="tiny")
    return report(folder / "warehouse", folder)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict]:
    folder = tmp_path_factory.mktemp("hostile")
    events = (event(n, 10 * i, 5, {"tf_op": ref(f"jit(f)/{n}/mul")}) for i, n in enumerate(HOSTILE))
    (folder / "h.xplane.pb").write_bytes(space(plane("/device:GPU:0", line("Stream #1(Compute)", *events))))
    ingest([str(folder / "h.xplane.pb")], str(folder / "warehouse"), run="<b>run</b>")
    return report(folder / "warehouse", folder)


def count(page: Page, selector: str) -> int:
    return page.ask(f"document.querySelectorAll({json.dumps(selector)}).length")


def texts(page: Page, selector: str) -> list[str]:
    return page.ask(f"[...document.querySelectorAll({json.dumps(selector)})].map((e) => e.textContent)")


@pytest.mark.parametrize(("width", "scheme"), [(1600, "light"), (375, "dark")])
def test_nothing_is_loaded_nothing_complains_and_nothing_overflows(
    page: Page, training: tuple[Path, dict], width: int, scheme: str
) -> None:
    page.open(training[0], width, scheme)
    assert page.complaints == []
    assert page.requests == [training[0].absolute().as_uri()]
    assert page.ask("document.documentElement.scrollWidth") <= width
    assert page.ask("[...document.querySelectorAll('figure svg')].every((s) => s.clientWidth <= innerWidth)")


def test_a_chart_has_a_mark_for_every_row(page: Page, training: tuple[Path, dict]) -> None:
    file, sections = training
    rows = {name: section["rows"] for name, section in sections.items()}
    page.open(file)
    parts = ("compute_only", "overlapped", "comm_exposed", "copy", "sync", "control", "idle")
    expected = {
        "figure[data-chart=step_series] [aria-label=dot] circle": len(rows["step_series"]),
        "figure[data-chart=hot_ops] [aria-label=bar] rect": sum(
            row["self_ps"] > 0 for row in rows["hot_ops"]
        ),
        "figure[data-chart=pre_op_gaps] [aria-label=bar] rect": sum(
            row["idle_ps"] > 0 for row in rows["pre_op_gaps"]
        ),
        "figure[data-chart=roofline] [aria-label=dot] circle": sum(
            (row["flops_per_s"] or 0) > 0 and (row["intensity"] or 0) > 0 for row in rows["roofline"]
        ),
        "figure[data-chart=regions] [aria-label=rect] rect": len(rows["regions"]),
        "figure[data-chart=devices] [aria-label=bar] rect": sum(
            row[f"{part}_ps"] > 0 for row in rows["devices"] for part in parts
        ),
    }
    assert {selector: count(page, selector) for selector in expected} == expected
    assert min(expected.values()) >= 8


def test_bars_are_as_long_as_the_numbers(page: Page, training: tuple[Path, dict]) -> None:
    file, sections = training
    page.open(file)
    bars = "[...document.querySelectorAll('figure[data-chart=hot_ops] [aria-label=bar] rect')]"
    widths = page.ask(f"{bars}.map((bar) => bar.width.baseVal.value)")
    times = [row["self_ps"] for row in sections["hot_ops"]["rows"]]
    assert [w / max(widths) for w in widths] == pytest.approx([t / max(times) for t in times], abs=0.005)


def test_charts_follow_the_width(page: Page, training: tuple[Path, dict]) -> None:
    page.open(training[0], 1000)
    wide = page.ask("document.querySelector('figure svg[role=img]').clientWidth")
    page.call("Emulation.setDeviceMetricsOverride", width=500, height=900, deviceScaleFactor=1, mobile=False)
    page.ask("new Promise((done) => setTimeout(done, 200))")
    assert page.ask("document.querySelector('figure svg[role=img]').clientWidth") < 500 < wide


def test_a_table_is_sorted_by_keyboard_by_exact_numbers(page: Page, training: tuple[Path, dict]) -> None:
    file, sections = training
    page.open(file)
    table = "document.querySelector('#hot_ops table')"
    head = f"[...{table}.querySelectorAll('th')].find((th) => th.textContent === 'average time')"
    page.ask(f"{head}.querySelector('button').focus()")
    order = f"[...{table}.tBodies[0].rows].map((row) => row.cells[1].textContent)"
    rows = sections["hot_ops"]["rows"]
    for pressed in ("descending", "ascending"):
        page.press("Enter", "\r")
        assert page.ask(f"{head}.getAttribute('aria-sort')") == pressed
        ranked = sorted(rows, key=lambda row: row["average_ps"], reverse=pressed == "descending")
        assert page.ask(order) == [row["name"] for row in ranked]


def test_everything_has_a_name_for_a_screen_reader(page: Page, training: tuple[Path, dict]) -> None:
    page.open(training[0])
    assert count(page, "figure svg[role=img]") == count(page, "figure[data-chart]") >= 6
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    shown = [node for node in nodes if not node["ignored"]]
    for role in ("image", "table", "button", "link", "region", "heading"):
        names = [node["name"]["value"] for node in shown if node["role"]["value"] == role and "name" in node]
        assert [name for name in names if not name] == [], role
    assert page.ask("document.documentElement.lang") == "en"
    assert page.ask("[...document.querySelectorAll('nav a')].every((a) => document.querySelector(a.hash))")


def test_printing_shows_whole_tables_on_white(page: Page, training: tuple[Path, dict]) -> None:
    page.open(training[0], 700, "dark", media="print")
    assert page.ask("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.ask("getComputedStyle(document.querySelector('.scroll')).overflow") == "visible"


def test_a_hostile_name_stays_text(page: Page, hostile: tuple[Path, dict]) -> None:
    file, sections = hostile
    assert sorted(row["name"] for row in sections["hot_ops"]["rows"]) == sorted(HOSTILE)
    page.open(file)
    assert page.complaints == []
    assert page.requests == [file.absolute().as_uri()]
    assert page.ask("document.title").startswith("<b>run</b>")
    assert count(page, "img, b, iframe, object, link, script[src]") == 0
    assert count(page, "script") == 4
    names = page.ask(
        "[...document.querySelectorAll('#hot_ops tbody td:nth-child(2)')].map((td) => td.textContent)"
    )
    assert sorted(names) == sorted([READABLE if "\x00" in name else name for name in HOSTILE])
    assert count(page, "figure[data-chart=hot_ops] [aria-label=bar] rect") == len(HOSTILE)
    titles = page.ask(
        "[...document.querySelectorAll('figure[data-chart=regions] text')].map((t) => t.textContent)"
    )
    assert not [title for title in titles if "\u202e" in title or "\x00" in title]


def test_a_page_is_small(training: tuple[Path, dict]) -> None:
    assert training[0].stat().st_size < 3_000_000
