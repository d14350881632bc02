"""`profdb capture` from the command line: what it prints, says and returns."""

import json
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

LOOP = """
import sys, time
import jax, jax.numpy as jnp
if sys.argv[1] != "0":
    jax.profiler.start_server(int(sys.argv[1]))
step = jax.jit(lambda x: x @ x / 64)
x = step(jnp.ones((64, 64)))
print("ready", flush=True)
end = time.monotonic() + float(sys.argv[2])
while time.monotonic() < end:
    step(x).block_until_ready()
    time.sleep(0.01)
"""
STEPS = (
    "steps: as the program's StepTraceAnnotation tells them; where it has none, executions of the main "
    "program count as steps on TPU and CPU, and on GPU none are known"
)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def test_a_program_after_the_dashes(process: Callable) -> None:
    own = ["--", sys.executable, "-c", LOOP, "0", "1"]
    done = process(
        "capture", "--after", "200ms", "--duration", "0.3s", "-o", "job", "--ingest", "-w", "w", *own
    )
    assert done.code == 0, done.err
    ready, session = done.out.decode().splitlines()
    assert ready == "ready"
    assert re.fullmatch(r"job/plugins/profile/\d{4}(_\d\d){5}", session)
    first, *_, last = done.err.splitlines()
    assert first == f"profdb: profiling 0.3 s, from 0.2 s after the first compilation; {STEPS}"
    assert last.startswith("profdb: ingested 1 run, 1 host, 1 device, ")
    sql = "SELECT run_id, step_source FROM runs"
    rows = json.loads(process("query", "-w", "w", sql, "--format", "json").out)
    assert rows == [{"run_id": "job", "step_source": "module"}]


def test_a_running_job_and_one_that_is_not_there(process: Callable) -> None:
    port, gone = _free_port(), _free_port()
    with subprocess.Popen([sys.executable, "-c", LOOP, str(port), "60"], stdout=subprocess.PIPE) as job:
        assert job.stdout is not None
        assert job.stdout.readline() == b"ready\n"
        addresses = [f"127.0.0.1:{port}", f"127.0.0.1:{gone}"]
        done = process("capture", *addresses, "--duration", "200ms", "-o", "out", "--ingest", "-w", "w")
        job.kill()
    assert done.code == 0, done.err
    assert Path(done.out.decode().strip()).parent == Path("out/plugins/profile")
    said = done.err.splitlines()
    assert said[1:3] == [
        f"profdb: note: no profile from 127.0.0.1:{gone}: Connection refused",
        "profdb: profiled 1 of 2 addresses",
    ]
    sql = "SELECT status FROM capture_quality WHERE check_name = 'missing_process'"
    assert json.loads(process("query", "-w", "w", sql, "--format", "json").out) == [{"status": "fail"}]


def test_nothing_can_be_reached(profdb: Callable) -> None:
    address = f"127.0.0.1:{_free_port()}"
    done = profdb("capture", address, "--duration", "1s", "-o", "out")
    assert (done.code, done.out) == (3, b"")
    port = address.rpartition(":")[2]
    assert done.err.splitlines()[1:] == [
        f"profdb: error: no profile from {address}: {address}: Connection refused",
        "",
        f"hint: jax.profiler.start_server({port})  (in the training program)",
    ]
    assert list(Path("out").iterdir()) == []


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "capture takes addresses, or -- and a program"),
        (["h:1", "--", "true"], 2, "capture takes addresses, or -- and a program"),
        (["--"], 2, "capture takes addresses, or -- and a program"),
        (
            ["h:1", "--duration", "5"],
            2,
            "Invalid value for '--duration': '5' is no duration such as 500ms, 5s or 2m",
        ),
        (["h:1", "--preset", "heavy"], 2, "--preset 'heavy' is none of light, device, full"),
        (["--", "no-such-program"], 3, "there is no program no-such-program"),
        (["--", "false"], 3, "the program ended with exit code 1"),
        (
            ["--", "true"],
            3,
            "the program ended without a profile: it used no jax, or ended before its window",
        ),
    ],
)
def test_what_is_wrong_is_said(profdb: Callable, arguments: list[str], code: int, message: str) -> None:
    done = profdb("capture", *arguments)
    assert (done.code, done.out) == (code, b"")
    assert f"profdb: error: {message}" in done.err.splitlines()
