"""The checker of sql/: what a reviewer would otherwise have to notice in tables, derived tables and views.

Documentation, layers, binding and the column list are checked here; vocabulary.py knows names and units,
portable.py the constructs that other engines do not run or answer differently.
"""

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from graphlib import CycleError, TopologicalSorter
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp

from . import catalog, portable, vocabulary
from .catalog import Column, Relation

if TYPE_CHECKING:
    import duckdb

# What each kind may read. A derived table is written at ingest, before any public view is asked.
_LAYERS = {
    "table": set[str](),
    "rules": set[str](),
    "derived": {"table", "rules", "helper", "derived"},
    "helper": {"table", "rules", "helper", "derived"},
    "view": {"table", "rules", "helper", "derived", "view"},
}
# Relations that the rollup at ingest provides to derived tables.
_GIVEN = "CREATE TABLE _scopes (scope VARCHAR, phase VARCHAR, region VARCHAR)"
_LOSSY = re.compile(r"HUGEINT|DECIMAL")
_LEN = re.compile(r"\blen\(", re.IGNORECASE)
_SELECT_OF_VIEW = re.compile(r"^(?:CREATE VIEW \w+|\)) AS$", re.MULTILINE)
_SELECT_OF_INSERT = re.compile(r"^INSERT INTO \w+", re.MULTILINE)


def find_problems(relations: Mapping[str, Relation]) -> list[str]:
    """Everything that breaks a rule, as `file: what, and what to do`; views come after what they read."""
    trees = {relation.name: _parse(relation) for relation in relations.values()}
    sources = {name: _sources(parsed) for name, parsed in trees.items()}
    problems = [
        f"{relation.name}.sql: {text}"
        for relation in relations.values()
        for text in (*_static_problems(relation), *_portability(relation, trees[relation.name]))
    ]
    problems += _layer_problems(relations, sources)
    problems += _binding_problems(relations, sources)
    return problems


def _static_problems(relation: Relation) -> Iterator[str]:
    public = relation.kind != "helper"
    if not relation.grain.startswith("One row"):
        yield "the header comment must start with the grain: One row per ..."
    if relation.kind == "view":
        for word in ("Needs:", "NULL:"):
            if not any(line.startswith(word) for line in relation.doc.splitlines()):
                yield f"the header comment has no line that starts with {word}"
    if public and not relation.columns:
        yield "no column list"
    if public:
        for column in relation.columns:
            if not column.doc:
                yield f"column {column.name} has no comment"
    if len(relation.statements) > (2 if relation.kind == "derived" else 1):
        yield f"{len(relation.statements)} statements; a file creates one relation"
    yield from _data_problems(relation)


def _data_problems(relation: Relation) -> Iterator[str]:
    data = catalog.ROOT / "data" / f"{relation.name}.csv"
    if relation.kind == "rules" and data.exists():
        with data.open(newline="", encoding="utf-8") as file:
            header = next(csv.reader(file))
        if header != [column.name for column in relation.columns]:
            yield f"the columns are not those of {data.name}: {', '.join(header)}"


def _parse(relation: Relation) -> list[exp.Expr]:
    """The trees of a relation's queries (a stored table's DDL is none); empty if one does not parse."""
    stored = relation.kind in {"table", "rules", "derived"}
    try:
        parsed = [sqlglot.parse_one(text, read="duckdb") for text in relation.statements[int(stored) :]]
    except sqlglot.errors.SqlglotError:
        return []  # DuckDB says why when it binds
    return [tree for tree in parsed if isinstance(tree, exp.Expr)]


def _portability(relation: Relation, trees: list[exp.Expr]) -> Iterator[str]:
    for tree in trees:
        yield from portable.violations(tree)
    if _LEN.search(catalog.blank(relation.sql)):  # sqlglot reads it as length()
        yield "len(): write length(text) or array_length(list)"


def _sources(trees: list[exp.Expr]) -> set[str]:
    """Relations that the statements read."""
    found: set[str] = set()
    for tree in trees:
        target = tree.find(exp.Table) if isinstance(tree, exp.Create | exp.Insert) else None
        local = {cte.alias for cte in tree.find_all(exp.CTE)}
        found |= {table.name for table in tree.find_all(exp.Table) if table is not target} - local
    return found


