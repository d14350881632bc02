"""The derived tables of one run, all by SQL: what each op means, op totals, the breakdown of every step."""

from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from graphlib import TopologicalSorter
from typing import TYPE_CHECKING

from . import catalog
from .engine import compute_once, quote_text
from .scopes import phase, region

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


Device = tuple[str, str, str]
"""Run, host and device."""
BATCH_OPS = 125_000
"""Most op executions of a batch of devices, unless one device has more: about 50 MB."""
AT_ONCE = 2
"""Batches that are computed at a time: the running sums of one keep one core busy."""
ONCE = ("_op_loads", "_dispatch_threads", "_host_work")
"""Helper views that all batches read: computed once, in this order."""
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
    compute_once(con, ONCE)
    batches, largest = _device_batches(con)
    with ThreadPoolExecutor(AT_ONCE if largest <= BATCH_OPS else 1) as pool:
        list(pool.map(partial(_roll_up_devices, con, version), batches))
    return {name: con.table(name).to_arrow_table() for name in derived}


def _device_batches(con: "duckdb.DuckDBPyConnection") -> tuple[list[list[Device]], int]:
    """The devices, some of them at a time, so that memory depends on these and not on the run.

    And the executions of the largest batch.
    """
    batches: list[list[Device]] = []
    ops = largest = 0
    for *device, count in con.execute(
        "SELECT run, host, device, op_count FROM devices ORDER BY ALL"
    ).fetchall():
        if not batches or ops + count > BATCH_OPS:
            batches.append([])
            ops = 0
        batches[-1].append(tuple(device))
        ops += count
        largest = max(largest, ops)
    return batches, largest


def _roll_up_devices(con: "duckdb.DuckDBPyConnection", version: str, devices: Iterable[Device]) -> None:
    """Fill the tables of BY_DEVICE for these devices, in temporary tables of a connection of their own."""
    chosen = ", ".join(f"({', '.join(map(quote_text, device))})" for device in devices)
    with con.cursor() as own:
        own.execute(
            "CREATE TEMP TABLE devices AS SELECT * FROM memory.main.devices "
            f"WHERE (run, host, device) IN ({chosen})"
        )
        for name in SHARED:
            own.execute(f"CREATE TEMP TABLE {name} AS SELECT * FROM memory.main.{name}")
        for name in BY_DEVICE:
            own.execute(catalog.derived(version)[name].statements[1])


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
