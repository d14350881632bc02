"""Rows as a reader of a report sees them: named in words, in human units, without what says nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .. import catalog
from .sections import Section
from .text import PROSE, printable, shorten
from .units import has_human_form, human
from .values import is_number, plain

if TYPE_CHECKING:
    import pyarrow as pa

UNKNOWN = "—"
"""What stands for NULL."""
CODE = frozenset(
    {
        "canonical_name",
        "content_sha256",
        "device",
        "evidence_view",
        "hlo_op",
        "hottest_name",
        "host",
        "module",
        "name",
        "previous_name",
        "previous_region",
        "region",
        "session",
        "sha256",
        "shape",
        "source",
        "source_uri",
        "thread",
    }
)
"""Columns of names that others chose: shown letter by letter."""
_KEPT = frozenset({"check_name", "name", "severity", "status"})
"""Columns that stay a column even where every row has the same value."""
_REASON = "reason"
"""Why something is unknown: NULL where nothing is."""
_SPELLING = {word.lower(): word for word in ("HBM", "HLO", "ID", "MFU", "P90", "URI")} | {"sha256": "SHA-256"}
_IS_TIME_ALREADY = ("duration", "start", "gap", "span", "at")
_WORDS = {"{}": "none", "[]": "none", "": "none", "true": "yes", "false": "no"}
_MOST_PROSE = 600
_PATH_CHARACTERS = 44
"""What is shown of the place of a line in the source: its end tells most."""


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    name: str
    label: str
    """The name in words."""
    meaning: str
    """What the view says about it."""
    is_number: bool
    is_prose: bool


@dataclass(frozen=True)
class Cell:
    """A value as it is shown, and what it is sorted by."""

    text: str
    exact: str | None
    """The exact number; None where it is text or unknown."""
    is_unknown: bool = False
    is_code: bool = False
    """Whether it is a name that others chose, to be shown letter by letter."""


@dataclass(frozen=True)
class Table:
    """A section, ready to be laid out."""

    section: Section
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    common: tuple[tuple[Column, Cell], ...]
    """Columns that have one value in all rows, taken out."""
    unknown: tuple[Column, ...]
    """Columns without any value, taken out."""
    row_count: int
    """Rows of the section; `rows` may be fewer."""
    needs: str | None
    """What the profile must hold for the section to have rows."""


def show(section: Section, table: "pa.Table", *, most_rows: int, most_characters: int) -> Table:
    """The columns of the section's report and the first `most_rows` rows, names cut in the middle."""
    relation = catalog.relations()[section.view]
    chosen = table.select(list(section.report) or table.column_names)
    columns = tuple(
        _column(field.name, is_number(field.type), {c.name: c.doc for c in relation.columns})
        for field in chosen.schema
    )
    cells = [
        _cells(column, values.combine_chunks(), most_characters)
        for column, values in zip(columns, chosen.slice(0, most_rows).columns, strict=True)
    ]
    known = [not all(cell.is_unknown for cell in values) for values in cells]
    one = [
        len(chosen) > 1 and _is_common(column, values) for column, values in zip(columns, cells, strict=True)
    ]
    kept = [i for i in range(len(columns)) if known[i] and not one[i]]
    if not kept and not section.is_record:
        kept = list(range(len(columns)))
    gone = [i for i in range(len(columns)) if i not in kept and len(chosen)]
    return Table(
        section=section,
        columns=tuple(columns[i] for i in kept),
        rows=tuple(tuple(cells[i][row] for i in kept) for row in range(min(len(table), most_rows))),
        common=tuple((columns[i], cells[i][0]) for i in gone if known[i]),
        unknown=tuple(columns[i] for i in gone if not known[i] and columns[i].name != _REASON),
        row_count=len(table),
        needs=relation.needs,
    )


def label(name: str) -> str:
    """A column's name in words; the unit is left out, because every value says it."""
    base = re.sub(r"_(ps|bytes|per_s)$", "", name)
    words = [_SPELLING.get(word, word) for word in base.split("_")]
    if name.endswith("_ps") and words[-1] not in _IS_TIME_ALREADY:
        words.append("time")
    elif name.endswith("_bytes"):
        words.append("bytes")
    elif name.endswith("_per_s"):
        words.append("rate")
    return " ".join(words)


def _is_common(column: Column, cells: Sequence[Cell]) -> bool:
    return not column.is_prose and column.name not in _KEPT and len({(c.text, c.exact) for c in cells}) == 1


def _column(name: str, numeric: bool, docs: dict[str, str]) -> Column:
    meaning = docs.get(name, "").replace("\n", " ")
    return Column(name, label(name), meaning, numeric, name in PROSE)


def _cells(column: Column, values: "pa.Array", most_characters: int) -> list[Cell]:
    exact = plain(values).to_pylist()
    if column.is_number:
        in_units = has_human_form(column.name, values.type)
        shown: list[Any] = values.to_pylist()
        return [
            Cell(UNKNOWN, None, True)
            if text is None
            else Cell(human(column.name, value) if in_units else _grouped(column.name, text), text)
            for value, text in zip(shown, exact, strict=True)
        ]
    return [
        Cell(UNKNOWN, None, True) if text is None else _text(column, text, most_characters) for text in exact
    ]


def _text(column: Column, text: str | None, most_characters: int) -> Cell:
    if text is None:
        return Cell(UNKNOWN, None, True)
    is_code = column.name in CODE and text != ""
    text = printable(text if is_code else _WORDS.get(text, text))
    if column.name == "source" and len(text) > _PATH_CHARACTERS:
        text = f"…{text[-_PATH_CHARACTERS:]}"
    limit = most_characters if is_code else _MOST_PROSE
    return Cell(shorten(text, limit), None, is_code=is_code)


def _grouped(name: str, digits: str) -> str:
    """A count with a comma for every thousand; numbers that are names as they are."""
    return f"{int(digits):,}" if digits.isdigit() and not name.endswith(("_id", "_num")) else digits
