"""Values as text: one rendering of a value for every text format.

Integers keep every digit, floats are the shortest text that reads back equal, times are ISO 8601, binary is
hex, and a LIST, STRUCT or MAP is its JSON. Columns are converted whole by Arrow, so that a million rows do
not pass through Python one value at a time.
"""

import json
import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

# JSON leaves these raw, and a terminal or a JavaScript reader may act on them.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_ODD_IN_JSON = (
    r'["\\\x00-\x1f\x7f-\x{9f}\x{200e}-\x{202e}\x{2066}-\x{2069}]'  # what is not simply put in quotes
)
_NOT_NUMBERS = {"nan": '"NaN"', "-nan": '"NaN"', "inf": '"Infinity"', "-inf": '"-Infinity"'}


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
        text = _quoted(plain(column))
    return pc.fill_null(text, "null")


def _json_of_lists(column: pa.Array) -> pa.Array:
    ends = column.offsets.to_pylist()
    start, length = ends[0], ends[-1] - ends[0]  # a slice of a column still holds all values of the whole
    if pa.types.is_map(column.type):
        keys, items = column.keys.slice(start, length), column.items.slice(start, length)
        parts = pc.binary_join_element_wise(_quoted(plain(keys)), _json(items), ": ").to_pylist()
        left, right = "{}"
    else:
        parts = _json(column.values.slice(start, length)).to_pylist()
        left, right = "[]"
    texts = [left + ", ".join(parts[a - start : b - start]) + right for a, b in pairwise(ends)]
    return pc.if_else(column.is_valid(), pa.array(texts, pa.string()), None)


def _json_of_structs(column: pa.Array) -> pa.Array:
    fields = [pc.struct_field(column, [i]) for i in range(column.type.num_fields)]
    return pc.if_else(column.is_valid(), json_objects([f.name for f in column.type], fields), None)


def json_objects(names: list[str], columns: list[pa.Array]) -> pa.Array:
    """One JSON object a row, in a string array, with `names` as its keys."""
    pieces: list[pa.Array | str] = []
    for i, (name, column) in enumerate(zip(names, columns, strict=True)):
        pieces += [("{" if i == 0 else ", ") + json_text(name) + ": ", _json(column)]
    return pc.binary_join_element_wise(*pieces, "}", "")


def _number_or_name(value: str) -> str:
    return _NOT_NUMBERS.get(value, value)


def _quoted(text: pa.Array) -> pa.Array:
    """Texts as JSON strings; only those that need an escape pass through Python."""
    simple = pc.binary_join_element_wise('"', text, '"', "")
    odd = pc.fill_null(pc.match_substring_regex(text, _ODD_IN_JSON), False)
    return pc.replace_with_mask(simple, odd, _map_distinct(text.filter(odd), json_text))


def json_text(value: str) -> str:
    """A JSON string."""
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


def is_number(kind: pa.DataType) -> bool:
    """Whether values of this Arrow type are numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))
