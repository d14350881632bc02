"""The questions that are answered in words: one query each, with the phrasings that ask for it.

A question is a file: the question as a person puts it, phrasings of it (Ask; OP stands for the name of an
op), and sentences, of which the first one whose values are all known answers (Answer) or says why nothing can
(Cannot tell). Its query and the words around its rows are those of a section of reports (Section), or its
own: Title, Note, View, Brief, Empty (what no rows mean, where the ops have what it Needs), and a SELECT
with the parameters $run and, for a question about an op, $op.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from .sections import Section, sections, split

FOLDER = Path(__file__).parent / "questions"
OP = "OP"
"""What stands for the name of an op."""
_ORDER = (
    "hot_ops",
    "compute_or_communication",
    "collectives",
    "gaps",
    "gaps_before_op",
    "op_context",
    "regions",
    "roofline",
    "backward",
    "recompute",
    "slow_host",
    "host_bound",
    "step_time",
    "optimize_next",
    "complete",
)


@dataclass(frozen=True)
class Sentence:
    """An answer with the names of columns in braces, which the first row fills in."""

    text: str
    is_answer: bool
    """Whether it answers; else it says why the capture does not tell."""


@dataclass(frozen=True)
class Question:
    """One question."""

    text: str
    """As a person puts it."""
    phrasings: tuple[str, ...]
    sentences: tuple[Sentence, ...]
    """The most telling first."""
    needs_paths: bool
    """Whether no rows mean nothing where no op has a framework path."""
    view: str
    """The view, or the table, that the answer comes from."""
    section: Section
    """The query, and the words around its rows."""

    @property
    def takes_op(self) -> bool:
        """Whether it is about an op, whose name it holds."""
        return OP in self.text.strip("?").split()


@cache
def questions() -> tuple[Question, ...]:
    """All questions, in the order in which they are listed."""
    return tuple(_read(FOLDER / f"{name}.sql") for name in _ORDER)


def _read(path: Path) -> Question:
    (text, *lines), sql = split(path)
    told = [(key, value) for key, value in (line.split(": ", 1) for line in lines)]
    section = _section(path.stem, dict(told), sql)
    return Question(
        text=text,
        phrasings=tuple(value for key, value in told if key == "Ask"),
        sentences=tuple(
            Sentence(f"Cannot tell: {value}" if key == "Cannot tell" else value, key == "Answer")
            for key, value in told
            if key in ("Answer", "Cannot tell")
        ),
        needs_paths=("Needs", "framework paths") in told,
        view=dict(told).get("View", section.view),
        section=section,
    )


def _section(name: str, words: dict[str, str], sql: str) -> Section:
    """The section that is named, in the question's own words where it has some, or the question's own."""
    found = next((part for part in sections() if part.name == words.get("Section")), None)
    section = found or Section(name, "", "", (), (), False, None, sql)
    brief = tuple(words["Brief"].split(", ")) if "Brief" in words else section.brief or section.report
    return replace(
        section,
        title=words.get("Title", section.title),
        note=words.get("Note", section.note),
        brief=brief,
        empty=words.get("Empty", section.empty),
    )
