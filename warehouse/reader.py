"""Ask a warehouse questions: one snapshot, and for every query or report a fresh, locked connection."""

import shlex
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Self, TypeVar

from ..sql.engine import Settings, compute_once, connect, values
from ..sql.errors import InputError, ProfdbError, StatementError
from ..sql.needs import Needs, of_query
from ..sql.sandbox import admit
from .snapshot import DataFile, Snapshot
from .store import Warehouse

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa

T = TypeVar("T")
_BATCH_ROWS = 100_000
_AT_ONCE = 2
"""Queries of one report that run at a time: most are too small to keep two cores busy."""
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
        runs = values(settings.only["run"]) if "run" in settings.only else None
        chosen = {
            name: tuple(
                file
                for file in files
                if file.view_version in (None, settings.views) and (runs is None or file.run in (None, *runs))
            )
            for name, files in snapshot.files.items()
        }
        self.snapshot = replace(snapshot, files=chosen)
        """The snapshot, with files of the settings' view version and runs only."""
        self._settings = settings
        self._warehouse = warehouse
        self._files = {name: warehouse.uris(self.snapshot, name) for name in chosen}

    def restricted(self, **only: str | tuple[str, ...]) -> "Session":
        """The same snapshot, where every relation answers for one run, host or device, or for several."""
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
            InputError: the statement is refused, wrong, too slow or too large, or a file is damaged; a
                StatementError where the text is DuckDB's.
            ProfdbError: the settings are wrong.
        """
        con, statement = self._admitting(sql)
        return self._run(con, partial(_answer, con, statement, parameters or {}, limit))

    def query_all(self, texts: Sequence[str], parameters: Mapping[str, str]) -> "list[pa.Table]":
        """The rows of several SELECTs, run on one database, where what is costly is computed once.

        Raises as `query` does.
        """
        con = self.connect("\n".join(texts))
        own = [con.cursor() for _ in texts]

        def one(cursor: "duckdb.DuckDBPyConnection", text: str) -> "pa.Table":
            return _answer(cursor, admit(cursor, text), parameters, None).table

        def answer() -> "list[pa.Table]":
            if len(texts) > 1:
                compute_once(con)
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                return list(pool.map(one, own, texts))

        return self._run(con, answer, own)

    def _run(
        self,
        con: "duckdb.DuckDBPyConnection",
        work: Callable[[], T],
        cursors: "Sequence[duckdb.DuckDBPyConnection]" = (),
    ) -> T:
        """What `work` on the connection and its cursors gives, in time; they are closed."""
        import duckdb

        try:
            return _in_time([con, *cursors], work, self._settings.timeout_s)
        except (duckdb.Error, OSError) as error:  # OSError: a stream of Arrow batches broke off
            text, is_binding = str(error).strip(), isinstance(error, duckdb.BinderException)
            told = self._trouble(error) or StatementError(
                text, "profdb schema" if is_binding else "profdb query --help"
            )
            raise told from error
        finally:
            for one in (*cursors, con):
                one.close()

    def _admitting(self, sql: str) -> "tuple[duckdb.DuckDBPyConnection, str]":
        """A connection that admits the query, with what it needs and no more, and what to run on it."""
        try:
            return _admitted(self.connect(sql), sql)
        except InputError as refusal:
            try:
                everything = self.connect()
            except InputError:  # a damaged file, perhaps of a relation that the query does not name
                raise refusal from None
            # With every relation at hand the refusal can name what was meant.
            return _admitted(everything, sql)

    def connect(self, sql: str | None = None) -> "duckdb.DuckDBPyConnection":
        """A fresh, locked connection with what the query needs, or with everything; the caller closes it."""
        import duckdb

        try:
            needs = None if sql is None else self._needs(sql)
            return connect(self._files, self._settings, documented=False, needs=needs)
        except duckdb.Error as error:
            told = self._trouble(error)
            if told is None:
                raise
            raise told from error

    def _trouble(self, error: Exception) -> InputError | None:
        """Too little memory or a damaged file, as an error of ours; None where the statement is to blame."""
        import duckdb

        reason = str(error).strip().partition("\n")[0]  # what follows is advice on what is locked here
        # A stream of Arrow batches passes on DuckDB's text, but not its class.
        if isinstance(error, duckdb.OutOfMemoryException) or reason.startswith("Out of Memory Error: "):
            return InputError(reason, hint=_more_memory(self._settings.memory_limit))
        damaged = self._file_named_in(str(error))
        if damaged or type(error) is duckdb.Error:  # the Parquet reader's own, which names no file
            run = f"--run {shlex.quote(damaged.run)} " if damaged and damaged.run else ""
            place = shlex.quote(self._warehouse.root)
            hint = f"profdb ingest PROFILE --replace {run}-w {place}  (PROFILE: what that run came from)"
            return InputError(f"a file of the warehouse cannot be read: {reason}", hint=hint)
        if isinstance(error, duckdb.IOException):  # no file of the warehouse, so one that spills
            return InputError(reason, hint="TMPDIR=FOLDER before the command, on a larger disk")
        return None

    def _file_named_in(self, text: str) -> DataFile | None:
        for name, uris in self._files.items():
            for file, uri in zip(self.snapshot.files[name], uris, strict=True):
                if uri in text:
                    return file
        return None

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


def _admitted(con: "duckdb.DuckDBPyConnection", sql: str) -> "tuple[duckdb.DuckDBPyConnection, str]":
    try:
        return con, admit(con, sql)
    except BaseException:
        con.close()
        raise


def _more_memory(given: str | None) -> str:
    return "fewer rows" if given is None else f"a larger --memory-limit than {given}, or fewer rows"


def _in_time(
    cons: "Sequence[duckdb.DuckDBPyConnection]", work: Callable[[], T], timeout_s: float | None
) -> T:
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
                for con in cons:
                    con.interrupt()
                wait([future], timeout=0.02)


def _answer(
    con: "duckdb.DuckDBPyConnection", sql: str, parameters: Mapping[str, str], limit: int | None
) -> Result:
    _check_parameters(con, sql, parameters)
    return _fetch(con.sql(sql, params=dict(parameters)), limit)


def _check_parameters(con: "duckdb.DuckDBPyConnection", sql: str, given: Mapping[str, str]) -> None:
    wanted = con.extract_statements(sql)[0].named_parameters
    if missing := sorted(wanted - given.keys()):
        raise ProfdbError(f"no value for parameter ${missing[0]}", hint=f"-p {missing[0]} VALUE")
    if unknown := sorted(given.keys() - wanted):
        hint = f"leave out -p {unknown[0]}, or use ${unknown[0]} in the SQL"
        raise ProfdbError(f"the query has no parameter ${unknown[0]}", hint=hint)


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
