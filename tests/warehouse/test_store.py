import random
import re
import subprocess
import sys
import time
import uuid
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from profdb.sql.errors import InputError
from profdb.warehouse.objects import open_objects
from profdb.warehouse.store import Change, DataFile, RunEntry, Snapshot, Warehouse

# Ingests runs NAME-0, NAME-1, ... of two tables each, and tells each version that it committed.
INGESTER = """
import sys
from profdb.warehouse.store import Change, RunEntry, Warehouse

warehouse, name, count = Warehouse(sys.argv[1]), sys.argv[2], int(sys.argv[3])
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    run = f"{name}-{number}"
    with warehouse.staging() as folder:
        files = []
        for table in ("ops", "op_stats"):
            (folder / table).write_text(run)
            files.append(warehouse.put(table, folder / table, run=run, rows=1))
    entry = RunEntry(run, run, 1, False, (run,))
    after = warehouse.commit(lambda _: Change("ingest", add=tuple(files), runs_add=(entry,)))
    print(after.version, flush=True)
"""


def start(root: str, name: str, count: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", INGESTER, root, name, str(count)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    return child


def go(child: subprocess.Popen[str]) -> None:
    child.stdin.write("\n")
    child.stdin.flush()


def entry(run: str, content: str = "c0ffee") -> RunEntry:
    return RunEntry(run, content, 1, False, (content,))


def put(warehouse: Warehouse, run: str, table: str = "ops") -> DataFile:
    with warehouse.staging() as folder:
        pq.write_table(pa.table({"run": [run]}), folder / "x.parquet")
        return warehouse.put(table, folder / "x.parquet", run=run, rows=1)


def ingest(warehouse: Warehouse, run: str) -> Snapshot:
    file = put(warehouse, run)
    return warehouse.commit(lambda _: Change("ingest", add=(file,), runs_add=(entry(run),)))


def assert_whole(root: Path, snapshot: Snapshot) -> None:
    """Every run has its file in both tables, every file its bytes, and nothing else is live."""
    for table in ("ops", "op_stats"):
        assert sorted(file.run for file in snapshot.files[table]) == sorted(snapshot.runs)
        for file in snapshot.files[table]:
            assert (root / file.path).read_text() == file.run


@pytest.fixture(params=["local", "memory"])
def warehouse(request, tmp_path):
    return Warehouse(str(tmp_path / "wh") if request.param == "local" else f"memory://{uuid.uuid4().hex}/wh")


def test_what_is_committed_is_in_the_snapshot(warehouse):
    file = put(warehouse, "a")
    after = warehouse.commit(lambda _: Change("ingest", add=(file,), runs_add=(entry("a"),)))
    assert after == Snapshot(0, {"ops": (file,)}, {"a": entry("a")})
    assert warehouse.snapshot() == after


def test_a_plan_starts_from_the_empty_snapshot(warehouse):
    seen = []
    assert warehouse.commit(seen.append) == Snapshot(-1, {}, {})
    assert seen == [Snapshot(-1, {}, {})]
    assert not warehouse.exists()


def test_without_a_commit_there_is_no_warehouse(tmp_path):
    put(Warehouse(str(tmp_path / "my wh")), "a")
    for root in (tmp_path, tmp_path / "my wh", tmp_path / "none"):
        warehouse = Warehouse(str(root))
        assert not warehouse.exists()
        with pytest.raises(InputError) as refusal:
            warehouse.snapshot()
        assert refusal.value.message == f"no warehouse at {root}"
    assert refusal.value.hint == f"profdb ingest PROFILE -w {tmp_path}/none"
    with pytest.raises(InputError) as refusal:
        Warehouse(str(tmp_path / "my wh")).snapshot()
    assert refusal.value.hint == f"profdb ingest PROFILE -w '{tmp_path}/my wh'"


def test_a_file_is_named_by_table_views_date_and_run(warehouse):
    date = r"date=\d{4}-\d\d-\d\d"
    for run, safe in [("lr=0.1/se\u00e9d 3", "lr_0.1_se_d_3"), ("../x", "x"), ("\u65e5\u672c", "run")]:
        path = put(warehouse, run).path
        assert re.fullmatch(rf"data/ops/{date}/{re.escape(safe)}-[0-9a-f]{{16}}\.parquet", path)
    with warehouse.staging() as folder:
        (folder / "x").write_bytes(b"12345")
        file = warehouse.put("op_stats", folder / "x", run="a", rows=3, view_version="v1")
    assert re.fullmatch(rf"data/op_stats/views=v1/{date}/a-[0-9a-f]{{16}}\.parquet", file.path)
    assert (file.table, file.rows, file.bytes, file.run, file.view_version) == ("op_stats", 3, 5, "a", "v1")


def test_duckdb_reads_the_uris_of_a_table(tmp_path):
    warehouse = Warehouse(f"{tmp_path}/wh [1]*")
    ingest(warehouse, "a")
    snapshot = ingest(warehouse, "b")
    uris = warehouse.uris(snapshot, "ops")
    assert all(uri.startswith(f"{tmp_path}/wh [1]*/data/ops/") for uri in uris)
    assert duckdb.sql("SELECT run FROM read_parquet($uris)", params={"uris": uris}).fetchall() == [
        ("a",),
        ("b",),
    ]
    assert warehouse.uris(snapshot, "modules") == []


def test_a_conflict_asks_the_plan_again(warehouse):
    seen = []

    def plan(snapshot: Snapshot) -> Change:
        seen.append(snapshot.version)
        if len(seen) == 1:
            ingest(Warehouse(warehouse.root), "other")
        return Change("ingest", runs_add=(entry("mine"),))

    assert warehouse.commit(plan).version == 1
    assert seen == [-1, 0]
    assert list(warehouse.snapshot().runs) == ["other", "mine"]


def test_two_ingests_of_one_run_give_one_run(warehouse):
    def plan(snapshot: Snapshot) -> Change | None:
        if "a" in snapshot.runs:
            return None
        ingest(Warehouse(warehouse.root), "a")
        return Change("ingest", runs_add=(entry("a", "other bytes"),))

    assert warehouse.commit(plan) == warehouse.snapshot()
    assert warehouse.snapshot().runs == {"a": entry("a")}


def test_of_two_compactions_of_one_file_one_is_refused(warehouse):
    [small] = ingest(warehouse, "a").files["ops"]
    big = put(warehouse, "c")
    warehouse.commit(lambda _: Change("compact", add=(big,), remove=(small.path,)))
    late = put(warehouse, "c")
    with pytest.raises(InputError, match=f"cannot compact: file {small.path} is not live in version 1"):
        warehouse.commit(lambda _: Change("compact", add=(late,), remove=(small.path,)))
    assert warehouse.snapshot().files == {"ops": (big,)}


def test_a_taken_run_handle_is_refused(warehouse):
    before = ingest(warehouse, "a")
    with pytest.raises(InputError, match="cannot ingest: there already is a run 'a' in version 0"):
        ingest(warehouse, "a")
    assert warehouse.snapshot() == before


def test_discard_deletes_what_lost_and_never_what_is_live(warehouse):
    lost = put(warehouse, "b")
    [live] = ingest(warehouse, "a").files["ops"]
    warehouse.discard([lost, live])
    folder = live.path.rpartition("/")[0]
    assert open_objects(warehouse.root).names(folder) == [live.path.rpartition("/")[2]]


def test_every_25th_commit_leaves_a_checkpoint(warehouse):
    for number in range(51):
        ingest(warehouse, f"r{number}")
    checkpoints = {name for name in open_objects(warehouse.root).names("_log") if name.startswith("ckpt-")}
    assert checkpoints == {"ckpt-000000000024.parquet", "ckpt-000000000049.parquet"}
    assert list(warehouse.snapshot().runs) == [f"r{number}" for number in range(51)]


def test_a_checkpoint_that_cannot_be_written_fails_no_commit(warehouse, caplog):
    for number in range(24):
        ingest(warehouse, f"r{number}")
    huge = DataFile(
        "ops", "data/ops/date=2026-11-30/huge.parquet", 2**63, 1, None, None
    )  # no Parquet integer
    assert warehouse.commit(lambda _: Change("ingest", add=(huge,))).version == 24
    assert "no checkpoint of version 24: " in caplog.text
    warehouse.commit(lambda _: Change("delete", remove=(huge.path,)))
    assert "ckpt-000000000025.parquet" in open_objects(warehouse.root).names("_log")
    assert len(warehouse.snapshot().files["ops"]) == 24


def test_commits_of_four_processes_are_all_there_and_every_read_between_is_whole(tmp_path):
    children = [start(str(tmp_path), name, 12) for name in ("a", "b", "c", "d")]
    for child in children:
        go(child)
    warehouse, versions = Warehouse(str(tmp_path)), []
    while any(child.poll() is None for child in children):
        if warehouse.exists():
            snapshot = warehouse.snapshot()
            assert_whole(tmp_path, snapshot)
            assert len(snapshot.runs) == snapshot.version + 1
            versions.append(snapshot.version)
    told = [int(line) for child in children for line in child.communicate()[0].split()]
    assert sorted(told) == list(range(48))
    assert versions == sorted(versions)
    snapshot = warehouse.snapshot()
    assert set(snapshot.runs) == {f"{name}-{number}" for name in "abcd" for number in range(12)}
    assert_whole(tmp_path, snapshot)


def test_a_kill_at_any_point_leaves_the_commit_before_or_after(tmp_path):
    warehouse, chance, version = Warehouse(str(tmp_path / "wh")), random.Random(7), -1
    for name in "abcdefghij":
        child = start(str(tmp_path / "wh"), name, 10**6)
        go(child)
        time.sleep(chance.uniform(0, 0.06))
        child.kill()
        told = [version, *(int(line) for line in child.communicate()[0].split())]
        snapshot = warehouse.commit(lambda _: None)  # reads, also where the very first commit was killed
        version = snapshot.version
        assert version - told[-1] in (0, 1)  # 1: killed after the commit, before it could tell
        assert len(snapshot.runs) == version + 1
        if snapshot.runs:
            assert_whole(tmp_path / "wh", snapshot)
    assert version > 0
    assert ingest(warehouse, "last").version == version + 1
