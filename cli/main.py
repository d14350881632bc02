"""`profdb`: the command tree, and the one place where an error becomes a message and an exit code."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer
from typer.exceptions import TyperException

from .. import __version__
from ..sql.errors import ProfdbError, StatementError
from . import (
    capture,
    compare,
    demo,
    diagnostics,
    ingest,
    output,
    query,
    report,
    runs,
    schema,
    sql,
    summarize,
    tables,
    track,
)
from .diagnostics import EXIT_MEANINGS, ExitCode

_EXIT_CODES = "\b\nExit codes:\n" + "\n".join(f"  {code:<4}{text}" for code, text in EXIT_MEANINGS.items())

app = typer.Typer(
    name="profdb",
    help="A warehouse for captured accelerator profiles: profiles in, SQL out.",
    epilog=_EXIT_CODES,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("ingest", epilog=ingest.EXAMPLE)(ingest.ingest)
app.command("query", epilog=query.EXAMPLE, cls=query.QueryCommand)(query.query)
app.command("summarize", epilog=summarize.EXAMPLE)(summarize.summarize)
app.command("report", epilog=report.EXAMPLE)(report.report)
app.command("compare", epilog=compare.EXAMPLE)(compare.compare)
app.command("track", epilog=track.EXAMPLE)(track.track)
app.command("runs", epilog=runs.EXAMPLE)(runs.runs)
app.command("tables", epilog=tables.EXAMPLE)(tables.tables)
app.command("schema", epilog=schema.EXAMPLE)(schema.schema)
app.add_typer(sql.app, name="sql")
app.command("capture", epilog=capture.EXAMPLE, cls=capture.CaptureCommand)(capture.capture)
app.command("demo", epilog=demo.EXAMPLE)(demo.demo)


def _print_version(wanted: bool) -> None:
    if wanted:
        output.text(f"profdb {__version__}\n")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _root(
    ctx: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version.")
    ] = False,
) -> None:
    if ctx.invoked_subcommand is None:
        diagnostics.text(ctx.get_help())
        raise typer.Exit(ExitCode.USAGE)


def main() -> None:
    """Run `profdb` with the process's arguments and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code; what went wrong is said on stderr, never raised."""
    interrupts: list[int] = []
    try:
        with _interrupts_noted(interrupts):
            command = typer.main.get_command(app)
            status = command.main(list(arguments), prog_name="profdb", standalone_mode=False)
    except SystemExit:  # Typer's answer to a reader of --help that closed the pipe
        return ExitCode.OK
    except KeyboardInterrupt:
        status = ExitCode.INTERRUPTED
    except Exception as e:
        if not interrupts and os.environ.get("PROFDB_TRACEBACK"):
            raise
        status = ExitCode.INTERRUPTED if interrupts else _explain(e, arguments)
    if status == ExitCode.INTERRUPTED:
        diagnostics.summary("interrupted")
    return status if isinstance(status, int) else ExitCode.OK


@contextmanager
def _interrupts_noted(interrupts: list[int]) -> Iterator[None]:
    """Note each Ctrl-C: a library that is interrupted may turn it into an error of its own."""
    before = signal.getsignal(signal.SIGINT)

    def note(number: int, _: object) -> None:
        interrupts.append(number)
        raise KeyboardInterrupt

    if before is not signal.default_int_handler or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _explain(e: Exception, arguments: Sequence[str]) -> int:
    if isinstance(e, ProfdbError):
        diagnostics.error(e.message, e.hint, keep="\n" if isinstance(e, StatementError) else "")
        return e.exit_code
    if isinstance(e, TyperException):
        diagnostics.error(_wrong_usage(e), _usage_hint(e, arguments))
        return ExitCode.USAGE
    if isinstance(e, OSError):
        where = f"{e.filename}: " if e.filename else ""
        diagnostics.error(f"{where}{e.strerror or e}")
        return ExitCode.INPUT
    if isinstance(e, MemoryError):
        diagnostics.error("out of memory", "--memory-limit 2GB")
        return ExitCode.INPUT
    diagnostics.error(
        f"profdb itself failed: {type(e).__name__}: {e}", "PROFDB_TRACEBACK=1 before the command shows where"
    )
    return ExitCode.DEFECT


def _wrong_usage(e: TyperException) -> str:
    """Typer's sentence, with the value where it leaves that out."""
    message = e.format_message().rstrip(".").replace("Value error, ", "")
    errors = getattr(e.__cause__, "errors", None)  # of pydantic, which Typer converts values with
    if errors is None:
        return message
    value = repr(errors()[0]["input"])
    return message if value in message else message.replace("Invalid value", f"Invalid value {value}", 1)


def _usage_hint(e: TyperException, arguments: Sequence[str]) -> str:
    command: Any = typer.main.get_command(app)
    path = ["profdb"]
    for name in arguments:
        command = getattr(command, "commands", {}).get(name)
        if command is None:
            break
        path.append(name)
    if path[-1] == "query" and " " in getattr(e, "option_name", ""):
        return 'profdb query -- "SQL", or profdb query -f FILE'
    return f"{' '.join(path)} --help"
