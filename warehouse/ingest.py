"""`profdb ingest`: profile files into the warehouse, all or nothing per run."""

import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..sql.errors import InputError, ProfdbError
from .extract import Extracted, Options, RefusedFileError, extract
from .grouping import ProfileSet, distinct_handles, profile_sets
from .rollups import roll_up
from .runs import EXTRACTOR_VERSION
from .siblings import merged
from .sources import find_sessions
from .store import Change, DataFile, RunEntry, Snapshot, Warehouse
from .xplane.rows import memory_given_back

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class RunReport:
    """What became of one run. `status`: ingested, unchanged or replaced; `run` is the handle it has."""

    run: str
    status: str
    hosts: int
    devices: int
    events: int
    bytes_in: int
    bytes_stored: int
    seconds: float
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class IngestReport:
    """All runs of one ingest, and the paths that were skipped, each with the reason.

    `refused` are the errors of those that should have been profiles and cannot be read."""

    runs: tuple[RunReport, ...]
    skipped: tuple[tuple[str, str], ...]
    refused: tuple[InputError, ...] = ()


class UnreadableError(InputError):
    """Nothing of what was found can be read; `refused` holds the error of each file."""

    def __init__(self, refused: Sequence[InputError]) -> None:
        super().__init__(refused[0].message, refused[0].hint)
        self.refused = tuple(refused)


class TakenHandleError(InputError):
    """The handle belongs to a run of other bytes."""

    def __init__(self, handle: str, taken: RunEntry, profiles: ProfileSet) -> None:
        hint = "--replace to replace it, or --run NAME to give this one another name"
        if taken.is_partial:
            folder = shlex.quote(str(profiles.heads[0].path.parent))
            hint = f"profdb ingest {folder}  (all files of the session; --replace would drop those it has)"
        super().__init__(f"run {handle} is in the warehouse already, from other bytes", hint)


@dataclass
class _Job:
    """One ingest command."""

    warehouse: Warehouse
    run: str | None
    options: Options
    replace: bool
    progress: Progress | None
    total: int = 0
    done: int = 0
    refused: list[InputError] = field(default_factory=list)

    def advance(self, count: int) -> None:
        self.done += count
        if self.progress:
            self.progress(min(self.done, self.total), self.total)


def ingest(
    sources: Sequence[str],
    root: str,
    *,
    run: str | None = None,
    tags: Mapping[str, str] | None = None,
    expect_hosts: int | None = None,
    replace: bool = False,
    host_events: bool = True,
    progress: Progress | None = None,
) -> IngestReport:
    """Ingest every session found in `sources` into the warehouse at `root`.

    The same bytes again are a no-op.

    Raises:
        InputError: nothing is found, a handle is taken by other bytes, or nothing that was found can be read.
        ProfdbError: `run` or `root` is no name.
    """
    if run is not None:
        _check_handle(run)
    warehouse = Warehouse(root)
    found = find_sessions(sources)
    sets = merged(one for session in found.sessions for one in profile_sets(session))
    readable = [one for one in sets if one.heads]
    refused = found.unreadable + [error for one in sets if not one.heads for _, error in one.refused]
    if not readable:
        raise _nothing(found.skipped, refused)
    if run is not None and len(readable) > 1:
        names = ", ".join(one.handle for one in readable)
        raise InputError(
            f"--run {run} names one run, but {len(readable)} were found: {names}", hint="leave out --run"
        )
    job = _Job(warehouse, run, Options(tags or {}, expect_hosts, host_events), replace, progress)
    job.total = sum(one.size for one in readable)
    job.refused = refused
    reports = []
    for one, handle in zip(readable, [run] if run is not None else distinct_handles(readable), strict=True):
        try:
            report = _ingest_one(job, one, handle)
        except TakenHandleError as error:  # the other runs have nothing to do with it
            job.refused.append(error)
            continue
        if report is not None:
            reports.append(report)
    job.refused += [error for one in readable for _, error in one.refused]
    if not reports:
        raise _nothing(found.skipped, job.refused)
    return IngestReport(tuple(reports), tuple(found.skipped), tuple(job.refused))


def _check_handle(run: str) -> None:
    if not run.strip() or any("\ud800" <= letter <= "\udfff" for letter in run):
        raise ProfdbError(f"--run {run!r} is no name for a run", hint="--run NAME")


def _nothing(skipped: Sequence[tuple[str, str]], refused: Sequence[InputError]) -> InputError:
    if refused:
        return UnreadableError(refused)
    path, why = skipped[0] if skipped else ("", "no source")
    return InputError(
        f"nothing to ingest: {path}: {why}",
        hint="profdb ingest LOGDIR  (the folder given to jax.profiler.start_trace)",
    )


