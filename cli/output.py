"""Everything that a command answers: the only module of the command line that writes to stdout.

`-o FILE` and `> FILE` give the same bytes; FILE appears whole or not at all.
"""

import errno
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ..sql.errors import InputError, ProfdbError
from ..sql.reports.text import PROSE
from . import diagnostics
from .options import Format

if TYPE_CHECKING:
    import pyarrow as pa

    from .display import Rendered

_BINARY = (Format.PARQUET, Format.ARROW)


def rows(table: "pa.Table", format: Format, path: Path | None) -> None:
    """Write `table` in `format` to `path`, or to stdout where that is None.

    A table for people wraps sentences and shortens other long cells.
    """
    if path is None:
        _check_stdout(format)
    if format is not Format.TABLE:
        from .formats import encode

        _write(encode(table, format), path)
        return
    from .display import render

    rendered = render(table, _width(path), PROSE)
    _write(rendered.text.encode(), path)
    _tell_what_is_left_out([rendered])


def report(title: str, parts: "Sequence[tuple[str, pa.Table]]", path: Path | None, end: str = "") -> None:
    """Write several tables for people, each under its heading; one without rows is left out."""
    from .display import render

    shown = [(heading, render(table, _width(path), PROSE)) for heading, table in parts if table.num_rows]
    texts = [title, *(f"{heading}\n\n{part.text}" for heading, part in shown), *([end] if end else [])]
    _write("\n".join(texts).encode(), path)
    _tell_what_is_left_out([part for _, part in shown])


def text(content: str, path: Path | None = None) -> None:
    """Write ready text, such as a view's SQL, as it is."""
    _write(content.encode(), path)


def check(path: Path | None, format: Format = Format.TABLE) -> None:
    """Raise now what would keep rows in `format` from being written to `path` (None: to stdout) later.

    For commands that change something or take long before they write.
    """
    if path is None:
        _check_stdout(format)
        return
    with _told(path) as target:
        if target.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        if target.is_file() or not target.exists():
            tempfile.TemporaryFile(dir=target.parent).close()


def _check_stdout(format: Format) -> None:
    if sys.stdout is None:
        raise InputError("stdout is closed", hint="-o FILE")
    if sys.stdout.isatty() and format in _BINARY:
        raise ProfdbError(f"{format} is binary and stdout is a terminal", hint=f"-o FILE.{format}")


def _width(path: Path | None) -> int | None:
    """Columns of the terminal; None where the text goes elsewhere."""
    on_terminal = path is None and sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size().columns if on_terminal else None


def _tell_what_is_left_out(shown: "Sequence[Rendered]") -> None:
    whole = "--format csv shows all"
    cells = sum(part.shortened_cells for part in shown)
    columns = list(dict.fromkeys(name for part in shown for name in part.hidden_columns))
    if columns:
        verb = "column does" if len(columns) == 1 else "columns do"
        diagnostics.note(f"{len(columns)} {verb} not fit: {', '.join(columns)}; {whole}")
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
        raise InputError(f"cannot write to stdout: {e.strerror}", hint="-o FILE") from e


def _drop_stdout() -> None:
    """Let the interpreter flush what is left to nowhere at exit, so that it does not complain once more."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)


def _to_file(data: bytes, path: Path) -> None:
    with _told(path) as target:
        if target.exists() and not target.is_file():
            target.write_bytes(data)  # a pipe or a device: there is nothing to replace
        else:
            _replace(target, data)


@contextmanager
def _told(path: Path) -> Iterator[Path]:
    """What to write for `path`; trouble with it becomes an InputError."""
    try:
        yield Path(os.path.realpath(path))  # a link stays a link
    except (OSError, ValueError) as e:  # ValueError: a NUL in the name
        is_missing = isinstance(e, FileNotFoundError)
        hint = f"mkdir -p {shlex.quote(str(path.parent))}" if is_missing else "-o FILE, in a folder of yours"
        reason = (isinstance(e, OSError) and e.strerror) or e
        raise InputError(f"cannot write {path}: {reason}", hint=hint) from e


def _replace(target: Path, data: bytes) -> None:
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
    handle, name = tempfile.mkstemp(prefix=".profdb-", dir=target.parent)
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
