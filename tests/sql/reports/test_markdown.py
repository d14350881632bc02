"""Names of others inside Markdown, read back with another's parser."""

import re
from dataclasses import replace
from html import unescape

import pyarrow as pa
import pytest
from markdown_it import MarkdownIt

from profdb.sql.reports.markdown import MOST_BYTES, code, plain, render
from profdb.sql.reports.report import Report
from profdb.sql.reports.sections import sections

HOSTILE = [
    "<script>alert(1)</script>",
    "a|b",
    "`x` ``y``",
    "\\|",
    "[link](http://example.com)",
    "https://example.com www.example.com",
    "*a* __b__ ~~c~~ $d$ &amp; #1",
    " leading and trailing ",
    "step_num",
    "_private_",
    "%fusion.7 = f32[8]{0} fusion(%p.0), kind=kLoop",
]


def cells(markdown: str) -> list[str]:
    """Texts of the cells of the only row of a table."""
    html = MarkdownIt("gfm-like", {"linkify": False}).render(f"| a |\n| --- |\n| {markdown} |\n")
    return re.findall(r"<td>(.*?)</td>", html, re.DOTALL)


@pytest.mark.parametrize("text", HOSTILE)
def test_a_name_stays_one_cell_of_code(text: str) -> None:
    (cell,) = cells(code(text))
    assert unescape(re.fullmatch("<code>(.*)</code>", cell)[1]) == text  # type: ignore[index]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_text_stays_text(text: str) -> None:
    (cell,) = cells(plain(text))
    assert "<" not in cell
    assert unescape(cell) == text.strip()
    assert "://" not in plain(text)


def test_usual_names_are_readable_as_they_are() -> None:
    assert code("layer0/block/dot_general.3") == "`layer0/block/dot_general.3`"
    assert plain("no step markers: step_num 3 is unknown") == "no step markers: step_num 3 is unknown"


def test_what_could_hide_text_is_escaped() -> None:
    assert code("a\u202eb\n\x1b") == "<code>a&#92;u202eb&#92;n&#92;x1b</code>"


def test_rows_are_left_out_until_the_whole_fits_a_step_summary() -> None:
    by_name = {section.name: section for section in sections()}
    summary = dict.fromkeys(by_name["summary"].report) | {
        "device_count": 1,
        "quality": "fail",
        "quality_sentence": "x",
    }
    bad = {"status": "fail", "check_name": "c", "sentence": "<" * 600, "remedy": "&" * 600}
    rows = pa.Table.from_pylist([bad | {"check_name": f"c{i}"} for i in range(100)])
    for copies, most in ((1, 100), (3, 25)):
        tables = {replace(by_name["quality"], name=f"q{i}"): rows for i in range(copies)}
        tables[by_name["summary"]] = pa.Table.from_pylist([summary])
        text = render(Report("r", {"profdb_version": "1", "views": "v1"}, tables))
        assert len(text.encode()) < MOST_BYTES
        assert text.count("| fail |") == copies * most
    assert "The first 25 of 100 rows." in text
