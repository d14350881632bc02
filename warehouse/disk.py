"""Objects as plain files of a local disk, durable and exclusive."""

import contextlib
import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .objects import told

_TEMP = "_tmp"
_LEFTOVER_SECONDS = 24 * 3600
_NO_LINKS = {errno.EPERM, errno.EACCES, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL}
_NO_FOLDER_SYNC = {errno.EINVAL, errno.ENOTSUP, errno.EOPNOTSUPP}


class Disk:
    """Objects under a folder; unfinished files lie in ROOT/_tmp, on the same disk."""

    def __init__(self, root: str) -> None:
        self._root = Path(os.path.abspath(os.path.expanduser(root)))

    def names(self, folder: str) -> list[str]:
        with told(f"list {self.uri(folder)}", OSError):
            try:
                return os.listdir(self._root / folder)
            except (FileNotFoundError, NotADirectoryError):
                return []

    def read(self, names: Sequence[str]) -> list[bytes]:
        with told(f"read the warehouse {self._root}", OSError, FileNotFoundError):
            return [(self._root / name).read_bytes() for name in names]

    def create(self, name: str, data: bytes) -> None:
        target = self._root / name
        with told(f"write {target}", OSError, FileExistsError):
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
        with told(f"write {target}", OSError):
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
            with told(f"delete {self.uri(name)}", OSError):
                (self._root / name).unlink(missing_ok=True)

    def uri(self, name: str) -> str:
        return str(self._root / name)

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        with told(f"write {self._root / _TEMP}", OSError):
            parent = _make_folder(self._root / _TEMP)
            _sweep(parent, older_than=time.time() - _LEFTOVER_SECONDS)
            folder = parent / secrets.token_hex(8)
            folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)


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