def _layer_problems(relations: Mapping[str, Relation], sources: Mapping[str, set[str]]) -> Iterator[str]:
    for relation in relations.values():
        for name in sorted(sources[relation.name] & relations.keys()):
            if (kind := relations[name].kind) not in _LAYERS[relation.kind]:
                where = f"{relation.name}.sql: a {relation.kind} relation"
                yield f"{where} may not read {name}, which is a {kind}"
    try:
        TopologicalSorter(sources).prepare()
    except CycleError as error:
        yield "cycle: " + " -> ".join(error.args[1])


def _binding_problems(relations: Mapping[str, Relation], sources: Mapping[str, set[str]]) -> Iterator[str]:
    """Create everything over empty tables; what reads a broken relation is not reported again."""
    import duckdb

    with duckdb.connect() as con:
        con.execute(_GIVEN)
        reserved = _reserved_words(con)
        broken: set[str] = set()
        for relation in _tables_first(relations):
            if broken & sources[relation.name]:
                broken.add(relation.name)
                continue
            try:
                con.execute(relation.statements[0])
                problems = [*_column_problems(con, relation, reserved)]
            except duckdb.Error as error:
                problems = [f"does not bind: {str(error).strip()}"]
                broken.add(relation.name)
            yield from (f"{relation.name}.sql: {text}" for text in problems)
        for relation in relations.values():
            if relation.kind == "derived" and not broken & sources[relation.name]:
                yield from (f"{relation.name}.sql: {text}" for text in _insert_problems(con, relation))


def _tables_first(relations: Mapping[str, Relation]) -> list[Relation]:
    return sorted(relations.values(), key=lambda relation: relation.kind in {"view", "helper"})


def _reserved_words(con: "duckdb.DuckDBPyConnection") -> frozenset[str]:
    sql = "SELECT keyword_name FROM duckdb_keywords() WHERE keyword_category = 'reserved'"
    return frozenset(word for (word,) in con.execute(sql).fetchall())


def _describe(con: "duckdb.DuckDBPyConnection", what: str) -> list[tuple[str, str]]:
    """Name and type of each column of a relation or SELECT."""
    return [(name, kind) for name, kind, *_ in con.execute(f"DESCRIBE {what}").fetchall()]


def _column_problems(
    con: "duckdb.DuckDBPyConnection", relation: Relation, reserved: frozenset[str]
) -> Iterator[str]:
    if relation.kind == "helper":
        return
    described = _describe(con, relation.name)
    for name, kind in described:
        if _LOSSY.match(kind):
            yield f"column {name} is {kind}, which Parquet or Spark rounds: cast it to BIGINT or DOUBLE"
    listed = [column.name for column in relation.columns]
    if relation.kind == "view" and listed:
        selected = [name for name, _ in _describe(con, _after(_SELECT_OF_VIEW, relation.statements[0]))]
        yield from _list_problems(listed, selected)
    types = dict(described)
    for column in relation.columns:
        bound: Column = replace(column, type=types.get(column.name))
        yield from vocabulary.violations(bound, reserved)


def _insert_problems(con: "duckdb.DuckDBPyConnection", relation: Relation) -> Iterator[str]:
    import duckdb

    if len(relation.statements) < 2:
        yield "no INSERT that fills the table"
        return
    try:
        selected = _describe(con, _after(_SELECT_OF_INSERT, relation.statements[1]))
    except duckdb.Error as error:
        yield f"the INSERT does not bind: {str(error).strip()}"
        return
    yield from _list_problems([column.name for column in relation.columns], [name for name, _ in selected])
    types = dict(_describe(con, relation.name))
    for name, kind in selected:
        if types.get(name, kind) != kind:
            yield f"the INSERT gives {name} as {kind}, and the column is {types[name]}: cast it"


def _list_problems(listed: list[str], selected: list[str]) -> Iterator[str]:
    """Names must agree one by one: the database takes them by position, so a swap would go unnoticed."""
    if len(listed) != len(selected):
        yield f"{len(listed)} columns are listed, the SELECT gives {len(selected)}: {', '.join(selected)}"
        return
    for place, (name, given) in enumerate(zip(listed, selected, strict=True), start=1):
        if name != given:
            yield f"column {place} is listed as {name}, the SELECT calls it {given}"


def _after(start: re.Pattern[str], statement: str) -> str:
    found = start.search(statement)
    if found is None:
        raise ValueError(f"no line matches {start.pattern} in: {statement[:80]}")
    return statement[found.end() :]
