"""Reported trouble with files: what is no profile is refused with one line that names path and byte."""

import mmap
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bench import Bench
from xspace import Event, environment, event, line, plane, put, space

from profdb.cli.main import run
from profdb.sql.errors import InputError
from profdb.warehouse.ingest import UnreadableError
from profdb.warehouse.profile_file import open_profile
from profdb.warehouse.store import Warehouse
from profdb.warehouse.xplane.line import read_line
from profdb.warehouse.xplane.plane import Plane
from profdb.warehouse.xplane.wire import Span, WireError

START_NS = 1_780_000_000_000_000_000
SESSION = "log/run/plugins/profile/2026_11_30_12_00_00"


def gpu(*events: Event) -> bytes:
    return plane("/device:GPU:0", line("Stream #1(Compute)", *events))


def profile(host: str) -> bytes:
    """A profile of 100 kernels of 5 ps each."""
    kernels = (event("fusion_3", 10 * i, 5, {"hlo_op": "fusion.3"}) for i in range(100))
    return space(gpu(*kernels), environment(START_NS, START_NS + 10), hostnames=(host,))


GOOD = profile("w-0")
CUT = GOOD[: len(GOOD) * 6 // 10]
# Its planes and lines are whole, the length of one of its events is not.
INNER = GOOD[:900].replace(GOOD[600:602], b"\xff\xff", 1) + GOOD[900:]
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "empty profile file: {path}"),
    "random": (random.Random(0).randbytes(20), "not a readable XPlane profile: {path}: byte 6: wire type 7"),
    "cut": (CUT, "not a readable XPlane profile: {path}: byte 0: a field of 2359 bytes where 1479 are left"),
    "no space": (
        put(9, "some other protobuf"),
        "not a readable XPlane profile: {path}: byte 0: no field of an XSpace",
    ),
    "inner": (INNER, "not a readable XPlane profile: {path}: byte 55: the line here does not decode"),
}


@pytest.mark.parametrize(("data", "message"), BAD.values(), ids=BAD)
def test_a_bad_file_is_one_error_and_leaves_nothing(bench: Bench, data: bytes, message: str) -> None:
    path = bench.write("x.xplane.pb", data)
    with pytest.raises(InputError) as error:
        bench.ingest(path)
    assert error.value.message.startswith(message.format(path=path))
    assert "\n" not in error.value.message
    assert error.value.hint
    assert [file for file in bench.root.rglob("*") if file.is_file()] == []


def test_a_directory_with_the_name_of_a_profile(bench: Bench) -> None:
    path = bench.folder / "x.xplane.pb"
    path.mkdir()
    with pytest.raises(InputError) as error:
        bench.ingest(path)
    assert error.value.message == f"{path} is a directory, not a profile file"


def test_a_pipe_with_the_name_of_a_profile_does_not_block(bench: Bench) -> None:
    path = bench.folder / "x.xplane.pb"
    os.mkfifo(path)
    with pytest.raises(InputError) as error:
        bench.ingest(path)
    assert error.value.message == f"{path} is no regular file"


