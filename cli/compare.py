"""`profdb compare`: what changed from one run to another."""

import shlex
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from .. import __version__
from ..sql.errors import CannotTellError, ProfdbError
from ..sql.reports.sections import LEVELS, Section, compared
from . import output
from .names import find_run
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

SCREEN_ROWS = 5

EXAMPLE = """\b
Examples:
  profdb compare before after
  profdb compare before after --level op --top 20
  profdb compare before after --level region --format csv -o regions.csv
  profdb compare before after --format json --strict"""


class Level(StrEnum):
    """What op time is told by."""

    PHASE = "phase"
    FAMILY = "family"
    REGION = "region"
    COLLECTIVE = "collective"
    OP = "op"


_SECTIONS = {level: f"compare_{name}" for level, name in zip(Level, LEVELS, strict=True)}


def compare(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The run to compare with.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The run that may have changed.")],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    level: Annotated[
        Level | None,
        typer.Option("--level", help="What op time is told by; region where none is named."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST, metavar="ROWS", help=f"Rows each way; on a screen {SCREEN_ROWS}, else 25."
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse unlike runs, a capture that fails its checks, and one profile twice (exit code 4).",
        ),
    ] = False,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
    assignments: Assignments = None,
) -> None:
    """Compare two runs: what differs about them, step time, where it went, what got slower and faster."""
    from ..sql.engine import Settings
    from ..warehouse.reader import open_session

    if level is None and format not in (Format.TABLE, Format.JSON):
        raise ProfdbError(
            f"a comparison is several tables, which {format} cannot hold",
            hint=f"--format json, or --level region --format {format}",
        )
    output.check(path, format)
    params = parameters(assignments)
    if top is not None or format is Format.TABLE:
        params["top"] = top or SCREEN_ROWS
    with open_session(warehouse, Settings(views=views, params=params)) as session:
        pair = {"before": find_run(session, before, warehouse), "after": find_run(session, after, warehouse)}
        both = session.restricted(run=tuple(pair.values()))
        rows = both.query_all([part.sql for part in compared()], pair)
        tables = dict(zip(compared(), rows, strict=True))
        used = both.query("SELECT warmup_steps, top FROM params").table
    if strict:
        _refuse_a_bad_pair(_of(tables, "compare_differences"), pair)
    if format is Format.TABLE:
        parts = _screen(tables, level or Level.REGION)
        output.report(f"{pair['before']} -> {pair['after']}\n", parts, path)
    elif level is None:
        from ..sql.reports.document import render

        facts = {**pair, "profdb_version": __version__, "views": views}
        output.text(render("profdb.comparison", facts, used, tables), path)
    else:
        output.rows(_of(tables, _SECTIONS[level]), format, path)
    if not _of(tables, "compare_steps").num_rows:
        raise _nothing_compares(_of(tables, "compare_context"), pair, warehouse)


def _of(tables: "Mapping[Section, pa.Table]", name: str) -> "pa.Table":
    return next(table for part, table in tables.items() if part.name == name)


def _screen(tables: "Mapping[Section, pa.Table]", level: Level) -> "list[tuple[str, pa.Table]]":
    """Headings and rows: what differs, step time, where it went, and one level by the sign of its deltas."""
    parts = []
    for part, table in tables.items():
        heading = f"{part.title} ({part.view}): {part.note}"
        if part.name == _SECTIONS[level]:
            parts += [(f"{way}: {heading}", rows) for way, rows in _by_sign(table.select(list(part.brief)))]
        elif part.brief and part.name not in _SECTIONS.values():
            parts.append((heading, table.select(list(part.brief))))
    return parts


def _by_sign(table: "pa.Table") -> "list[tuple[str, pa.Table]]":
    """Rows that became slower, the worst first, and rows that became faster, the best first."""
    import pyarrow.compute as pc

    faster = table.filter(pc.field("delta_ps") < 0)
    order = [("step_class", "ascending"), ("delta_ps", "ascending")]
    return [("Regressed", table.filter(pc.field("delta_ps") > 0)), ("Improved", faster.sort_by(order))]


def _refuse_a_bad_pair(differences: "pa.Table", pair: Mapping[str, str]) -> None:
    bad = [row for row in differences.to_pylist() if row["problem"]]
    if bad:
        named = ", ".join(f"{row['problem']} ({row['key']}: {_both(row)})" for row in bad)
        raise CannotTellError(
            f"{pair['before']} and {pair['after']} are no fair pair: {named}",
            hint=f"profdb compare {_quoted(pair)}, without --strict",
        )


def _both(row: Mapping[str, str | None]) -> str:
    before, after = row["before_value"], row["after_value"]
    return str(before) if before == after else f"{before} and {after}"


def _nothing_compares(context: "pa.Table", pair: Mapping[str, str], warehouse: str) -> CannotTellError:
    """Why no time of the two runs compares."""
    (basis,) = [row for row in context.to_pylist() if row["key"] == "share_basis"]
    return CannotTellError(
        f"no times compare: {pair['before']} is measured by {basis['before_value']}, "
        f"{pair['after']} by {basis['after_value']}",
        hint=f"profdb summarize {shlex.quote(pair['after'])} -w {shlex.quote(warehouse)} --section quality",
    )


def _quoted(pair: Mapping[str, str]) -> str:
    return " ".join(map(shlex.quote, pair.values()))
