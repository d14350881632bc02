"""Reported trouble with sessions: one capture in several folders, several processes, missing hosts."""

import pytest
from bench import Bench
from xspace import environment, event, line, plane, space, uint64

START_NS = 1_780_000_000_000_000_000
S = 1_000_000_000


def profile(host: str, start_s: int = 0, *, process_id: int = 0, clock: bool = True) -> bytes:
    """A capture of 10 s with one kernel; `host` also tells the kernel, so that no two files are alike."""
    kernel = event(f"kernel_of_{host}_{process_id}", 0, 5)
    start_ns = START_NS + start_s * S
    planes = [plane("/device:GPU:0", line("Stream #1(Compute)", kernel))]
    if process_id:
        planes.append(plane("/host:metadata", stats={"process_id": process_id}))
    if clock:
        planes.append(environment(start_ns, start_ns + 10 * S))
    return space(*planes, hostnames=(host,))


def sessions(bench: Bench) -> list[tuple[object, ...]]:
    """Run, hosts and processes of every run."""
    return bench.rows("SELECT run, host_count, process_count FROM runs ORDER BY run")


# C13a: one session in two folders.


@pytest.mark.parametrize("clock", [True, False])
def test_folders_two_seconds_apart_are_one_session(bench: Bench, clock: bool) -> None:
    bench.write("exp/plugins/profile/2026_11_30_04_47_36/node-1.xplane.pb", profile("node-1", 0, clock=clock))
    bench.write("exp/plugins/profile/2026_11_30_04_47_38/node-0.xplane.pb", profile("node-0", 2, clock=clock))
    bench.ingest()
    assert sessions(bench) == [("exp/2026_11_30_04_47_36", 2, 2)]
    starts = bench.rows("SELECT host, start_ps FROM op_events ORDER BY host")
    assert starts == [("node-0", 2 * S * 1000 if clock else 0), ("node-1", 0)]


@pytest.mark.parametrize(
    ("second", "host", "start_s", "clock"),
    [
        ("2026_11_30_04_48_36", "node-0", 60, True),  # the first capture was over
        ("2026_11_30_04_47_50", "node-0", 14, False),  # without clocks, too far apart
        ("2026_11_30_04_47_38", "node-1", 2, False),  # without clocks, the same host
    ],
)
def test_folders_of_different_captures_stay_two_sessions(
    bench: Bench, second: str, host: str, start_s: int, clock: bool
) -> None:
    bench.write("exp/plugins/profile/2026_11_30_04_47_36/a.xplane.pb", profile("node-1", 0, clock=clock))
    bench.write(
        f"exp/plugins/profile/{second}/b.xplane.pb", profile(host, start_s, process_id=7, clock=clock)
    )
    bench.ingest()
    assert sessions(bench) == [("exp/2026_11_30_04_47_36", 1, 1), (f"exp/{second}", 1, 1)]


DAY = 86_400


def test_a_folder_of_captures_far_apart_does_not_take_what_lies_between(bench: Bench) -> None:
    sessions_of = {"a": (0, 450 * DAY), "b": (365 * DAY,)}
    for session, starts in sessions_of.items():
        for start_s in starts:
            file = f"exp/plugins/profile/{session}/{start_s}.xplane.pb"
            bench.write(file, profile("node-1", start_s, process_id=start_s + 1))
    bench.ingest()
    assert sessions(bench) == [("exp/a", 1, 2), ("exp/b", 1, 1)]


def test_a_folder_that_overlaps_two_others_makes_all_three_one(bench: Bench) -> None:
    for session, start_s in (("a", 0), ("b", 15), ("c", 8)):
        bench.write(f"exp/plugins/profile/{session}/{session}.xplane.pb", profile(session, start_s))
    bench.ingest()
    assert sessions(bench) == [("exp/a", 3, 3)]


def test_captures_of_two_runs_at_once_stay_two_sessions(bench: Bench) -> None:
    for run in ("a", "b"):
        bench.write(f"{run}/plugins/profile/2026_11_30_04_47_36/h.xplane.pb", profile(run))
    bench.ingest()
    assert sessions(bench) == [("a/2026_11_30_04_47_36", 1, 1), ("b/2026_11_30_04_47_36", 1, 1)]


# C13b: eight processes of one machine.

