"""`profdb report`: a run as a document to read, to publish or to act on."""

from enum import StrEnum
from typing import Annotated

import typer

from .. import __version__
from . import output
from .names import find_run
from .options import (
    DEFAULT_VIEWS,
    DEFAULT_WAREHOUSE,
    Assignments,
    OutputFile,
    Views,
    Warehouse,
    parameters,
)

EXAMPLE = """\b
Examples:
  profdb report my-run --format html -o report.html
  profdb report my-run >> "$GITHUB_STEP_SUMMARY"
  profdb report my-run --format json --set top=100"""


class ReportFormat(StrEnum):
    """What a report is written as."""

    MARKDOWN = "markdown"
    HTML = "html"
    JSON = "json"


def report(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="The run; the newest where none is named.")
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    format: Annotated[
        ReportFormat,
        typer.Option(
            "--format",
            help="markdown fits a GitHub step summary, html is one file with charts, json has exact numbers.",
        ),
    ] = ReportFormat.MARKDOWN,
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
    assignments: Assignments = None,
) -> None:
    """Report on a run: quality first, then where its numbers come from, steps, time and ops."""
    from ..sql.engine import Settings
    from ..sql.reports import document, html, markdown
    from ..sql.reports.report import Report
    from ..sql.reports.sections import sections
    from ..warehouse.reader import open_session

    with open_session(warehouse, Settings(views=views, params=parameters(assignments))) as session:
        named = find_run(session, run, warehouse)
        alone = session.restricted(run=named)
        rows = alone.query_all([part.sql for part in sections()], {"run": named})
        used = alone.query("SELECT warmup_steps, top FROM params").table
    tables = dict(zip(sections(), rows, strict=True))
    facts = {"profdb_version": __version__, "views": views, "host": None, "device": None}
    if format is ReportFormat.JSON:
        text = document.render("profdb.report", {"run": named, **facts}, used, tables)
    else:
        renderer = markdown if format is ReportFormat.MARKDOWN else html
        text = renderer.render(Report(named, facts, tables))
    output.text(text, path)
