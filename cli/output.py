"""Everything that a command answers: the only module of the command line that writes to stdout.

`-o FILE` and `> FILE` give the same bytes; FILE appears whole or not at all.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..sql.errors import InputError, ProfdbError
from . import diagnostics
from .options import Format

if TYPE_CHECKING:
    import pyarrow as pa

PROSE = frozenset({"evidence", "grain", "meaning", "remedy", "sentence", "try_next"})
"""Columns that hold sentences: tables for people wrap them."""
_BINARY = (Format.PARQUET, Format.ARROW)


def rows(table: "pa.Table", format: Format, path: Path | None) -> None:
    """Write `table` in `format` to `path`, or to stdout where that is None.

    A table for people wraps sentences and shortens other long cells.
    """
    on_terminal = path is None and sys.stdout is not None and sys.stdout.isatty()
    if on_terminal and format in _BINARY:
        raise ProfdbError(f"{format} is binary and stdout is a terminal", hint=f"-o FILE.{format}")
    if format is not Format.TABLE:
        from .formats import encode

        _write(encode(table, format), path)
        return
    from .display import render

    rendered = render(table, shutil.get_terminal_size().columns if on_terminal else None, PROSE)
    _write(rendered.text.encode(), path)
    _tell_what_is_left_out(rendered.shortened_cells, rendered.hidden_columns)


def report(title: str, parts: "Sequence[tuple[str, pa.Table]]", path: Path | None) -> None:
    """Write several tables for people, each under its heading; one without rows is left out."""
    from .display import render

    on_terminal = path is None and sys.stdout is not None and sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if on_terminal else None
    shown = [(heading, render(table, width, PROSE)) for heading, table in parts if table.num_rows]
    _write("\n".join([title, *(f"{heading}\n\n{part.text}" for heading, part in shown)]).encode(), path)
    _tell_what_is_left_out(
        sum(part.shortened_cells for _, part in shown), sum(part.hidden_columns for _, part in shown)
    )


def text(content: str, path: Path | None = None) -> None:
    """Write ready text, such as a view's SQL, as it is."""
    _write(content.encode(), path)


def _tell_what_is_left_out(cells: int, columns: int) -> None:
    whole = "--format csv shows all"
    if columns:
        diagnostics.note(f"{columns} {'column does' if columns == 1 else 'columns do'} not fit; {whole}")
    if cells:
        diagnostics.note(f"{cells} long {'cell is' if cells == 1 else 'cells are'} shortened; {whole}")


def _write(data: bytes, path: Path | None) -> None:
    if path is None:
        _to_stdout(data)
    else:
        _to_file(data, path)


def _to_stdout(data: bytes) -> None:
    if sys.stdout is None:
        raise InputError("stdout is closed", hint="-o FILE")
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _drop_stdout()
        raise typer.Exit(diagnostics.ExitCode.OK) from None  # the reader has what it wanted
    except OSError as e:
        _drop_stdout()
        raise InputError(f"cannot write to stdout: {e.strerror}") from e


def _drop_stdout() -> None:
    """Let the interpreter flush what is left to nowhere at exit, so that it does not complain once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _to_file(data: bytes, path: Path) -> None:
    try:
        target = Path(os.path.realpath(path))  # a link stays a link
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a pipe or a device: there is nothing to replace
        else:
            _replace(target, data)
    except OSError as e:
        hint = f"mkdir -p {path.parent}" if not path.parent.exists() else None
        raise InputError(f"cannot write {path}: {e.strerror}", hint=hint) from e


def _replace(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(handle)
        os.chmod(name, mode)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
