import threading
import uuid

import pytest

from profdb.sql.errors import InputError
from profdb.warehouse.disk import Disk
from profdb.warehouse.log import Log, checkpoint_name, record_name
from profdb.warehouse.objects import open_objects
from profdb.warehouse.record import decode, encode
from profdb.warehouse.snapshot import EMPTY, Change, DataFile, RunEntry, Snapshot, applied


def file(number: int, table: str = "ops", rows: int = 1) -> DataFile:
    return DataFile(table, f"data/{table}/date=2026-11-30/{number}.parquet", rows, 10, f"r{number}", None)


def run(number: int) -> RunEntry:
    return RunEntry(f"r{number}", "ab" * 32, 1, False, ("cd" * 32,))


def adding(number: int) -> Change:
    return Change("ingest", add=(file(number), file(number, "op_stats")), runs_add=(run(number),))


def history(count: int) -> list[Change]:
    """Ingests, and from the fifth on the deletion of an older run in every fifth commit."""
    changes = []
    for version in range(count):
        if version % 5 == 4:
            old = version - 4
            paths = (file(old).path, file(old, "op_stats").path)
            changes.append(Change("delete", remove=paths, runs_del=(f"r{old}",)))
        else:
            changes.append(adding(version))
    return changes


@pytest.fixture(params=["local", "memory"])
def objects(request, tmp_path):
    return open_objects(str(tmp_path) if request.param == "local" else f"memory://{uuid.uuid4().hex}")


def test_a_change_applies_removes_before_adds():
    before = applied(EMPTY, [adding(0), adding(1)])
    replaced = RunEntry("r0", "ef" * 32, 2, True, ())
    change = Change("replace", add=(file(2),), remove=(file(0).path,), runs_add=(replaced,), runs_del=("r0",))
    assert applied(before, [change]) == Snapshot(
        version=2,
        files={"ops": (file(1), file(2)), "op_stats": (file(0, "op_stats"), file(1, "op_stats"))},
        runs={"r0": replaced, "r1": run(1)},
    )


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (Change("compact", remove=(file(9).path,)), f"cannot compact: file {file(9).path} is not live"),
        (Change("compact", remove=(file(0).path,) * 2), f"cannot compact: file {file(0).path} is not live"),
        (Change("delete", runs_del=("r9",)), "cannot delete: there is no run 'r9'"),
        (Change("ingest", add=(file(0),)), f"cannot ingest: file {file(0).path} is already live"),
        (Change("ingest", runs_add=(run(0),)), "cannot ingest: there already is a run 'r0'"),
    ],
)
def test_a_change_that_does_not_fit_is_refused(change, what):
    with pytest.raises(InputError) as refusal:
        applied(applied(EMPTY, [adding(0)]), [change])
    assert refusal.value.message == f"{what} in version 0 of the warehouse"


def test_a_record_comes_back_as_the_change_it_was():
    partial = RunEntry("r\u00fcn", "ab" * 32, 3, True, ("cd" * 32, "ef" * 32))
    derived = DataFile("op_stats", "data/op_stats/views=v1/date=2026-11-30/x.parquet", 5, 2**40, None, "v1")
    change = Change("replace", (derived,), ("data/a.parquet",), (partial,), ("old",))
    assert decode(encode(change)) == change


def test_no_two_records_are_equal():
    assert encode(Change("refresh")) != encode(Change("refresh"))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "Expecting value"),
        (b'{"format":1,"op":"ing', "Unterminated string"),
        (b"\xff\xfe\xfd", "can't decode byte"),
        (b"[]", "it is not a JSON object"),
        (b'{"format":2}', "its format is 2, this profdb reads 1"),
        (b'{"format":1,"op":"x"}', "add is None"),
        (b'{"format":1,"op":"x","add":[7],"remove":[],"runs_add":[],"runs_del":[]}', "path is None"),
        (encode(adding(0)).replace(b'"rows":1', b'"rows":"1"'), "rows is '1'"),
        (
            encode(adding(0)).replace(b"data/ops", b"data/../../etc"),
            "path 'data/../../etc/date=.* is not under",
        ),
    ],
)
def test_an_unreadable_record_is_told_by_its_name(tmp_path, data, why):
    objects = open_objects(str(tmp_path))
    objects.create(record_name(0), data)
    with pytest.raises(
        InputError, match=f"log record {tmp_path}/_log/000000000000.json is unreadable: .*{why}"
    ):
        Log(objects).newest()


def test_an_unreadable_checkpoint_is_told_by_its_name(tmp_path):
    objects = open_objects(str(tmp_path))
    objects.create(checkpoint_name(24), b"PAR1 but no more")
    with pytest.raises(
        InputError, match=f"checkpoint {tmp_path}/_log/ckpt-000000000024.parquet is unreadable: "
    ):
        Log(objects).newest()


def test_a_checkpoint_and_its_tail_tell_what_the_whole_log_tells(objects):
    log, changes = Log(objects), history(60)
    for version, change in enumerate(changes):
        log.append(version, change)
    whole, base = log.newest()
    assert (whole, base) == (applied(EMPTY, changes), -1)
    for version in (24, 49):
        log.checkpoint(applied(EMPTY, changes[: version + 1]))
    assert log.newest() == (whole, 49)
    objects.delete(record_name(version) for version in range(50))
    assert log.newest() == (whole, 49)


def test_a_missing_record_is_told(objects):
    for version in (0, 1, 3, 4):
        Log(objects).append(version, adding(version))
    with pytest.raises(InputError) as refusal:
        Log(objects).newest()
    assert refusal.value.message == f"the warehouse's log misses {objects.uri('_log/000000000002.json')}"


def test_a_gap_that_closes_meanwhile_is_no_gap(objects):
    log = Log(objects)
    for version in (0, 2):
        log.append(version, adding(version))
    late = threading.Timer(0.1, log.append, (1, adding(1)))
    late.start()
    assert log.newest()[0].version == 2
    late.join()


def test_a_taken_version_is_taken(objects):
    Log(objects).append(0, adding(0))
    with pytest.raises(FileExistsError):
        Log(objects).append(0, adding(0))
    assert Log(objects).newest()[0] == applied(EMPTY, [adding(0)])


class AnswersLost(Disk):
    """A store that never hears its first answer, and so creates each object again."""

    def create(self, name: str, data: bytes) -> None:
        super().create(name, data)
        super().create(name, data)


def test_a_commit_whose_answer_was_lost_is_a_commit(tmp_path):
    Log(AnswersLost(str(tmp_path))).append(0, adding(0))
    assert Log(Disk(str(tmp_path))).newest()[0] == applied(EMPTY, [adding(0)])


def test_a_checkpoint_that_cannot_be_written_is_only_logged(objects, caplog):
    snapshot = applied(EMPTY, [Change("ingest", add=(file(0, rows=2**63),))])  # Parquet's integers end before
    Log(objects).checkpoint(snapshot)
    assert objects.names("_log") == []
    assert "no checkpoint of version 0: " in caplog.text


def test_what_is_neither_record_nor_checkpoint_is_passed_over(objects):
    Log(objects).append(0, adding(0))
    for name in (".lock", "000000000001.json.tmp", "1.json", "README"):
        objects.create(f"_log/{name}", b"")
    assert Log(objects).newest()[0].version == 0