def test_every_bad_file_has_a_line_of_its_own(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    paths = [str(bench.write(f"{name}.xplane.pb", data)) for name, (data, _) in BAD.items()]
    assert run(["ingest", *paths, "-w", str(bench.root)]) == 3
    said = capfd.readouterr()
    errors = [row for row in said.err.splitlines() if row.startswith("profdb: error: ")]
    for path, (_, message) in zip(paths, BAD.values(), strict=True):
        assert [row for row in errors if row.startswith(f"profdb: error: {message.format(path=path)}")]
    assert (len(errors), said.out) == (len(BAD), "")
    assert not Warehouse(str(bench.root)).exists()


def test_a_file_that_grows_while_it_is_read_is_refused(bench: Bench) -> None:
    path = bench.write("x.xplane.pb", GOOD)

    def grow(_done: int, _total: int) -> None:
        with path.open("ab") as file:
            file.write(profile("w-1"))

    with pytest.raises(UnreadableError, match=r"x.xplane.pb changed while it was read, from 2,470 bytes: "):
        bench.ingest(path, progress=grow)
    assert [file for file in bench.root.rglob("*") if file.is_file()] == []


def test_a_profile_without_planes_is_a_run_without_numbers(bench: Bench) -> None:
    bench.take(space(hostnames=("w-0",)))
    facts = "device_count, host_count, window_ps, is_partial, step_source"
    assert bench.rows(f"SELECT {facts} FROM runs") == [(0, 1, None, False, None)]
    assert bench.rows("SELECT count(*) AS n FROM step_breakdown") == [(0,)]
    quality = "SELECT status, sentence FROM capture_quality WHERE check_name = 'no_device_ops'"
    assert bench.rows(quality) == [("fail", "no device op was recorded")]


# One bad file among the hosts of a session.


@pytest.mark.parametrize("name", ["empty", "cut", "inner"])
def test_one_bad_host_does_not_lose_the_others(bench: Bench, name: str) -> None:
    data, message = BAD[name]
    bad = bench.write(f"{SESSION}/w-1.xplane.pb", data)
    for host in ("w-0", "w-2"):
        bench.write(f"{SESSION}/{host}.xplane.pb", profile(host))
    report = bench.ingest()
    assert [(one.run, one.status, one.hosts) for one in report.runs] == [
        ("run/2026_11_30_12_00_00", "ingested", 2)
    ]
    assert [error.message.startswith(message.format(path=bad)) for error in report.refused] == [True]
    assert bench.rows("SELECT is_partial, process_count FROM runs") == [(True, 2)]
    sql = "SELECT subject, status FROM capture_quality WHERE check_name = 'refused_file'"
    assert bench.rows(sql) == [(str(bad), "fail")]

    again = bench.ingest()
    assert ([one.status for one in again.runs], len(again.refused)) == (["unchanged"], 1)

    bad.write_bytes(profile("w-1"))
    repaired = bench.ingest()
    assert ([one.status for one in repaired.runs], repaired.refused) == (["replaced"], ())
    assert bench.rows("SELECT is_partial, process_count FROM runs") == [(False, 3)]
    assert bench.rows("SELECT host, count(*) AS n FROM op_events GROUP BY host ORDER BY host") == [
        ("w-0", 100),
        ("w-1", 100),
        ("w-2", 100),
    ]
    assert bench.rows("SELECT count(*) AS n FROM quality_events WHERE check_name = 'refused_file'") == [(0,)]


# C06: size, as a smaller twin.


def test_concatenated_profiles_and_repeated_planes_merge(bench: Bench) -> None:
    part = space(gpu(*(event("fusion_3", 10 * i, 5, {"hlo_op": "fusion.3"}) for i in range(2000))))
    data = part * (8_000_000 // len(part)) + space(environment(START_NS), hostnames=("w-0",))
    repeats = data.count(b"/device:GPU:0")
    assert len(data) > 7_900_000
    path = bench.write("x.xplane.pb", data)
    assert [len(one.lines) for one in open_profile(path).planes] == [repeats, 0]
    bench.ingest(path)
    assert bench.rows("SELECT host, device, op_count FROM devices") == [("w-0", "GPU:0", 2000 * repeats)]
    assert bench.rows("SELECT profile_start_ns FROM runs") == [(START_NS,)]
    totals = "count(*) AS n, CAST(sum(duration_ps) AS BIGINT) AS ps, count(DISTINCT op_id) AS ops"
    assert bench.rows(f"SELECT {totals} FROM op_events") == [(2000 * repeats, 10_000 * repeats, 1)]


def test_parts_of_one_plane_share_their_names_steps_and_modules(bench: Bench) -> None:
    named = plane(
        "/device:TPU:0", line("Steps", event("7", 0, 100)), unused=(event("fusion.1", metadata_id=50),)
    )
    bench.take(space(named, plane("/device:TPU:0", line("XLA Ops", event(50, 10, 20)))))
    assert bench.rows("SELECT name, step_num, assignment FROM op_events") == [("fusion.1", 7, "device")]


def test_a_line_beyond_two_gib_is_refused_with_its_size() -> None:
    untouched = memoryview(mmap.mmap(-1, (1 << 31) + 10))
    lines = read_line(untouched, Span(10, len(untouched)), Plane("/host:CPU", {}, [], {}))
    with pytest.raises(
        WireError, match=r"byte 10: a line of 2,147,483,648 bytes, of which 2 GiB can be decoded"
    ):
        next(lines)


# Real files that are none.


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "bad/utf8_mangled.xplane.pb",
            r"not a readable XPlane profile: .*utf8_mangled\.xplane\.pb: byte \d+: ",
        ),
        (
            "bad/not_a_trace.json.gz",
            r"nothing to ingest: .*not_a_trace\.json\.gz: its name does not end in \.xplane\.pb",
        ),
    ],
)
def test_real_bad_files(bench: Bench, real: Callable[[str], Path], name: str, why: str) -> None:
    copy: Any = shutil.copy(real(name), bench.folder)
    with pytest.raises(InputError, match=why) as error:
        bench.ingest(copy)
    assert "\n" not in error.value.message
    assert not bench.root.exists()
