"""The derived tables of one run, all by SQL: what each op means, op totals, the breakdown of every step."""

from collections.abc import Iterable, Iterator, Mapping
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from . import catalog
from .engine import quote_text
from .scopes import phase, region

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


BATCH_OPS = 250_000
"""Op executions whose breakdown is computed at a time: about 200 MB."""
ONCE = ("_op_loads", "_dispatch_threads", "_host_work")
"""Helper views that are computed once for all batches, in this order."""
BY_DEVICE = ("op_stats", "step_breakdown", "collective_stats")
"""Derived tables whose INSERT reads its devices from the relation devices, and can run for some at a time."""
SHARED = ("_executions", "_spans")
"""Helper views that the tables of BY_DEVICE share: computed once for each batch, in this order."""


def define(con: "duckdb.DuckDBPyConnection", version: str = catalog.DEFAULT_VIEWS) -> None:
    """Create the derived tables, empty, and the helper views that fill them.

    `con` holds the stored tables of one run and category_rules. A view binds all that it reads when it is
    created, so this is quickest over tables that are empty yet.
    """
    for relation in catalog.derived(version).values():
        con.execute(relation.statements[0])
    for helper in _helpers(version):
        con.execute(helper.statements[0])


def rollup(
    con: "duckdb.DuckDBPyConnection", version: str = catalog.DEFAULT_VIEWS
) -> "Mapping[str, pa.Table]":
    """The derived tables by name, with the columns and types of their definitions, filled on `con`."""
    derived = catalog.derived(version)
    _fill_scopes(con)
    for name in _dependency_order(version):
        if name not in BY_DEVICE:
            con.execute(derived[name].statements[1])
    for _ in _device_batches(con):
        for name in BY_DEVICE:
            con.execute(derived[name].statements[1])
    return {name: con.table(name).to_arrow_table() for name in derived}


def _device_batches(con: "duckdb.DuckDBPyConnection") -> Iterator[None]:
    """Let the relation devices be some of them at a time: memory depends on these, not on the run."""
    batches: list[list[tuple[str, str, str]]] = []
    ops = 0
    for *device, count in con.execute(
        "SELECT run, host, device, op_count FROM devices ORDER BY ALL"
    ).fetchall():
        if not batches or ops + count > BATCH_OPS:
            batches.append([])
            ops = 0
        batches[-1].append(tuple(device))
        ops += count
    _compute(con, ONCE)
    for batch in batches:
        chosen = ", ".join(f"({', '.join(map(quote_text, device))})" for device in batch)
        con.execute(
            "CREATE OR REPLACE TEMP TABLE devices AS SELECT * FROM memory.main.devices "
            f"WHERE (run, host, device) IN ({chosen})"
        )
        _compute(con, SHARED)
        yield
    for name in ("devices", *SHARED, *ONCE):
        con.execute(f"DROP TABLE IF EXISTS temp.{name}")


def _compute(con: "duckdb.DuckDBPyConnection", helpers: Iterable[str]) -> None:
    """Put tables in front of these helper views."""
    for name in helpers:
        con.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT * FROM memory.main.{name}")


def _fill_scopes(con: "duckdb.DuckDBPyConnection") -> None:
    """The relation _scopes: phase and region of every scope of the run."""
    import pyarrow as pa

    scopes = [
        row[0] for row in con.execute("SELECT DISTINCT scope FROM ops WHERE scope IS NOT NULL").fetchall()
    ]
    meaning = pa.table(
        {
            "scope": pa.array(scopes, pa.string()),
            "phase": pa.array(map(phase, scopes), pa.string()),
            "region": pa.array(map(region, scopes), pa.string()),
        }
    )
    con.register("_arrow_scopes", meaning)
    con.execute("CREATE TEMP TABLE _scopes AS SELECT scope, phase, region FROM _arrow_scopes")
    con.unregister("_arrow_scopes")


def _helpers(version: str) -> Iterator[catalog.Relation]:
    """The helper views that the derived tables read, each after those that it reads."""
    needed = catalog.reachable(catalog.derived(version), version)
    return (view for name, view in catalog.views(version).items() if name in needed)


def _dependency_order(version: str) -> list[str]:
    """The derived tables, each after those that it reads."""
    derived = catalog.derived(version)
    graph = {name: catalog.reachable([name], version) & (derived.keys() - {name}) for name in derived}
    return list(TopologicalSorter(graph).static_order())
