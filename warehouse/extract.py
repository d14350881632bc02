"""One run's profile files, decoded and written as Parquet files into a staging folder."""

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..sql.catalog import tables
from ..sql.errors import InputError
from .grouping import ProfileSet
from .heads import FileHead
from .line_reader import LineReader
from .manifest import Capture, read_capture
from .opnames import settle_work
from .planes import ENVIRONMENT, METADATA
from .process import read_process
from .profile_file import broken, open_profile
from .run_state import RunState, program_name
from .runs import run_row
from .sources import path_text
from .steps import step_rows
from .tables import TableWriter
from .times import common_start, within_reach
from .trace.events import is_trace
from .xplane.plane import StatValue
from .xplane.text import text_of
from .xplane.wire import WireError


@dataclass(frozen=True)
class Extracted:
    """A run in the staging folder: the files of its fact tables, with their rows."""

    files: dict[str, tuple[Path, int]]
    host_count: int
    device_count: int
    event_count: int
    is_partial: bool


@dataclass(frozen=True)
class Options:
    """What the user asked of an ingest."""

    tags: Mapping[str, str]
    expect_hosts: int | None
    host_events: bool


class RefusedFileError(Exception):
    """A file of the run turned out unreadable while its events were read."""

    def __init__(self, head: FileHead, error: InputError) -> None:
        super().__init__(error.message)
        self.head, self.error = head, error


def extract(
    profiles: ProfileSet, run: str, options: Options, folder: Path, progress: Callable[[int], None]
) -> Extracted:
    """Decode the run's files into `folder`. Raises RefusedFileError for a file that turns out unreadable."""
    state = RunState(run, folder, options.host_events)
    hosts = profiles.hosts()
    starts = [head.start_ns for head in profiles.heads if head.start_ns is not None]
    facts: dict[str, StatValue] = {}
    file_rows = []
    start_ns = common_start(starts)
    for head in profiles.heads:
        host = hosts[head.sha256]
        reader, clock_start = _read(state, head, host, start_ns, progress, facts)
        start_ns = start_ns if start_ns is not None or len(profiles.heads) > 1 else clock_start
        file_rows.append(_file_row(profiles, head, host, run, reader.event_count, start_ns))
    capture = read_capture(path for paths in profiles.paths.values() for path in paths)
    _note_quality(state, profiles, options, start_ns)
    _note_manifests(state, capture)
    identity = {
        "run_id": profiles.run_id,
        "session": profiles.session,
        "source_uri": path_text(
            profiles.heads[0].path if len(profiles.heads) == 1 else profiles.heads[0].path.parent
        ),
        "content_sha256": profiles.content_sha256,
        "format": "trace_json" if all(is_trace(head.path) for head in profiles.heads) else "xplane",
    }
    row = run_row(
        state, facts, capture, start_ns=start_ns, identity=identity, process_count=len(profiles.heads),
        tags=options.tags, expect_hosts=options.expect_hosts, has_refused=bool(profiles.refused),
    )  # fmt: skip
    files = _write(state, row, file_rows)
    events = sum(r["event_count"] for r in file_rows)
    return Extracted(files, row["host_count"], row["device_count"], events, row["is_partial"])


def _read(
    state: RunState,
    head: FileHead,
    host: str,
    run_start_ns: int | None,
    progress: Callable[[int], None],
    facts: dict[str, StatValue],
) -> tuple[LineReader, int | None]:
    try:
        profile = open_profile(head.path)
        clock = profile.clock(head.start_ns)
        clock = replace(clock, offset_ps=_offset_ps(head, run_start_ns) or 0)
        reader = LineReader(state, profile, host, clock, progress)
        state.host_steps[host] = read_process(reader)
        head.check_unchanged()
    except InputError as error:
        raise RefusedFileError(head, error) from None
    except WireError as error:
        raise RefusedFileError(head, broken(head.path, error)) from None
    facts |= profile.plane_stats(METADATA) | profile.plane_stats(ENVIRONMENT)
    end_ps = None
    if head.stop_ns is not None and head.start_ns is not None:
        end_ps = clock.offset_ps + (head.stop_ns - head.start_ns) * 1000
    state.capture[host] = clock.offset_ps, end_ps
    for note in profile.notes:
        state.quality.note(host, *note)
    for check, texts in (("producer_error", profile.errors), ("producer_warning", profile.warnings)):
        for text in texts:
            name = "dropped_events" if "dropped" in text.lower() else check
            state.quality.note(host, name, text[:200], 1, text)
    return reader, clock.start_ns


