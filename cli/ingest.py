"""`profdb ingest`: profile files into a warehouse."""

from typing import TYPE_CHECKING, Annotated

import typer

from . import diagnostics, output
from .diagnostics import ExitCode
from .options import DEFAULT_WAREHOUSE, Format, OutputFile, OutputFormat, Warehouse, pairs

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
        typer.Argument(metavar="SOURCE...", help="A file, session folder, log dir, run folder or glob."),
    ],
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    run: Annotated[
        str | None, typer.Option(metavar="NAME", help="Handle of the run, where the sources are one run.")
    ] = None,
    tags: Annotated[
        list[str] | None, typer.Option("--tag", metavar="KEY=VALUE", help="A tag of the run; repeatable.")
    ] = None,
    expect_hosts: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Hosts that the run used; fewer make it partial.")
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
    from ..warehouse.ingest import ingest as ingest_sources

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
    tell(report)
    if report.runs:
        output.rows(as_table(report), format, path)
    else:
        raise typer.Exit(ExitCode.INPUT)


def tell(report: "IngestReport") -> None:
    """Say on stderr what was skipped, what is worth knowing of each run, and the totals."""
    for skipped, why in report.skipped:
        diagnostics.note(f"skipped {skipped}: {why}")
    for run in report.runs:
        for line in run.notes:
            diagnostics.note(f"{run.run}: {line}")
    diagnostics.summary(totals(report))


def totals(report: "IngestReport") -> str:
    """One line: runs, hosts, devices, events, seconds, bytes in and stored."""
    if not report.runs:
        return "nothing to ingest was found"
    from .display import human

    runs = report.runs
    counts = [
        _counted(len(runs), "run"),
        _counted(sum(run.hosts for run in runs), "host"),
        _counted(sum(run.devices for run in runs), "device"),
        _counted(sum(run.events for run in runs), "event"),
    ]
    seconds = sum(run.seconds for run in runs)
    bytes_in, stored = (human("_bytes", sum(bytes)) for bytes in zip(*_bytes(report), strict=True))
    unchanged = sum(run.status == "unchanged" for run in runs)
    known = f", {unchanged} of them already there" if unchanged else ""
    return f"ingested {', '.join(counts)} in {seconds:.1f} s ({bytes_in} in, {stored} stored){known}"


def as_table(report: "IngestReport") -> "pa.Table":
    """One row per run of the report."""
    import pyarrow as pa

    columns = {
        "run": pa.array([run.run for run in report.runs], pa.string()),
        "status": pa.array([run.status for run in report.runs], pa.string()),
        "host_count": pa.array([run.hosts for run in report.runs], pa.int64()),
        "device_count": pa.array([run.devices for run in report.runs], pa.int64()),
        "event_count": pa.array([run.events for run in report.runs], pa.int64()),
        "source_bytes": pa.array([run.bytes_in for run in report.runs], pa.int64()),
        "stored_bytes": pa.array([run.bytes_stored for run in report.runs], pa.int64()),
        "seconds": pa.array([run.seconds for run in report.runs], pa.float64()),
    }
    return pa.table(columns)


def _bytes(report: "IngestReport") -> list[tuple[int, int]]:
    return [(run.bytes_in, run.bytes_stored) for run in report.runs]


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
