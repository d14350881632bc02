"""The plain way: parse the whole profile with protobuf, loop over events in Python, write Parquet.

`python benchmarks/loop_baseline.py FILE FOLDER` writes every event with its stats, and the names and facts
of the event metadata, and derives nothing: no self time, steps, attribution or totals.
"""

import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from profdb.benchmarks.xplane import message

BATCH = 100_000
_TEXT_MAP = pa.map_(pa.string(), pa.string())
EVENTS = pa.schema(
    [
        ("plane", pa.string()),
        ("line", pa.string()),
        ("line_id", pa.int64()),
        ("metadata_id", pa.int64()),
        ("name", pa.string()),
        ("start_ps", pa.int64()),
        ("duration_ps", pa.int64()),
        ("occurrences", pa.int64()),
        ("stats", _TEXT_MAP),
    ]
)
METADATA = pa.schema(
    [
        ("plane", pa.string()),
        ("metadata_id", pa.int64()),
        ("name", pa.string()),
        ("display_name", pa.string()),
        ("stats", _TEXT_MAP),
    ]
)


class Rows:
    """Rows on their way into one Parquet file."""

    def __init__(self, path: Path, schema: pa.Schema) -> None:
        self.schema = schema
        self.columns: list[list[Any]] = [[] for _ in schema]
        self._writer = pq.ParquetWriter(path, schema, compression="zstd")

    def flush_if_full(self) -> None:
        """Write a row group where there is a batch of rows."""
        if len(self.columns[0]) >= BATCH:
            self.flush()

    def flush(self) -> None:
        """Write a row group."""
        arrays = [pa.array(values, kind.type) for values, kind in zip(self.columns, self.schema, strict=True)]
        self._writer.write_table(pa.Table.from_arrays(arrays, schema=self.schema))
        for values in self.columns:
            values.clear()

    def close(self) -> None:
        """Write what is left and finish the file."""
        self.flush()
        self._writer.close()


def main(source: Path, folder: Path) -> None:
    """Convert one profile."""
    space = message("XSpace").FromString(source.read_bytes())
    events, metadata = Rows(folder / "events.parquet", EVENTS), Rows(folder / "metadata.parquet", METADATA)
    for plane in space.planes:
        stat_names = {entry.key: entry.value.name for entry in plane.stat_metadata}
        event_names = {entry.key: entry.value.name for entry in plane.event_metadata}
        add = [column.append for column in metadata.columns]
        for entry in plane.event_metadata:
            stats = _stats(entry.value.stats, stat_names)
            row = (plane.name, entry.key, entry.value.name, entry.value.display_name, stats)
            for append, value in zip(add, row, strict=True):
                append(value)
        for line in plane.lines:
            _add_line(events, plane.name, line, event_names, stat_names)
    events.close()
    metadata.close()


def _add_line(
    rows: Rows, plane: str, line: Any, event_names: dict[int, str], stat_names: dict[int, str]
) -> None:
    planes, lines, line_ids, ids, names, starts, durations, occurrences, stats = rows.columns
    begin = line.timestamp_ns * 1000
    line_name, line_id = line.name, line.id
    for event in line.events:
        metadata_id = event.metadata_id
        planes.append(plane)
        lines.append(line_name)
        line_ids.append(line_id)
        ids.append(metadata_id)
        names.append(event_names.get(metadata_id))
        starts.append(begin + event.offset_ps)
        durations.append(event.duration_ps)
        occurrences.append(event.num_occurrences)
        stats.append(_stats(event.stats, stat_names))
        rows.flush_if_full()


def _stats(stats: Any, stat_names: dict[int, str]) -> list[tuple[str, str]]:
    found = []
    for stat in stats:
        kind = stat.WhichOneof("value")
        if kind is None:
            continue
        value = getattr(stat, kind)
        if kind == "ref_value":
            value = stat_names.get(value, "")
        elif kind in ("bytes_value", "compressed_str_value"):
            value = value.hex()
        found.append((stat_names.get(stat.metadata_id, ""), str(value)))
    return found


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
