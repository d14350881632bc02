"""What a warehouse holds at one version, and how one change turns it into the next."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ..sql.errors import InputError


@dataclass(frozen=True)
class DataFile:
    """One immutable Parquet object; `path` is relative to the root, `bytes` is its size."""

    table: str
    path: str
    rows: int
    bytes: int
    run: str | None  # None after a compaction of several runs
    view_version: str | None  # "v1" for a derived table, else None


@dataclass(frozen=True)
class RunEntry:
    """What the log knows of a run: enough to tell whether an ingest has anything to do."""

    run: str
    content_sha256: str
    extractor_version: int
    is_partial: bool
    file_sha256s: tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One commit over all tables: removes, then adds. `remove` holds paths, `runs_del` handles."""

    op: str
    add: tuple[DataFile, ...] = ()
    remove: tuple[str, ...] = ()
    runs_add: tuple[RunEntry, ...] = ()
    runs_del: tuple[str, ...] = ()


@dataclass(frozen=True)
class Snapshot:
    """The live files by table and the runs by handle at `version`; -1 is the empty warehouse."""

    version: int
    files: Mapping[str, tuple[DataFile, ...]]
    runs: Mapping[str, RunEntry]


EMPTY = Snapshot(version=-1, files={}, runs={})


def live_files(snapshot: Snapshot) -> dict[str, DataFile]:
    """Every live file of a snapshot by path, oldest first within a table."""
    return {file.path: file for files in snapshot.files.values() for file in files}


def applied(snapshot: Snapshot, changes: Iterable[Change]) -> Snapshot:
    """The snapshot after the changes, one version each.

    Raises InputError for a change that does not fit: it removes a file or run that is not there, or adds
    one that is.
    """
    version, files, runs = snapshot.version, live_files(snapshot), dict(snapshot.runs)
    for change in changes:
        _apply(change, version, files, runs)
        version += 1
    by_table: dict[str, list[DataFile]] = {}
    for file in files.values():
        by_table.setdefault(file.table, []).append(file)
    return Snapshot(version, {table: tuple(live) for table, live in by_table.items()}, runs)


def _apply(change: Change, version: int, files: dict[str, DataFile], runs: dict[str, RunEntry]) -> None:
    def refuse(what: str) -> InputError:
        message = f"cannot {change.op}: {what} in version {version} of the warehouse"
        return InputError(message, hint="the same command again")

    for path in change.remove:
        if files.pop(path, None) is None:
            raise refuse(f"file {path} is not live")
    for run in change.runs_del:
        if runs.pop(run, None) is None:
            raise refuse(f"there is no run {run!r}")
    for file in change.add:
        if file.path in files:
            raise refuse(f"file {file.path} is already live")
        files[file.path] = file
    for entry in change.runs_add:
        if entry.run in runs:
            raise refuse(f"there already is a run {entry.run!r}")
        runs[entry.run] = entry
