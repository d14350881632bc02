import os
import signal
import stat
import subprocess
import sys
import time
import uuid

import pytest

from profdb.sql.errors import InputError
from profdb.warehouse.disk import rename_exclusively
from profdb.warehouse.objects import Objects, open_objects

CREATE = "objects.create(f'_log/{number}', mine)"
# The way of a disk without hard links, where `create` ends in rename_exclusively.
RENAME = """temp = root / f'{mine.decode()}-{number}'
        temp.write_bytes(mine)
        rename_exclusively(temp, root / '_log' / str(number))"""
RACER = """
import sys
from pathlib import Path
from profdb.warehouse.disk import rename_exclusively
from profdb.warehouse.objects import open_objects

root, mine = Path(sys.argv[1]), sys.argv[2].encode()
objects = open_objects(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
for number in range(40):
    try:
        {create}
        print(number, flush=True)
    except FileExistsError:
        pass
"""


@pytest.fixture(params=["local", "file", "memory"])
def root(request, tmp_path):
    places = {
        "local": str(tmp_path / "wh"),
        "file": f"file://{tmp_path}/wh",
        "memory": f"memory://{uuid.uuid4().hex}/wh",
    }
    return places[request.param]


@pytest.fixture
def objects(root) -> Objects:
    return open_objects(root)


def test_an_object_is_created_once(objects):
    objects.create("_log/7", b"first")
    with pytest.raises(FileExistsError):
        objects.create("_log/7", b"second")
    assert objects.read(["_log/7"]) == [b"first"]


def test_objects_are_read_in_the_order_asked(objects):
    for name in ("b", "a", "c"):
        objects.create(f"_log/{name}", name.encode())
    assert objects.read(["_log/c", "_log/a"]) == [b"c", b"a"]
    assert objects.read([]) == []


def test_names_are_those_of_one_folder(objects):
    assert objects.names("_log") == []
    objects.create("_log/1", b"")
    objects.create("data/2", b"")
    assert objects.names("_log") == ["1"]


def test_a_missing_object_is_told_by_reading_and_passed_over_by_deleting(objects):
    objects.create("_log/1", b"")
    objects.delete(["_log/0", "_log/1"])
    with pytest.raises(FileNotFoundError):
        objects.read(["_log/1"])


def test_a_moved_file_is_an_object_and_gone_from_where_it_was(objects, tmp_path):
    file = tmp_path / "x.parquet"
    file.write_bytes(b"rows")
    objects.move_in(file, "data/runs/date=2026-11-30/x.parquet")
    assert objects.read(["data/runs/date=2026-11-30/x.parquet"]) == [b"rows"]
    assert not file.exists()


def test_a_uri_is_a_native_path_locally_and_a_url_elsewhere(tmp_path):
    assert open_objects(str(tmp_path)).uri("data/a") == f"{tmp_path}/data/a"
    assert open_objects(f"file://{tmp_path}").uri("data/a") == f"{tmp_path}/data/a"
    assert open_objects("memory://wh/").uri("data/a") == "memory://wh/data/a"


def test_opening_creates_nothing(tmp_path):
    assert open_objects(str(tmp_path / "wh")).names("_log") == []
    assert list(tmp_path.iterdir()) == []


def test_a_store_that_may_not_create_exclusively_is_refused():
    with pytest.raises(InputError, match="cannot keep a warehouse at ftp://h/wh: only a local path or gs://"):
        open_objects("ftp://h/wh")


def test_a_root_below_a_file_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write .*/file/wh/_log/0: Not a directory"):
        open_objects(str(tmp_path / "file" / "wh")).create("_log/0", b"")


@pytest.mark.parametrize("create", [CREATE, RENAME], ids=["link", "rename"])
def test_of_four_processes_that_create_one_name_one_wins(tmp_path, create):
    (tmp_path / "_log").mkdir()
    script = RACER.replace("{create}", create)
    racers = {
        name: subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("a", "b", "c", "d")
    }
    for racer in racers.values():
        assert racer.stdout.readline() == "ready\n"
    for racer in racers.values():
        racer.stdin.write("go\n")
        racer.stdin.flush()
    won = {name: racer.communicate(timeout=30)[0].split() for name, racer in racers.items()}
    winner = {int(number): name for name, numbers in won.items() for number in numbers}
    assert sorted(int(number) for numbers in won.values() for number in numbers) == list(range(40))
    assert {number: (tmp_path / "_log" / str(number)).read_text() for number in range(40)} == winner


def test_the_lock_of_a_killed_process_blocks_nobody(tmp_path):
    script = "import fcntl, sys; f = open(sys.argv[1], 'w'); fcntl.flock(f, 2); print(flush=True); input()"
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / ".lock")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    holder.stdout.readline()
    holder.send_signal(signal.SIGKILL)
    holder.communicate()
    (tmp_path / "temp").write_text("record")
    rename_exclusively(tmp_path / "temp", tmp_path / "0")
    assert (tmp_path / "0").read_text() == "record"


def test_creating_leaves_no_temporary_file_and_honours_the_umask(tmp_path):
    before = os.umask(0o022)
    try:
        open_objects(str(tmp_path)).create("_log/0", b"")
    finally:
        os.umask(before)
    with pytest.raises(FileExistsError):
        open_objects(str(tmp_path)).create("_log/0", b"")
    assert list((tmp_path / "_tmp").iterdir()) == []
    assert stat.S_IMODE((tmp_path / "_log" / "0").stat().st_mode) == 0o644


def test_staging_is_a_folder_until_it_is_left(objects):
    with objects.staging() as folder:
        (folder / "a").mkdir()
        (folder / "a" / "x").write_text("")
    assert not folder.exists()


def test_local_staging_is_on_the_disk_of_the_warehouse(tmp_path):
    with open_objects(str(tmp_path / "wh")).staging() as folder:
        assert folder.parent == tmp_path / "wh" / "_tmp"


def test_staging_sweeps_what_nobody_touched_for_a_day(tmp_path):
    temp = tmp_path / "_tmp"
    for name in ("dead", "busy", "young"):
        (temp / name).mkdir(parents=True)
        (temp / name / "x.parquet").write_text("")
    (temp / "dead-record").write_text("")
    yesterday = time.time() - 24 * 3600 - 60
    for path in (temp / "dead" / "x.parquet", temp / "dead", temp / "busy", temp / "dead-record"):
        os.utime(path, (yesterday, yesterday))
    with open_objects(str(tmp_path)).staging() as folder:
        assert {path.name for path in temp.iterdir()} == {"busy", "young", folder.name}
