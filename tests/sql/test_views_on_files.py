"""Every view answers the same however much of the warehouse a connection opens."""

import json

import pytest

from profdb.sql import catalog
from profdb.sql.engine import Settings, connect
from profdb.sql.needs import of_query
from profdb.warehouse.ingest import ingest
from profdb.warehouse.reader import open_session

VIEWS = [view.name for view in catalog.views().values() if view.kind == "view"]


@pytest.fixture(scope="module")
def root(tmp_path_factory, cpu_capture):
    """Two runs of the same capture: one with, one without its host events."""
    root = str(tmp_path_factory.mktemp("views") / "warehouse")
    ingest([str(cpu_capture)], root, run="whole")
    copy = tmp_path_factory.mktemp("copy") / "cut.xplane.pb"
    (profile,) = cpu_capture.glob("*.xplane.pb")
    copy.write_bytes(profile.read_bytes() + b"\x12\x00")  # an empty error text: other bytes, the same events
    ingest([str(copy)], root, run="other", host_events=False)
    return root


def sorted_rows(table):
    return sorted(json.dumps(row, default=str, sort_keys=True) for row in table.to_pylist())


@pytest.mark.parametrize("view", VIEWS)
def test_opening_what_a_query_needs_gives_the_rows_of_opening_everything(root, view):
    sql = f"SELECT * FROM {view}"
    session = open_session(root, Settings())
    with session.connect() as everything, session.connect(sql) as needed:
        tables = [con.sql(sql).to_arrow_table() for con in (everything, needed)]
    assert sorted_rows(tables[0]) == sorted_rows(tables[1])


@pytest.mark.parametrize("view", VIEWS)
def test_a_session_of_one_run_answers_for_that_run(root, view):
    sql = f"SELECT * FROM {view}"
    of_run = (
        "before = 'whole' AND after = 'whole'"
        if view.startswith(("compare_", "track_checks"))
        else "run = 'whole'"
    )
    with open_session(root, Settings()) as session:
        expected = session.query(f"{sql} WHERE {of_run}").table
    with open_session(root, Settings(only={"run": "whole"})) as session:
        assert sorted_rows(session.query(sql).table) == sorted_rows(expected)


def test_a_session_of_several_runs_answers_for_these(root):
    with open_session(root, Settings(only={"run": ("whole", "absent")})) as session:
        assert session.query("SELECT DISTINCT run FROM ops").table.to_pylist() == [{"run": "whole"}]
        assert {file.run for files in session.snapshot.files.values() for file in files} == {"whole"}
    with open_session(root, Settings(only={"run": ("whole", "other")})) as session:
        sql = "SELECT DISTINCT before, after FROM compare_pairs ORDER BY ALL"
        pairs = [tuple(row.values()) for row in session.query(sql).table.to_pylist()]
    assert pairs == [("other", "other"), ("other", "whole"), ("whole", "other"), ("whole", "whole")]


def test_only_restricts_host_and_device_in_every_relation_that_has_them(root):
    with open_session(root, Settings(only={"run": "whole", "device": "CPU:3"})) as session:
        query = session.query
        assert query("SELECT DISTINCT device FROM op_events").table.to_pylist() == [{"device": "CPU:3"}]
        assert query("SELECT device FROM device_breakdown").table.to_pylist() == [{"device": "CPU:3"}]
        steps = query("SELECT step_num, duration_ps FROM step_time ORDER BY step_num").table
    with open_session(root, Settings()) as session:
        sql = "SELECT step_num, duration_ps FROM steps WHERE run = 'whole' AND device = 'CPU:3' ORDER BY 1"
        assert steps == session.query(sql).table


def test_a_word_that_is_no_relation_of_the_query_changes_nothing(root):
    with open_session(root, Settings()) as session:
        files = session._files
    sql = "SELECT run FROM runs ORDER BY run"
    with connect(files, Settings(), documented=False, needs=of_query(sql)) as con:
        assert con.sql(sql).fetchall() == [("other",), ("whole",)]
        assert con.sql("SHOW TABLES").fetchall() == [(name,) for name in sorted({"runs", *catalog.rules()})]
