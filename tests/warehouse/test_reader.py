import os
import signal
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest
from bench import Bench
from xspace import event, line, plane, space

from profdb.sql.engine import Settings, quote_text
from profdb.sql.errors import InputError, ProfdbError
from profdb.warehouse.reader import open_session
from profdb.warehouse.snapshot import Change
from profdb.warehouse.store import Warehouse

ENDLESS = "SELECT count(*) AS n FROM range(100_000_000_000) t(i) WHERE hash(i) = 3"
GROWING = "SELECT i FROM range(100_000_000_000) t(i)"


def add(warehouse, table, select, view_version=None):
    """Commit one file of a SELECT's rows, one a run."""
    with warehouse.staging() as folder, duckdb.connect() as con:
        path = folder / "a.parquet"
        con.execute(f"COPY ({select}) TO {quote_text(str(path))} (FORMAT parquet)")
        file = warehouse.put(table, path, run="r", rows=1, view_version=view_version)
    warehouse.commit(lambda _: Change(op="ingest", add=(file,)))


@pytest.fixture
def warehouse(tmp_path):
    """Two runs, each in its own file, the older without most columns."""
    warehouse = Warehouse(str(tmp_path / "w"))
    add(warehouse, "runs", "SELECT 'r1' AS run, 7::BIGINT AS window_ps")
    add(
        warehouse,
        "runs",
        "SELECT 'r2' AS run, 9::BIGINT AS window_ps, MAP {'team': 'core'} AS tags, "
        "TIMESTAMPTZ '2026-11-30 10:00:00+00' AS started_at",
    )
    return warehouse


def rows(root, sql, **settings):
    with open_session(root, Settings(**settings)) as session:
        return session.query(sql).table.to_pylist()


def test_rows_come_back_as_arrow(warehouse):
    found = rows(warehouse.root, "SELECT run, tags['team'] AS team, started_at FROM runs ORDER BY run")
    assert found == [
        {"run": "r1", "team": None, "started_at": None},
        {"run": "r2", "team": "core", "started_at": datetime(2026, 11, 30, 10, tzinfo=UTC)},
    ]


def test_equal_column_names_stay_as_written(warehouse):
    with open_session(warehouse.root, Settings()) as session:
        for limit in (None, 5):
            table = session.query("SELECT run AS a, window_ps AS a FROM runs", limit=limit).table
            assert table.column_names == ["a", "a"]


@pytest.mark.parametrize(
    ("limit", "runs", "truncated"),
    [
        (None, ["r1", "r2"], False),
        (3, ["r1", "r2"], False),
        (2, ["r1", "r2"], False),
        (1, ["r1"], True),
        (0, [], True),
    ],
)
def test_the_limit_says_whether_it_cut(limit, runs, truncated, warehouse):
    with open_session(warehouse.root, Settings()) as session:
        result = session.query("SELECT run FROM runs ORDER BY run", limit=limit)
    assert result.table.to_pydict() == {"run": runs}
    assert result.truncated is truncated


def test_a_limit_ends_a_huge_result_early(warehouse):
    with open_session(warehouse.root, Settings(timeout_s=20)) as session:
        result = session.query(GROWING, limit=3)
    assert result.table.to_pydict() == {"i": [0, 1, 2]}


def test_parameters_fill_names(warehouse):
    with open_session(warehouse.root, Settings()) as session:
        sql = "SELECT run FROM runs WHERE window_ps = $w AND run != $run"
        assert session.query(sql, {"w": "9", "run": "r1' OR true --"}).table.to_pylist() == [{"run": "r2"}]


def test_a_session_stays_at_its_snapshot(warehouse):
    with open_session(warehouse.root, Settings()) as session:
        add(warehouse, "runs", "SELECT 'r3' AS run")
        assert session.query("SELECT count(*) AS n FROM runs").table.to_pylist() == [{"n": 2}]
    assert rows(warehouse.root, "SELECT count(*) AS n FROM runs") == [{"n": 3}]


def test_derived_tables_are_those_of_the_view_version(warehouse):
    add(warehouse, "op_stats", "SELECT 'r1' AS run, 1::BIGINT AS count", view_version="v1")
    add(warehouse, "op_stats", "SELECT 'r1' AS run, 5::BIGINT AS count", view_version="v2")
    assert rows(warehouse.root, "SELECT count FROM op_stats", views="v1") == [{"count": 1}]


def test_settings_reach_the_parameters(warehouse):
    sql = "SELECT warmup_steps FROM params"
    assert rows(warehouse.root, sql, params={"warmup_steps": 1}) == [{"warmup_steps": 1}]


