"""`profdb ingest`: profile files into a warehouse."""

from typing import TYPE_CHECKING, Annotated

import typer

from . import diagnostics, output
from .diagnostics import ExitCode
from .options import DEFAULT_WAREHOUSE, MOST, Format, OutputFile, OutputFormat, Warehouse, pairs

if TYPE_CHECKING:
    import pyarrow as pa

    from ..warehouse.ingest import IngestReport

EXAMPLE = """\b
Examples:
  profdb ingest /tmp/profile
  profdb ingest logs/*/plugins/profile/* --tag branch=main --expect-hosts 4"""


def ingest(
    *,
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE", help="A file, session folder, log dir, run folder or glob."),
    ],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    run: Annotated[
        str | None, typer.Option(metavar="NAME", help="Handle of the run, where the sources are one run.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="KEY=VALUE", help="A tag of the run; repeatable.")
    ] = None,
    expect_hosts: Annotated[
        int | None,
        typer.Option(min=1, max=MOST, metavar="N", help="Hosts that the run used; fewer make it partial."),
    ] = None,
    replace: Annotated[bool, typer.Option("--replace", help="Replace a run of the same handle.")] = False,
    no_host_events: Annotated[
        bool,
        typer.Option("--no-host-events", help="Leave out host thread events, most of the bytes."),
    ] = False,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
) -> None:
    """Ingest profiles; what is already in the warehouse is left as it is."""
    from ..warehouse.ingest import UnreadableError
    from ..warehouse.ingest import ingest as ingest_sources

    output.check(path, format)
    try:
        with diagnostics.progress("ingest") as progress:
            report = ingest_sources(
                sources,
                warehouse,
                run=run,
                tags=pairs("--tag", tags or []),
                expect_hosts=expect_hosts,
                replace=replace,
                host_events=not no_host_events,
                progress=progress,
            )
    except UnreadableError as error:
        for refused in error.refused:
            diagnostics.error(refused.message, refused.hint)
        raise typer.Exit(ExitCode.INPUT) from None
    tell(report)
    output.rows(as_table(report), format, path)
    if report.refused:
        raise typer.Exit(ExitCode.INPUT)


def tell(report: "IngestReport") -> None:
    """Say on stderr what was skipped or refused, what is worth knowing of each run, and the totals."""
    for skipped, why in report.skipped:
        diagnostics.note(f"skipped {skipped}: {why}")
    for refused in report.refused:
        diagnostics.error(refused.message, refused.hint)
    for run in report.runs:
        for line in run.notes:
            diagnostics.note(f"{run.run}: {line}")
    diagnostics.summary(totals(report))


def totals(report: "IngestReport") -> str:
    """One line: runs, hosts, devices, events, seconds, bytes in and stored."""
    from ..sql.reports.units import human

    new = [run for run in report.runs if run.status != "unchanged"]
    known = len(report.runs) - len(new)
    if not new:
        return (
            f"nothing new: {_counted(known, 'run')} {'is' if known == 1 else 'are'} in the warehouse already"
        )
    counts = [
        _counted(len(new), "run"),
        _counted(sum(run.hosts for run in new), "host"),
        _counted(sum(run.devices for run in new), "device"),
        _counted(sum(run.events for run in new), "event"),
    ]
    seconds = sum(run.seconds for run in new)
    bytes_in = human("_bytes", sum(run.bytes_in for run in new))
    stored = human("_bytes", sum(run.bytes_stored for run in new))
    rest = f"; {_counted(known, 'run')} unchanged" if known else ""
    return f"ingested {', '.join(counts)} in {seconds:.1f} s ({bytes_in} in, {stored} stored){rest}"


def as_table(report: "IngestReport") -> "pa.Table":
    """One row per run of the report. An unchanged run was not read again: its counts are NULL."""
    import pyarrow as pa

    runs = report.runs
    read = [run.status != "unchanged" for run in runs]
    columns = {
        "run": pa.array([run.run for run in runs], pa.string()),
        "status": pa.array([run.status for run in runs], pa.string()),
        "host_count": pa.array([run.hosts for run in runs], pa.int64()),
        "device_count": pa.array(_where(read, [run.devices for run in runs]), pa.int64()),
        "event_count": pa.array(_where(read, [run.events for run in runs]), pa.int64()),
        "source_bytes": pa.array([run.bytes_in for run in runs], pa.int64()),
        "stored_bytes": pa.array(_where(read, [run.bytes_stored for run in runs]), pa.int64()),
        "seconds": pa.array([round(run.seconds, 3) for run in runs], pa.float64()),
    }
    return pa.table(columns)


def _where(known: list[bool], values: list[int]) -> list[int | None]:
    return [value if is_known else None for is_known, value in zip(known, values, strict=True)]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
