"""How columns are encoded in Parquet, chosen by measuring bytes per event on TPU and CPU captures.

Start times are differences. Op ids repeat step after step, which zstd finds in plain values, given a page
of a whole row group. Durations are either few distinct values (clocks of whole nanoseconds: a dictionary)
or almost all distinct (picoseconds: bytes of one rank together).
"""

from collections.abc import Iterable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

ROW_GROUP = 200_000
PAGE_BYTES = 4 << 20
_DELTA = {"start_ps", "at_ps", "marker_start_ps", "pair_id", "device_start_delta_ps"}
_PLAIN = {"op_id", "inner_ps"}
_SAMPLE = 50_000
_MANY_VALUES = 4
"""A dictionary pays where a value occurs this often on average."""


def writer_options(table: Any, plain: Iterable[str] = ()) -> dict[str, Any]:
    """Options of pyarrow's ParquetWriter for a table that begins with these rows.

    `plain` names further columns that are neither dictionary-encoded nor split.
    """
    encoding, dictionary = {}, []
    for column in table.schema:
        if column.name in _DELTA:
            encoding[column.name] = "DELTA_BINARY_PACKED"
        elif column.name in _PLAIN or column.name in plain:
            continue
        elif pa.types.is_int64(column.type) and not _repeats(table[column.name]):
            encoding[column.name] = "BYTE_STREAM_SPLIT"
        else:
            dictionary.append(column.name)
    return {
        "compression": "zstd",
        "use_dictionary": dictionary,
        "column_encoding": encoding,
        "data_page_size": PAGE_BYTES,
        "max_rows_per_page": ROW_GROUP,
        "compression_level": 3,
        "store_schema": False,
    }


def _repeats(values: Any) -> bool:
    """Whether values occur several times each; few values always do."""
    sample = values.slice(0, _SAMPLE)
    return len(sample) < 1000 or pc.count_distinct(sample).as_py() * _MANY_VALUES < len(sample)