def _file_row(
    profiles: ProfileSet, head: FileHead, host: str, run: str, event_count: int, start_ns: int | None
) -> dict[str, Any]:
    return {
        "run": run,
        "host": host,
        "process_id": head.process_id,
        "paths": [path_text(path) for path in profiles.paths[head.sha256]],
        "file_bytes": head.size,
        "sha256": head.sha256,
        "event_count": event_count,
        "host_offset_ps": _offset_ps(head, start_ns),
    }


def _offset_ps(head: FileHead, run_start_ns: int | None) -> int | None:
    """The file's profile start minus the run's; None where one is unknown or not a time of this run."""
    if head.start_ns is None or run_start_ns is None or not within_reach(head.start_ns, run_start_ns):
        return None
    return (head.start_ns - run_start_ns) * 1000


def _note_quality(state: RunState, profiles: ProfileSet, options: Options, start_ns: int | None) -> None:
    note = state.quality.note
    hosts = profiles.hosts()
    for path, error in profiles.refused:
        note(None, "refused_file", path_text(path), 1, text_of(os.fsencode(error.message)))
    for head in profiles.heads:
        host = hosts[head.sha256]
        if _offset_ps(head, start_ns) is None:
            note(host, "clock_unknown", None, 1, "the profile does not tell when it started")
        unmarked = [d for (h, d), how in state.how.items() if h == host and how in ("none", "module")]
        marked = len(unmarked) < sum(h == host for h, _ in state.how)
        subjects: list[str | None] = [*unmarked] if marked else [None] * bool(unmarked)
        for device in subjects:
            note(host, "no_step_markers", device, 1, "no step annotation or Steps line reached the profile")
    if not options.host_events:
        note(None, "host_events_left_out", None, 1, "ingested with --no-host-events")
    seen = len({h.partition("#")[0] for h in hosts.values()})
    if options.expect_hosts is not None and options.expect_hosts > seen:
        note(
            None,
            "missing_host",
            None,
            options.expect_hosts - seen,
            f"{seen} of {options.expect_hosts} hosts are here",
        )


def _note_manifests(state: RunState, capture: Capture) -> None:
    for path, why in capture.unreadable:
        state.quality.note(None, "unreadable_manifest", path_text(path), 1, text_of(os.fsencode(why)))
    for document in capture.documents:
        if document["outcome"] != "ok":
            subject = f"process {document['process']['index']}"
            text = f"{document['outcome']}: {document['reason']}"
            state.quality.note(document["host"]["name"], "capture_outcome", subject, 1, text)


def _write(
    state: RunState, run: dict[str, Any], file_rows: list[dict[str, Any]]
) -> dict[str, tuple[Path, int]]:
    main = state.main_program()
    settle_work(state.ops.values())
    small: dict[str, list[dict[str, Any]]] = {
        "runs": [run],
        "profile_files": file_rows,
        "devices": state.devices,
        "ops": [{"run": state.run, **op.row} for op in state.ops.values()],
        "modules": list(_module_rows(state, main)),
        "steps": list(step_rows(state)),
        "quality_events": list(state.quality.rows(state.run)),
    }
    for name, rows in small.items():
        writer = TableWriter(tables()[name], state.folder / f"{name}.parquet")
        writer.write_rows(rows)
        state.writers[name] = writer
    for writer in state.writers.values():
        writer.close()
    return {name: (writer.path, writer.rows) for name, writer in state.writers.items() if writer.rows}


def _module_rows(state: RunState, main: str | None) -> Iterator[dict[str, Any]]:
    for m in state.modules:
        yield {
            "run": state.run,
            "host": m.host,
            "device": m.device,
            "module": m.module,
            "program_id": m.program_id,
            "launch_id": m.launch_id,
            "step_num": m.step_num,
            "assignment": m.assignment,
            "is_main": program_name(m.program) == main,
            "start_ps": m.start_ps,
            "duration_ps": m.end_ps - m.start_ps,
        }
