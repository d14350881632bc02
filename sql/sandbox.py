"""The gate for SQL that users write: one SELECT over the warehouse's relations, and nothing else.

A locked connection is not enough: a COPY, INSERT or DELETE inside a common table expression counts as a
SELECT, and the lock stops neither CREATE TABLE nor variables. So DuckDB's own parser turns the statement into
a tree, and only node kinds, relations and functions known to be harmless pass. What passes runs, or fails
with DuckDB's own text.
"""

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import catalog
from .errors import InputError, StatementError

if TYPE_CHECKING:
    import duckdb

# Query, table and modifier nodes of json_serialize_sql. Not here, among others: COPY_QUERY_NODE,
# INSERT_QUERY_NODE, UPDATE_QUERY_NODE, DELETE_QUERY_NODE and whatever a later DuckDB adds.
_NODES = frozenset(
    {
        "SELECT_NODE",
        "SET_OPERATION_NODE",
        "RECURSIVE_CTE_NODE",
        "BASE_TABLE",
        "EMPTY",
        "EXPRESSION_LIST",
        "JOIN",
        "PIVOT",
        "SHOW_REF",
        "SUBQUERY",
        "TABLE_FUNCTION",
        "ASCENDING",
        "DESCENDING",
        "ORDER_DEFAULT",
        "DISTINCT_MODIFIER",
        "LIMIT_MODIFIER",
        "LIMIT_PERCENT_MODIFIER",
        "ORDER_MODIFIER",
    }
)
_EXPRESSIONS = frozenset(
    {
        "BETWEEN",
        "CASE",
        "CAST",
        "COLLATE",
        "COLUMN_REF",
        "COMPARISON",
        "CONJUNCTION",
        "CONSTANT",
        "FUNCTION",
        "LAMBDA",
        "OPERATOR",
        "PARAMETER",
        "POSITIONAL_REFERENCE",
        "STAR",
        "SUBQUERY",
        "TYPE",
        "WINDOW",
    }
)
_TABLE_FUNCTIONS = frozenset({"generate_series", "range", "unnest"})
# Functions that leave something behind, read the process or its settings, run or bind other SQL, or take raw
# internal bytes. tests/sql/test_sandbox.py compares the list with all functions of the installed DuckDB.
_DENIED_FUNCTIONS = frozenset(
    {
        "checkpoint",
        "current_connection_id",
        "current_query",
        "current_query_id",
        "current_setting",
        "current_transaction_id",
        "currval",
        "force_checkpoint",
        "getenv",
        "getvariable",
        "glob",
        "in_search_path",
        "json_deserialize_sql",
        "json_execute_serialized_sql",
        "json_serialize_plan",
        "json_serialize_sql",
        "nextval",
        "query",
        "query_table",
        "set_config",
        "setseed",
        "setval",
        "sleep_ms",
        "sniff_csv",
        "stats",
        "to_aggregate_state",
        "txid_current",
        "variant_bytes_to_variant",
        "which_secret",
        "write_log",
    }
)
_DENIED_PREFIXES = ("duckdb_", "inet_", "parquet_", "pg_", "pragma_", "read_")


_SHOW_TABLES = (
    r"SELECT name FROM (SHOW TABLES) AS relations WHERE name NOT LIKE '\_%' ESCAPE '\' ORDER BY name"
)
_EXAMPLE = "profdb query 'SELECT run, started_at FROM runs'"
_ALLOWED = "a query is one SELECT, DESCRIBE, SHOW TABLES or SUMMARIZE"


def admit(con: "duckdb.DuckDBPyConnection", sql: str) -> str:
    """What to run for one SELECT (or DESCRIBE, SHOW TABLES, SUMMARIZE) that only reads relations of `con`.

    That is `sql` itself; only from SHOW TABLES helpers are left out.

    Raises:
        InputError: it is anything else. Where DuckDB finds the fault (syntax, an unknown table) a
            StatementError with its own text.
    """
    _require_one_select(con, sql)
    known = _relations(con)
    tree = _tree(con, sql)
    pending: list[tuple[Any, frozenset[str]]] = [(tree, frozenset())]
    while pending:
        node, ctes = pending.pop()
        if isinstance(node, dict):
            _check_kind(node)
            _check_names(con, node, known, ctes)
            pending.extend(_children(node, ctes))
        elif isinstance(node, list):
            pending.extend((item, ctes) for item in node)
    return _SHOW_TABLES if tree[0]["node"].get("from_table", {}).get("show_type") == "SHOW_SPECIAL" else sql


def _require_one_select(con: "duckdb.DuckDBPyConnection", sql: str) -> None:
    import duckdb

    if not _is_text(sql):
        message = "the statement holds a NUL character or is not valid Unicode"
        raise InputError(message, hint="save it as UTF-8 text and give it by -f FILE")
    try:
        kinds = [_kind(statement) for statement in con.extract_statements(sql)]
    except duckdb.Error as error:
        raise StatementError(str(error).strip(), hint=_EXAMPLE) from error
    if not kinds:
        raise InputError("no SQL statement", hint=_EXAMPLE)
    if kinds == ["MULTI"]:
        raise InputError(
            "PIVOT needs its values here",
            hint="PIVOT t ON c IN ('a', 'b') USING sum(x), or sum(x) FILTER (WHERE c = 'a')",
        )
    if len(kinds) > 1:
        raise InputError(
            f"{len(kinds)} statements; a query is one SELECT", hint="profdb query, once for each"
        )
    if kinds != ["SELECT"]:
        raise InputError(f"{_typed(sql, kinds[0])} is not allowed; {_ALLOWED}", hint=_EXAMPLE)


