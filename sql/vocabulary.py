"""Names and units of columns: one word for one thing, the unit as a suffix, the type that goes with it."""

import re
from collections.abc import Iterator

from .catalog import Column

# The type of a column that has this name, in every relation.
TYPES = {
    "run": "VARCHAR",
    "host": "VARCHAR",
    "device": "VARCHAR",
    "stream": "VARCHAR",
    "step_num": "BIGINT",
    "op_id": "BIGINT",
    "name": "VARCHAR",
    "scope": "VARCHAR",
    "region": "VARCHAR",
    "phase": "VARCHAR",
    "category": "VARCHAR",
    "family": "VARCHAR",
    "start_ps": "BIGINT",
    "duration_ps": "BIGINT",
    "self_ps": "BIGINT",
    "span_ps": "BIGINT",
    "window_ps": "BIGINT",
    "count": "BIGINT",
}
# Suffix: type, and what the comment must say about the unit.
SUFFIXES = {
    "_ps": ("BIGINT", re.compile(r"picosecond")),
    "_ns": ("BIGINT", re.compile(r"nanosecond")),
    "_bytes": ("BIGINT", re.compile(r"bytes")),
    "_flops": ("BIGINT", re.compile(r"floating-point operations|flops", re.IGNORECASE)),
    "_count": ("BIGINT", None),
    "_ratio": ("DOUBLE", re.compile(r"/|\bover\b|divided by")),
    "_share": ("DOUBLE", re.compile(r"/|\bover\b|divided by")),
    "_pct": ("DOUBLE", re.compile(r"%|percent")),
    "_at": ("TIMESTAMP WITH TIME ZONE", None),
}
# Other words for the same thing, and the word to use.
SYNONYMS = {
    "step": "step_num",
    "step_id": "step_num",
    "device_id": "device",
    "host_id": "host",
    "hostname": "host",
    "op": "op_id",
    "op_name": "name",
    "dur": "duration_ps",
    "ts": "start_ps",
    "elapsed": "duration_ps",
    "num": "count",
    "total": "total_ps, or the unit that it has",
}
_WRONG_SUFFIXES = {
    r"_(us|ms|s|sec|secs|seconds|time)$": "_ps",
    r"_(kb|mb|gb|kib|mib|gib|size)$": "_bytes",
    r"_(percent|perc|percentage)$": "_pct",
    r"_(frac|fraction)$": "_ratio",
    r"^(num|nb|n)_": "_count at the end",
}
_BOOLEAN = ("is_", "has_", "uses_")
_RATE = re.compile(r"_per_s$")
_NAME = re.compile(r"[a-z][a-z0-9_]*")


def violations(column: Column, reserved: frozenset[str]) -> Iterator[str]:
    """What is wrong with a column, whose `type` is the one that binding told; `reserved` are SQL keywords."""
    name = column.name
    if not _NAME.fullmatch(name):
        yield f"column {name}: a name is lower-case letters, digits and underscores"
    if name in reserved:
        yield f"column {name}: a reserved word of SQL; take another name"
    if word := SYNONYMS.get(name) or _right_suffix(name):
        yield f"column {name}: the word is {word}"
    if (kind := _expected_type(name)) and column.type != kind:
        yield f"column {name}: is {column.type}, and must be {kind}"
    if column.type == "BOOLEAN" and not name.startswith(_BOOLEAN):
        yield f"column {name}: a BOOLEAN starts with {', '.join(_BOOLEAN)}"
    if (unit := _unit_words(name)) and not unit.search(column.doc):
        yield f"column {name}: its comment does not say the unit ({unit.pattern})"


def _right_suffix(name: str) -> str | None:
    if _RATE.search(name):
        return None
    return next((right for wrong, right in _WRONG_SUFFIXES.items() if re.search(wrong, name)), None)


def _expected_type(name: str) -> str | None:
    if name.startswith(_BOOLEAN):
        return "BOOLEAN"
    return TYPES.get(name) or next((kind for end, (kind, _) in SUFFIXES.items() if name.endswith(end)), None)


def _unit_words(name: str) -> re.Pattern[str] | None:
    return next((words for end, (_, words) in SUFFIXES.items() if name.endswith(end)), None)
