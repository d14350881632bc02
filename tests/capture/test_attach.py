"""`profdb capture -- PROGRAM`: programs that know nothing of profdb, run for real."""

import subprocess
import sys
from pathlib import Path

import pytest
from bench import Bench
from loops import manifests, profiled_steps

from profdb.capture.launch import run_program

PROGRAM = """
import sys, time
import jax, jax.numpy as jnp
step = jax.jit(lambda x: x @ x / 64)
x = jnp.ones((64, 64))
end = time.monotonic() + float(sys.argv[1])
number = 0
while time.monotonic() < end:
    with jax.profiler.StepTraceAnnotation("train", step_num=number):
        step(x).block_until_ready()
    number += 1
    time.sleep(0.01)
sys.exit(int(sys.argv[2]))
"""


def _command(seconds: float, code: int = 0) -> list[str]:
    return [sys.executable, "-c", PROGRAM, str(seconds), str(code)]


def test_a_program_that_was_never_changed(bench: Bench, capfd: pytest.CaptureFixture[str]) -> None:
    directory = bench.folder / "in" / "job"
    done = run_program(_command(1.5, 7), directory, after=0.3, duration=0.5, preset="light")
    assert done.exit_code == 7
    (found,) = manifests(directory)
    assert done.sessions == (directory / "plugins" / "profile" / found["session"],)
    assert (found["outcome"], found["window"]["why"], found["run_id"]) == ("ok", "command", "job")
    assert found["options"]["host_tracer_level"] == 1
    assert found["versions"]["jax"]
    steps = profiled_steps(directory)
    assert 10 < len(steps) < 60
    assert steps == list(range(steps[0], steps[-1] + 1))
    assert capfd.readouterr().err.splitlines() == [f"profdb: profiled: {done.sessions[0]} (0.0 MB)"]
    bench.ingest()
    assert bench.rows("SELECT run_id, step_source, is_partial FROM runs") == [("job", "host", False)]


def test_a_program_that_ends_inside_the_window(tmp_path: Path) -> None:
    done = run_program(_command(0.8), tmp_path, after=0.2, duration=60)
    assert len(done.sessions) == 1
    (found,) = manifests(tmp_path)
    assert found["outcome"] == "partial"
    assert found["reason"] == "the program ended inside the window"
    assert len(profiled_steps(tmp_path)) > 10


def test_a_program_that_ends_before_the_window(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert run_program(_command(0.1), tmp_path, after=60, duration=1).sessions == ()
    assert capfd.readouterr().err == (
        "profdb: the window opens after the first compilation; the program ended within 60 s of it: nothing "
        "profiled\n"
    )


def test_a_python_without_jax_is_left_alone_and_its_own_hook_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.mine = 'mine'")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    program = "import sys, threading; print(sys.mine, threading.active_count(), 'jax' in sys.modules)"
    done = run_program([sys.executable, "-c", program], tmp_path / "out", after=0, duration=1)
    assert (done.exit_code, done.sessions) == (0, ())
    assert capfd.readouterr() == ("mine 1 False\n", "")


def test_the_hook_needs_nothing_installed(tmp_path: Path) -> None:
    hook = Path(__file__).parents[2] / "capture" / "hook"
    done = subprocess.run(
        [sys.executable, "-S", "-c", "import sitecustomize, sys; print('_profdb_capture' in sys.modules)"],
        env={"PYTHONPATH": str(hook)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert (done.stdout, done.stderr) == ("True\n", "")
