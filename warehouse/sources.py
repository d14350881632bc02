"""What a user points `ingest` at, as sessions: each one a set of profile files that make one run."""

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

SUFFIX = ".xplane.pb"
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


def find_sessions(sources: Sequence[str]) -> Sources:
    """The sessions in files, session folders, log dirs, run folders and globs. Nothing is read."""
    found = Sources()
    folders: dict[Path, list[Path]] = {}
    for source in sources:
        matches = _expand(source)
        if not matches:
            found.skipped.append((source, "no such file or folder"))
        for path in matches:
            files = _profiles_in(path, found)
            if not files and path.is_dir():
                found.skipped.append((str(path), f"no {SUFFIX} file in it"))
            for file in files:
                known = folders.setdefault(_session_folder(file), [])
                if file not in known:
                    known.append(file)
    for folder, files in sorted(folders.items()):
        found.sessions.append(_session(folder, sorted(files)))
    return found


def _expand(source: str) -> list[Path]:
    if Path(source).exists():
        return [Path(source)]
    return sorted(Path(match) for match in glob.glob(source, recursive=True))


def _profiles_in(path: Path, found: Sources) -> list[Path]:
    if not path.is_dir() or (path.name.endswith(SUFFIX) and not any(path.rglob("*" + SUFFIX))):
        if path.name.endswith(SUFFIX):
            return [path]
        found.skipped.append((str(path), _why_not(path)))
        return []
    files = sorted(path.rglob("*" + SUFFIX))
    for other in sorted(p for p in path.rglob("*") if p.is_file() and not p.name.endswith(SUFFIX)):
        if not any(part.startswith(".") for part in other.relative_to(path).parts):
            found.skipped.append((str(other), _why_not(other)))
    return files


def _why_not(path: Path) -> str:
    if path.name.endswith((".trace.json.gz", ".trace.json")):
        return f"a trace viewer export, which leaves much out; ingest the {SUFFIX} file of its session"
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
    return SourceSession(folder, files, run_folder.name or None, folder.name, run_folder)
