"""A run as Markdown that a GitHub step summary takes: the same bytes for the same warehouse."""

import html
import re

from .layout import template
from .report import Report
from .shown import Cell, Column
from .text import printable

MOST_BYTES = 1 << 20
"""What GitHub takes as a step summary."""
_MOST_ROWS = (100, 25, 5, 1)
"""Rows of a section, fewer where the whole would be too large."""
_MOST_CHARACTERS = 80
_SPECIAL = re.compile(r"[\\`*\[\]<>|~$#&]|(?<![^\W_])_|_(?![^\W_])")
_LINK = re.compile(r"(?<=\w):(?=//)|(?<=www)\.", re.IGNORECASE)
_ODD_IN_CODE = re.compile(r"[`|\\]|^\s|\s$")
_ENTITIES = {"<": "&lt;", ">": "&gt;", "&": "&amp;"}
_PUNCTUATION = re.compile(r"[^\w\s]|_")


def render(report: Report) -> str:
    """The report as one text of less than 1 MiB."""
    for rows in _MOST_ROWS:
        text = template("report.md.jinja", plain=plain, code=code, cell=cell).render(
            report=report, tables=report.shown(rows, _MOST_CHARACTERS)
        )
        if len(text.encode()) < MOST_BYTES:
            break
    return text


def plain(text: str) -> str:
    """Text of others, of which nothing is taken for markup or a link."""
    escaped = _SPECIAL.sub(lambda match: _ENTITIES.get(match[0], f"\\{match[0]}"), printable(text))
    return _LINK.sub(lambda match: f"&#{ord(match[0])};", escaped)


def code(text: str) -> str:
    """A name, letter by letter."""
    text = printable(text)
    if not _ODD_IN_CODE.search(text):
        return f"`{text}`"
    return f"<code>{_PUNCTUATION.sub(lambda match: f'&#{ord(match[0])};', text)}</code>"


def cell(column: Column, value: Cell) -> str:
    """A value as the cell of a table."""
    if value.is_unknown or column.is_number:
        return html.escape(value.text)
    return code(value.text) if value.is_code else plain(value.text)
