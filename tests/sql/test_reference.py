import subprocess
import sys

from profdb.sql import catalog
from profdb.sql.reference import PATH, column_types, reference


def test_the_reference_is_fresh():
    assert PATH.read_text(encoding="utf-8") == reference(), "make docs"


def test_check_agrees():
    command = [sys.executable, "-m", "profdb.sql.reference", "--check"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_every_public_relation_and_column_is_there():
    text = reference()
    for relation in catalog.relations().values():
        heading = f"\n### `{relation.name}`\n"
        assert (heading in text) == (relation.kind != "helper")
        if relation.kind != "helper":
            section = text.partition(heading)[2].partition("\n### ")[0]
            for column in relation.columns:
                assert f"\n| `{column.name}` | " in section


def test_a_column_has_its_type_and_meaning():
    assert "| `run` | VARCHAR NOT NULL | Handle of the run, unique in the warehouse; " in reference()
    assert "| `started_at` | TIMESTAMPTZ | When the profile started, to the microsecond. |" in reference()


def test_types_of_views_come_from_binding():
    types = column_types(catalog.relations().values())
    assert types["op_events"]["args"] == "MAP(VARCHAR, VARCHAR)"
    for view in catalog.views().values():
        assert types[view.name].keys() >= {column.name for column in view.columns}
        assert all(types[view.name].values())
