"""The sections of a report: one query each, over one view, with the words around it.

A section is a file: its title, a line that says how to read it, and a SELECT that a user can run as it stands
with `profdb query -p run RUN`, or `-p before RUN -p after RUN` where it is about two runs. Further lines name
the columns of its short form (Brief) and of a report (Report, where they are others), say what no rows mean
(Empty, where that is an answer) and whether there is one row, which is read downwards (Form: record).
"""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from .. import catalog

_FOLDER = Path(__file__).parent / "sections"
_KEYWORDS = ("Brief", "Report", "Form", "Empty")
ORDER = (
    "quality",
    "summary",
    "findings",
    "software",
    "files",
    "steps",
    "step_series",
    "step_classes",
    "shares",
    "breakdown",
    "devices",
    "hot_ops",
    "op_families",
    "op_kinds",
    "collectives",
    "phases",
    "regions",
    "pre_op_gaps",
    "gap_regions",
    "roofline",
    "host_bound",
    "host_bound_frames",
    "track_shares",
    "stragglers",
    "modules_summary",
    "memory_peaks",
    "utilization",
)
"""Sections of one run, in the order in which they are read."""
LEVELS = ("phases", "families", "regions", "collectives", "ops")
"""What op time of two runs is told by."""
COMPARED = (
    "compare_differences",
    "compare_context",
    "compare_steps",
    "compare_breakdown",
    *(f"compare_{level}" for level in LEVELS),
)
"""Sections of two runs."""


@dataclass(frozen=True)
class Section:
    """One table of a report."""

    name: str
    title: str
    note: str
    """One sentence: how to read it."""
    brief: tuple[str, ...]
    """Columns of the short form; empty where the short form leaves the section out."""
    report: tuple[str, ...]
    """Columns that a report shows; empty where it shows all."""
    is_record: bool
    """Whether there is one row, which is read downwards: a name and a value a line."""
    empty: str | None
    """What it means that there are no rows; None where the capture then lacks something."""
    sql: str
    """One SELECT with the parameter $run, or $before and $after."""

    @property
    def view(self) -> str:
        """The public view, or the table, that the numbers come from."""
        known = catalog.relations()
        return next(name for name in catalog.source_list(self.sql) if name in known)


@cache
def sections() -> tuple[Section, ...]:
    """All sections of one run, in order."""
    return tuple(_read(_FOLDER / f"{name}.sql") for name in ORDER)


@cache
def compared() -> tuple[Section, ...]:
    """All sections of two runs, in order."""
    return tuple(_read(_FOLDER / f"{name}.sql") for name in COMPARED)


def split(path: Path) -> tuple[list[str], str]:
    """The lines of a file's header comment, and the SQL below it."""
    comment, lines = [], path.read_text(encoding="utf-8").splitlines()
    while lines and lines[0].startswith("-- "):
        comment.append(lines.pop(0).removeprefix("-- "))
    return comment, "\n".join(lines)


def _read(path: Path) -> Section:
    (title, note, *rest), sql = split(path)
    words = dict.fromkeys(_KEYWORDS, "") | dict(line.split(": ", 1) for line in rest)
    brief, report = (tuple(words[key].split(", ")) if words[key] else () for key in ("Brief", "Report"))
    is_record = words["Form"] == "record"
    return Section(
        name=path.stem,
        title=title,
        note=note,
        brief=brief,
        report=report or (() if is_record else brief),
        is_record=is_record,
        empty=words["Empty"] or None,
        sql=sql,
    )
