"""Rows as a table for people: aligned, in human units, shortened where a cell or a line is too long."""

import textwrap
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest

import pyarrow as pa
from rich.cells import cell_len, chop_cells

from ..sql.reports.text import printable
from ..sql.reports.units import has_human_form, human
from ..sql.reports.values import is_number, plain

MAX_CELL = 100  # characters of one cell where no terminal gives a width
_MAX_PROSE = 72  # characters of one line of prose
_MIN_CELL = 12
_GAP = "  "


@dataclass(frozen=True)
class Rendered:
    """A table as text, and what of it was left out for display."""

    text: str
    shortened_cells: int
    hidden_columns: int


def render(table: pa.Table, width: int | None, prose: Collection[str] = ()) -> Rendered:
    """`table` as text of at most `width` columns of a terminal, or of any width where that is None.

    The columns named in `prose` hold sentences: they are wrapped and never cut.
    """
    columns = [
        [printable(field.name), *_cells(field.name, column, field.name in prose)]
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    most = [_MAX_PROSE if name in prose else MAX_CELL for name in table.column_names]
    widths = _fit([min(n, max(map(cell_len, cells))) for n, cells in zip(most, columns, strict=True)], width)
    rights = [is_number(field.type) for field in table.schema][: len(widths)]
    laid_out, shortened = [], 0
    for name, cells, limit in zip(table.column_names, columns, widths, strict=False):
        if name in prose:
            laid_out.append([_wrap(cell, limit) for cell in cells])
        else:
            laid_out.append([[_shorten(cell, limit)] for cell in cells])
            shortened += sum(cell_len(cell) > limit for cell in cells)
    header, *rows = (_lines(row, widths, rights) for row in zip(*laid_out, strict=True))
    lines = [*header, _GAP.join("-" * limit for limit in widths), *chain.from_iterable(rows)]
    return Rendered("".join(f"{line}\n" for line in lines), shortened, len(columns) - len(widths))


def _cells(name: str, column: pa.ChunkedArray, is_prose: bool) -> list[str]:
    if is_number(column.type) and has_human_form(name, column.type):
        return ["NULL" if value is None else human(name, value) for value in column.to_pylist()]
    texts = plain(column.combine_chunks()).to_pylist()
    return ["NULL" if text is None else printable(text, keep="\n" if is_prose else "") for text in texts]


def _fit(widths: list[int], width: int | None) -> list[int]:
    """Narrow the widest columns until a line fits; where that is not enough, drop columns from the right."""
    if width is None:
        return widths
    least = [min(_MIN_CELL, w) for w in widths]
    while len(least) > 1 and sum(least) + len(_GAP) * (len(least) - 1) > width:
        least.pop()
    widths = widths[: len(least)]
    room = width - len(_GAP) * (len(widths) - 1)
    while sum(widths) > room and max(widths) > _MIN_CELL:
        widest = widths.index(max(widths))
        widths[widest] -= 1
    return widths


def _wrap(cell: str, limit: int) -> list[str]:
    return [part for line in cell.splitlines() for part in textwrap.wrap(line, limit)] or [""]


def _shorten(cell: str, limit: int) -> str:
    """Cut the middle out: a scope's end and a name's start both tell."""
    if cell_len(cell) <= limit:
        return cell
    tail = (limit - 1) // 2
    return _head(cell, limit - 1 - tail) + "…" + _head(cell[::-1], tail)[::-1]


def _head(cell: str, width: int) -> str:
    return chop_cells(cell, width)[0] if width > 0 else ""


def _lines(row: Sequence[list[str]], widths: list[int], rights: list[bool]) -> list[str]:
    """The lines of one row, of which only a cell of prose has several."""
    return [_GAP.join(map(_pad, line, widths, rights)).rstrip() for line in zip_longest(*row, fillvalue="")]


def _pad(cell: str, width: int, right: bool) -> str:
    blank = " " * (width - cell_len(cell))
    return blank + cell if right else cell + blank
