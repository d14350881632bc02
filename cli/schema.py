"""`profdb schema`: every column with its type, unit and meaning."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from . import output
from .names import unknown
from .options import DEFAULT_VIEWS, Format, OutputFile, OutputFormat, Views

if TYPE_CHECKING:
    from ..sql.catalog import Relation

EXAMPLE = """\b
Examples:
  profdb schema op_events
  profdb schema --format json"""


def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="One table or view; all where none is named.")
    ] = None,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
) -> None:
    """Explain tables and views: what one row is, then each column. Needs no warehouse."""
    import pyarrow as pa

    from ..sql.reference import column_types

    known = relations(views)
    if name is not None:
        known = {name: find(name, views)}
    types = column_types(known.values(), views)
    rows = [row for relation in known.values() for row in _rows(relation, types[relation.name])]
    columns = ("name", "kind", "column", "type", "unit", "meaning")
    text = [pa.array(values, pa.string()) for values in zip(*rows, strict=True)]
    output.rows(pa.table(text, names=columns), format, path)


def relations(views: str) -> dict[str, "Relation"]:
    """Every public relation of a version, by name."""
    from ..sql import catalog

    every = catalog.relations(views)
    return {name: relation for name, relation in every.items() if relation.kind != "helper"}


def find(name: str, views: str) -> "Relation":
    """The relation `name`; InputError with the nearest name where there is none."""
    known = relations(views)
    if name not in known:
        raise unknown("table or view", name, known, hint="profdb tables")
    return known[name]


def _rows(relation: "Relation", types: Mapping[str, str]) -> list[tuple[str | None, ...]]:
    """The relation itself, with its whole header as meaning, and then its columns."""
    head = (relation.name, relation.kind, None, None, None, relation.doc)
    columns = [
        (relation.name, relation.kind, column.name, types[column.name], unit(column.name), column.doc)
        for column in relation.columns
    ]
    return [head, *columns]


_UNITS = {
    "_flops_per_s": "flops/s",
    "_bytes_per_s": "bytes/s",
    "_ps": "ps",
    "_ns": "ns",
    "_bytes": "bytes",
    "_flops": "flops",
    "_ratio": "0..1",
    "_share": "0..1",
    "_pct": "%",
    "_count": "count",
}


def unit(column: str) -> str | None:
    """The unit that a column's suffix names; None where it names none."""
    return next((unit for suffix, unit in _UNITS.items() if f"_{column}".endswith(suffix)), None)
