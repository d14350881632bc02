"""Tables for people: units by suffix, widths, and what is left out for display."""

from decimal import Decimal

import pyarrow as pa
import pytest

from profdb.cli.display import render
from profdb.sql.reports.units import human


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("duration_ps", 0, "0"),
        ("duration_ps", 999, "999 ps"),
        ("duration_ps", 1_000, "1.000 ns"),
        ("duration_ps", 12_345, "12.35 ns"),
        ("duration_ps", 123_456_789, "123.5 us"),
        ("duration_ps", 999_999_999, "1.000 ms"),
        ("duration_ps", -1_500_000_000, "-1.500 ms"),
        ("window_ps", Decimal(197_600_000_000_000), "197.6 s"),
        ("window_ps", 3_600_000_000_000_000, "3600 s"),
        ("start_ps", 1_839_795_667_123, "1839795.667 us"),
        ("at_ps", 1_000, "0.001 us"),
        ("file_bytes", 512, "512 B"),
        ("bytes_per_s", 2.5e11, "250.0 GB/s"),
        ("total_flops", 163_074_539_520, "163.1 GFLOP"),
        ("flops_per_s", 6.01166e14, "601.2 TFLOP/s"),
        ("file_bytes", 2_904_307, "2.904 MB"),
        ("compute_share", 0.5, "50.0%"),
        ("delta_ps", 1_500, "+1.500 ns"),
        ("inclusive_delta_ps", -1_500, "-1.500 ns"),
        ("delta_ps", 0, "0"),
        ("delta_pct", 12.345, "+12.3%"),
        ("delta_pct", -0.5, "-0.5%"),
        ("hit_ratio", 1, "100.0%"),
        ("count", 1_234_567, "1234567"),
        ("value", 0.123456789, "0.123457"),
        ("value", float("nan"), "nan"),
        ("profile_start_ns", 1_780_000_000_000_000_000, "1780000000000000000"),
    ],
)
def test_human_units_follow_the_suffix(name: str, value: int | float | Decimal, expected: str) -> None:
    assert human(name, value) == expected


def test_numbers_stand_right_and_text_left() -> None:
    table = pa.table({"name": ["dot", "all-reduce"], "count": [80, 7], "self_ps": [1_500_000, None]})
    assert render(table, None).text == (
        "name        count   self_ps\n"
        "----------  -----  --------\n"
        "dot            80  1.500 us\n"
        "all-reduce      7      NULL\n"
    )


def test_wide_characters_take_two_places() -> None:
    table = pa.table({"name": ["東京", "abcd"], "next": ["x", "y"]})
    assert render(table, None).text == "name  next\n----  ----\n東京  x\nabcd  y\n"


def test_a_long_cell_loses_its_middle_and_is_counted() -> None:
    table = pa.table({"scope": ["a" * 60 + "b" * 60], "n": [1]})
    rendered = render(table, None)
    assert rendered.text.splitlines()[2] == "a" * 50 + "…" + "b" * 49 + "  1"
    assert (rendered.shortened_cells, rendered.hidden_columns) == (1, ())


def test_a_terminal_narrows_the_widest_columns_first() -> None:
    table = pa.table({"name": ["x" * 30], "scope": ["y" * 50]})
    rendered = render(table, 42)
    assert rendered.text.splitlines()[1] == "-" * 20 + "  " + "-" * 20
    assert rendered.shortened_cells == 2


def test_columns_that_do_not_fit_are_dropped_from_the_right_and_counted() -> None:
    table = pa.table({f"column_{i}": ["x" * 20] for i in range(5)})
    rendered = render(table, 30)
    assert rendered.text.splitlines()[0] == "column_0        column_1"
    assert rendered.hidden_columns == ("column_2", "column_3", "column_4")


@pytest.mark.parametrize("width", [None, 60, 10])
def test_a_handle_is_whole_wherever_it_stands(width: int | None) -> None:
    handle = "experiments/" + "sweep-17/" * 12 + "2026_11_30_04_47_36"
    table = pa.table({"scope": ["y" * 50], "run": [handle], "name": ["x" * 50]})
    rendered = render(table, width)
    assert handle in rendered.text.splitlines()[2].split()
    if width:
        assert (rendered.shortened_cells, rendered.hidden_columns) == (0, ("scope", "name"))


def test_other_columns_make_room_for_a_handle() -> None:
    table = pa.table({"run": ["r" * 40], "scope": ["y" * 50]})
    assert render(table, 60).text.splitlines()[1] == "-" * 40 + "  " + "-" * 18


def test_prose_is_wrapped_and_never_cut() -> None:
    table = pa.table({"column": ["run"], "meaning": ["One row per run.\n" + "word " * 30]})
    rendered = render(table, 40, prose={"meaning"})
    assert rendered.text == (
        "column  meaning\n"
        "------  --------------------------------\n"
        "run     One row per run.\n" + "        word word word word word word\n" * 5
    )
    assert rendered.shortened_cells == 0


def test_prose_has_lines_that_are_easy_to_read() -> None:
    rendered = render(pa.table({"meaning": ["word " * 40]}), None, prose={"meaning"})
    assert [len(line) for line in rendered.text.splitlines()] == [7, 72, 69, 69, 59]
