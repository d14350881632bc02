"""Jobs of four processes on this machine, with jax.distributed: one session, whoever records or fails."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from bench import Bench
from loops import manifests, sessions

COUNT = 4
HOST = os.uname().nodename
SESSION = "steps-2-to-5"


def _job(directory: Path, mode: str) -> list[list[object]]:
    """Run a job; what each process says: its outcomes, and the steps that profiling affected."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    program = str(Path(__file__).with_name("job.py"))
    commands = [
        [sys.executable, program, port, str(index), str(COUNT), str(directory), mode]
        for index in range(COUNT)
    ]
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for command in commands
    ]
    done = [process.communicate(timeout=120) for process in started]
    for process, (_, said) in zip(started, done, strict=True):
        assert process.returncode == 0, said
    return [json.loads(out.splitlines()[-1]) for out, _ in done]  # Gloo speaks first


def _names(directory: Path, name: str = SESSION) -> list[str]:
    session = directory / "plugins" / "profile" / name
    return sorted(path.name.removesuffix(".xplane.pb") for path in session.glob("*.xplane.pb"))


def test_all_processes_record_one_session_and_a_resume_records_another(bench: Bench) -> None:
    directory = bench.folder / "in"
    for mode in ("late", "sync"):
        assert _job(directory, mode) == [[["ok"], [2, 3, 4, 5]]] * COUNT
    assert len(_names(directory)) == COUNT
    assert sessions(directory) == [SESSION, f"{SESSION}-2"]
    for found in manifests(directory):
        assert found["process"]["count"] == COUNT
        assert found["process"]["hosts"] == {str(index): HOST for index in range(COUNT)}
    bench.ingest()
    counts = "process_count, expected_process_count, host_count, expected_host_count, device_count"
    rows = bench.rows(f"SELECT {counts}, expected_device_count, mesh, is_partial FROM runs")
    assert set(rows) == {(COUNT, COUNT, 1, 1, COUNT, COUNT, f"data={COUNT}", False)}
    assert bench.rows("SELECT DISTINCT step_num FROM steps ORDER BY 1") == [(2,), (3,), (4,)]


def test_one_process_records(bench: Bench) -> None:
    directory = bench.folder / "in"
    said = _job(directory, "one")
    assert said == [[["ok"] if index == 2 else [], [2, 3, 4, 5]] for index in range(COUNT)]
    assert _names(directory) == [HOST]
    bench.ingest()
    assert bench.rows("SELECT process_count, expected_process_count, is_partial FROM runs") == [(1, 1, False)]


def test_a_process_without_room_holds_nobody_up(bench: Bench) -> None:
    directory = bench.folder / "in"
    said = _job(directory, "full")
    assert [outcomes for outcomes, _ in said] == [["ok"], ["export_failed"], ["ok"], ["ok"]]
    assert len(_names(directory)) == COUNT - 1
    bench.ingest()
    assert bench.rows(
        "SELECT process_count, expected_process_count, is_partial, facts['capture.outcome'] FROM runs"
    ) == [(COUNT - 1, COUNT, True, "ok; process 1: export_failed")]


def test_a_window_that_one_process_is_asked_for_opens_in_all_at_one_step(bench: Bench) -> None:
    directory = bench.folder / "in"
    said = _job(directory, "asked")
    affected = said[0][1]
    assert said == [[["ok"], affected]] * COUNT
    start = affected[0]
    assert 10 < start < 75  # not at once: the others look once a second
    assert affected == list(range(start, start + 4))
    (session,) = sessions(directory)
    assert session == f"steps-{start}-to-{start + 3}"
    assert len(_names(directory, session)) == COUNT
    assert {found["window"]["why"] for found in manifests(directory)} == {"on demand"}
