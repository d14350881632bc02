"""Whole, immutable objects under one root: a local folder or an fsspec URL.

Names are relative to the root, with forward slashes. An object appears whole or not at all, and `create`
never replaces one. Trouble with the disk or the store is an InputError; FileExistsError and
FileNotFoundError speak of the object alone.
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from ..sql.errors import InputError, ProfdbError


class Objects(Protocol):
    """What a warehouse asks of its storage."""

    def names(self, folder: str) -> list[str]:
        """Base names of what lies in a folder; a missing folder is an empty one."""

    def read(self, names: Sequence[str]) -> list[bytes]:
        """The objects' bytes; FileNotFoundError if one is missing."""

    def create(self, name: str, data: bytes) -> None:
        """Write a new object; FileExistsError if there is one, also if another process just won the race."""

    def move_in(self, local_file: Path, name: str) -> None:
        """Turn a finished local file into an object whose name nobody else uses; the file is gone after."""

    def delete(self, names: Iterable[str]) -> None:
        """Delete objects; missing ones are fine."""

    def uri(self, name: str) -> str:
        """What DuckDB is given to read the object."""

    def staging(self) -> contextlib.AbstractContextManager[Path]:
        """A temporary local folder for files on their way to `move_in`."""


def open_objects(root: str) -> Objects:
    """The storage under a local path, a file:// URL or any other fsspec URL; nothing is created."""
    if root.startswith(("file://", "local://")):
        root = root.partition("://")[2]
    if "://" in root:
        from .bucket import Bucket

        return Bucket(root)
    from .disk import Disk

    return Disk(root)


@contextlib.contextmanager
def told(what: str, foreign: type[Exception], *expected: type[Exception]) -> Iterator[None]:
    """Foreign errors become an InputError that says what could not be done, but for the expected ones."""
    try:
        yield
    except foreign as error:
        if isinstance(error, (ProfdbError, *expected)):
            raise
        reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
        hint = "-w DIR, a place that you can read and write"
        raise InputError(f"cannot {what}: {reason}", hint=hint) from error
