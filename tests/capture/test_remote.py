"""`profdb capture ADDRESS`: running jobs, profiled from outside through their real profiler ports."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench import Bench
from loops import manifests

from profdb.capture.remote import RemoteError, capture_remote

SERVER = """
import sys, time
import jax, jax.numpy as jnp
jax.profiler.start_server(int(sys.argv[1]))
step = jax.jit(lambda x: x @ x / 64)
x = step(jnp.ones((64, 64)))
print("ready", flush=True)
number = 0
while True:
    with jax.profiler.StepTraceAnnotation("train", step_num=number):
        step(x).block_until_ready()
    number += 1
    time.sleep(0.005)
"""


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@pytest.fixture(scope="module")
def jobs() -> Iterator[list[str]]:
    """Addresses of two running jobs."""
    ports = [free_port() for _ in range(2)]
    started = [
        subprocess.Popen([sys.executable, "-c", SERVER, str(port)], stdout=subprocess.PIPE, text=True)
        for port in ports
    ]
    for process in started:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    yield [f"127.0.0.1:{port}" for port in ports]
    for process in started:
        process.kill()
        process.communicate()


def test_all_hosts_are_one_session(bench: Bench, jobs: list[str]) -> None:
    directory = bench.folder / "in" / "job ü"
    done = capture_remote(jobs, directory, 300)
    assert (done.profiled, done.missing) == (jobs, {})
    assert [found["outcome"] for found in manifests(directory)] == ["ok", "ok"]
    assert list(directory.glob(".*")) == []
    bench.ingest()
    counts = "run_id, process_count, expected_process_count, expected_host_count, is_partial"
    assert bench.rows(f"SELECT {counts}, step_source FROM runs") == [("job ü", 2, 2, 1, False, "host")]
    assert bench.rows("SELECT count(DISTINCT step_num) > 5 FROM steps") == [(True,)]


def test_what_cannot_be_reached_is_told_and_missing(bench: Bench, jobs: list[str]) -> None:
    directory = bench.folder / "in" / "job"
    gone = f"127.0.0.1:{free_port()}"
    done = capture_remote([gone, jobs[0], "nonsense"], directory, 200, run_id="my-run")
    assert done.profiled == [jobs[0]]
    assert done.missing == {gone: "Connection refused", "nonsense": "it is no HOST:PORT"}
    outcomes = {found["process"]["index"]: found["outcome"] for found in manifests(directory)}
    assert outcomes == {0: "start_failed", 1: "ok", 2: "start_failed"}
    bench.ingest()
    assert bench.rows("SELECT run_id, process_count, expected_process_count, is_partial FROM runs") == [
        ("my-run", 1, 3, True)
    ]


def test_nothing_that_can_be_reached(tmp_path: Path) -> None:
    gone = f"127.0.0.1:{free_port()}"
    with pytest.raises(RemoteError) as error:
        capture_remote([gone], tmp_path, 200)
    assert str(error.value) == f"no profile from {gone}: {gone}: Connection refused"
    assert error.value.hint == (
        f"jax.profiler.start_server({gone.rpartition(':')[2]})  (in the training program)"
    )
    assert list(tmp_path.iterdir()) == []
