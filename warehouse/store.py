"""A warehouse: immutable Parquet files under one root and the log that says which of them count."""

import random
import re
import secrets
import shlex
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from ..sql.errors import InputError, ProfdbError
from .log import CHECKPOINT_EVERY, Log
from .objects import open_objects
from .snapshot import Change, DataFile, RunEntry, Snapshot, applied, live_files

__all__ = ["Change", "DataFile", "RunEntry", "Snapshot", "Warehouse"]

_ATTEMPTS = 100
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class Warehouse:
    """The warehouse at a local path or an fsspec URL (gs://, s3://, memory://). Opening it creates nothing.

    Any number of processes may read and commit at once. Trouble with the disk or the store is an InputError;
    a root that names no place is a ProfdbError.
    """

    def __init__(self, root: str) -> None:
        if not root.rpartition("://")[2].strip(" /") and not root.startswith("/"):
            raise ProfdbError(f"the warehouse {root!r} names no place", hint="-w DIR")
        if any("\ud800" <= letter <= "\udfff" for letter in root):
            raise ProfdbError(f"the warehouse {root!r} is not UTF-8 text", hint="-w DIR")
        self.root = root
        self._objects = open_objects(root)
        self._log = Log(self._objects)

    def exists(self) -> bool:
        """Whether there is a first commit."""
        return self._log.exists()

    def snapshot(self) -> Snapshot:
        """The newest snapshot. Raises InputError where there is no warehouse, or its log is damaged."""
        snapshot, _ = self._log.newest()
        if snapshot.version < 0:
            hint = f"profdb ingest PROFILE -w {shlex.quote(self.root)}"
            raise InputError(f"no warehouse at {self.root}", hint=hint)
        return snapshot

    def put(
        self, table: str, local_file: Path, *, run: str | None, rows: int, view_version: str | None = None
    ) -> DataFile:
        """Move one finished local Parquet file in as an immutable object; it counts once it is committed.

        Without a run it belongs to none, and stays when runs are deleted or replaced.
        """
        size = local_file.stat().st_size
        views = f"views={view_version}/" if view_version else ""
        safe = (
            _UNSAFE.sub("_", run or table).lstrip("._-")[:80] or "run"
        )  # engines skip names that start with . or _
        name = f"{safe}-{secrets.token_hex(8)}.parquet"
        path = f"data/{table}/{views}date={datetime.now(UTC):%Y-%m-%d}/{name}"
        self._objects.move_in(local_file, path)
        return DataFile(table=table, path=path, rows=rows, bytes=size, run=run, view_version=view_version)

    def commit(self, plan: Callable[[Snapshot], Change | None]) -> Snapshot:
        """Commit what `plan` makes of the newest snapshot (version -1: empty); returns the snapshot after.

        Another commit may come first: then `plan` is asked again with the snapshot after that. None means
        that nothing is to do. Raises InputError for a change that does not fit the snapshot: it removes
        what is not live or adds a run that is there.
        """
        for attempt in range(_ATTEMPTS):
            snapshot, checkpoint = self._log.newest()
            change = plan(snapshot)
            if change is None:
                return snapshot
            after = applied(snapshot, [change])
            try:
                self._log.append(after.version, change)
            except FileExistsError:
                time.sleep(random.uniform(0, min(1.0, 0.01 * 2**attempt)))
                continue
            if after.version - checkpoint >= CHECKPOINT_EVERY:
                self._log.checkpoint(after)
            return after
        message = f"cannot commit to {self.root}: {_ATTEMPTS} times another commit came first"
        raise InputError(message, hint="the same command again, with fewer of them at once")

    def uris(self, snapshot: Snapshot, table: str) -> list[str]:
        """What DuckDB reads a table from: native paths locally, else URLs."""
        return [self._objects.uri(file.path) for file in snapshot.files.get(table, ())]

    def discard(self, files: Iterable[DataFile]) -> None:
        """Delete objects whose commit was given up. Best effort, and never one that is live after all."""
        try:
            live = live_files(self._log.newest()[0])
            self._objects.delete(file.path for file in files if file.path not in live)
        except InputError:
            return  # unnamed objects cost space, nothing else

    def staging(self) -> AbstractContextManager[Path]:
        """A temporary folder for files on their way to `put`, on the warehouse's own disk if it is local."""
        return self._objects.staging()
