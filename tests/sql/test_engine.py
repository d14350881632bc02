import duckdb
import pytest

from profdb.sql import catalog
from profdb.sql.engine import Settings, connect, quote_text
from profdb.sql.errors import ProfdbError


def write(path, select):
    """A Parquet file of a SELECT, named by its path."""
    with duckdb.connect() as con:
        con.execute(f"COPY ({select}) TO {quote_text(str(path))} (FORMAT parquet)")
    return str(path)


@pytest.fixture
def two_schemas(tmp_path):
    """A file of an older schema, which lacks most columns, and one with other columns in another order."""
    folder = tmp_path / "date=2026-11-30"  # a partition folder must not become a column
    folder.mkdir()
    old = write(folder / "it's old.parquet", "SELECT 'r1' AS run, 1::BIGINT AS op_id")
    new = write(
        folder / "new.parquet",
        "SELECT 18446744073709551615::UBIGINT AS program_id, 2::BIGINT AS op_id, ['x', 'y'] AS operands, "
        "'r2' AS run, 7 AS a_later_column",
    )
    return [old, new]


def test_files_of_old_and_new_schemas_read_together_by_name(two_schemas):
    con = connect({"ops": two_schemas}, Settings())
    rows = con.execute("SELECT run, op_id, program_id, operands, flops FROM ops ORDER BY run").fetchall()
    assert rows == [("r1", 1, None, None, None), ("r2", 2, 18446744073709551615, ["x", "y"], None)]


def test_map_and_timestamp_columns_are_null_in_old_files(tmp_path):
    old = write(tmp_path / "old.parquet", "SELECT 'r1' AS run")
    new = write(
        tmp_path / "new.parquet",
        "SELECT 'r2' AS run, MAP {'team': 'core'} AS tags, "
        "TIMESTAMPTZ '2026-11-30 12:00:00+02' AS started_at, true AS is_partial",
    )
    con = connect({"runs": [old, new]}, Settings())
    sql = "SELECT run, tags, CAST(started_at AS VARCHAR), is_partial FROM runs ORDER BY run"
    assert con.execute(sql).fetchall() == [
        ("r1", None, None, None),
        ("r2", {"team": "core"}, "2026-11-30 10:00:00+00", True),
    ]


@pytest.mark.parametrize("table", ["ops", "runs", "op_stats"])
def test_a_stored_relation_has_the_declared_columns_with_and_without_files(table, tmp_path):
    declared = [(c.name, c.type) for c in catalog.relations()[table].columns]
    file = write(tmp_path / "a.parquet", "SELECT 'r1' AS run")
    for files in ({}, {table: [file]}):
        con = connect(files, Settings())
        described = con.execute(f"DESCRIBE {table}").fetchall()
        aliases = {"TIMESTAMP WITH TIME ZONE": "TIMESTAMPTZ"}
        assert [(name, aliases.get(kind, kind)) for name, kind, *_ in described] == declared


def test_filters_and_projections_reach_the_files(two_schemas):
    con = connect({"ops": two_schemas}, Settings())
    [(_, plan)] = con.execute("EXPLAIN SELECT op_id FROM ops WHERE run = 'r2'").fetchall()
    assert "Projections: op_id" in plan
    assert "Filters: run = 'r2'" in plan


def test_the_rules_and_parameters_are_relations():
    con = connect({}, Settings())
    assert con.execute("SELECT warmup_steps, top FROM params").fetchall() == [(5, 25)]
    [(rules, ranks)] = con.execute("SELECT count(*), count(DISTINCT priority) FROM category_rules").fetchall()
    assert rules == ranks > 0


def test_settings_override_parameters():
    con = connect({}, Settings(params={"warmup_steps": 3}))
    assert con.execute("SELECT warmup_steps, top FROM params").fetchall() == [(3, 25)]


def test_comments_are_in_the_database():
    con = connect({}, Settings())
    sql = "SELECT comment FROM duckdb_columns() WHERE table_name = 'runs' AND column_name = 'window_ps'"
    [(comment,)] = con.execute(sql).fetchall()
    assert comment == "First op start to last op end over all devices, in picoseconds."
    [(comment,)] = con.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'counters'").fetchall()
    assert comment == "One row per counter sample."


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"params": {"warmup": 3}}, "no parameter or threshold 'warmup'; known: "),
        (
            {"params": {"top": "few"}},
            "top = 'few' is no whole number from 0 to 1000000000000",
        ),
        ({"params": {"warmup_steps": 1.5}}, "warmup_steps = 1.5 is no whole number from 0 to 1000000000000"),
        ({"params": {"warmup_steps": -3}}, "warmup_steps = -3 is no whole number from 0 to 1000000000000"),
        (
            {"params": {"top": 10**23}},
            "top = 100000000000000000000000 is no whole number from 0 to 1000000000000",
        ),
        ({"params": {"missing_host_fail": "x"}}, "missing_host_fail = 'x' is no number"),
        ({"params": {"missing_host_fail": float("nan")}}, "missing_host_fail = nan is no number"),
        ({"memory_limit": "lots"}, "--memory-limit 'lots' is no size"),
        ({"memory_limit": ""}, "--memory-limit '' is no size"),
        ({"memory_limit": "-1GB"}, "--memory-limit '-1GB' is no size"),
        ({"memory_limit": "none"}, "--memory-limit 'none' is no size"),
        ({"memory_limit": "4"}, "--memory-limit '4': Parser Error: Unknown unit for memory: ''"),
        ({"threads": 0}, "threads = 0: from 1 to 1024"),
        ({"threads": 10**12}, "threads = 1000000000000: from 1 to 1024"),
        ({"views": "v0"}, "no view version 'v0'"),
    ],
)
def test_wrong_settings_are_named(settings, message):
    with pytest.raises(ProfdbError) as caught:
        connect({}, Settings(**settings))
    assert caught.value.message.startswith(message)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SET threads = 1", "the configuration has been locked"),
        ("SELECT * FROM read_text('{other}')", "file system operations are disabled"),
        ("SELECT * FROM read_parquet('{other}')", "file system operations are disabled"),
        ("COPY runs TO '{other}'", "file system operations are disabled"),
        ("ATTACH '{other}'", "file system operations are disabled"),
        ("INSTALL httpfs", "disabled"),
        ("LOAD httpfs", "disabled"),
        ("SELECT * FROM rows", "Table with name rows does not exist"),
    ],
)
def test_the_connection_is_locked_even_without_the_gate(sql, message, two_schemas, tmp_path):
    rows = [1, 2]  # a Python variable that must not become a table
    assert rows
    other = write(tmp_path / "other.parquet", "SELECT 1 AS secret")
    con = connect({"ops": two_schemas}, Settings())
    with pytest.raises(duckdb.Error, match=message):
        con.execute(sql.format(other=other)).fetchall()


def test_a_large_query_spills_beside_a_small_memory_limit(tmp_path):
    con = connect({}, Settings(memory_limit="150MB", threads=2, temp_directory=str(tmp_path / "spill")))
    sql = "SELECT count(*), min(i) FROM (SELECT i FROM range(5_000_000) r(i) ORDER BY hash(i))"
    assert con.execute(sql).fetchall() == [(5_000_000, 0)]
