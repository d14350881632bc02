"""`profdb query --question`: common questions in words, each answered by one query that is shown."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from ..sql import catalog
from ..sql.errors import InputError, ProfdbError
from ..sql.reports.matching import chosen, nearest, op_names
from ..sql.reports.questions import OP, Question, questions
from ..sql.reports.text import printable, shorten
from . import diagnostics, output
from .diagnostics import ExitCode
from .names import find_run
from .options import DEFAULT_VIEWS, DEFAULT_WAREHOUSE, Format, check_text

if TYPE_CHECKING:
    import pyarrow as pa

    from ..sql.engine import Settings
    from ..warehouse.reader import Result, Session

LIST = "list"
"""A question about the questions."""
SCREEN_ROWS = 10
_FEW = 3
_MOST_CHARACTERS = 10_000
"""Of a question, with the name of a kernel in it; matching takes longer than the length grows."""
_SHOWN = 200
_NEAR = 0.3
"""From this score on a question is proposed as the one that was meant."""
_FACTS = """
SELECT quality, quality_sentence, run IN (SELECT run FROM op_stats) AS has_ops,
       run IN (SELECT run FROM op_classes WHERE phase IS NOT NULL) AS has_paths
FROM run_summary
WHERE run = $run"""
_LIKE_A_NAME = re.compile(r"[\d._%]")


def answer_question(
    text: str,
    run: str | None,
    top: int | None,
    warehouse: str,
    settings: "Settings",
    format: Format,
    path: Path | None,
    limit: int | None,
) -> tuple[bool, ExitCode]:
    """Answer the question: a sentence, rows, and the command that gives the rows again.

    In a table all of it is the answer; of other formats only the rows are, and the rest goes to stderr.
    Returns whether `limit` cut rows off, and CANNOT_TELL where the capture lacks what the answer needs.
    """
    from ..sql.reports.answers import answer
    from ..warehouse.reader import open_session

    if text.strip() == LIST:
        output.rows(_listed(), format, path)
        return False, ExitCode.OK
    question = _find(text)
    is_table = format is Format.TABLE
    settings = _ranked(question, settings, top, is_table)
    with open_session(warehouse, settings) as session:
        named = find_run(session, run, warehouse)
        result, values = _ask(session.restricted(run=named), question, text, named, warehouse, limit)
        (facts,) = session.restricted(run=named).query(_FACTS, {"run": named}).table.to_pylist()
    told = answer(question, result.table, _lack(question, facts))
    rows = result.table if limit is None else result.table.slice(0, limit)
    command = _command(question, values, warehouse, settings)
    if is_table:
        part = question.section
        heading = f"{part.title} ({question.view}) of {named}: {part.note}"
        shown = rows.select(list(part.brief or rows.column_names))
        output.report(f"{told.sentence}\n", [(printable(heading), shown)], path, end=command)
    else:
        output.rows(rows, format, path)
        diagnostics.summary(told.sentence)
        diagnostics.text(f"\n{command}")
    for note in _notes(question, text, facts):
        diagnostics.note(note)
    return (
        result.truncated or rows.num_rows < result.table.num_rows,
        ExitCode.OK if told.is_answer else ExitCode.CANNOT_TELL,
    )


def _find(text: str) -> Question:
    """The question that a text is; where it is none, what can be answered is said, and the command ends."""
    check_text("--question", text)
    if len(text) > _MOST_CHARACTERS:
        message = f"--question has {len(text)} characters; a question has no more than {_MOST_CHARACTERS}"
        raise ProfdbError(message, hint=f"profdb query --question {LIST}")
    ranking = nearest(text)
    found = chosen(ranking)
    if found is None:
        score, near = ranking[0]
        meant = _example(near) if score >= _NEAR else LIST
        diagnostics.error(
            f"--question {shorten(text, _SHOWN)!r} is none that can be answered",
            f"profdb query --question {shell_word(meant)}",
        )
        lines = (f"  {question.text}\n" for _, question in ranking)
        diagnostics.text("\nThese can be answered, the nearest first:\n" + "".join(lines))
        raise typer.Exit(ExitCode.USAGE)
    return found


def _listed() -> "pa.Table":
    """Every question with some phrasings and the view that its numbers come from."""
    import pyarrow as pa

    known = questions()
    columns = {
        "question": [question.text for question in known],
        "view": [question.view for question in known],
        "for_example": ["; ".join(question.phrasings[:_FEW]) for question in known],
    }
    return pa.table(columns)


def _ranked(question: Question, settings: "Settings", top: int | None, is_table: bool) -> "Settings":
    """The settings with as many rows of a ranking as are asked for, where the question has one."""
    if "params" not in catalog.sources(question.section.sql):
        return settings
    usual = {"top": SCREEN_ROWS} if is_table else {}
    asked = {} if top is None else {"top": top}
    return replace(settings, params=usual | dict(settings.params) | asked)


def _ask(
    session: "Session", question: Question, text: str, run: str, warehouse: str, limit: int | None
) -> "tuple[Result, dict[str, str]]":
    """The rows that answer, one at least, and the parameters of their query.

    Raises:
        InputError: the run has no op of that name.
    """
    sql, limit = question.section.sql, None if limit is None else max(limit, 1)
    if not question.takes_op:
        return session.query(sql, {"run": run}, limit), {"run": run}
    names = op_names(text)
    for name in names:
        values = {"run": run, "op": name}
        result = session.query(sql, values, limit)
        if result.table.num_rows:
            return result, values
    raise _no_such_op(session, names[0], run, warehouse)


def _lack(question: Question, facts: Mapping[str, Any]) -> str | None:
    """Why that nothing was found would mean nothing; None where it means something."""
    if not facts["has_ops"]:
        return "no device op was recorded."
    if question.needs_paths and not facts["has_paths"]:
        return "no op has a framework path, which tells region and phase."
    return None


def _notes(question: Question, text: str, facts: Mapping[str, Any]) -> Iterator[str]:
    """What qualifies the answer: a capture whose numbers are doubtful, an op that it is not about."""
    if facts["quality"] == "fail" and question.view != "capture_quality":
        yield f"the capture is not fit for conclusions: {facts['quality_sentence']}"
    if not question.takes_op:
        names = [name for name in op_names(text) if _LIKE_A_NAME.search(name)]
        yield from [f"this is about the whole run and not about {names[0]!r} alone"] if names else []


def _command(question: Question, values: Mapping[str, str], warehouse: str, settings: "Settings") -> str:
    """The command that gives the rows again, to go on from."""
    options = [part for name, value in values.items() for part in ("-p", name, shell_word(value))]
    options += [
        part for key, value in settings.params.items() for part in ("--set", shell_word(f"{key}={value}"))
    ]
    if settings.views != DEFAULT_VIEWS:
        options += ["--views", shell_word(settings.views)]
    if warehouse != DEFAULT_WAREHOUSE:
        options += ["-w", shell_word(warehouse)]
    return f"profdb query - {' '.join(options)} <<'SQL'\n{question.section.sql.strip()}\nSQL\n"


def shell_word(text: str) -> str:
    """`text` as one word for a POSIX shell, with nothing that could move a cursor in it."""
    if text.isprintable():
        return shlex.quote(text)
    letters = (f"\\{c}" if c in "\\'" else c if c.isprintable() else f"\\U{ord(c):08x}" for c in text)
    return f"$'{''.join(letters)}'"


def _no_such_op(session: "Session", name: str, run: str, warehouse: str) -> InputError:
    sql = "SELECT DISTINCT unnest([name, canonical_name]) AS name FROM ops WHERE run = $run ORDER BY name"
    known: list[str] = session.query(sql, {"run": run}).table.column("name").to_pylist()
    near = get_close_matches(name, known, n=_FEW)
    meant = f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
    place = f"-p run {shell_word(run)} -w {shell_word(warehouse)}"
    hint = f"profdb query 'SELECT name FROM ops WHERE run = $run' {place}"
    return InputError(f"run {run!r} has no {f'op {name!r}' if known else 'ops'}{meant}", hint=hint)


def _example(question: Question) -> str:
    return question.text.replace(OP, "fusion.1")
