"""Arrow schemas of the stored tables, and a writer that turns columns into one Parquet file."""

from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from ..sql.catalog import Relation
from ..sql.storage import STORED_AS
from .encoding import ROW_GROUP, writer_options

_TEXT_MAP = pa.map_(pa.string(), pa.string())
_TYPES = {
    "VARCHAR": pa.string(),
    "BIGINT": pa.int64(),
    "UBIGINT": pa.uint64(),
    "DOUBLE": pa.float64(),
    "BOOLEAN": pa.bool_(),
    "TIMESTAMPTZ": pa.timestamp("us", "UTC"),
    "TIMESTAMP WITH TIME ZONE": pa.timestamp("us", "UTC"),
    "VARCHAR[]": pa.list_(pa.string()),
    "MAP(VARCHAR, VARCHAR)": _TEXT_MAP,
}
_PLAIN_TEXT = {"op_events": ("name",)}
"""Text whose sequence repeats as a whole: op names, step after step."""


def arrow_schema(relation: Relation) -> pa.Schema:
    """The fixed Arrow schema of a table's files: its columns in the order of its definition."""
    fields = []
    for column in relation.columns:
        kept = STORED_AS.get((relation.name, column.name))
        fields.append((kept.name if kept else column.name, _TYPES[column.type or ""]))
    return pa.schema(fields)


@dataclass(frozen=True)
class Coded:
    """A text column as codes into words; a negative code is NULL."""

    codes: Any
    words: list[str]

    def array(self) -> Any:
        """The column as an Arrow dictionary array."""
        codes = np.asarray(self.codes)
        indices = (
            pa.array(codes.astype(np.int32), mask=codes < 0)
            if (codes < 0).any()
            else pa.array(codes.astype(np.int32))
        )
        return pa.DictionaryArray.from_arrays(indices, pa.array(self.words, pa.string()))


def masked(values: Any, valid: Any) -> Any:
    """An Arrow array of `values` that is NULL where `valid` is false."""
    return pa.array(values, mask=~np.asarray(valid))


@dataclass
class TableWriter:
    """Writes one table of one run: columns come in batches, rows leave in row groups."""

    relation: Relation
    path: Path
    rows: int = 0
    _pending: list[Any] = field(default_factory=list)
    _pending_rows: int = 0
    _writer: Any = None
    _thread: ThreadPoolExecutor | None = None
    _writing: "Future[None] | None" = None

    def __post_init__(self) -> None:
        self.schema = arrow_schema(self.relation)

    def write(self, count: int, columns: Mapping[str, Any]) -> None:
        """Add `count` rows. A column is an array, a `Coded` or one value for all rows; a missing one NULL."""
        if count == 0:
            return
        arrays = [self._array(column, columns.get(column.name), count) for column in self.schema]
        names = [column.name for column in self.schema]
        self._pending.append(pa.Table.from_arrays(arrays, names=names))
        self._pending_rows += count
        self.rows += count
        if self._pending_rows >= ROW_GROUP:
            self._flush()

    def write_rows(self, rows: list[dict[str, Any]]) -> None:
        """Add rows given as dictionaries."""
        if rows:
            table = pa.Table.from_pylist(rows, schema=self.schema)
            self.write(len(rows), {name: table[name].combine_chunks() for name in table.column_names})

    def _array(self, column: Any, value: Any, count: int) -> Any:
        if value is None:
            return pa.nulls(count, column.type)
        if isinstance(value, Coded):
            value = value.array()
        elif isinstance(value, (str, int, bool)):
            if column.type == pa.string():
                return Coded(np.zeros(count, np.int32), [str(value)]).array()
            return pa.repeat(pa.scalar(value, column.type), count)
        elif isinstance(value, np.ndarray):
            value = pa.array(value)
        if pa.types.is_dictionary(value.type):
            return value
        return value if value.type == column.type else value.cast(column.type)

    def _flush(self) -> None:
        """Hand the pending rows to a thread, once it has written those before."""
        self._wait()
        pending, self._pending, self._pending_rows = self._pending, [], 0
        self._thread = self._thread or ThreadPoolExecutor(1)
        self._writing = self._thread.submit(self._write_group, pending)

    def _wait(self) -> None:
        if self._writing is not None:
            self._writing.result()

    def _write_group(self, pending: list[Any]) -> None:
        table = _concatenated(pending, self.schema)
        if self._writer is None:
            options = writer_options(table, _PLAIN_TEXT.get(self.relation.name, ()))
            self._writer = pq.ParquetWriter(self.path, table.schema, **options)
        self._writer.write_table(table, row_group_size=ROW_GROUP)

    def close(self) -> None:
        """Write what is pending and finish the file. Without rows there is no file."""
        if self._pending:
            self._flush()
        self._wait()
        if self._thread is not None:
            self._thread.shutdown()
        if self._writer is not None:
            self._writer.close()


def _concatenated(tables: list[Any], schema: pa.Schema) -> Any:
    """The tables as one; a text column stays dictionary-encoded where every part of it is."""
    columns = []
    for i, column in enumerate(schema):
        chunks = [chunk for table in tables for chunk in table.column(i).chunks]
        if column.type == pa.string():
            chunks = [c if pa.types.is_dictionary(c.type) else c.dictionary_encode() for c in chunks]
            columns.append(pa.chunked_array(chunks).unify_dictionaries().combine_chunks())
        else:
            columns.append(pa.chunked_array(chunks, column.type))
    return pa.Table.from_arrays(columns, names=[c.name for c in schema])
