"""Objects of a store behind fsspec."""

import contextlib
import errno
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..sql.errors import InputError
from .objects import told

# Stores known to create exclusively, and the extra that reaches them. On others two commits could both win.
_EXTRA = {"gs": "gcs", "gcs": "gcs", "s3": "s3", "s3a": "s3", "memory": "all"}


class Bucket:
    """Objects of an fsspec file system that creates exclusively: gs://, s3://, memory://."""

    def __init__(self, root: str) -> None:
        import fsspec

        protocol = root.partition("://")[0]
        if protocol not in _EXTRA:
            known = ", ".join(f"{name}://" for name in _EXTRA)
            raise InputError(
                f"cannot keep a warehouse at {root}: only a local path or {known} can commit safely",
                hint="-w DIR, or -w gs://BUCKET/FOLDER",
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
        with told(f"list {self.uri(folder)}", Exception):
            self._fs.invalidate_cache(path)  # others commit meanwhile
            try:
                return [str(found).rpartition("/")[2] for found in self._fs.ls(path, detail=False)]
            except FileNotFoundError:
                return []

    def read(self, names: Sequence[str]) -> list[bytes]:
        if not names:
            return []
        paths = [f"{self._path}/{name}" for name in names]
        with told(f"read the warehouse {self._root}", Exception, FileNotFoundError):
            found = self._fs.cat(paths)
            return [found[path] for path in paths]

    def create(self, name: str, data: bytes) -> None:
        path = f"{self._path}/{name}"
        with told(f"write {self.uri(name)}", Exception, FileExistsError):
            try:
                self._fs.pipe_file(path, data, mode="create")
            except Exception as error:
                # An error may come after the object was made (a lost answer), and stores word a lost race
                # differently: what counts is whether it is there.
                if not isinstance(error, FileExistsError) and self._fs.exists(path):
                    raise FileExistsError(errno.EEXIST, "exists", self.uri(name)) from error
                raise

    def move_in(self, local_file: Path, name: str) -> None:
        with told(f"write {self.uri(name)}", Exception):
            # Not mode="create": the name is nobody else's, and a retried upload must not trip over itself.
            self._fs.pipe_file(f"{self._path}/{name}", local_file.read_bytes())
            local_file.unlink()

    def delete(self, names: Iterable[str]) -> None:
        for name in names:
            with told(f"delete {self.uri(name)}", Exception), contextlib.suppress(FileNotFoundError):
                self._fs.rm_file(f"{self._path}/{name}")

    def uri(self, name: str) -> str:
        return f"{self._root}/{name}"

    @contextlib.contextmanager
    def staging(self) -> Iterator[Path]:
        with tempfile.TemporaryDirectory(prefix="profdb-") as folder:
            yield Path(folder)
