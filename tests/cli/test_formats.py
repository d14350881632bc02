"""One query with every awkward type in every format, against files read by eye once."""

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profdb.cli.formats import encode

GOLDEN = Path(__file__).parent / "golden"
QUERY = ("query", "-f", str(GOLDEN / "awkward.sql"))
HUMAN = {"duration_ps", "used_bytes", "idle_share", "delta_ps"}


@pytest.mark.parametrize("name", ["table", "csv", "tsv", "json", "jsonl", "markdown"])
def test_text_formats_give_exactly_the_golden_bytes(profdb: Callable, name: str) -> None:
    done = profdb(*QUERY, "--format", name)
    assert done.out == (GOLDEN / f"awkward.{name}").read_bytes()
    assert (done.code, done.err) == (0, "")


@pytest.mark.parametrize("name", ["parquet", "arrow"])
def test_binary_formats_read_back_with_types_and_values(profdb: Callable, name: str, tmp_path: Path) -> None:
    done = profdb(*QUERY, "--format", name, "-o", f"rows.{name}")
    assert (done.code, done.out, done.err) == (0, b"", "")
    path = tmp_path / f"rows.{name}"
    table = pq.read_table(path) if name == "parquet" else pa.ipc.open_file(path).read_all()
    assert table.num_rows == 2
    assert table["biggest"].to_pylist() == [2**64 - 1, None]
    assert table.schema.field("biggest").type == pa.uint64()
    assert table["huge"][0].as_py() == Decimal(2**127 - 1)
    assert table["money"][0].as_py() == Decimal("1.10")
    assert table["bytes"][0].as_py() == b"\xaa\x00"
    assert table["at_utc"][0].as_py() == datetime(2026, 11, 30, 1, 2, 3, 4005, tzinfo=UTC)
    assert table["tags"][0].as_py() == [("a", 'x"y'), ("b", None)]
    assert table["hostile"][0].as_py() == "\x1b[31mred\x9b\u202e\u2028"


def test_json_keeps_every_digit_and_escapes_what_a_terminal_obeys(profdb: Callable) -> None:
    text = profdb(*QUERY, "--format", "json").out.decode()
    row = json.loads(text)[0]
    assert row["biggest"] == 18446744073709551615
    assert row["beyond_double"] == 9007199254740993
    assert row["huge"] == 170141183460469231731687303715884105727
    assert row["tags"] == {"a": 'x"y', "b": None}
    assert row["hostile"] == "\x1b[31mred\x9b\u202e\u2028"
    assert not {"\x1b", "\x9b", "\u202e", "\u2028"} & set(text)


def test_jsonl_is_json_line_by_line(profdb: Callable) -> None:
    lines = profdb(*QUERY, "--format", "jsonl").out.decode().split("\n")
    assert lines.pop() == ""
    assert [json.loads(line) for line in lines] == json.loads(profdb(*QUERY, "--format", "json").out)


@pytest.mark.parametrize(("name", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_delimited_text_reads_back_whole(profdb: Callable, name: str, delimiter: str) -> None:
    text = profdb(*QUERY, "--format", name).out.decode()
    rows = list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert len(rows) == 2
    assert rows[0]["quotes"] == 'q"u,o|te\n\tx\\y'
    assert rows[0]["hostile"] == "\x1b[31mred\x9b\u202e\u2028"
    assert json.loads(rows[0]["struct"]) == {"x": 1, "y": ["z"]}


def test_csv_tells_null_from_the_empty_string_and_from_the_word() -> None:
    table = pa.table({"text": pa.array([None, "", "NULL"])})
    assert encode(table, "csv") == b'text\n\n""\nNULL\n'


def test_table_and_csv_agree_cell_by_cell(profdb: Callable) -> None:
    exact = next(csv.DictReader(io.StringIO(profdb(*QUERY, "--format", "csv").out.decode(), newline="")))
    shown = _first_row(profdb(*QUERY).out.decode())
    assert shown.keys() == exact.keys()
    escapes = str.maketrans(
        {"\n": r"\n", "\t": r"\t", "\x1b": r"\x1b", "\x9b": r"\x9b", "\u202e": r"\u202e", "\u2028": r"\u2028"}
    )
    for name in exact.keys() - HUMAN - {"nothing"}:
        assert shown[name] == exact[name].translate(escapes), name
    assert (shown["nothing"], exact["nothing"]) == ("NULL", "")
    assert {name: (shown[name], exact[name]) for name in HUMAN} == {
        "duration_ps": ("1.235 s", "1234567890123"),
        "used_bytes": ("123.5 KB", "123456"),
        "idle_share": ("12.3%", "0.1234"),
        "delta_ps": ("-1.500 ns", "-1500"),
    }


def _first_row(text: str) -> dict[str, str]:
    """Cells of a table by header, cut at the rule's dashes; wide characters take two places."""
    header, rule, row, *_ = text.splitlines()
    row = "".join(char + "\0" if char in "東京" else char for char in row)
    cells, start = {}, 0
    for dashes in rule.split("  "):
        end = start + len(dashes)
        cells[header[start:end].strip()] = row[start:end].strip().replace("\0", "")
        start = end + 2
    return cells


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("csv", b"a,b\n"),
        ("tsv", b"a\tb\n"),
        ("json", b"[]\n"),
        ("jsonl", b""),
        ("markdown", b"| a | b |\n| ---: | --- |\n"),
    ],
)
def test_no_rows_still_say_the_columns_where_the_format_can(name: str, expected: bytes) -> None:
    table = pa.table({"a": pa.array([], pa.int64()), "b": pa.array([], pa.string())})
    assert encode(table, name) == expected


def test_values_of_a_slice_stay_with_their_rows() -> None:
    table = pa.table({"list": [[1], [2, 3], None, [], [4]], "text": ["a", 'b"', None, "\0", "e"]})
    assert encode(table.slice(1, 3), "jsonl").decode().splitlines() == [
        '{"list": [2, 3], "text": "b\\""}',
        '{"list": null, "text": null}',
        '{"list": [], "text": "\\u0000"}',
    ]


def test_results_over_several_batches_keep_their_order() -> None:
    table = pa.table({"map": pa.array([[("k", i)] for i in range(70_000)], pa.map_(pa.string(), pa.int64()))})
    lines = encode(table, "jsonl").decode().splitlines()
    assert lines == [f'{{"map": {{"k": {i}}}}}' for i in range(70_000)]


def test_an_interval_is_an_iso_duration_and_parquet_says_that_it_has_none(profdb: Callable) -> None:
    sql = "SELECT INTERVAL '1 month 2 days 3.5 seconds' AS gap"
    assert profdb("query", sql, "--format", "csv").out == b"gap\nP1M2DT3.5S\n"
    done = profdb("query", sql, "--format", "parquet")
    assert (done.code, done.out) == (2, b"")
    assert done.err.startswith("profdb: error: parquet cannot hold this result: ")
    assert done.err.endswith("\n\nhint: --format arrow\n")


@pytest.mark.parametrize("name", ["json", "jsonl", "parquet"])
def test_two_columns_of_one_name_are_refused_where_one_would_be_lost(profdb: Callable, name: str) -> None:
    done = profdb("query", "SELECT 1 AS a, 2 AS a", "--format", name)
    assert (done.code, done.out) == (2, b"")
    assert done.err == (
        "profdb: error: two columns are named 'a', which this format cannot hold\n"
        "\nhint: name one of them otherwise: ... AS a_2\n"
    )
    assert profdb("query", "SELECT 1 AS a, 2 AS a", "--format", "csv").out == b"a,a\n1,2\n"
