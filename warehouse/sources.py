"""What a user points `ingest` at, as sessions: each one a set of profile files that make one run."""

import glob
import os
import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..sql.errors import InputError, ProfdbError
from .trace.events import is_of_another_tool, is_trace, stem
from .xplane.text import text_of

SUFFIX = ".xplane.pb"
MANIFEST_SUFFIX = ".manifest.json"
_STAMP = re.compile(r"\d{4}_\d\d_\d\d_\d\d_\d\d_\d\d")
_PROCESS = re.compile(r"(process|proc|rank|worker|host|node)[-_.]?\d+", re.IGNORECASE)
"""A folder that holds what one process of a run wrote."""


@dataclass
class SourceSession:
    """Profile files of one session. `run_id` and `session` come from the folder layout.

    `run_folder` is the run's folder, where the layout has one: its other sessions lie in it too."""

    folder: Path
    files: list[Path]
    run_id: str | None
    session: str | None
    run_folder: Path | None = None


@dataclass
class Sources:
    """Sessions found, and what was skipped and why."""

    sessions: list[SourceSession] = field(default_factory=list)
    skipped: list[tuple[str, str]] = field(default_factory=list)
    unreadable: list[InputError] = field(default_factory=list)
    """Sources that do not exist, and folders that could not be listed."""


def find_sessions(sources: Sequence[str]) -> Sources:
    """The sessions in files, session folders, log dirs, run folders and globs. Of traces the head is read."""
    found = Sources()
    folders: dict[Path, list[Path]] = {}
    for source in sources:
        matches = _expand(source)
        if not matches:
            found.unreadable.append(_missing(source))
        for path in matches:
            files = _profiles_in(path, found)
            if not files and path.is_dir():
                found.skipped.append((path_text(path), "no profile in it"))
            for file in files:
                known = folders.setdefault(_session_folder(file), [])
                if file not in known:
                    known.append(file)
    for folder, files in sorted(folders.items()):
        found.sessions.append(_session(folder, sorted(files)))
    return found


def _expand(source: str) -> list[Path]:
    if not source.strip():
        raise ProfdbError("a source is empty", hint="profdb ingest LOGDIR")
    if Path(source).exists():
        return [Path(source)]
    return sorted(Path(match) for match in glob.glob(source, recursive=True))


def _missing(source: str) -> InputError:
    """The error for a source that is not there; its hint lists the nearest folder that is."""
    folder = next(parent for parent in Path(os.path.abspath(source)).parents if parent.is_dir())
    return InputError(f"no such file or folder: {source}", hint=f"ls {shlex.quote(path_text(folder))}")


def _profiles_in(path: Path, found: Sources) -> list[Path]:
    inside = sorted(_walk(path, found)) if path.is_dir() else []
    files = [file for file in inside if file.name.endswith(SUFFIX)]
    if not files and path.name.endswith(SUFFIX):
        return [path]
    for other in inside if path.is_dir() else [path]:
        hidden = any(part.startswith(".") for part in other.relative_to(path).parts)
        if other.name.endswith((SUFFIX, MANIFEST_SUFFIX)) or hidden:
            continue
        if is_trace(other) and not is_of_another_tool(other):
            better = _better(other)
            if better is None:
                files.append(other)
                continue
            if not path.is_dir():
                files.append(better)
            found.skipped.append((path_text(other), f"{path_text(Path(better.name))} beside it holds more"))
            continue
        found.skipped.append((path_text(other), _why_not(other)))
    return files


def _better(export: Path) -> Path | None:
    """The profile beside a trace viewer export, of the same host if possible; None where there is none."""
    named = export.with_name(stem(export.name) + SUFFIX)
    if named.is_file():
        return named
    others = sorted(export.parent.glob(f"*{SUFFIX}"))
    if not stem(export.name):  # a trace for Perfetto repeats the others
        others += sorted(path for path in export.parent.iterdir() if is_trace(path) and stem(path.name))
    return others[0] if others else None


def _walk(folder: Path, found: Sources) -> Iterator[Path]:
    """Every file below the folder and what has the name of a profile; what cannot be listed is noted."""

    def note(error: OSError) -> None:
        where = path_text(Path(error.filename))
        hint = f"ls -ld {shlex.quote(where)}"
        found.unreadable.append(InputError(f"cannot read {where}: {error.strerror}", hint))

    for place, folders, files in os.walk(folder, onerror=note):
        named = [name for name in folders if name.endswith(SUFFIX)]
        yield from (Path(place, name) for name in (*files, *named) if _counts(Path(place, name)))


def _counts(path: Path) -> bool:
    return path.is_file() or (
        path.name.endswith(SUFFIX) and not (path.is_dir() and any(path.rglob("*" + SUFFIX)))
    )


def path_text(path: Path) -> str:
    """A path as text; a name that is no UTF-8 is escaped as other names are."""
    return text_of(os.fsencode(path))


def _why_not(path: Path) -> str:
    if is_trace(path):
        return "a trace of another tool: only those that XLA's profiler writes are read"
    if path.name.endswith(".json"):
        return f"JSON tells what another tool found in a profile; ingest the {SUFFIX} file of its session"
    return f"its name does not end in {SUFFIX}"


def _session_folder(file: Path) -> Path:
    """The folder of the session: the one under plugins/profile or named by a time, else the file's own.

    Folders of single processes inside a session are part of it."""
    folder = Path(os.path.abspath(file)).parent
    for session in (folder, *folder.parents):
        if session.parent.parts[-2:] == ("plugins", "profile") or _STAMP.fullmatch(session.name):
            return session
    return folder.parent if _PROCESS.fullmatch(folder.name) else folder


def _session(folder: Path, files: list[Path]) -> SourceSession:
    if folder.parent.parts[-2:] == ("plugins", "profile"):
        run_folder = folder.parents[2]
    elif _STAMP.fullmatch(folder.name):
        run_folder = folder.parent
    else:
        return SourceSession(folder, files, None, None)
    if _PROCESS.fullmatch(run_folder.name):
        run_folder = run_folder.parent
    run_id, session = path_text(Path(run_folder.name)), path_text(Path(folder.name))
    return SourceSession(folder, files, run_id if run_folder.name else None, session, run_folder)