def test_the_gate_stands_before_every_query(warehouse, tmp_path):
    out = tmp_path / "out.csv"
    with (
        open_session(warehouse.root, Settings()) as session,
        pytest.raises(InputError, match=r"^COPY is not allowed inside a query$"),
    ):
        session.query(f"WITH x AS (COPY runs TO {quote_text(str(out))}) SELECT 1")
    assert not out.exists()


@pytest.mark.parametrize(
    ("sql", "parameters", "message", "hint"),
    [
        (
            "SELECT windows_ps FROM runs",
            {},
            'Binder Error: Referenced column "windows_ps" not found in FROM clause!\n'
            'Candidate bindings: "window_ps"',
            "profdb schema",
        ),
        (
            "SELECT lenght(run) FROM runs",
            {},
            'Catalog Error: Scalar Function with name lenght does not exist!\nDid you mean "length"?',
            "profdb query --help",
        ),
        (
            "SELECT CAST(run AS INTEGER) AS n FROM runs WHERE run = 'r1'",
            {},
            "Conversion Error: Could not convert string 'r1' to INT32",
            "profdb query --help",
        ),
        (
            "SELECT 1 +",
            {},
            'Parser Error: syntax error at or near "+"\n\nLINE 1: SELECT 1 +',
            "profdb query 'SELECT run, started_at FROM runs'",
        ),
        (
            "FROM rnus",
            {},
            'Catalog Error: Table with name rnus does not exist!\nDid you mean "runs"?',
            "profdb tables",
        ),
        ("FROM runs WHERE run = $run", {}, "no value for parameter $run", "-p run VALUE"),
        (
            "FROM runs",
            {"run": "r1"},
            "the query has no parameter $run",
            "leave out -p run, or use $run in the SQL",
        ),
    ],
)
def test_errors_keep_the_text_of_duckdb(sql, parameters, message, hint, warehouse):
    for limit in (None, 10):
        with open_session(warehouse.root, Settings()) as session, pytest.raises(ProfdbError) as caught:
            session.query(sql, parameters, limit)
        assert caught.value.message.startswith(message)
        assert caught.value.hint == hint


@pytest.mark.parametrize(("sql", "limit"), [(ENDLESS, None), (ENDLESS, 10), (GROWING, 10**9)])
def test_a_long_query_ends_at_the_timeout(sql, limit, warehouse):
    start = time.monotonic()
    with (
        open_session(warehouse.root, Settings(timeout_s=0.5)) as session,
        pytest.raises(InputError) as caught,
    ):
        session.query(sql, limit=limit)
    assert (caught.value.message, caught.value.hint) == ("the query took longer than 0.5 s", "--timeout 5")
    assert time.monotonic() - start < 20


@pytest.mark.parametrize("damage", ["gone", "cut"])
def test_a_damaged_warehouse_is_one_line_that_names_the_file(damage, warehouse):
    snapshot = warehouse.snapshot()
    path = Path(warehouse.uris(snapshot, "runs")[0])
    path.unlink() if damage == "gone" else path.write_bytes(path.read_bytes()[:-8])
    with open_session(warehouse.root, Settings()) as session, pytest.raises(InputError) as caught:
        session.query("SELECT count(*) AS n FROM runs")
    assert caught.value.message.startswith("a file of the warehouse cannot be read: ")
    assert str(path) in caught.value.message
    assert "\n" not in caught.value.message
    hint = f"profdb ingest PROFILE --replace --run r -w {warehouse.root}  (PROFILE: what that run came from)"
    assert caught.value.hint == hint


def test_a_missing_file_of_another_table_does_not_hide_a_misspelled_name(warehouse):
    add(warehouse, "ops", "SELECT 'r' AS run")
    Path(warehouse.uris(warehouse.snapshot(), "ops")[0]).unlink()
    with open_session(warehouse.root, Settings()) as session, pytest.raises(InputError) as caught:
        session.query("SELECT run FROM runz")
    assert caught.value.message.startswith("Catalog Error: Table with name runz does not exist!")
    assert caught.value.hint == "profdb tables"


