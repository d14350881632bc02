import subprocess
import sys

import pytest

from profdb.sql import catalog
from profdb.sql.catalog import Column
from profdb.sql.errors import ProfdbError

TABLE = """\
-- One row per (run, lap): a lap. Laps that were cut are left out.
-- NULL: not timed.
CREATE TABLE laps (
  -- Handle of the run;
  -- joins runs.
  run VARCHAR NOT NULL,
  -- Laps that count.
  lap BIGINT NOT NULL DEFAULT 5,
  -- Notes, by name.
  notes MAP(VARCHAR, VARCHAR)
);
"""
VIEW = """\
-- One row per run: its laps.
-- Needs: laps.
CREATE VIEW run_laps (
  -- Handle of the run.
  run,
  -- Laps.
  lap_count
) AS
SELECT run, count(*) -- a comment; with a semicolon, FROM nowhere
FROM laps JOIN "runs" USING (run) WHERE run != 'a;b FROM c'
GROUP BY run;
INSERT INTO x SELECT 1;
"""


def test_a_table_is_read_with_grain_types_and_comments():
    laps = catalog.parse(TABLE, "table", "laps.sql")
    assert (laps.name, laps.kind) == ("laps", "table")
    assert laps.grain == "One row per (run, lap): a lap."
    assert laps.doc == "One row per (run, lap): a lap. Laps that were cut are left out.\nNULL: not timed."
    assert laps.columns == (
        Column("run", "VARCHAR", "Handle of the run;\njoins runs.", not_null=True),
        Column("lap", "BIGINT", "Laps that count.", not_null=True),
        Column("notes", "MAP(VARCHAR, VARCHAR)", "Notes, by name.", not_null=False),
    )
    assert laps.sql == TABLE


def test_a_view_has_columns_without_types():
    view = catalog.parse(VIEW, "view", "run_laps.sql")
    assert view.columns == (
        Column("run", None, "Handle of the run."),
        Column("lap_count", None, "Laps."),
    )


def test_statements_split_at_semicolons_outside_of_text_and_comments():
    first, second = catalog.statements(VIEW)
    assert first.startswith("-- One row per run")
    assert first.endswith("GROUP BY run")
    assert second == "INSERT INTO x SELECT 1"


def test_sources_follow_from_and_join_outside_of_text_and_comments():
    assert catalog.sources("SELECT a FROM laps x JOIN _spans USING (run) -- FROM b\nWHERE c = 'FROM d'") == {
        "laps",
        "_spans",
    }


def test_a_name_with_an_underscore_in_front_is_a_helper():
    helper = catalog.parse("-- One row per x.\nCREATE VIEW _x AS\nSELECT 1 AS a;\n", "view", "_x.sql")
    assert (helper.kind, helper.columns) == ("helper", ())


def test_a_file_without_create_is_refused():
    with pytest.raises(ValueError, match=r"^x\.sql: no line starts with CREATE TABLE name"):
        catalog.parse("SELECT 1;", "view", "x.sql")


def test_the_stored_tables_are_those_of_the_design():
    assert set(catalog.tables()) >= {
        "counters",
        "devices",
        "host_events",
        "modules",
        "op_events",
        "ops",
        "profile_files",
        "quality_events",
        "runs",
        "steps",
    }
    derived = {"collective_stats", "host_stats", "op_classes", "op_stats", "step_breakdown", "step_op_stats"}
    assert set(catalog.derived()) == derived
    rules = {
        "category_rules",
        "context_rules",
        "device_peaks",
        "gap_markers",
        "host_rules",
        "kind_rules",
        "params",
        "thresholds",
    }
    assert set(catalog.rules()) == rules


def test_views_come_after_what_they_read(tmp_path, monkeypatch):
    folder = tmp_path / "v1"
    folder.mkdir()
    for name, source in {"a": "_b", "_b": "c", "c": "runs"}.items():
        text = f"-- One row per run.\nCREATE VIEW {name} AS\nSELECT run FROM {source};\n"
        (folder / f"{name}.sql").write_text(text)
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    assert list(catalog.views()) == ["c", "_b", "a"]
    (folder / "c.sql").write_text("-- One row per run.\nCREATE VIEW c AS\nSELECT run FROM a;\n")
    catalog._folder.cache_clear()
    catalog._ordered.cache_clear()
    with pytest.raises(ValueError, match="views read each other in a cycle: "):
        catalog.views()


def test_a_file_is_named_after_its_relation(tmp_path, monkeypatch):
    (tmp_path / "v1").mkdir()
    (tmp_path / "v1" / "a.sql").write_text("-- One row.\nCREATE VIEW b AS\nSELECT 1 AS x;\n")
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"^a\.sql creates b"):
        catalog.views()


def test_versions_are_in_order_and_an_unknown_one_is_an_error(tmp_path, monkeypatch):
    for name in ("v2", "v10", "v1"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(catalog, "ROOT", tmp_path)
    assert catalog.versions() == ["v1", "v2", "v10"]
    with pytest.raises(ProfdbError) as caught:
        catalog.views("v3")
    assert (caught.value.message, caught.value.hint) == ("no view version 'v3'", "--views v10")


def test_the_catalogue_imports_nothing_heavy():
    code = (
        "import sys; from profdb.sql import catalog; catalog.relations(); "
        "print([m for m in ('duckdb', 'pyarrow', 'numpy', 'sqlglot') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
