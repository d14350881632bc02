"""The commit log: `_log/<version>.json`, whose exclusive creation is the commit, and its checkpoints."""

import logging
import re
import shlex
import time

from ..sql.errors import InputError
from .objects import Objects
from .record import decode, encode
from .snapshot import EMPTY, Change, Snapshot, applied

FOLDER = "_log"
CHECKPOINT_EVERY = 25
_RECORD = re.compile(r"(\d{12})\.json")
_CHECKPOINT = re.compile(r"ckpt-(\d{12})\.parquet")
_LISTINGS = 7
_ANEW = "pip install -U profdb, if a newer one wrote it; else profdb ingest PROFILE -w ANOTHER_DIR"
_logger = logging.getLogger(__name__)


def record_name(version: int) -> str:
    return f"{FOLDER}/{version:012d}.json"


def checkpoint_name(version: int) -> str:
    return f"{FOLDER}/ckpt-{version:012d}.parquet"


class Log:
    """The log under one root."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects

    def exists(self) -> bool:
        """Whether there is a commit."""
        records, checkpoints = self._listed()
        return bool(records or checkpoints)

    def newest(self) -> tuple[Snapshot, int]:
        """The newest snapshot (EMPTY where there is no log) and the version of its checkpoint (-1: none).

        Raises InputError for a record that is missing, unreadable or does not fit its predecessors.
        """
        for attempt in range(_LISTINGS):
            records, checkpoints = self._listed()
            base = max(checkpoints, default=-1)
            tail = sorted(version for version in records if version > base)
            gaps = set(range(base + 1, base + 1 + len(tail))).difference(tail)
            try:
                if not gaps:
                    return applied(self._checkpoint(base), self._changes(tail)), base
                missing = self._objects.uri(record_name(min(gaps)))
            except FileNotFoundError as error:
                missing = str(error.filename)
            # A listing is not atomic: it can show a commit and miss the one before it. List again.
            time.sleep(0.01 * 2**attempt)
        raise InputError(f"the warehouse's log misses {missing}", hint=_ANEW)

    def append(self, version: int, change: Change) -> None:
        """Commit the change as `version`; FileExistsError if another commit has it."""
        name, data = record_name(version), encode(change)
        try:
            self._objects.create(name, data)
        except FileExistsError:
            # A store that lost its answer tries again and meets its own object: each record is unique.
            if self._objects.read([name]) != [data]:
                raise

    def checkpoint(self, snapshot: Snapshot) -> None:
        """Write the fold of 0..version. It only saves readers time, so a failure is a log message."""
        from . import checkpoint

        try:
            self._objects.create(checkpoint_name(snapshot.version), checkpoint.encode(snapshot))
        except FileExistsError:
            pass
        except Exception as error:
            _logger.warning("no checkpoint of version %d: %s", snapshot.version, error)

    def _listed(self) -> tuple[set[int], set[int]]:
        names = self._objects.names(FOLDER)
        records = {int(found[1]) for name in names if (found := _RECORD.fullmatch(name))}
        return records, {int(found[1]) for name in names if (found := _CHECKPOINT.fullmatch(name))}

    def _checkpoint(self, version: int) -> Snapshot:
        if version < 0:
            return EMPTY
        from . import checkpoint

        name = checkpoint_name(version)
        [data] = self._objects.read([name])
        try:
            return checkpoint.decode(version, data)
        except ValueError as error:
            uri = self._objects.uri(name)
            hint = f"rm {shlex.quote(uri)}  (the records beside it tell the same)"
            raise InputError(f"checkpoint {uri} is unreadable: {error}", hint=hint) from error

    def _changes(self, versions: list[int]) -> list[Change]:
        names = [record_name(version) for version in versions]
        changes = []
        for name, data in zip(names, self._objects.read(names), strict=True):
            try:
                changes.append(decode(data))
            except ValueError as error:
                uri = self._objects.uri(name)
                raise InputError(f"log record {uri} is unreadable: {error}", hint=_ANEW) from error
        return changes
