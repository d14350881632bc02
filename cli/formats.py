"""Rows as exact bytes: csv, tsv, json, jsonl, markdown, parquet and arrow."""

import io
from collections.abc import Callable

import pyarrow as pa
import pyarrow.compute as pc

from ..sql.errors import ProfdbError
from ..sql.reports.text import printable
from ..sql.reports.values import is_number, json_objects, plain

_BATCH_ROWS = 65_536


def encode(table: pa.Table, name: str) -> bytes:
    """The bytes of `table` in the format `name`; ProfdbError where the format cannot hold it."""
    return _ENCODERS[name](table)


def _batches(table: pa.Table) -> list[pa.RecordBatch]:
    batches: list[pa.RecordBatch] = table.combine_chunks().to_batches(max_chunksize=_BATCH_ROWS)
    return batches


def _delimited(delimiter: str) -> Callable[[pa.Table], bytes]:
    special = f'["{delimiter}\r\n]'

    def quote(text: pa.Array) -> pa.Array:
        # NULL is nothing between the delimiters, the empty string is "".
        wrapped = pc.binary_join_element_wise('"', pc.replace_substring(text, '"', '""'), '"', "")
        needed = pc.or_(pc.match_substring_regex(text, special), pc.equal(text, ""))
        return pc.fill_null(pc.if_else(needed, wrapped, text), "")

    def rows(columns: list[pa.Array]) -> str:
        return "\n".join(pc.binary_join_element_wise(*map(quote, columns), delimiter).to_pylist()) + "\n"

    def encode_delimited(table: pa.Table) -> bytes:
        header = rows([pa.array([name]) for name in table.column_names])
        body = [rows([plain(column) for column in batch.columns]) for batch in _batches(table)]
        return "".join([header, *body]).encode()

    return encode_delimited


def _lines_of_json(table: pa.Table) -> list[str]:
    _refuse_repeated_names(table)
    names = table.column_names
    return [row for batch in _batches(table) for row in json_objects(names, batch.columns).to_pylist()]


def _encode_jsonl(table: pa.Table) -> bytes:
    return "".join(f"{row}\n" for row in _lines_of_json(table)).encode()


def _encode_json(table: pa.Table) -> bytes:
    rows = _lines_of_json(table)
    return ("[\n" + ",\n".join(rows) + "\n]\n").encode() if rows else b"[]\n"


def _encode_markdown(table: pa.Table) -> bytes:
    def cell(text: str | None) -> str:
        return "" if text is None else printable(text).replace("\\", "\\\\").replace("|", "\\|")

    def line(cells: list[str]) -> str:
        return f"| {' | '.join(cells)} |\n"

    rules = ["---:" if is_number(field.type) else "---" for field in table.schema]
    columns = [plain(column.combine_chunks()).to_pylist() for column in table.columns]
    rows = [line([cell(value) for value in row]) for row in zip(*columns, strict=True)]
    return "".join([line([cell(name) for name in table.column_names]), line(rules), *rows]).encode()


def _encode_parquet(table: pa.Table) -> bytes:
    import pyarrow.parquet as pq

    _refuse_repeated_names(table)
    sink = io.BytesIO()
    try:
        pq.write_table(table, sink, compression="zstd")
    except pa.ArrowNotImplementedError as e:
        raise ProfdbError(f"parquet cannot hold this result: {e}", hint="--format arrow") from e
    return sink.getvalue()


def _encode_arrow(table: pa.Table) -> bytes:
    sink = io.BytesIO()
    with pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _refuse_repeated_names(table: pa.Table) -> None:
    names = table.column_names
    for name in names:
        if names.count(name) > 1:
            raise ProfdbError(
                f"two columns are named {name!r}, which this format cannot hold",
                hint=f"name one of them otherwise: ... AS {name}_2",
            )


_ENCODERS: dict[str, Callable[[pa.Table], bytes]] = {
    "csv": _delimited(","),
    "tsv": _delimited("\t"),
    "json": _encode_json,
    "jsonl": _encode_jsonl,
    "markdown": _encode_markdown,
    "parquet": _encode_parquet,
    "arrow": _encode_arrow,
}
