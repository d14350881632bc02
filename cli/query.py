"""`profdb query`: one SELECT over the tables and views of a warehouse, or a question in words."""

import re
import shlex
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from ..sql.errors import InputError, ProfdbError
from . import diagnostics, output
from .diagnostics import ExitCode
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
    check_text,
    parameters,
    path_of,
)
from .question import SCREEN_ROWS, answer_question

TABLE_LIMIT = 50
_COMMENT = re.compile(r"--(?![\w-]+=).*\n")

EXAMPLE = """\b
Examples:
  profdb query 'SELECT step_num, duration_ps FROM step_time WHERE run = $run' -p run demo
  profdb query -f hot.sql --format csv -o hot.csv
  echo 'SELECT count(*) FROM op_events' | profdb query -
  profdb query --question 'what is slow in the backward pass?' --run demo"""


class QueryCommand(TyperCommand):
    """A command whose repeatable option `-p` takes two values, which Typer's annotations cannot say."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        next(param for param in self.params if param.name == "parameter").nargs = 2

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse; SQL that begins with a comment looks like an option, so it goes behind a `--`."""
        values = {
            name: param.nargs
            for param in self.params
            if param.param_type_name == "option" and not getattr(param, "is_flag", False)
            for name in param.opts
        }
        at = 0
        while at < len(args) and args[at] != "--":
            if _COMMENT.match(args[at]):
                args = [*args[:at], *args[at + 1 :], "--", args[at]]
                break
            at += 1 + values.get(args[at], 0)
        return super().parse_args(ctx, args)


def query(
    *,
    statement: Annotated[
        str | None, typer.Argument(metavar="SQL", help="One SELECT; - reads it from stdin.")
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option("--file", "-f", metavar="FILE", parser=path_of("-f"), help="Read the SQL from FILE."),
    ] = None,
    parameter: Annotated[
        list[Any] | None,
        typer.Option("--param", "-p", metavar="NAME VALUE", help="Value of $NAME in the SQL; repeatable."),
    ] = None,
    warehouse: Warehouse = DEFAULT_WAREHOUSE,
    format: OutputFormat = Format.TABLE,
    path: OutputFile = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=-1,
            max=MOST,
            metavar="ROWS",
            show_default=False,
            help=f"Most rows: -1 all, 0 the header only. Default: tables {TABLE_LIMIT}, other formats all.",
        ),
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(min=0.001, max=1_000_000, metavar="SECONDS", help="Give up after so long.")
    ] = None,
    memory_limit: Annotated[
        str | None, typer.Option(metavar="SIZE", help="Most memory for the query, for example 4GB.")
    ] = None,
    question: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="A common question in words, instead of SQL; list tells what can be asked."
        ),
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="The run that a question is about; the newest where none is named."),
    ] = None,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MOST,
            metavar="ROWS",
            help=f"Rows of a question's ranking; as a table {SCREEN_ROWS}, else 25.",
        ),
    ] = None,
    views: Views = DEFAULT_VIEWS,
    assignments: Assignments = None,
) -> None:
    """Answer one SELECT over tables and views, or a question in words."""
    from ..sql.engine import Settings
    from ..warehouse.reader import open_session

    output.check(path, format)
    _refuse_mixtures(question, statement, file, parameter, run, top)
    if limit is None:
        limit = TABLE_LIMIT if format is Format.TABLE else -1
    most_rows = None if limit < 0 else limit
    settings = Settings(
        views=views,
        params=parameters(assignments),
        memory_limit=memory_limit,
        timeout_s=timeout,
    )
    if question is not None:
        truncated, code = answer_question(question, run, top, warehouse, settings, format, path, most_rows)
    else:
        sql, code = _read_statement(statement, file), ExitCode.OK
        with open_session(warehouse, settings) as session:
            result = session.query(sql, _parameters(parameter or []), most_rows)
        output.rows(result.table, format, path)
        truncated = result.truncated
    if truncated:
        diagnostics.note(f"only the first {limit} rows are shown; --limit -1 shows all")
    if code != ExitCode.OK:
        raise typer.Exit(code)


def _refuse_mixtures(
    question: str | None,
    statement: str | None,
    file: Path | None,
    parameter: list[Any] | None,
    run: str | None,
    top: int | None,
) -> None:
    """SQL and a question are two things, and so are their options."""
    if question is None:
        if run is not None:
            raise ProfdbError(f"--run {run!r} goes with --question", hint="WHERE run = $run, with -p run RUN")
        if top is not None:
            raise ProfdbError(f"--top {top} goes with --question", hint=f"LIMIT {top}")
        return
    for name, given in {"SQL": statement, "-f": file, "-p": parameter}.items():
        if given:
            raise ProfdbError(
                f"--question {question!r} and {name} were given; a query is one of them",
                hint="profdb query --question TEXT --run RUN",
            )


def _read_statement(statement: str | None, file: Path | None) -> str:
    if (statement is None) == (file is None):
        what = "no SQL was given" if statement is None else "SQL was given twice, as an argument and by -f"
        raise ProfdbError(what, hint='profdb query "SELECT * FROM runs"')
    source = "-" if statement == "-" else file
    if source is None:
        return str(statement)
    try:
        data = sys.stdin.buffer.read() if str(source) == "-" else Path(source).read_bytes()
        text = data.decode("utf-8-sig")
    except OSError as e:
        raise InputError(f"cannot read {source}: {e.strerror}", hint="-f FILE, or -f - for stdin") from e
    except UnicodeDecodeError as e:
        hint = f"iconv -f latin1 -t utf-8 {shlex.quote(str(source))} | profdb query -"
        raise InputError(f"{source} is not UTF-8 text: byte {e.start}", hint=hint) from e
    if text.lstrip().startswith(("{", "[")):
        hint = "profdb ingest LOGDIR, with the profile that it was made from"
        raise InputError(f"{source} holds JSON and no SQL: a summary or report cannot be queried", hint=hint)
    return text


def _parameters(given: list[Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in given:
        check_text("-p", f"{name} {value}")
        if name in found:
            raise ProfdbError(f"parameter {name!r} was given twice", hint=f"-p {name} VALUE, once")
        found[name] = value
    return found
