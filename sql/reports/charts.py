"""What the charts of a report are drawn from: exact columns of its sections, as JSON inside a page."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from .sections import Section
from .text import shorten

if TYPE_CHECKING:
    import pyarrow as pa

CHARTS: Mapping[str, str] = {
    "step_series": "step_num duration_ps is_whole has_compile is_warmup is_steady",
    "devices": (
        "host device compute_only_ps overlapped_ps comm_exposed_ps copy_ps sync_ps control_ps idle_ps"
    ),
    "hot_ops": "rank name category count self_ps self_share",
    "regions": "region parent inclusive_ps inclusive_share",
    "pre_op_gaps": "rank name category count idle_ps idle_share",
    "roofline": "name self_ps flops_per_s intensity peak_flops_per_s peak_hbm_bytes_per_s bound_by",
}
"""The sections that have a chart, with the columns that it shows."""
_MOST_MARKS = 2000
_KEYS = ("region", "parent")
"""Columns by which rows find each other: never cut."""
_MOST_CHARACTERS = 200
# What could end the element that holds the JSON, or a line of a script.
_UNSAFE = re.compile("[<>&\u2028\u2029]")


def charted(name: str, rows: "pa.Table") -> bool:
    """Whether there is a chart for the section, and something to draw."""
    return name in CHARTS and len(rows) > 0


def data(tables: "Mapping[Section, pa.Table]") -> str:
    """JSON of the columns by section, safe inside an HTML script element."""
    columns = {
        section.name: {name: _values(rows, name) for name in CHARTS[section.name].split()}
        for section, rows in tables.items()
        if charted(section.name, rows)
    }
    text = json.dumps(columns, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _UNSAFE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _values(rows: "pa.Table", name: str) -> list[Any]:
    values = rows.column(name).slice(0, _MOST_MARKS).to_pylist()
    return values if name in _KEYS else [_simple(value) for value in values]


def _simple(value: object) -> object:
    if isinstance(value, str):
        return shorten(value, _MOST_CHARACTERS)
    return int(value) if isinstance(value, Decimal) else value
