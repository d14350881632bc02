"""Rows as a reader of a report sees them."""

import pyarrow as pa
import pytest

from profdb.sql.reports.sections import Section, sections
from profdb.sql.reports.shown import UNKNOWN, Table, label, show


def section(name: str) -> Section:
    return next(found for found in sections() if found.name == name)


def shown(name: str, rows: list[dict], most_rows: int = 10, most_characters: int = 20) -> Table:
    return show(
        section(name), pa.Table.from_pylist(rows), most_rows=most_rows, most_characters=most_characters
    )


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("self_ps", "self time"),
        ("start_ps", "start"),
        ("marker_duration_ps", "marker duration"),
        ("file_bytes", "file bytes"),
        ("mfu_ratio", "MFU ratio"),
        ("step_p90_ps", "step P90 time"),
        ("hlo_op", "HLO op"),
        ("peak_flops_per_s", "peak flops rate"),
    ],
)
def test_a_column_is_named_in_words(column: str, words: str) -> None:
    assert label(column) == words


def test_values_are_in_units_and_sorted_by_the_exact_number() -> None:
    row = {"phase": "forward", "op_count": 12345, "count": 1, "self_ps": 1_500_000_000, "self_share": 0.25}
    table = shown("phases", [row])
    assert texts(table) == [["forward", "12,345", "1", "1.500 ms", "25.0%"]]
    assert [cell.exact for cell in table.rows[0]] == [None, "12345", "1", "1500000000", "0.25"]
    assert table.columns[3].meaning == "Sum of self times on all devices, in picoseconds."


def test_what_all_rows_share_and_what_none_tells_is_said_once() -> None:
    rows = [
        {"phase": phase, "op_count": 7, "count": None, "self_ps": ps, "self_share": None}
        for phase, ps in (("forward", 2000), (None, 1000))
    ]
    table = shown("phases", rows)
    assert texts(table) == [["forward", "2.000 ns"], [UNKNOWN, "1.000 ns"]]
    assert [(column.name, cell.text) for column, cell in table.common] == [("op_count", "7")]
    assert [column.name for column in table.unknown] == ["count", "self_share"]


def test_a_lone_row_keeps_its_columns_and_a_record_only_what_is_known() -> None:
    lone = {"phase": "forward", "op_count": 7, "count": 1, "self_ps": 0, "self_share": 1.0}
    assert len(shown("phases", [lone]).columns) == 5
    names = (field for field in ("profdb_version", "jax_version", "tags"))
    record = dict.fromkeys(section("software").report) | dict(zip(names, ("1", None, "{}"), strict=True))
    table = shown("software", [record])
    assert [column.name for column in table.columns] == ["tags", "profdb_version"]
    assert texts(table) == [["none", "1"]]
    assert "jax_version" in [column.name for column in table.unknown]
    nothing = shown("software", [dict.fromkeys(record)])
    assert (nothing.columns, nothing.rows, nothing.row_count) == ((), ((),), 1)


def test_rows_and_names_beyond_the_limits_are_left_out() -> None:
    rows = [{"phase": str(i), "op_count": i, "count": 1, "self_ps": 1, "self_share": 0.1} for i in range(30)]
    table = shown("phases", rows, most_rows=4)
    assert (len(table.rows), table.row_count) == (4, 30)
    files = dict.fromkeys(section("files").report) | {"host": "h" * 21, "sha256": "s" * 20}
    (row,) = texts(shown("files", [files]))
    assert row == ["h" * 10 + "…" + "h" * 9, "s" * 20]


def test_a_place_in_the_source_shows_its_end() -> None:
    op = dict.fromkeys(section("hot_ops").report) | {
        "name": "dot\x1b[2J",
        "region": "",
        "source": "/" * 60 + "a.py:7",
    }
    (row,) = texts(shown("hot_ops", [op], most_characters=60))
    assert row == ["dot\\x1b[2J", "none", "…" + "/" * 38 + "a.py:7"]


def test_no_rows_say_what_the_profile_lacks() -> None:
    empty = pa.table({name: [] for name in section("phases").report})
    assert show(section("phases"), empty, most_rows=1, most_characters=9).needs == (
        "framework paths (scopes); without them all time is in the row whose phase is NULL."
    )
