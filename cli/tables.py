"""`profdb tables`: what a warehouse can be asked."""

from typing import TYPE_CHECKING

from . import output
from .options import DEFAULT_VIEWS, DEFAULT_WAREHOUSE, Format, OutputFile, OutputFormat, Views, Warehouse

if TYPE_CHECKING:
    from ..warehouse.store import DataFile

EXAMPLE = """\b
Example:
  profdb tables --format markdown"""


def tables(
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
) -> None:
    """List tables and views: what one row is, and how much is stored."""
    import pyarrow as pa

    from ..warehouse.store import Warehouse as Store
    from .schema import relations

    files = Store(warehouse).snapshot().files
    known = relations(views).values()
    stored = [
        _stored(files.get(relation.name, ()), views)
        if relation.kind in {"table", "derived"}
        else (None, None)
        for relation in known
    ]
    columns = {
        "name": pa.array([relation.name for relation in known], pa.string()),
        "kind": pa.array([relation.kind for relation in known], pa.string()),
        "row_count": pa.array([rows for rows, _ in stored], pa.int64()),
        "stored_bytes": pa.array([size for _, size in stored], pa.int64()),
        "grain": pa.array([relation.grain for relation in known], pa.string()),
    }
    output.rows(pa.table(columns), format, path)


def _stored(files: "tuple[DataFile, ...]", views: str) -> tuple[int, int]:
    """Rows and bytes of the files, of derived tables only those of one view version."""
    chosen = [file for file in files if file.view_version in {None, views}]
    return sum(file.rows for file in chosen), sum(file.bytes for file in chosen)
