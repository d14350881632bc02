"""What the rows of a question say in one sentence."""

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from .questions import Question
from .shown import Cell, Column, show
from .text import shorten

if TYPE_CHECKING:
    import pyarrow as pa

_FIELD = re.compile(r"\{(\w+)(?: (\w+))?\}")
"""A column, and the noun that it counts."""
_MOST_CHARACTERS = 80
"""Of a name inside a sentence: one of a kernel can be longer than all else."""


@dataclass(frozen=True)
class Answer:
    """A sentence, and whether it answers; else it says why the capture does not tell."""

    sentence: str
    is_answer: bool


def answer(question: Question, rows: "pa.Table", lack: str | None) -> Answer:
    """The first sentence of the question whose values the first row has; without rows, what that means.

    That is nothing where the capture has a `lack`, which is then the answer.
    """
    section = replace(question.section, report=())
    table = show(section, rows.slice(0, 1), most_rows=1, most_characters=_MOST_CHARACTERS)
    if not table.row_count:
        if section.empty and not lack:
            return Answer(section.empty, True)
        missing = lack or f"the capture has no rows for this; it needs {table.needs}"
        return Answer(f"Cannot tell: {missing}", False)
    values = {
        column.name: _value(column, cell) for column, cell in zip(table.columns, table.rows[0], strict=True)
    }
    for sentence in question.sentences:
        fields = _FIELD.findall(sentence.text)
        if values.keys() >= {name for name, _ in fields}:
            return Answer(
                _FIELD.sub(lambda field: _counted(values[field[1]], field[2]), sentence.text),
                sentence.is_answer,
            )
    return Answer("Cannot tell: the capture lacks the numbers for this.", False)


def _value(column: Column, cell: Cell) -> str:
    return cell.text if column.is_prose else shorten(cell.text, _MOST_CHARACTERS)


def _counted(value: str, noun: str | None) -> str:
    if not noun:
        return value
    return f"{value} {noun}" if value == "1" else f"{value} {noun}s"
