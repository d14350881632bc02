"""Which files make one run: the intact files of a session, each bytes once."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..sql.errors import InputError
from .heads import FileHead, read_head
from .sources import SUFFIX, SourceSession, path_text
from .trace.events import stem

_COPY = re.compile(r" \(\d+\)\Z")


@dataclass
class ProfileSet:
    """The files of one run. `refused` are files of the same session that cannot be read, with the error."""

    run_id: str | None
    session: str | None
    run_folder: Path | None = None
    heads: list[FileHead] = field(default_factory=list)
    paths: dict[str, list[Path]] = field(default_factory=dict)
    """Every path of each file, by sha256."""
    refused: list[tuple[Path, InputError]] = field(default_factory=list)

    @property
    def handle(self) -> str:
        """The run's handle where the user gives none: run id and session, else the file's name."""
        named = "/".join(part for part in (self.run_id, self.session) if part)
        return named or _stem(self.heads[0].path if self.heads else self.refused[0][0])

    @property
    def place(self) -> Path:
        """The folder that holds what the handle names."""
        folder = self.run_folder or self.heads[0].path
        return Path(os.path.abspath(folder)).parent

    @property
    def content_sha256(self) -> str:
        """Hash of the sorted hashes of the intact files."""
        return hashlib.sha256("\n".join(sorted(head.sha256 for head in self.heads)).encode()).hexdigest()

    @property
    def size(self) -> int:
        """Bytes of the intact files."""
        return sum(head.size for head in self.heads)

    def add(self, head: FileHead) -> None:
        """Add a file; the same bytes again only add a path."""
        known = self.paths.setdefault(head.sha256, [])
        if not known:
            self.heads.append(head)
        if head.path not in known:
            known.append(head.path)

    def take(self, other: "ProfileSet") -> None:
        """Add the files of another set."""
        for head in other.heads:
            for path in other.paths[head.sha256]:
                self.add(replace(head, path=path))
        self.refused += other.refused

    def hosts(self) -> dict[str, str]:
        """Name of each process by sha256: the host name, #2, #3 ... where one machine ran several."""
        counts: dict[str, int] = {}
        names = {}
        for head in sorted(self.heads, key=_process_order):
            host = hostname(head)
            counts[host] = counts.get(host, 0) + 1
            names[head.sha256] = host if counts[host] == 1 else f"{host}#{counts[host]}"
        return names


def distinct_handles(sets: Sequence[ProfileSet]) -> list[str]:
    """A handle for each set. Sets of equal names are told apart by the folders that they lie in."""
    handles = [one.handle for one in sets]
    for name in {name for name in handles if handles.count(name) > 1}:
        equal = [i for i, handle in enumerate(handles) if handle == name]
        places = [sets[i].place.parts[1:] for i in equal]
        depth = 1
        while len({place[-depth:] for place in places}) < len(places) and depth < max(map(len, places)):
            depth += 1
        for number, (i, place) in enumerate(zip(equal, places, strict=True)):
            handles[i] = "/".join((*(path_text(Path(part)) for part in place[-depth:]), name))
            if handles[i] in handles[:i]:  # several captures of one folder and name
                handles[i] += f"#{number + 1}"
    return handles


def hostname(head: FileHead) -> str:
    """The machine that wrote the file, as it tells; else by the file's name, without the number of a copy."""
    return head.hostname or _COPY.sub("", _stem(head.path)) or "host"


def _process_order(head: FileHead) -> tuple[object, ...]:
    """Sorts by host, then by process id, else by path with numbers by value."""
    path = re.split(r"(\d+)", str(head.path.parent / _stem(head.path)))
    numbered = [int(part) if i % 2 else part for i, part in enumerate(path)]
    return hostname(head), head.process_id is None, head.process_id or 0, numbered


def _stem(path: Path) -> str:
    return path_text(Path(stem(path.name))).removesuffix(SUFFIX)


def profile_sets(session: SourceSession) -> Iterator[ProfileSet]:
    """The runs among the files of a folder. A session folder is one run; in any other folder, files belong
    together where their captures overlap in time."""
    heads: list[FileHead] = []
    refused: list[tuple[Path, InputError]] = []
    for path in session.files:
        try:
            heads.append(read_head(path))
        except InputError as error:
            refused.append((path, error))
    groups = [heads] if session.session else _overlapping(heads)
    # Two captures at once are a session; beside one capture a file that cannot be read may be anything.
    if session.session or (len(groups) == 1 and len(heads) > 1):
        name = session.session or path_text(Path(session.folder.resolve().name))
        yield _profile_set(ProfileSet(session.run_id, name, session.run_folder, refused=refused), heads)
        return
    for group in groups:
        yield _profile_set(ProfileSet(None, None), group)
    for one in refused:
        yield ProfileSet(None, None, refused=[one])


def _profile_set(found: ProfileSet, heads: list[FileHead]) -> ProfileSet:
    for head in heads:
        found.add(head)
    return found


def _overlapping(heads: Iterable[FileHead]) -> list[list[FileHead]]:
    """Files whose captures overlap in time; one without a clock stands alone."""
    groups: list[list[FileHead]] = []
    for head in sorted(heads, key=lambda h: (h.start_ns or 0, str(h.path))):
        last = groups[-1] if groups else []
        if last and head.start_ns and any(h.stop_ns and h.stop_ns > head.start_ns for h in last):
            last.append(head)
        elif same := next((g for g in groups if any(h.sha256 == head.sha256 for h in g)), None):
            same.append(head)
        else:
            groups.append([head])
    return groups
