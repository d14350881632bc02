"""A snapshot as one Parquet object: a row per live file, then a row per run."""

from dataclasses import asdict
from typing import TYPE_CHECKING

from .record import data_file, run_entry
from .snapshot import EMPTY, Change, Snapshot, applied, live_files

if TYPE_CHECKING:
    import pyarrow as pa


def encode(snapshot: Snapshot) -> bytes:
    """The snapshot as Parquet; its version is left to the object's name."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"kind": "file", **asdict(file)} for file in live_files(snapshot).values()]
    rows += [{"kind": "run", **asdict(entry)} for entry in snapshot.runs.values()]
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows, schema=_schema()), sink, compression="zstd")
    return bytes(sink.getvalue())


def decode(version: int, data: bytes) -> Snapshot:
    """The snapshot at `version`; ValueError if the bytes are not a checkpoint."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows = pq.read_table(pa.BufferReader(data)).to_pylist()
    except OSError as error:
        raise ValueError(error) from error
    add = tuple(data_file(row) for row in rows if row.get("kind") == "file")
    runs_add = tuple(run_entry(row) for row in rows if row.get("kind") == "run")
    whole = applied(EMPTY, [Change("checkpoint", add=add, runs_add=runs_add)])
    return Snapshot(version, whole.files, whole.runs)


def _schema() -> "pa.Schema":
    import pyarrow as pa

    return pa.schema(
        [
            pa.field("kind", pa.string(), nullable=False),
            ("run", pa.string()),
            ("table", pa.string()),
            ("path", pa.string()),
            ("rows", pa.int64()),
            ("bytes", pa.int64()),
            ("view_version", pa.string()),
            ("content_sha256", pa.string()),
            ("extractor_version", pa.int64()),
            ("is_partial", pa.bool_()),
            ("file_sha256s", pa.list_(pa.string())),
        ]
    )
