"""`profdb track`: whether a run got slower than it may, told by exit code and kept in the warehouse."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..sql.errors import InputError
from . import diagnostics, output
from .diagnostics import ExitCode
from .names import find_run
from .options import (
    DEFAULT_VIEWS,
    DEFAULT_WAREHOUSE,
    Assignments,
    Format,
    OutputFile,
    OutputFormat,
    Views,
    Warehouse,
    check_text,
    parameters,
    path_of,
)

if TYPE_CHECKING:
    import pyarrow as pa

EXAMPLE = """\b
Examples:
  profdb track main-4711 my-branch
  profdb track before after --set track_step_median_fail=0.1 --history history.jsonl
  profdb query "SELECT * FROM regressions WHERE verdict = 'fail'\""""

_SCREEN = "metric step_class before_value after_value delta_pct low_pct high_pct threshold_pct change verdict"
_OPS_ON_SCREEN = ["name", "phase", "region", "before_ps", "after_ps", "delta_ps", "delta_pct", "impact_pct"]
_MOST_OPS = 10
_EXITS = {"fail": ExitCode.REGRESSION, "cannot_tell": ExitCode.CANNOT_TELL}


def track(
    before: Annotated[str, typer.Argument(metavar="BEFORE", help="The run that is good enough.")],
    after: Annotated[str, typer.Argument(metavar="AFTER", help="The run to judge.")],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    label: Annotated[
        str | None, typer.Option(metavar="TEXT", help="A word that is kept with the verdict.")
    ] = None,
    evidence: Annotated[
        bool,
        typer.Option(
            "--evidence/--no-evidence",
            help="Whether a fail needs single steps that agree, or a threshold alone.",
        ),
    ] = True,
    history: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", parser=path_of("--history"), help="Append the verdict to FILE too, as JSON lines."
        ),
    ] = None,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
    assignments: Assignments = None,
) -> None:
    """Judge a run against another: pass, warn, fail (exit code 1) or cannot tell (exit code 4)."""
    import pyarrow as pa

    from ..sql import catalog
    from ..sql.engine import Settings
    from ..warehouse import track as tracking
    from ..warehouse.reader import open_session
    from ..warehouse.store import Warehouse as Store
    from ..warehouse.tables import arrow_schema

    output.check(path, format)
    if label is not None:
        check_text("--label", label)
    with open_session(warehouse, Settings(views=views, params=parameters(assignments))) as session:
        pair = (find_run(session, before, warehouse), find_run(session, after, warehouse))
        found = tracking.track(session, *pair, label=label, views=views, evidence=evidence)
    tracking.store(Store(warehouse), found.checks)
    checks = pa.Table.from_pylist(list(found.checks), schema=arrow_schema(catalog.tables()["regressions"]))
    if history is not None:
        _append(history, checks)
    if format is Format.TABLE:
        title = f"{pair[0]} -> {pair[1]}: {found.verdict.replace('_', ' ')}\n"
        output.report(title, _screen(found.checks, found.ops), path)
    else:
        output.rows(checks, format, path)
    if format is Format.TABLE and len(found.ops) > _MOST_OPS:
        left_out = len(found.ops) - _MOST_OPS
        diagnostics.note(f"{left_out} more ops changed; profdb compare --level op shows them")
    if found.verdict in _EXITS:
        raise typer.Exit(_EXITS[found.verdict])


def _screen(
    checks: tuple[dict[str, Any], ...], ops: tuple[dict[str, Any], ...]
) -> "list[tuple[str, pa.Table]]":
    """The checks and the ops that changed, for people."""
    import pyarrow as pa

    names = _SCREEN.split() + (["reason"] if any(check["reason"] for check in checks) else [])
    shown = [{name: _shown(check, name) for name in names} for check in checks]
    rows = pa.table({name: [row[name] for row in shown] for name in names})
    parts = [("Checks (track_checks): times grow by a part of themselves, shares by points.", rows)]
    if ops:
        columns = {name: [op[name] for op in ops[:_MOST_OPS]] for name in _OPS_ON_SCREEN}
        parts.append(("Ops that changed for sure (compare_ops):", pa.table(columns)))
    return parts


def _shown(check: dict[str, Any], name: str) -> Any:
    """A value of a check as a screen shows it: picoseconds and shares in their units, growth in percent."""
    from ..sql.reports.units import human

    if name.endswith("_pct"):
        value = check[name.removesuffix("_pct")]
        return None if value is None else 100 * value
    if name.endswith("_value") and check[name] is not None:
        unit = "ratio" if check["metric"].endswith("_share") else "ps"
        return human(f"value_{unit}", check[name])
    return check[name]


def _append(history: Path, checks: "pa.Table") -> None:
    """One write at the end of the file, so that writers beside each other do not mix their lines."""
    from .formats import encode

    try:
        handle = os.open(history, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(handle, encode(checks, Format.JSONL))
            os.fsync(handle)
        finally:
            os.close(handle)
    except OSError as error:
        raise InputError(f"cannot append to {history}: {error.strerror}", hint="--history FILE") from error
