"""A warehouse with two hand-made runs, and two ways to run the command line over it."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pytest

from profdb.cli.main import run
from profdb.sql import catalog
from profdb.warehouse.store import Change, Warehouse

_RUNS = """
INSERT INTO runs BY NAME
SELECT *, 'xplane' AS format, '0.1.0' AS profdb_version, 1 AS extractor_version, 1 AS schema_version
FROM (VALUES
  ('demo-a', 'cpu', 1000000000, 'aa', false, TIMESTAMPTZ '2026-11-30 01:02:03+00'),
  ('demo-b', 'tpu', 2500000, 'bb', true, TIMESTAMPTZ '2026-11-30 01:02:04+00')
) AS t(run, platform, window_ps, content_sha256, is_partial, ingested_at)
"""


@dataclass(frozen=True)
class Done:
    """What one command did."""

    code: int
    out: bytes
    err: str


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A warehouse that holds demo-a (cpu, 1 ms) and demo-b (tpu, 2.5 us, partial)."""
    root = str(tmp_path_factory.mktemp("cli") / "warehouse")
    store = Warehouse(root)
    with duckdb.connect() as con, store.staging() as folder:
        con.execute("SET TimeZone = 'UTC'")
        con.execute(catalog.tables()["runs"].statements[0])
        con.execute(_RUNS)
        con.execute(f"COPY runs TO '{folder}/runs.parquet'")
        file = store.put("runs", Path(folder) / "runs.parquet", run="demo-a", rows=2)
        store.commit(lambda snapshot: Change("ingest", add=(file,)))
    return root


@pytest.fixture(autouse=True)
def _own_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, warehouse: str) -> None:
    monkeypatch.setenv("PROFDB_WAREHOUSE", warehouse)
    monkeypatch.delenv("PROFDB_TRACEBACK", raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def profdb(capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., Done]:
    """Run a command in this process."""

    def call(*arguments: str) -> Done:
        code = run(arguments)
        out, err = capfdbinary.readouterr()
        return Done(code, out, err.decode())

    return call


@pytest.fixture
def process() -> Callable[..., Done]:
    """Run a command in a process of its own; `stdin` is its input."""

    def call(*arguments: str, stdin: bytes = b"", **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "profdb", *arguments],
            input=stdin,
            capture_output=True,
            env={**os.environ, **environment},
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr.decode())

    return call
