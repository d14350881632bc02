"""`runs`, `tables`, `schema` and `sql`: what there is, for people and for agents."""

import json
from collections.abc import Callable

import pytest

from profdb.cli.schema import unit
from profdb.sql import catalog


def test_runs_come_newest_first_with_their_facts(profdb: Callable) -> None:
    done = profdb("runs", "--format", "jsonl")
    assert (done.code, done.err) == (0, "")
    rows = [json.loads(line) for line in done.out.splitlines()]
    assert [(row["run"], row["platform"], row["window_ps"], row["is_partial"]) for row in rows] == [
        ("demo-b", "tpu", 2_500_000, True),
        ("demo-a", "cpu", 1_000_000_000, False),
    ]
    assert rows[0]["ingested_at"] == "2026-11-30T01:02:04.000000Z"


def test_runs_can_be_named_and_a_near_miss_is_suggested(profdb: Callable, warehouse: str) -> None:
    done = profdb("runs", "demo-a", "--format", "csv")
    assert [line.split(b",")[0] for line in done.out.splitlines()] == [b"run", b"demo-a"]
    done = profdb("runs", "demo-a", "demmo-b")
    assert (done.code, done.out) == (3, b"")
    assert done.err == (
        "profdb: error: there is no run 'demmo-b'; did you mean 'demo-b'?\n"
        f"\nhint: profdb runs -w {warehouse}\n"
    )


def test_tables_list_every_public_relation_and_what_is_stored(profdb: Callable) -> None:
    done = profdb("tables", "--format", "json")
    rows = {row["name"]: row for row in json.loads(done.out)}
    public = [name for name, relation in catalog.relations().items() if relation.kind != "helper"]
    assert list(rows) == public
    assert rows["runs"]["row_count"] == 2
    assert rows["runs"]["stored_bytes"] > 0
    assert rows["ops"]["row_count"] == 0
    assert rows["runs"]["grain"].startswith("One row per ingested profile")
    assert (rows["params"]["kind"], rows["params"]["row_count"]) == ("rules", None)


def test_schema_says_grain_type_unit_and_meaning(profdb: Callable) -> None:
    rows = json.loads(profdb("schema", "op_stats", "--format", "json").out)
    assert rows[0] == {
        "name": "op_stats",
        "kind": "derived",
        "column": None,
        "type": None,
        "unit": None,
        "meaning": catalog.derived()["op_stats"].doc,
    }
    assert rows[6] == {
        "name": "op_stats",
        "kind": "derived",
        "column": "total_ps",
        "type": "BIGINT",
        "unit": "ps",
        "meaning": "Sum of durations, in picoseconds.",
    }


def test_schema_covers_every_column_and_needs_no_warehouse(
    profdb: Callable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROFDB_WAREHOUSE", "none")
    rows = json.loads(profdb("schema", "--format", "json").out)
    described = {(row["name"], row["column"]) for row in rows if row["column"]}
    expected = {
        (relation.name, column.name)
        for relation in catalog.relations().values()
        if relation.kind != "helper"
        for column in relation.columns
    }
    assert described == expected
    assert all(row["meaning"] for row in rows)
    assert all(row["type"] for row in rows if row["column"])


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        ("start_ps", "ps"),
        ("profile_start_ns", "ns"),
        ("file_bytes", "bytes"),
        ("peak_hbm_bytes_per_s", "bytes/s"),
        ("flops", "flops"),
        ("exposed_communication_share", "0..1"),
        ("device_count", "count"),
        ("name", None),
        ("gps", None),
    ],
)
def test_units_are_suffixes(column: str, expected: str | None) -> None:
    assert unit(column) == expected


def test_sql_list_names_what_has_sql_and_show_prints_it(profdb: Callable) -> None:
    rows = json.loads(profdb("sql", "list", "--format", "json").out)
    public = [r.name for r in catalog.relations().values() if r.kind in {"derived", "view"}]
    assert [row["name"] for row in rows] == public
    done = profdb("sql", "show", "step_breakdown")
    assert (done.code, done.out.decode(), done.err) == (0, catalog.derived()["step_breakdown"].sql, "")


@pytest.mark.parametrize("command", [["schema"], ["sql", "show"]])
def test_an_unknown_relation_gets_a_near_miss(profdb: Callable, command: list[str]) -> None:
    done = profdb(*command, "op_stat")
    assert (done.code, done.out) == (3, b"")
    assert done.err == (
        "profdb: error: there is no table or view 'op_stat'; did you mean 'op_stats'?\n"
        "\nhint: profdb tables\n"
    )
