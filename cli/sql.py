"""`profdb sql`: the text of the views."""

from typing import Annotated

import typer

from . import diagnostics, output
from .diagnostics import ExitCode
from .options import DEFAULT_VIEWS, Format, OutputFile, OutputFormat, Views
from .schema import find, relations

app = typer.Typer(help="Read the SQL that every number comes from.", rich_markup_mode=None)


@app.callback(invoke_without_command=True)
def _group(ctx: typer.Context) -> None:
    if ctx.invoked_subcommand is None:
        diagnostics.text(ctx.get_help())
        raise typer.Exit(ExitCode.USAGE)


@app.command("list", epilog="\b\nExample:\n  profdb sql list")
def list_views(
    format: OutputFormat = Format.TABLE, path: OutputFile = None, views: Views = DEFAULT_VIEWS
) -> None:
    """List the derived tables and views that have SQL to show."""
    import pyarrow as pa

    computed = [relation for relation in relations(views).values() if relation.kind in {"derived", "view"}]
    columns = {
        "name": pa.array([relation.name for relation in computed], pa.string()),
        "kind": pa.array([relation.kind for relation in computed], pa.string()),
        "version": pa.array([views for _ in computed], pa.string()),
        "grain": pa.array([relation.grain for relation in computed], pa.string()),
    }
    output.rows(pa.table(columns), format, path)


@app.command("show", epilog="\b\nExample:\n  profdb sql show hot_ops")
def show(
    name: Annotated[str, typer.Argument(metavar="NAME", help="A table or view.")],
    path: OutputFile = None,
    views: Views = DEFAULT_VIEWS,
) -> None:
    """Print the SQL of one table or view, with its comments."""
    output.text(find(name, views).sql, path)
