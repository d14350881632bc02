"""`profdb summarize`: what one run did, on one screen or as one document."""

import shlex
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..sql import catalog
from ..sql.errors import ProfdbError
from ..sql.reports.sections import Section, sections
from . import diagnostics, output
from .names import find_run, unknown
from .options import (
    DEFAULT_VIEWS,
    DEFAULT_WAREHOUSE,
    MOST,
    Assignments,
    Format,
    OutputFile,
    OutputFormat,
    Views,
    Warehouse,
    parameters,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from ..warehouse.reader import Session

SCREEN_ROWS = 5
SHORT_ROWS = 8
"""A table of so few rows is shown whole: the parts of a breakdown are to add up."""

EXAMPLE = """\b
Examples:
  profdb summarize
  profdb summarize my-run --format json -o summary.json
  profdb summarize my-run --section hot_ops --format csv --top 100
  profdb summarize my-run --section regions --explain"""


def summarize(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run; the newest where none is named.")
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    section: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this section, all of its columns.")
    ] = None,
    host: Annotated[str | None, typer.Option(metavar="HOST", help="Only what this host did.")] = None,
    device: Annotated[str | None, typer.Option(metavar="DEVICE", help="Only this device.")] = None,
    warmup_steps: Annotated[
        int | None,
        typer.Option(min=0, max=MOST, metavar="STEPS", help="First steps of a process that do not count."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, metavar="ROWS", help=f"Rows of a ranking; on a screen {SCREEN_ROWS}, else 25."
        ),
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="Print the queries, not their rows.")] = False,
    views: Views = DEFAULT_VIEWS,
    assignments: Assignments = None,
) -> None:
    """Summarize a run: quality first, then steps, time and ops."""
    from ..sql.engine import Settings
    from ..sql.reports.document import render
    from ..warehouse.reader import open_session

    chosen = _chosen(section)
    if explain:
        output.text("\n".join(map(_explained, chosen)), path)
        return
    if section is None and format not in (Format.TABLE, Format.JSON):
        raise ProfdbError(
            f"a summary is several tables, which {format} cannot hold",
            hint=f"--format json, or --section hot_ops --format {format}",
        )
    output.check(path, format)
    brief = section is None and format is Format.TABLE
    if brief:
        chosen = tuple(part for part in chosen if part.brief)
    params = parameters(assignments)
    if warmup_steps is not None:
        params["warmup_steps"] = warmup_steps
    if top is not None or brief:
        params["top"] = top or SCREEN_ROWS
    with open_session(warehouse, Settings(views=views, params=params)) as session:
        named = find_run(session, run, warehouse)
        restricted = _restricted(session, named, host, device)
        rows = restricted.query_all([part.sql for part in chosen], {"run": named})
        tables = dict(zip(chosen, rows, strict=True))
        used = restricted.query("SELECT warmup_steps, top FROM params").table
    if warmup_steps is not None:
        _tell_of_warmup(restricted, named, warmup_steps)
    if section is not None:
        output.rows(tables[chosen[0]], format, path)
        if not tables[chosen[0]].num_rows:
            needed = catalog.relations(views)[chosen[0].view].needs
            diagnostics.note(chosen[0].empty or f"no rows; the section needs {needed}")
    elif brief:
        output.report(
            f"{named}\n", [_brief(part, table, top or SCREEN_ROWS) for part, table in tables.items()], path
        )
    else:
        facts = {"run": named, "profdb_version": __version__, "views": views, "host": host, "device": device}
        output.text(render("profdb.summary", facts, used, tables), path)


def _restricted(session: "Session", run: str, host: str | None, device: str | None) -> "Session":
    """The session of one run, and of one host or device where one is named."""
    only = {"run": run}
    known = session.restricted(**only).query("SELECT host, device FROM devices").table
    for column, value in (("host", host), ("device", device)):
        if value is not None:
            names = known.column(column).to_pylist()
            if value not in names:
                raise unknown(
                    column, value, names, hint=f"profdb summarize {shlex.quote(run)} --section devices"
                )
            only[column] = value
    return session.restricted(**only)


def _tell_of_warmup(session: "Session", run: str, steps: int) -> None:
    """Say where leaving out the first steps changed nothing, or left nothing that could count."""
    (facts,) = session.query(
        "SELECT step_source, step_basis, step_count FROM run_summary WHERE run = $run", {"run": run}
    ).table.to_pylist()
    if facts["step_source"] == "module":
        diagnostics.note(
            "--warmup-steps changes nothing: the steps are program executions, numbered from the start of "
            "the capture and not of the process"
        )
    elif facts["step_basis"] == "whole":
        diagnostics.note(f"no step is steady with --warmup-steps {steps}; the numbers are of the whole steps")


def _brief(part: Section, table: "pa.Table", most_rows: int) -> tuple[str, "pa.Table"]:
    """Heading and rows of a section on a screen: short tables whole, of one row what is known."""
    heading, shown = f"{part.title} ({part.view}): {part.note}", table.select(list(part.brief))
    if part.is_record and len(shown):
        unknown = [name for name in shown.column_names if shown[name].null_count]
        shown = shown.drop_columns(unknown)
        heading += f" Not known: {', '.join(unknown)}." if unknown else ""
    if len(shown) > max(SHORT_ROWS, most_rows):
        heading += f" The first {most_rows} of {len(shown)} rows."
        shown = shown.slice(0, most_rows)
    return heading, shown


def _explained(part: Section) -> str:
    return f"-- {part.title}: {part.note}\n{part.sql};\n"


def _chosen(name: str | None) -> tuple[Section, ...]:
    found = tuple(part for part in sections() if name in (None, part.name))
    if not found:
        names = ", ".join(part.name for part in sections())
        raise ProfdbError(f"there is no section {name!r}; there are {names}", hint="--section hot_ops")
    return found
