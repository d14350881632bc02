"""A run, or two, as one JSON document: every section's rows with exact values."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from .sections import Section
from .values import json_objects, json_text

if TYPE_CHECKING:
    import pyarrow as pa

SCHEMA_VERSION = 1
"""Version of the document: it grows when a key changes its meaning or goes away, not when one is added."""


def render(
    kind: str,
    facts: Mapping[str, str | None],
    params: "pa.Table",
    tables: "Mapping[Section, pa.Table]",
) -> str:
    """The document as text: what it is, then `sections` by name, in reading order.

    A section has title, note, view, sql and rows. `facts` say what it is about (run, or before and after) and
    how it came about (versions, the host or device it is restricted to), `params` is the relation of that
    name, one row.
    """
    head = {"kind": kind, **facts}
    parts = [f'  "schema_version": {SCHEMA_VERSION}']
    parts += [f"  {json_text(key)}: {'null' if v is None else json_text(v)}" for key, v in head.items()]
    parts.append(f'  "params": {_rows(params)[0]}')
    bodies = [_section(section, table) for section, table in tables.items()]
    parts.append('  "sections": {\n' + ",\n".join(bodies) + "\n  }")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _rows(table: "pa.Table") -> list[str]:
    batches = table.combine_chunks().to_batches()
    return [row for batch in batches for row in json_objects(table.column_names, batch.columns).to_pylist()]


def _section(section: Section, table: "pa.Table") -> str:
    rows = _rows(table)
    body = "[\n" + ",\n".join(f"        {row}" for row in rows) + "\n      ]" if rows else "[]"
    keys = {"title": section.title, "note": section.note, "view": section.view, "sql": section.sql}
    lines = [f"      {json_text(key)}: {json_text(value)}" for key, value in keys.items()]
    return f"    {json_text(section.name)}: {{\n" + ",\n".join([*lines, f'      "rows": {body}']) + "\n    }"
