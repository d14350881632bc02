"""A warehouse in an empty folder, for tests that ingest profiles and ask in SQL what became of them."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb

from profdb.sql.engine import Settings, connect
from profdb.warehouse.ingest import IngestReport, ingest
from profdb.warehouse.store import Warehouse


@dataclass(frozen=True)
class Bench:
    """A folder of profiles and the warehouse beside it."""

    folder: Path
    _open: dict[int, duckdb.DuckDBPyConnection] = field(default_factory=dict)
    """Connections by version of the snapshot."""

    @property
    def root(self) -> Path:
        return self.folder / "warehouse"

    def write(self, path: str, data: bytes) -> Path:
        """Write a profile below the folder `in`."""
        file = self.folder / "in" / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(data)
        return file

    def ingest(self, *sources: str | Path, **options: Any) -> IngestReport:
        """Ingest the sources; everything that was written where none is named."""
        named = [str(source) for source in sources or (self.folder / "in",)]
        return ingest(named, str(self.root), **options)

    def take(self, data: bytes, **options: Any) -> IngestReport:
        """Ingest one profile."""
        return self.ingest(self.write("h.xplane.pb", data), **options)

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The rows of a query. One connection serves all queries to a snapshot: opening it takes longest."""
        warehouse = Warehouse(str(self.root))
        snapshot = warehouse.snapshot()
        if snapshot.version not in self._open:
            files = {name: warehouse.uris(snapshot, name) for name in snapshot.files}
            self._open[snapshot.version] = connect(files, Settings(), documented=False)
        return self._open[snapshot.version].sql(sql).fetchall()
