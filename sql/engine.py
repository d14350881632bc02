"""An in-memory DuckDB over one snapshot's Parquet files, with every relation documented, then locked down."""

import math
import tempfile
import uuid
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from . import catalog
from .errors import ProfdbError
from .needs import Needs
from .storage import STORED_AS

if TYPE_CHECKING:
    import duckdb

# Set before anything else runs: nothing is loaded, fetched or found in Python variables.
_CLOSED = {
    "allow_community_extensions": "false",
    "allow_persistent_secrets": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
COSTLY = (
    "_gaps",
    "_host_idle",
    "_meetings",
    "counted_steps",
    "step_class_breakdown",
    "step_ops",
    "compare_pairs",
)
"""Views that several sections read, and that are costly: they sort all events, or many views read them.
Each comes after those that it reads."""
_MOST_THREADS = 1024
_MOST = 10**12
"""Largest value of a parameter: no ranking has so many rows, no process so many steps."""
_MEMORY_HINT = "--memory-limit 4GB"


@dataclass(frozen=True)
class Settings:
    """How to open a warehouse for questions."""

    views: str = catalog.DEFAULT_VIEWS
    """Version of the views."""
    params: Mapping[str, int | float | str] = field(default_factory=dict)
    """Overrides of columns of `params` and of rows of `thresholds`, by name."""
    memory_limit: str | None = None
    """As DuckDB writes it, for example 4GB; None: 80 % of the machine."""
    threads: int | None = None
    """1 to 1024; None: one for each core."""
    temp_directory: str | None = None
    """Where large queries spill; None: a folder of the system's temporary directory."""
    only: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Value or values of the columns run, host and device for which alone every relation answers."""
    timeout_s: float | None = None
    """Seconds that one query may take; enforced by warehouse.reader, not by the connection."""


def connect(
    files: Mapping[str, Sequence[str]],
    settings: Settings,
    *,
    documented: bool = True,
    needs: Needs | None = None,
) -> "duckdb.DuckDBPyConnection":
    """Open a fresh, locked connection on which the relations of the catalogue can be queried.

    `files` holds the Parquet files of a snapshot by relation. A relation without files is empty,
    and a file that lacks a column reads as NULL there. `documented` puts the catalogue's text into the
    database (COMMENT ON); that is most of the time it takes to open, and no admitted query can see it.
    With `needs` only its relations exist, and its repeated ones are read into memory now: a query that asks
    for them through several views would open each of their files that many times.

    Raises:
        ProfdbError: an unknown view version, parameter or setting value.
    """
    con = open_unlocked(settings)
    wanted = [
        r for r in catalog.relations(settings.views).values() if needs is None or r.name in needs.relations
    ]
    stored = [relation for relation in wanted if relation.kind in ("table", "derived")]
    for relation in stored:
        con.execute(relation.statements[0])
    create_rule_relations(con, settings)
    for view in wanted:
        if view.kind in ("view", "helper"):
            con.execute(view.statements[0])
    open_files(con, stored, files, settings.only, needs.repeated if needs else {})
    if documented:
        _document(con, wanted)
    _lock(con, [uri for relation in stored for uri in files.get(relation.name, ())])
    return con


def open_files(
    con: "duckdb.DuckDBPyConnection",
    stored: Iterable[catalog.Relation],
    files: Mapping[str, Sequence[str]],
    only: Mapping[str, str | tuple[str, ...]],
    repeated: Mapping[str, Collection[str]],
) -> None:
    """Put views over files, and copies of the columns of repeated relations, in the place of empty tables.

    A view binds all that it reads when it is created: over empty tables that costs nothing, over lists of
    hundreds of files most of the time it takes to open.
    """
    con.execute("SET preserve_insertion_order = false")  # copies of many small files take half the time
    for relation in stored:
        if uris := files.get(relation.name):
            columns = repeated.get(relation.name)
            con.execute(f"DROP TABLE {quote_name(relation.name)}")
            kind = "VIEW" if columns is None else "TABLE"
            con.execute(
                f"CREATE {kind} {quote_name(relation.name)} AS {_select(relation, uris, only, columns)}"
            )
    con.execute("RESET preserve_insertion_order")


def _select(
    relation: catalog.Relation,
    uris: Sequence[str],
    only: Mapping[str, str | tuple[str, ...]] | None = None,
    columns: Collection[str] | None = None,
) -> str:
    """The rows of a stored relation, of `only` these values, with NULL in all but these `columns`.

    A row that names no host or device is about all of them. The list of files is written as literals: in a
    view it cannot be a parameter, and a variable would follow later changes. Columns are matched by name, so
    files of an older schema read along.
    """
    paths = ", ".join(map(quote_text, uris))
    stored = [(c, STORED_AS.get((relation.name, c.name))) for c in relation.columns]
    schema = ", ".join(
        f"{quote_text(name)}: {{name: {quote_text(name)}, type: {quote_text(c.type or '')}, "
        "default_value: NULL}"
        for c, kept in stored
        for name in [kept.name if kept else c.name]
    )
    selected = ", ".join(
        f"CAST(NULL AS {c.type}) AS {quote_name(c.name)}"
        if columns is not None and c.name not in columns
        else f"{kept.expression if kept else quote_name(c.name)} AS {quote_name(c.name)}"
        for c, kept in stored
    )
    conditions = [
        f"({c.name} IN ({', '.join(map(quote_text, values(only[c.name])))})"
        f"{'' if c.not_null else f' OR {c.name} IS NULL'})"
        for c in relation.columns
        if only and c.name in only
    ]
    where = f" WHERE {' AND '.join(conditions)}" if conditions else ""
    source = f"read_parquet([{paths}], schema = MAP {{{schema}}}, hive_partitioning = false)"
    return f"SELECT {selected} FROM {source}{where}"


def values(only: str | tuple[str, ...]) -> tuple[str, ...]:
    """What a restriction of a column admits."""
    return (only,) if isinstance(only, str) else only


def create_rule_relations(con: "duckdb.DuckDBPyConnection", settings: Settings) -> None:
    """Create and fill params, thresholds and category_rules, with the settings' overrides.

    Raises:
        ProfdbError: an override that names neither a parameter nor a threshold, or that has a wrong type.
    """
    for relation in catalog.rules().values():
        con.execute(relation.statements[0])
        data = catalog.ROOT / "data" / f"{relation.name}.csv"
        if data.exists():
            con.execute(
                f"INSERT INTO {relation.name} BY NAME SELECT * FROM read_csv({quote_text(str(data))}, "
                "header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"')"
            )
    con.execute("INSERT INTO params DEFAULT VALUES")
    for name, value in settings.params.items():
        _override(con, name, value)


def compute_once(con: "duckdb.DuckDBPyConnection", helpers: Iterable[str] = COSTLY) -> None:
    """Put tables in the place of these helper views, for several queries on the database."""
    here = {name for (name,) in con.execute("SELECT view_name FROM duckdb_views()").fetchall()}
    for name in helpers:
        if name in here:
            con.execute(f"CREATE TABLE _computed AS SELECT * FROM {name}")
            con.execute(f"DROP VIEW {name}")
            con.execute(f"ALTER TABLE _computed RENAME TO {name}")


def quote_text(text: str) -> str:
    """An SQL string literal."""
    return "'" + text.replace("'", "''") + "'"


def quote_name(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def open_unlocked(settings: Settings) -> "duckdb.DuckDBPyConnection":
    """An empty in-memory database with the settings and nothing locked: for SQL of our own."""
    import duckdb

    temp = settings.temp_directory or str(Path(tempfile.gettempdir()) / f"profdb-{uuid.uuid4().hex}")
    con = duckdb.connect(":memory:", config={**_CLOSED, "temp_directory": temp})
    con.execute("SET GLOBAL TimeZone = 'UTC'")  # for cursors too
    if settings.threads is not None:
        if not 1 <= settings.threads <= _MOST_THREADS:  # DuckDB starts as many as it is told, or dies
            raise ProfdbError(f"threads = {settings.threads}: from 1 to {_MOST_THREADS}", hint="threads = 4")
        con.execute(f"SET threads = {settings.threads:d}")
    if settings.memory_limit is not None:
        _limit_memory(con, settings.memory_limit)
    return con


def _limit_memory(con: "duckdb.DuckDBPyConnection", size: str) -> None:
    import duckdb

    try:
        if not size.strip()[:1].isdigit():  # DuckDB takes -1GB and none as no limit
            raise ProfdbError(f"--memory-limit {size!r} is no size", hint=_MEMORY_HINT)
        con.execute(f"SET memory_limit = {quote_text(size)}")
    except duckdb.Error as error:
        reason = str(error).strip().partition("\n")[0]
        raise ProfdbError(f"--memory-limit {size!r}: {reason}", hint=_MEMORY_HINT) from error


def _document(con: "duckdb.DuckDBPyConnection", relations: Iterable[catalog.Relation]) -> None:
    """Put the catalogue's text into the database, where tools that read its system tables find it."""
    views = {name for (name,) in con.execute("SELECT view_name FROM duckdb_views()").fetchall()}
    for relation in relations:
        kind = "VIEW" if relation.name in views else "TABLE"
        name = quote_name(relation.name)
        con.execute(f"COMMENT ON {kind} {name} IS {quote_text(relation.doc)}")
        for column in relation.columns:
            target = f"{name}.{quote_name(column.name)}"
            con.execute(f"COMMENT ON COLUMN {target} IS {quote_text(column.doc)}")


def _override(con: "duckdb.DuckDBPyConnection", name: str, value: int | float | str) -> None:
    columns = {column.name for column in catalog.rules()["params"].columns}
    names = {row[0] for row in con.execute("SELECT name FROM thresholds").fetchall()}
    values: list[int | float | str]
    if name in columns:
        if not isinstance(value, int) or not 0 <= value <= _MOST:  # DuckDB would round 1.5 and take -3
            raise ProfdbError(f"{name} = {value!r} is no whole number from 0 to {_MOST}", hint=f"{name}=5")
        statement, values = f"UPDATE params SET {name} = ?", [value]
    elif name in names:
        if not isinstance(value, int | float) or not math.isfinite(value):
            raise ProfdbError(
                f"{name} = {value!r} is no number", hint="profdb query 'SELECT * FROM thresholds'"
            )
        statement, values = "UPDATE thresholds SET value = ? WHERE name = ?", [value, name]
    else:
        known = ", ".join(sorted(columns | names))
        raise ProfdbError(f"no parameter or threshold {name!r}; known: {known}", hint="profdb schema params")
    con.execute(statement, values)


def _lock(con: "duckdb.DuckDBPyConnection", paths: Sequence[str]) -> None:
    con.execute(f"SET allowed_paths = [{', '.join(map(quote_text, paths))}]")
    con.execute("SET enable_external_access = false")
    con.execute("SET lock_configuration = true")
