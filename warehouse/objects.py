"""Whole, immutable objects under one root: a local folder or an fsspec URL.

Names are relative to the root, with forward slashes. An object appears whole or not at all, and `create`
never replaces one. Trouble with the disk or the store is an InputError; FileExistsError and
FileNotFoundError speak of the object alone.
"""

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

from ..sql.errors import InputError, ProfdbError

_TEMP = "_tmp"
_LEFTOVER_SECONDS = 24 * 3600
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
# Stores known to create exclusively, and the extra that reaches them. On others two commits could both win.
_EXTRA = {"gs": "gcs", "gcs": "gcs", "s3": "s3", "s3a": "s3", "memory": "all"}
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


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
    return RemoteObjects(root) if "://" in root else LocalObjects(root)


@contextlib.contextmanager
def _told(what: str, foreign: type[Exception], *expected: type[Exception]) -> Iterator[None]:
    """Foreign errors become an InputError that says what could not be done, but for the expected ones."""
    try:
        yield
    except foreign as error:
        if isinstance(error, (ProfdbError, *expected)):
            raise
        reason = (isinstance(error, OSError) and error.strerror) or str(error) or type(error).__name__
        raise InputError(f"cannot {what}: {reason}") from error


class LocalObjects:
    """Objects as plain files; temporary ones lie in ROOT/_tmp, on the same disk."""

    def __init__(self, root: str) -> None:
        self._root = Path(os.path.abspath(os.path.expanduser(root)))

    def names(self, folder: str) -> list[str]:
        with _told(f"list {self.uri(folder)}", OSError):
            try:
                return os.listdir(self._root / folder)
            except (FileNotFoundError, NotADirectoryError):
                return []

    def read(self, names: Sequence[str]) -> list[bytes]:
        with _told(f"read the warehouse {self._root}", OSError, FileNotFoundError):
            return [(self._root / name).read_bytes() for name in names]

    def create(self, name: str, data: bytes) -> None:
        target = self._root / name
        with _told(f"write {target}", OSError, FileExistsError):
            temp = _make_folder(self._root / _TEMP) / secrets.token_hex(8)
            _make_folder(target.parent)
            try:
                with open(temp, "xb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
                _link_or_rename(temp, target)
            finally:
                temp.unlink(missing_ok=True)
            _sync_folder(target.parent)

    def move_in(self, local_file: Path, name: str) -> None:
        target = self._root / name
        with _told(f"write {target}", OSError):
            _make_folder(target.parent)
            _sync_file(local_file)
            try:
                os.rename(local_file, target)
            except OSError as error:
                if error.errno != errno.EXDEV:
                    raise
                copy = target.with_suffix(".part")  # on the target's disk, where a rename is whole
                shutil.copyfile(local_file, copy)
                _sync_file(copy)
                os.rename(copy, target)
                local_file.unlink()
            _sync_folder(target.parent)

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            with _told(f"delete {self.uri(name)}", OSError):
                (self._root / name).unlink(missing_ok=True)

    def uri(self, name: str) -> str:
        return str(self._root / name)

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        with _told(f"write {self._root / _TEMP}", OSError):
            parent = _make_folder(self._root / _TEMP)
            _sweep(parent, older_than=time.time() - _LEFTOVER_SECONDS)
            folder = parent / secrets.token_hex(8)
            folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


class RemoteObjects:
    """Objects of an fsspec file system that creates exclusively: gs://, s3://, memory://."""

    def __init__(self, root: str) -> None:
        import fsspec

        protocol = root.partition("://")[0]
        if protocol not in _EXTRA:
            known = ", ".join(f"{name}://" for name in _EXTRA)
            raise InputError(
                f"cannot keep a warehouse at {root}: only a local path or {known} can commit safely"
            )
        self._root = root.rstrip("/")
        self._fs: Any
        try:
            self._fs, self._path = fsspec.url_to_fs(self._root)
        except ImportError as error:
            hint = f"pip install 'profdb[{_EXTRA[protocol]}]'"
            raise InputError(f"cannot open {root}: {error}", hint=hint) from error

    def names(self, folder: str) -> list[str]:
        path = f"{self._path}/{folder}"
        with _told(f"list {self.uri(folder)}", Exception):
            self._fs.invalidate_cache(path)  # others commit meanwhile
            try:
                return [str(found).rpartition("/")[2] for found in self._fs.ls(path, detail=False)]
            except FileNotFoundError:
                return []

    def read(self, names: Sequence[str]) -> list[bytes]:
        if not names:
            return []
        paths = [f"{self._path}/{name}" for name in names]
        with _told(f"read the warehouse {self._root}", Exception, FileNotFoundError):
            found = self._fs.cat(paths)
            return [found[path] for path in paths]

    def create(self, name: str, data: bytes) -> None:
        path = f"{self._path}/{name}"
        with _told(f"write {self.uri(name)}", Exception, FileExistsError):
            try:
                self._fs.pipe_file(path, data, mode="create")
            except Exception as error:
                # An error may come after the object was made (a lost answer), and stores word a lost race
                # differently: what counts is whether it is there.
                if not isinstance(error, FileExistsError) and self._fs.exists(path):
                    raise FileExistsError(errno.EEXIST, "exists", self.uri(name)) from error
                raise

    def move_in(self, local_file: Path, name: str) -> None:
        with _told(f"write {self.uri(name)}", Exception):
            # Not mode="create": the name is nobody else's, and a retried upload must not trip over itself.
            self._fs.pipe_file(f"{self._path}/{name}", local_file.read_bytes())
            local_file.unlink()

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            with _told(f"delete {self.uri(name)}", Exception), contextlib.suppress(FileNotFoundError):
                self._fs.rm_file(f"{self._path}/{name}")

    def uri(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="profdb-") as folder:
            yield Path(folder)


def _link_or_rename(temp: Path, target: Path) -> None:
    """Give a finished file its final name, unless that name is taken: then FileExistsError."""
    try:
        os.link(temp, target)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        rename_exclusively(temp, target)


def rename_exclusively(temp: Path, target: Path) -> None:
    """For disks without hard links: look and rename under a lock that dies with its process.

    A lock file made with O_EXCL would survive a killed process and block that name for ever.
    """
    import fcntl

    lock = os.open(target.parent / ".lock", os.O_CREAT | os.O_RDWR, 0o666)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(target))
        os.rename(temp, target)
    finally:
        os.close(lock)


def _make_folder(folder: Path) -> Path:
    """Create a folder and its parents, each one's entry safe on disk; returns it."""
    if not folder.is_dir():
        _make_folder(folder.parent)
        with contextlib.suppress(FileExistsError):
            folder.mkdir()
        _sync_folder(folder.parent)
    return folder


def _sync_file(path: Path) -> None:
    with open(path, "rb") as file:
        os.fsync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FOLDER_SYNC:
            raise
    finally:
        os.close(descriptor)


def _sweep(parent: Path, older_than: float) -> None:
    """Delete what killed processes left: what has not changed since `older_than` (epoch seconds)."""
    for entry in parent.iterdir():
        with contextlib.suppress(OSError):  # another process sweeps or finishes meanwhile
            if max(path.stat().st_mtime for path in (entry, *entry.rglob("*"))) < older_than:
                shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
