"""Ask a warehouse questions: one snapshot, and for every query a fresh, locked connection over its files."""

import shlex
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

from ..sql.engine import Settings, connect
from ..sql.errors import InputError
from ..sql.needs import Needs, of_query
from ..sql.sandbox import admit
from .snapshot import Snapshot
from .store import Warehouse

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

_BATCH_ROWS = 100_000
_SMALL_BYTES = 16_000_000
"""Most bytes of Parquet that are read into memory for a query whose views ask for them several times."""


@dataclass(frozen=True)
class Result:
    """The rows of one query; `truncated` where the limit cut some off."""

    table: "pa.Table"
    truncated: bool


class Session:
    """Questions to one snapshot: what is committed, compacted or deleted meanwhile does not show."""

    def __init__(self, warehouse: Warehouse, snapshot: Snapshot, settings: Settings) -> None:
        run = settings.only.get("run")
        chosen = {
            name: tuple(
                file
                for file in files
                if file.view_version in (None, settings.views) and (run is None or file.run in (None, run))
            )
            for name, files in snapshot.files.items()
        }
        self.snapshot = replace(snapshot, files=chosen)
        """The snapshot, with files of the settings' view version and run only."""
        self._settings = settings
        self._warehouse = warehouse
        self._files = {name: warehouse.uris(self.snapshot, name) for name in chosen}

    def restricted(self, **only: str) -> "Session":
        """The same snapshot, where every relation answers for one run, host or device alone."""
        return Session(self._warehouse, self.snapshot, replace(self._settings, only=only))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Nothing stays open between queries."""

    def query(
        self, sql: str, parameters: Mapping[str, str] | None = None, limit: int | None = None
    ) -> Result:
        """Run one SELECT; `parameters` fill its `$name`s, `limit` is the most rows that come back.

        Raises:
            InputError: the statement is refused, wrong, too slow or too large; DuckDB's text if it has one.
            ProfdbError: the settings are wrong.
        """
        con = self._admitting(sql)
        try:
            return _in_time(con, lambda: _answer(con, sql, parameters or {}, limit), self._settings.timeout_s)
        finally:
            con.close()

    def _admitting(self, sql: str) -> "duckdb.DuckDBPyConnection":
        """A connection that admits the query, with what it needs and no more."""
        try:
            return _admitted(self.connect(sql), sql)
        except InputError:
            # With every relation at hand the refusal can name what was meant.
            return _admitted(self.connect(), sql)

    def connect(self, sql: str | None = None) -> "duckdb.DuckDBPyConnection":
        """A fresh, locked connection with what the query needs, or with everything; the caller closes it."""
        import duckdb

        try:
            needs = None if sql is None else self._needs(sql)
            return connect(self._files, self._settings, documented=False, needs=needs)
        except duckdb.Error as error:
            reason = str(error).partition("\n")[0]
            place = shlex.quote(self._warehouse.root)
            hint = f"profdb ingest PROFILE --replace -w {place}  (for the run of that file)"
            raise InputError(f"a file of the warehouse cannot be read: {reason}", hint=hint) from error

    def _needs(self, sql: str) -> Needs:
        """What the query can touch; relations that are too large for memory are read as often as it asks."""
        found = of_query(sql, self._settings.views)
        small = {
            name: columns
            for name, columns in found.repeated.items()
            if sum(file.bytes for file in self.snapshot.files.get(name, ())) <= _SMALL_BYTES
        }
        return replace(found, repeated=small)


def open_session(root: str, settings: Settings) -> Session:
    """Open the newest snapshot of a warehouse. Raises InputError where there is none."""
    warehouse = Warehouse(root)
    return Session(warehouse, warehouse.snapshot(), settings)


def _admitted(con: "duckdb.DuckDBPyConnection", sql: str) -> "duckdb.DuckDBPyConnection":
    try:
        admit(con, sql)
    except BaseException:
        con.close()
        raise
    return con


def _in_time(con: "duckdb.DuckDBPyConnection", work: Callable[[], Result], timeout_s: float | None) -> Result:
    """Run in a thread, so that both a timeout and Ctrl-C interrupt DuckDB at once.

    One interrupt is not enough: one that comes between two statements is lost.
    """
    with ThreadPoolExecutor(max_workers=1) as pool:
        future = pool.submit(work)
        try:
            return future.result(timeout_s)
        except TimeoutError as error:
            message = f"the query took longer than {timeout_s:g} s"
            raise InputError(message, hint=f"--timeout {10 * (timeout_s or 1):g}") from error
        finally:
            while not future.done():
                con.interrupt()
                wait([future], timeout=0.02)


def _answer(
    con: "duckdb.DuckDBPyConnection", sql: str, parameters: Mapping[str, str], limit: int | None
) -> Result:
    import duckdb

    _check_parameters(con, sql, parameters)
    try:
        return _fetch(con.sql(sql, params=dict(parameters)), limit)
    except duckdb.OutOfMemoryException as error:
        reason = str(error).partition("\n")[0]  # what follows is advice on statements that are locked here
        raise InputError(reason, hint="--memory-limit 16GB, or fewer rows") from error
    except duckdb.BinderException as error:
        raise InputError(str(error).strip(), hint="profdb schema") from error
    except (duckdb.Error, OSError) as error:  # OSError: a stream of Arrow batches broke off
        raise InputError(str(error).strip()) from error


def _check_parameters(con: "duckdb.DuckDBPyConnection", sql: str, given: Mapping[str, str]) -> None:
    wanted = con.extract_statements(sql)[0].named_parameters
    if missing := sorted(wanted - given.keys()):
        raise InputError(f"no value for parameter ${missing[0]}", hint=f"-p {missing[0]} VALUE")
    if unknown := sorted(given.keys() - wanted):
        raise InputError(f"the query has no parameter ${unknown[0]}")


def _fetch(relation: "duckdb.DuckDBPyRelation", limit: int | None) -> Result:
    """With a limit one row more is fetched, to know whether there is one; the rest is never computed."""
    import pyarrow as pa

    if limit is None:
        return Result(relation.to_arrow_table(), truncated=False)
    batches, rows = [], 0
    with relation.to_arrow_reader(min(limit + 1, _BATCH_ROWS)) as reader:
        for batch in reader:
            batches.append(batch)
            rows += batch.num_rows
            if rows > limit:
                break
        table = pa.Table.from_batches(batches, schema=reader.schema)
    return Result(table.slice(0, limit), truncated=rows > limit)
