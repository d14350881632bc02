"""Rows as exact bytes: csv, tsv, json, jsonl, markdown, parquet and arrow.

Text formats share one rendering of a value. Integers keep every digit, floats are the shortest text that
reads back equal, times are ISO 8601, binary is hex, and a LIST, STRUCT or MAP is its JSON. Columns are
converted whole by Arrow, so that a million rows do not pass through Python one value at a time.
"""

import io
import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from ..sql.errors import ProfdbError
from .diagnostics import printable

_BATCH_ROWS = 65_536
# JSON leaves these raw, and a terminal or a JavaScript reader may act on them.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u2028\u2029]")
_NOT_NUMBERS = {"nan": '"NaN"', "-nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


def encode(table: pa.Table, name: str) -> bytes:
    """The bytes of `table` in the format `name`; ProfdbError where the format cannot hold it."""
    return _ENCODERS[name](table)


def plain(column: pa.Array) -> pa.Array:
    """Each value as exact text, in a string array of the same length; NULL stays NULL."""
    column = _simple(column)
    kind = column.type
    if _is_nested(kind):
        return pc.if_else(column.is_valid(), _json(column), None)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        return _map_distinct(column, bytes.hex)
    if pa.types.is_interval(kind):
        return pa.array([None if v is None else _duration(*v) for v in column.to_pylist()], pa.string())
    text = pc.cast(column, pa.string())
    return pc.replace_substring(text, " ", "T", max_replacements=1) if pa.types.is_timestamp(kind) else text


def _json(column: pa.Array) -> pa.Array:
    """Each value as JSON text, NULL as null."""
    column = _simple(column)
    kind = column.type
    if pa.types.is_null(kind):
        return pa.array(["null"] * len(column), pa.string())
    if pa.types.is_map(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind):
        text = _json_of_lists(column)
    elif pa.types.is_struct(kind):
        text = _json_of_structs(column)
    elif pa.types.is_union(kind):
        text = pa.array([json.dumps(value, default=str) for value in column.to_pylist()], pa.string())
    elif pa.types.is_floating(kind):
        text = _map_distinct(plain(column), _number_or_name)
    elif pa.types.is_integer(kind) or pa.types.is_boolean(kind) or pa.types.is_decimal(kind):
        text = plain(column)
    else:
        text = _map_distinct(plain(column), _quote_json)
    return pc.fill_null(text, "null")


def _json_of_lists(column: pa.Array) -> pa.Array:
    is_map = pa.types.is_map(column.type)
    if is_map:
        keys = _map_distinct(plain(column.keys), _quote_json)
        parts = pc.binary_join_element_wise(keys, _json(column.items), ": ").to_pylist()
    else:
        parts = _json(column.values).to_pylist()
    left, right = "{}" if is_map else "[]"
    ends = column.offsets.to_pylist()
    texts = [left + ", ".join(parts[a:b]) + right for a, b in pairwise(ends)]
    return pc.if_else(column.is_valid(), pa.array(texts, pa.string()), None)


def _json_of_structs(column: pa.Array) -> pa.Array:
    fields = [pc.struct_field(column, [i]) for i in range(column.type.num_fields)]
    return pc.if_else(column.is_valid(), _objects([f.name for f in column.type], fields), None)


def _objects(names: list[str], columns: list[pa.Array]) -> pa.Array:
    """One JSON object a row, with `names` as its keys."""
    pieces: list[pa.Array | str] = []
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        pieces += [("{" if i == 0 else ", ") + _quote_json(name) + ": ", _json(column)]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _number_or_name(value: str) -> str:
    return _NOT_NUMBERS.get(value, value)


def _quote_json(value: str) -> str:
    quoted = json.dumps(value, ensure_ascii=False)
    return _UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


def _map_distinct(column: pa.Array, convert: Callable[[Any], str]) -> pa.Array:
    """`convert` applied once to each distinct value; NULL stays NULL."""
    coded = column if pa.types.is_dictionary(column.type) else column.dictionary_encode()
    return pa.array(list(map(convert, coded.dictionary.to_pylist())), pa.string()).take(coded.indices)


def _simple(column: pa.Array) -> pa.Array:
    """Dictionaries, extension types and fixed-size lists as the plain type beneath."""
    if isinstance(column, pa.ExtensionArray):
        column = column.storage
    if pa.types.is_dictionary(column.type):
        return column.dictionary_decode()
    if pa.types.is_fixed_size_list(column.type):
        return column.cast(pa.list_(column.type.value_type))
    return column


def _is_nested(kind: pa.DataType) -> bool:
    return bool(pa.types.is_nested(kind))


def _duration(months: int, days: int, nanoseconds: int) -> str:
    """ISO 8601, for example P1M2DT3.5S."""
    whole, rest = divmod(abs(nanoseconds), 10**9)
    seconds = f"{whole}.{rest:09d}".rstrip("0").rstrip(".")
    return f"P{months}M{days}DT{'-' if nanoseconds < 0 else ''}{seconds}S"


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
    return [row for batch in _batches(table) for row in _objects(names, batch.columns).to_pylist()]


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


def is_number(kind: pa.DataType) -> bool:
    """Whether values of this Arrow type are numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


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
