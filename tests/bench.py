"""A warehouse in an empty folder, for tests that ingest profiles and ask in SQL what became of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from profdb.sql.engine import Settings
from profdb.warehouse.ingest import IngestReport, ingest
from profdb.warehouse.reader import open_session


@dataclass(frozen=True)
class Bench:
    """A folder of profiles and the warehouse beside it."""

    folder: Path

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

    def rows(self, sql: str, params: Mapping[str, int] | None = None) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        table = open_session(str(self.root), Settings(params=params or {})).query(sql).table
        return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