@pytest.mark.parametrize("limit", [None, 10])
@pytest.mark.parametrize("damage", ["cut", "footer", "page"])
def test_damage_that_only_a_running_query_meets_is_told_alike(damage, limit, warehouse):
    add(warehouse, "ops", "SELECT 'r' AS run, i AS op_id, hash(i)::VARCHAR AS name FROM range(500000) t(i)")
    path = Path(warehouse.uris(warehouse.snapshot(), "ops")[0])
    data = path.read_bytes()
    middle, end = len(data) // 2, len(data) - 1000
    damaged = {
        "cut": data[:middle],
        "footer": data[:end] + b"\xff" * 200 + data[end + 200 :],
        "page": data[:4] + b"\xff" * 2000 + data[2004:],
    }
    path.write_bytes(damaged[damage])
    with open_session(warehouse.root, Settings()) as session:
        with pytest.raises(InputError) as caught:
            session.query("SELECT count(DISTINCT run || name) AS n FROM ops", limit=limit)
        assert session.query("SELECT count(*) AS n FROM runs").table.to_pylist() == [{"n": 2}]
    assert caught.value.message.startswith("a file of the warehouse cannot be read: ")
    assert caught.value.hint.startswith("profdb ingest PROFILE --replace ")


@pytest.fixture
def interrupts():
    """Ctrl-C works: a shell that starts the tests in the background has them ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_interrupts_a_long_query(warehouse, interrupts):
    start = time.monotonic()
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with open_session(warehouse.root, Settings()) as session, pytest.raises(KeyboardInterrupt):
        session.query(ENDLESS)
    assert time.monotonic() - start < 20


LARGE = "SELECT list(hash(i)) AS h FROM range(30_000_000) t(i)"


@pytest.mark.parametrize(
    ("sql", "size", "limit"),
    [(LARGE, "60MB", None), (LARGE, "60MB", 10), ("FROM runs", "1MB", None), ("FROM runs", "100KB", None)],
)
def test_a_query_over_the_memory_limit_says_so(sql, size, limit, warehouse):
    with (
        open_session(warehouse.root, Settings(memory_limit=size)) as session,
        pytest.raises(InputError) as caught,
    ):
        session.query(sql, limit=limit)
    assert caught.value.message.startswith("Out of Memory Error: ")
    assert "\n" not in caught.value.message
    assert caught.value.hint == f"a larger --memory-limit than {size}, or fewer rows"


def test_what_cannot_spill_says_where_it_would(warehouse):
    settings = Settings(memory_limit="100MB", temp_directory="/dev/null/x")
    with open_session(warehouse.root, settings) as session, pytest.raises(InputError) as caught:
        session.query("SELECT min(i) AS i FROM (SELECT i FROM range(9_000_000) r(i) ORDER BY hash(i))")
    assert "/dev/null/x" in caught.value.message
    assert caught.value.hint == "TMPDIR=FOLDER before the command, on a larger disk"


def test_a_missing_warehouse_is_named(tmp_path):
    with pytest.raises(InputError, match=r"^no warehouse at .*/nowhere$"):
        open_session(str(tmp_path / "nowhere"), Settings())


def test_several_queries_see_what_each_alone_sees(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.take(
        space(
            plane(
                "/device:GPU:0",
                line("Stream #1(Compute)", event("a", 0, 5), event("b", 9, 5), event("a", 20, 5)),
            )
        )
    )
    texts = [
        "SELECT name, total_ps FROM pre_op_gaps WHERE run = $run ORDER BY rank",
        "SELECT count(*) AS n, sum(gap_ps) AS ps FROM _gaps WHERE run = $run",
        "SELECT idle_ps FROM gap_regions WHERE run = $run ORDER BY idle_ps",
    ]
    with open_session(str(bench.root), Settings()) as session:
        run = session.query("SELECT run FROM runs").table["run"][0].as_py()
        together = [table.to_pylist() for table in session.query_all(texts, {"run": run})]
        assert together == [session.query(text, {"run": run}).table.to_pylist() for text in texts]
    assert together[0] == [{"name": "a", "total_ps": 6}, {"name": "b", "total_ps": 4}]


def test_one_refused_query_of_several_is_said(warehouse: Warehouse) -> None:
    with open_session(warehouse.root, Settings()) as session, pytest.raises(InputError, match="DELETE"):
        session.query_all(["SELECT 1 AS one WHERE $run = 'r'", "DELETE FROM runs"], {"run": "r"})


def test_several_queries_give_what_each_gives_alone(warehouse):
    texts = [
        "SELECT run, started_at FROM runs ORDER BY run",
        "SELECT now() < started_at AS later FROM runs",
        "FROM params",
    ]
    with open_session(warehouse.root, Settings()) as session:
        alone = [session.query(text).table for text in texts]
        assert session.query_all(texts, {}) == alone


def test_several_long_queries_end_at_the_timeout(warehouse):
    start = time.monotonic()
    with (
        open_session(warehouse.root, Settings(timeout_s=0.5)) as session,
        pytest.raises(InputError, match=r"took longer than 0.5 s"),
    ):
        session.query_all([ENDLESS] * 5, {})
    assert time.monotonic() - start < 20