def _ingest_one(job: _Job, profiles: ProfileSet, handle: str) -> RunReport | None:
    """Ingest one run; files that turn out unreadable are left out and the rest is read again."""
    started = time.monotonic()
    while profiles.heads:
        known = _known(job, handle, profiles, job.warehouse.snapshot() if job.warehouse.exists() else None)
        if known is not None:
            job.advance(profiles.size)
            return _unchanged(job, known, profiles, started)
        with job.warehouse.staging() as folder:
            done = job.done
            try:
                with memory_given_back():
                    extracted = extract(profiles, handle, job.options, folder, job.advance)
            except RefusedFileError as error:
                job.done = done
                profiles.heads.remove(error.head)
                profiles.refused.append((error.head.path, error.error))
                continue
            job.advance(done + profiles.size - job.done)  # what is no line of events counts as read now
            return _store(job, profiles, handle, extracted, folder, started)
    return None


def _known(job: _Job, handle: str, profiles: ProfileSet, snapshot: Snapshot | None) -> RunEntry | None:
    """The run that has these bytes already. Raises InputError where the handle is taken by others."""
    if snapshot is None:
        return None
    content = profiles.content_sha256
    for entry in snapshot.runs.values():
        if (
            entry.content_sha256 == content
            and entry.extractor_version >= EXTRACTOR_VERSION
            and not job.replace
        ):
            return entry
    taken = snapshot.runs.get(handle)
    if taken is None or job.replace or taken.content_sha256 == content or _completes(taken, profiles):
        return None
    raise TakenHandleError(handle, taken, profiles)


def _completes(taken: RunEntry, profiles: ProfileSet) -> bool:
    """Whether a partial run gets all its intact files back and more."""
    return taken.is_partial and set(taken.file_sha256s) <= {head.sha256 for head in profiles.heads}


def _unchanged(job: _Job, entry: RunEntry, profiles: ProfileSet, started: float) -> RunReport:
    hosts = len({name.partition("#")[0] for name in profiles.hosts().values()})
    seconds = time.monotonic() - started
    notes = _notes(profiles)
    if job.options.tags or job.options.expect_hosts or job.run not in (None, entry.run):
        notes += ("the bytes are there: --run, --tag and --expect-hosts change nothing without --replace",)
    return RunReport(entry.run, "unchanged", hosts, 0, 0, profiles.size, 0, seconds, notes)


def _notes(profiles: ProfileSet) -> tuple[str, ...]:
    refused = len(profiles.refused)
    return (
        (f"partial: {refused} of its {refused + len(profiles.heads)} files cannot be read",)
        if refused
        else ()
    )


def _store(
    job: _Job, profiles: ProfileSet, handle: str, extracted: Extracted, folder: Path, started: float
) -> RunReport:
    warehouse = job.warehouse
    facts = [(name, path, rows, None) for name, (path, rows) in extracted.files.items()]
    staged = facts + roll_up({name: path for name, (path, _) in extracted.files.items()}, folder)
    files: list[DataFile] = []
    entry = RunEntry(
        handle,
        profiles.content_sha256,
        EXTRACTOR_VERSION,
        extracted.is_partial,
        tuple(sorted(head.sha256 for head in profiles.heads)),
    )
    outcome: dict[str, RunEntry | bool] = {}

    def plan(snapshot: Snapshot) -> Change | None:
        outcome.clear()
        known = _known(job, handle, profiles, snapshot)
        if known is not None:
            outcome["known"] = known
            return None
        gone = [
            e for e in snapshot.runs.values() if e.run == handle or e.content_sha256 == entry.content_sha256
        ]
        outcome["replaced"] = bool(gone)
        names = {e.run for e in gone}
        removed = tuple(f.path for fs in snapshot.files.values() for f in fs if f.run in names)
        return Change("ingest", tuple(files), removed, (entry,), tuple(sorted(names)))

    try:
        for table, path, rows, version in staged:
            files.append(warehouse.put(table, path, run=handle, rows=rows, view_version=version))
        warehouse.commit(plan)
    except BaseException:
        warehouse.discard(files)
        raise
    known = outcome.get("known")
    if isinstance(known, RunEntry):
        warehouse.discard(files)
        return _unchanged(job, known, profiles, started)
    return RunReport(
        run=handle,
        status="replaced" if outcome["replaced"] else "ingested",
        hosts=extracted.host_count,
        devices=extracted.device_count,
        events=extracted.event_count,
        bytes_in=profiles.size,
        bytes_stored=sum(file.bytes for file in files),
        seconds=time.monotonic() - started,
        notes=_notes(profiles),
    )
