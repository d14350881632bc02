"""The sections of a report: one query each, over one view, with the words around it.

A section is a file: its title, a line that says how to read it, the columns of its short form, and a SELECT
that a user can run as it stands with `profdb query -p run RUN`.
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import catalog

_FOLDER = Path(__file__).parent / "sections"
_BRIEF = "Brief: "
ORDER = (
    "quality",
    "summary",
    "steps",
    "step_classes",
    "shares",
    "breakdown",
    "hot_ops",
    "op_families",
    "phases",
    "regions",
    "devices",
    "step_series",
)
"""Sections of one run, in the order in which they are read."""


@dataclass(frozen=True)
class Section:
    """One table of a report."""

    name: str
    title: str
    note: str
    """One sentence: how to read it."""
    brief: tuple[str, ...]
    """Columns of the short form; empty where the short form leaves the section out."""
    sql: str
    """One SELECT with the parameter $run."""

    @property
    def view(self) -> str:
        """The public view that the numbers come from."""
        views = catalog.views()
        return next(name for name in catalog.source_list(self.sql) if name in views)


@cache
def sections() -> tuple[Section, ...]:
    """All sections of one run, in order."""
    return tuple(_read(_FOLDER / f"{name}.sql") for name in ORDER)


def _read(path: Path) -> Section:
    comment, lines = [], path.read_text(encoding="utf-8").splitlines()
    while lines[0].startswith("-- "):
        comment.append(lines.pop(0).removeprefix("-- "))
    title, note, *rest = comment
    brief = rest[0].removeprefix(_BRIEF).split(", ") if rest else []
    return Section(path.stem, title, note, tuple(brief), "\n".join(lines))
