"""The catalogue of relations, read from the SQL files beside this module.

The text of a file is the only source of its documentation: the header comment, whose first sentence is the
grain, and the comment above each column. Nothing here parses SQL beyond that, and nothing heavy is imported.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from .errors import ProfdbError

ROOT = Path(__file__).parent
DEFAULT_VIEWS = "v1"

# Comments and quoted text, so that a semicolon or a name inside them does not count.
_OPAQUE = re.compile(r"--[^\n]*|/\*.*?\*/|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"", re.DOTALL)
_CREATE = re.compile(r"^CREATE (?:TABLE|VIEW) (?P<name>[a-z_][a-z0-9_]*)(?P<list> \()?", re.MULTILINE)
_COLUMN = re.compile(r"(?P<name>[a-z_][a-z0-9_]*)(?: (?P<type>.+?))?,?$")
_CONSTRAINT = re.compile(r" (?:NOT NULL|DEFAULT .+)$")
_NEEDS = re.compile(r"^Needs: (.+?)(?:^$|^[A-Z]+:|\Z)", re.MULTILINE | re.DOTALL)
_SOURCE = re.compile(r"\b(?:FROM|JOIN)\s+([a-z_][a-z0-9_]*)", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """One column. `type` is the declared DuckDB type, None in a view, where only binding tells it."""

    name: str
    type: str | None
    doc: str
    not_null: bool = False


@dataclass(frozen=True)
class Relation:
    """One relation, as its file describes it."""

    name: str
    kind: str
    """table (facts), derived (written at ingest), rules (data that views join), view, or helper."""
    doc: str
    grain: str
    """What one row is: the first sentence of `doc`."""
    columns: tuple[Column, ...]
    """Empty only for a helper view, which need not list them."""
    sql: str
    """The whole text of the file."""
    statements: tuple[str, ...]
    """CREATE first; in a derived table then the INSERT that fills it."""

    @property
    def needs(self) -> str | None:
        """The paragraph of a view's comment that says what it needs."""
        found = _NEEDS.search(self.doc)
        return found[1].replace("\n", " ").strip() if found else None


def tables() -> Mapping[str, Relation]:
    """The stored fact tables, by name."""
    return _folder(ROOT / "tables", "table")


def rules() -> Mapping[str, Relation]:
    """The relations that the opener fills from data or settings: params, thresholds, category_rules."""
    return _folder(ROOT / "data", "rules")


def derived(version: str = DEFAULT_VIEWS) -> Mapping[str, Relation]:
    """The tables that this version of the views writes at ingest, by name."""
    return _folder(_version_folder(version) / "derived", "derived")


def views(version: str = DEFAULT_VIEWS) -> Mapping[str, Relation]:
    """The views of a version, helpers included, each after everything that it reads."""
    return _ordered(_version_folder(version))


def relations(version: str = DEFAULT_VIEWS) -> Mapping[str, Relation]:
    """Everything that can be queried: tables, rules, derived tables and views, in this order."""
    return {**tables(), **rules(), **derived(version), **views(version)}


def versions() -> list[str]:
    """The view versions that this profdb ships, oldest first."""
    return sorted((path.name for path in ROOT.glob("v[0-9]*")), key=lambda name: int(name[1:]))


def parse(text: str, kind: str, file: str) -> Relation:
    """Read one SQL file.

    Raises:
        ValueError: the text has no CREATE statement of the house's form.
    """
    created = _CREATE.search(text)
    if created is None:
        raise ValueError(f"{file}: no line starts with CREATE TABLE name or CREATE VIEW name")
    doc = _comment_text(text[: created.start()].splitlines())
    if kind == "view" and created["name"].startswith("_"):
        kind = "helper"
    columns = tuple(_columns(text[created.end() :])) if created["list"] else ()
    return Relation(created["name"], kind, doc, _grain(doc), columns, text, statements(text))


def statements(text: str) -> tuple[str, ...]:
    """The statements of a text, comments kept, without their semicolons."""
    bare = blank(text)
    ends = [i for i, char in enumerate(bare) if char == ";"]
    starts = [0, *(end + 1 for end in ends)]
    return tuple(
        text[start:end].strip()
        for start, end in zip(starts, [*ends, len(text)], strict=True)
        if bare[start:end].strip()
    )


def source_list(sql: str) -> list[str]:
    """Names that follow FROM or JOIN in a text, each time: relations and common table expressions."""
    return list(_source_names(sql))


@lru_cache(1024)  # a report asks for the same texts a hundred times
def _source_names(sql: str) -> tuple[str, ...]:
    return tuple(_SOURCE.findall(blank(sql)))


def sources(sql: str) -> set[str]:
    """Names that follow FROM or JOIN in a text, once."""
    return set(source_list(sql))


def reachable(names: Iterable[str], version: str = DEFAULT_VIEWS) -> set[str]:
    """The relations that these relations read, directly or through views."""
    known = relations(version)
    found: set[str] = set()
    todo = [name for name in names if name in known]
    while todo:
        new = (sources(known[todo.pop()].sql) & known.keys()) - found
        found |= new
        todo += [name for name in new if known[name].kind in ("view", "helper")]
    return found


def blank(text: str) -> str:
    """The text with comments and quoted parts as spaces, every offset kept."""
    return _OPAQUE.sub(lambda match: " " * len(match[0]), text)


@cache
def _folder(folder: Path, kind: str) -> Mapping[str, Relation]:
    found = {}
    for path in sorted(folder.glob("*.sql")):
        relation = parse(path.read_text(encoding="utf-8"), kind, path.name)
        if relation.name != path.stem:
            raise ValueError(f"{path.name} creates {relation.name}; a file is named after its relation")
        found[relation.name] = relation
    return found


@cache
def _ordered(folder: Path) -> Mapping[str, Relation]:
    found = _folder(folder, "view")
    return {name: found[name] for name in _dependency_order(found)}


def _version_folder(version: str) -> Path:
    if version not in versions():
        raise ProfdbError(f"no view version {version!r}", hint=f"--views {versions()[-1]}")
    return ROOT / version


def _dependency_order(found: Mapping[str, Relation]) -> Iterable[str]:
    graph = {name: sorted(sources(view.sql) & (found.keys() - {name})) for name, view in found.items()}
    try:
        return list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise ValueError("views read each other in a cycle: " + " -> ".join(error.args[1])) from error


def _columns(body: str) -> Iterable[Column]:
    """The columns of a list, one a line with its comment above, up to the closing parenthesis."""
    comment: list[str] = []
    for line in map(str.strip, body.splitlines()):
        if line.startswith(")"):
            return
        if line.startswith("--"):
            comment.append(line)
        elif column := _COLUMN.match(line):
            yield _column(column["name"], column["type"], _comment_text(comment))
            comment = []


def _column(name: str, declared: str | None, doc: str) -> Column:
    not_null = declared is not None and "NOT NULL" in declared
    while declared and (constraint := _CONSTRAINT.search(declared)):
        declared = declared[: constraint.start()]
    return Column(name, declared, doc, not_null)


def _comment_text(lines: Iterable[str]) -> str:
    comments = (line.strip() for line in lines)
    return "\n".join(line[2:].strip() for line in comments if line.startswith("--"))


def _grain(doc: str) -> str:
    return re.split(r"(?<=\.)\s", doc, maxsplit=1)[0].replace("\n", " ")