SESSION = "exp/plugins/profile/2026_11_30_04_47_36"
COPIES = [f"{SESSION}/gb200-01{f' ({i})' if i else ''}.xplane.pb" for i in range(8)]
LAYOUTS = {
    "copies": COPIES,
    "inside": [f"{SESSION}/process_{i}/gb200-01.xplane.pb" for i in range(8)],
    "above": [f"exp/rank{i}/plugins/profile/2026_11_30_04_47_3{i}/gb200-01.xplane.pb" for i in range(8)],
    "stamped": [f"exp/2026_11_30_04_47_36/proc-{i}/gb200-01.xplane.pb" for i in range(8)],
    "bare": [f"exp/worker{i}/gb200-01.xplane.pb" for i in range(8)],
}
HOSTS = ["gb200-01", *(f"gb200-01#{i}" for i in range(2, 9))]


@pytest.mark.parametrize("files", LAYOUTS.values(), ids=LAYOUTS)
def test_processes_of_one_machine_keep_their_own_devices(bench: Bench, files: list[str]) -> None:
    for i, file in enumerate(files):
        bench.write(file, profile("gb200-01", process_id=100 + i))
    bench.ingest()
    ((run, hosts, processes),) = sessions(bench)
    assert (str(run).split("/")[0], hosts, processes) == ("exp", 1, 8)
    devices = bench.rows("SELECT host, device, op_count FROM devices ORDER BY host")
    assert devices == [(host, "GPU:0", 1) for host in HOSTS]
    assert bench.rows("SELECT device_count FROM runs") == [(8,)]
    names = bench.rows("SELECT host, name FROM op_events ORDER BY host")
    assert names == [(host, f"kernel_of_gb200-01_{100 + i}") for i, host in enumerate(HOSTS)]


def test_processes_without_an_id_are_numbered_by_path(bench: Bench) -> None:
    for i in (0, 1, 2, 10):
        name = f"{SESSION}/gb200-01{f' ({i})' if i else ''}.xplane.pb"
        bench.write(name, space(plane("/device:GPU:0", line("Stream #1", event(f"k{i}", 0, 5)))))
    bench.ingest()
    assert bench.rows("SELECT host, name FROM op_events ORDER BY host") == [
        ("gb200-01", "k0"),
        ("gb200-01#2", "k1"),
        ("gb200-01#3", "k2"),
        ("gb200-01#4", "k10"),
    ]


# C13c and d.


def test_a_host_name_that_begins_with_another_is_another_host(bench: Bench) -> None:
    for host in ("w-1", "w-10"):
        bench.write(f"{SESSION}/{host}.xplane.pb", profile(host))
    bench.ingest()
    assert bench.rows("SELECT host, name FROM op_events ORDER BY host") == [
        ("w-1", "kernel_of_w-1_0"),
        ("w-10", "kernel_of_w-10_0"),
    ]


@pytest.mark.parametrize(
    "second", [f"{SESSION}/b.xplane.pb", "backup/plugins/profile/copy/b.xplane.pb", "b.xplane.pb"]
)
def test_one_file_under_two_paths_is_one_with_both_paths(bench: Bench, second: str) -> None:
    paths = [str(bench.write(path, profile("w-1"))) for path in (f"{SESSION}/a.xplane.pb", second)]
    bench.ingest()
    assert bench.rows("SELECT list_sort(paths) AS paths FROM profile_files") == [(sorted(paths),)]
    assert bench.rows("SELECT process_count, (SELECT count(*) FROM op_events) AS n FROM runs") == [(1, 1)]


# C14: one of 64.

MISSING = "SELECT status, value, sentence FROM capture_quality WHERE check_name = {}"


def test_hosts_that_the_user_expects_are_counted_as_missing(bench: Bench) -> None:
    report = bench.take(profile("w-0"), expect_hosts=64)
    assert [one.status for one in report.runs] == ["ingested"]
    assert bench.rows("SELECT host_count, expected_host_count, is_partial FROM runs") == [(1, 64, True)]
    sentence = "63 of the hosts that the run used are not in the profile"
    assert bench.rows(MISSING.format("'missing_host'")) == [("fail", 63.0, sentence)]


def test_processes_that_the_profile_tells_are_counted_as_missing(bench: Bench) -> None:
    told = plane("/host:metadata", stats={"process_count": uint64(64)})
    bench.write(f"{SESSION}/w-0.xplane.pb", profile("w-0") + space(told))
    bench.ingest()
    counts = "process_count, expected_process_count, is_partial"
    assert bench.rows(f"SELECT {counts} FROM runs") == [(1, 64, True)]
    sentence = "63 of the processes that the run used are not in the profile"
    assert bench.rows(MISSING.format("'missing_process'")) == [("fail", 63.0, sentence)]
    bench.write(f"{SESSION}/w-1.xplane.pb", profile("w-1") + space(told))
    assert [one.status for one in bench.ingest().runs] == ["replaced"]
    assert bench.rows(f"SELECT {counts} FROM runs") == [(2, 64, True)]
