"""A tiny run, written row by row into tables made from their own definitions."""

import duckdb
import pytest

from profdb.sql import catalog, engine
from profdb.sql.rollup import define, rollup

_EMPTY = {"VARCHAR": "", "BIGINT": 0, "BOOLEAN": False, "TIMESTAMPTZ": "2026-11-30 00:00:00+00"}


class TinyRun:
    """A connection with the stored tables of one run, `r`, and the rule relations."""

    def __init__(self) -> None:
        self.con = duckdb.connect()
        for relation in catalog.tables().values():
            self.con.execute(relation.statements[0])
        engine.create_rule_relations(self.con, engine.Settings())
        define(self.con)
        self.devices: dict[tuple[str, str], int] = {}

    def insert(self, table: str, **values: object) -> None:
        """One row; a column that must not be NULL and is not given is empty, 0 or false."""
        columns = (c for c in catalog.tables()[table].columns if c.not_null)
        row = {c.name: _EMPTY[c.type] for c in columns if c.type in _EMPTY} | {"run": "r"} | values
        marks = ", ".join("?" * len(row))
        self.con.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))

    def op(self, op_id: int, **facts: object) -> None:
        """One op; facts are columns of ops."""
        self.insert("ops", **{"op_id": op_id, "attribution_source": "none", "name": f"op.{op_id}"} | facts)

    def event(
        self,
        op_id: int,
        start_ps: int | None,
        end_ps: int,
        *,
        parent: int | None = None,
        self_ps: int | None = None,
        device: str = "TPU:0",
        host: str = "h",
        **more: object,
    ) -> None:
        """One execution from start to end; its self time is all of it unless told."""
        duration = end_ps - (start_ps or 0)
        row = {"stream": "0", "occurrences": 1, "is_leaf": True, "is_async": False, "assignment": "none"}
        row |= {"parent_op_id": parent, "duration_ps": duration, "start_ps": start_ps, "op_id": op_id}
        row |= {"self_ps": duration if self_ps is None else self_ps, "host": host, "device": device}
        self.insert("op_events", **row | more)
        self.devices[host, device] = self.devices.get((host, device), 0) + 1

    def step(self, step_num: int, start_ps: int, end_ps: int, **more: object) -> None:
        """One step of a device as a window."""
        row = {"host": "h", "device": "TPU:0", "source": "device", "is_whole": True, "step_num": step_num}
        self.insert("steps", **row | {"start_ps": start_ps, "duration_ps": end_ps - start_ps} | more)

    def window(self, start_ps: int, end_ps: int, **facts: object) -> None:
        """The run's row, whose window this is."""
        self.insert("runs", window_start_ps=start_ps, window_ps=end_ps - start_ps, **facts)

    def rolled_up(self) -> duckdb.DuckDBPyConnection:
        """The connection with derived tables and views on top."""
        for (host, device), count in self.devices.items():
            self.insert("devices", host=host, device=device, core_kind="tensorcore", op_count=count)
        rollup(self.con)
        existing = {row[0] for row in self.con.execute("SHOW TABLES").fetchall()}
        for view in catalog.views().values():
            if view.name not in existing:
                self.con.execute(view.statements[0])
        return self.con

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """Header and rows of a query, after the rollup."""
        cursor = self.con.execute(query)
        return [tuple(c[0] for c in cursor.description or ()), *cursor.fetchall()]


@pytest.fixture
def tiny() -> TinyRun:
    return TinyRun()
