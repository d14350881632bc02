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
_HANDLE = "run"
_GAP = "  "


@dataclass(frozen=True)
class Rendered:
    """A table as text, and what of it was left out for display."""

    text: str
    shortened_cells: int
    hidden_columns: tuple[str, ...]


def render(table: pa.Table, width: int | None, prose: Collection[str] = ()) -> Rendered:
    """`table` as text of at most `width` columns of a terminal, or of any width where that is None.

    The columns named in `prose` hold sentences: they are wrapped and never cut. Handles of runs are never cut
    nor dropped, so that they can be copied.
    """
    columns = [
        [printable(field.name), *_cells(field.name, column, field.name in prose)]
        for field, column in zip(table.schema, table.columns, strict=True)
    ]
    widest = [max(map(cell_len, cells)) for cells in columns]
    wished = [
        w if name == _HANDLE else min(w, _MAX_PROSE if name in prose else MAX_CELL)
        for name, w in zip(table.column_names, widest, strict=True)
    ]
    least = [
        w if name == _HANDLE else min(w, _MIN_CELL)
        for name, w in zip(table.column_names, wished, strict=True)
    ]
    kept = _kept(least, [name == _HANDLE for name in table.column_names], width)
    hidden = tuple(printable(name) for i, name in enumerate(table.column_names) if i not in kept)
    columns, table = [columns[i] for i in kept], table.select(kept)
    widths = _narrowed([wished[i] for i in kept], [least[i] for i in kept], width)
    rights = [is_number(field.type) for field in table.schema]
    laid_out, shortened = [], 0
    for name, cells, limit in zip(table.column_names, columns, widths, strict=True):
        if name in prose:
            laid_out.append([_wrap(cell, limit) for cell in cells])
        else:
            laid_out.append([[_shorten(cell, limit)] for cell in cells])
            shortened += sum(cell_len(cell) > limit for cell in cells)
    header, *rows = (_lines(row, widths, rights) for row in zip(*laid_out, strict=True))
    lines = [*header, _GAP.join("-" * limit for limit in widths), *chain.from_iterable(rows)]
    return Rendered("".join(f"{line}\n" for line in lines), shortened, hidden)


def _cells(name: str, column: pa.ChunkedArray, is_prose: bool) -> list[str]:
    if is_number(column.type) and has_human_form(name, column.type):
        return ["NULL" if value is None else human(name, value) for value in column.to_pylist()]
    texts = plain(column.combine_chunks()).to_pylist()
    return ["NULL" if text is None else printable(text, keep="\n" if is_prose else "") for text in texts]


def _kept(least: list[int], is_handle: list[bool], width: int | None) -> list[int]:
    """The columns that fit at their least width; others are dropped from the right, handles and one never."""
    kept = list(range(len(least)))
    while width is not None and sum(least[i] for i in kept) + len(_GAP) * (len(kept) - 1) > width:
        droppable = [i for i in kept if not is_handle[i]]
        if not droppable or len(kept) == 1:
            break
        kept.remove(droppable[-1])
    return kept


def _narrowed(widths: list[int], least: list[int], width: int | None) -> list[int]:
    """The widest columns narrowed until a line fits, none below its least width."""
    widths = widths.copy()
    while width is not None and sum(widths) + len(_GAP) * (len(widths) - 1) > width:
        wide = [i for i in range(len(widths)) if widths[i] > least[i]]
        if not wide:
            break
        widths[max(wide, key=widths.__getitem__)] -= 1
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