def _kind(statement: "duckdb.Statement") -> str:
    try:
        return statement.type.name
    except ValueError:  # a kind that the Python client has no name for, for example UPDATE EXTENSIONS
        return "this statement"


def _typed(sql: str, kind: str) -> str:
    """What the user calls a statement of this kind: to the parser an INSTALL is a LOAD."""
    words = re.findall(r"\w+", catalog.blank(sql).upper())
    return kind if kind in words else words[0]


def _is_text(sql: str) -> bool:
    surrogates = any("\ud800" <= char <= "\udfff" for char in sql)
    return not surrogates and "\0" not in sql


def _tree(con: "duckdb.DuckDBPyConnection", sql: str) -> Any:
    [(text,)] = con.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()
    try:
        tree = json.loads(text)
    except RecursionError as error:
        raise StatementError("the statement is nested too deeply", hint=_EXAMPLE) from error
    if tree["error"]:
        raise StatementError(str(tree["error_message"]), hint=_EXAMPLE)
    return tree["statements"]


def _relations(con: "duckdb.DuckDBPyConnection") -> frozenset[str]:
    rows = con.execute(
        "SELECT table_name FROM duckdb_tables() WHERE NOT internal "
        "UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall()
    return frozenset(name.lower() for (name,) in rows)


def _check_kind(node: dict[str, Any]) -> None:
    """Every node with a class is an expression; the rest with a textual type are query parts."""
    kind = node.get("class", node.get("type"))
    allowed = _EXPRESSIONS if "class" in node else _NODES
    if isinstance(kind, str) and kind not in allowed:
        words = kind.removesuffix("_QUERY_NODE").removesuffix("_NODE").replace("_", " ")
        raise InputError(f"{words} is not allowed inside a query", hint=_EXAMPLE)


def _check_names(
    con: "duckdb.DuckDBPyConnection", node: dict[str, Any], known: frozenset[str], ctes: frozenset[str]
) -> None:
    kind = node.get("type")
    if kind == "BASE_TABLE":
        _check_relation(con, node["qualified_name"]["path"], known, ctes)
    elif kind == "SHOW_REF" and node["query"] is None:
        _check_show(con, node, known)
    elif kind == "TABLE_FUNCTION":
        name = str(node["function"].get("function_name", "")).lower()
        if name not in _TABLE_FUNCTIONS:
            raise InputError(f"table function {name}() is not allowed", hint="profdb tables")
    elif "function_name" in node:
        _check_function(node["function_name"].lower())


def _check_show(con: "duckdb.DuckDBPyConnection", node: dict[str, Any], known: frozenset[str]) -> None:
    if node["show_type"] == "SHOW":
        _check_relation(con, node["qualified_name"]["path"], known, frozenset())
    elif (node["show_type"], node["table_name"]) != ("SHOW_SPECIAL", '"tables"'):
        raise InputError("of the SHOW statements only SHOW TABLES is allowed", hint="profdb tables")


def _check_relation(
    con: "duckdb.DuckDBPyConnection", path: list[str], known: frozenset[str], ctes: frozenset[str]
) -> None:
    *qualifier, name = (part.lower() for part in path)
    if qualifier in ([], ["main"], ["memory", "main"]) and name in known:
        return
    if not qualifier and name in ctes:
        return
    raise StatementError(_unknown_table(con, path), hint="profdb tables")


def _unknown_table(con: "duckdb.DuckDBPyConnection", path: list[str]) -> str:
    """DuckDB's own sentence, with its near miss, where asking for it cannot reach a file or a system view."""
    import duckdb

    plain = len(path) == 1 and path[0].isidentifier()
    if plain:
        try:
            con.execute(f'SELECT 1 FROM main."{path[0]}" LIMIT 0').fetchall()
        except duckdb.CatalogException as error:
            return str(error).partition("\n\nLINE")[0]
    return f"{'.'.join(path)!r} is not a table or view of the warehouse"


def _check_function(name: str) -> None:
    if name in _DENIED_FUNCTIONS or name.startswith(_DENIED_PREFIXES):
        raise InputError(f"function {name}() is not allowed in a query", hint="profdb schema")


def _children(node: dict[str, Any], ctes: frozenset[str]) -> Iterator[tuple[Any, frozenset[str]]]:
    """The parts of a node, each with the common table expressions that it can see.

    An expression sees those before it, and itself only when it is recursive, as in DuckDB.
    """
    if node.get("type") == "RECURSIVE_CTE_NODE":
        ctes = ctes | {node["cte_name"].lower()}
    for entry in node.get("cte_map", {}).get("map", ()):
        yield entry["value"], ctes
        ctes = ctes | {entry["key"].lower()}
    for key, value in node.items():
        if key != "cte_map" and isinstance(value, dict | list):
            yield value, ctes
