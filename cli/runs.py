"""`profdb runs`: the runs of a warehouse."""

from typing import TYPE_CHECKING, Annotated

import typer

from . import output
from .names import unknown
from .options import DEFAULT_WAREHOUSE, Format, OutputFile, OutputFormat, Warehouse

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = """\b
Examples:
  profdb runs
  profdb runs --format jsonl | jq -r .run"""

SQL = """\
SELECT run, started_at, platform, device_kind, host_count, device_count, window_ps, is_partial, tags,
       ingested_at
FROM runs
ORDER BY ingested_at DESC, run"""


def runs(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="RUN", help="Only these runs; all where none is named.")
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
) -> None:
    """List runs, the newest first."""
    from ..sql.engine import Settings
    from ..warehouse.reader import open_session

    with open_session(warehouse, Settings()) as session:
        table = session.query(SQL).table
    if names:
        table = _only(table, names, warehouse)
    output.rows(table, format, path)


def _only(table: "pa.Table", names: list[str], warehouse: str) -> "pa.Table":
    known = table.column("run").to_pylist()
    for name in names:
        if name not in known:
            raise unknown("run", name, known, hint=f"profdb runs -w {warehouse}")
    return table.filter([name in names for name in known])
