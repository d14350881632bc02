"""Which files make one run: the intact files of a session, each bytes once."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ..sql.errors import InputError
from .heads import FileHead, read_head
from .sources import SUFFIX, SourceSession


@dataclass
class ProfileSet:
    """The files of one run. `refused` are files of the same session that cannot be read, with the reason."""

    run_id: str | None
    session: str | None
    heads: list[FileHead] = field(default_factory=list)
    paths: dict[str, list[Path]] = field(default_factory=dict)
    """Every path of each file, by sha256."""
    refused: list[tuple[Path, str]] = field(default_factory=list)

    @property
    def handle(self) -> str:
        """The run's handle where the user gives none: run id and session, else the file's name."""
        named = "/".join(part for part in (self.run_id, self.session) if part)
        return named or (self.heads[0].path if self.heads else self.refused[0][0]).name.removesuffix(SUFFIX)

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
        known.append(head.path)

    def hosts(self) -> dict[str, str]:
        """Name of each process by sha256: the host name, #2, #3 ... where one machine ran several."""
        order = sorted(
            self.heads, key=lambda h: (_hostname(h), h.process_id is None, h.process_id or 0, str(h.path))
        )
        counts: dict[str, int] = {}
        names = {}
        for head in order:
            host = _hostname(head)
            counts[host] = counts.get(host, 0) + 1
            names[head.sha256] = host if counts[host] == 1 else f"{host}#{counts[host]}"
        return names


def _hostname(head: FileHead) -> str:
    return head.hostname or head.path.name.removesuffix(SUFFIX) or "host"


def profile_sets(session: SourceSession) -> Iterator[ProfileSet]:
    """The runs among the files of a folder. A session folder is one run; in any other folder, files belong
    together where their captures overlap in time."""
    heads, refused = [], []
    for path in session.files:
        try:
            heads.append(read_head(path))
        except InputError as error:
            refused.append((path, error.message))
    groups = [heads] if session.session else _overlapping(heads)
    if len(groups) == 1 and heads:
        name = session.session or (session.folder.resolve().name if len(session.files) > 1 else None)
        yield _profile_set(heads, session.run_id, name, refused)
        return
    for group in groups:
        if group:
            yield _profile_set(group, None, None, [])
    for path, why in refused:
        yield ProfileSet(None, None, refused=[(path, why)])


def _profile_set(
    heads: list[FileHead], run_id: str | None, session: str | None, refused: list[tuple[Path, str]]
) -> ProfileSet:
    found = ProfileSet(run_id, session, refused=refused)
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
