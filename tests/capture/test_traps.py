"""What goes wrong in other loops: training goes on, JAX can trace again, and the manifest says it."""

import logging
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import jax
import pytest
from jax._src.lib import _profiler
from loops import manifests, profiled_steps, sessions, train, train_step, windows

from profdb.capture import ProfilerConfig, UploadConfig, heartbeat, trace

Make = Callable[..., ProfilerConfig]


def _says(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno == logging.WARNING]


def _can_trace(folder: Path) -> None:
    jax.profiler.start_trace(str(folder))
    jax.profiler.stop_trace()


# C19: start and stop


def test_exactly_one_stop_where_the_window_ends_with_the_run(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=5, num_steps=15).build(num_train_steps=20)
    for number in range(20):
        train_step()
        profiler(number)
    profiler(19, force=True)
    profiler.close()
    profiler.close()
    assert windows(tmp_path) == [(5, 19, "ok")]


def test_close_without_a_step(config: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    config(strict=True).build().close()
    assert _says(caplog) == ["no step was reported to the profiler: no window opened"]
    assert sessions(tmp_path) == []


def test_a_foreign_trace_is_neither_stopped_nor_fatal(config: Make, tmp_path: Path) -> None:
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    profiler = config(start_step=1, num_steps=2, directory=str(tmp_path / "ours")).build()
    train(profiler, 0, 4)
    jax.profiler.stop_trace()
    assert windows(tmp_path / "ours") == [(1, 0, "skipped: busy")]
    assert profiler.affected_steps == []
    assert profiled_steps(tmp_path / "theirs") == [0, 1, 2, 3, 4]


def test_a_foreign_session_below_jax_is_noticed_at_the_start(config: Make, tmp_path: Path) -> None:
    """As of PGLE or of the profiler port: JAX by default notices it only when it stops, and then for ever."""
    session = _profiler.ProfilerSession(_profiler.ProfileOptions())
    train(config(start_step=1, num_steps=2).build(), 0, 4)
    assert len(session.stop()) > 100
    assert [outcome for _, _, outcome in windows(tmp_path)] == ["skipped: busy"]
    _can_trace(tmp_path)


def test_two_profilers_in_one_loop(config: Make, tmp_path: Path) -> None:
    first, second = (config(start_step=1, num_steps=3).build() for _ in range(2))
    for number in range(6):
        with first.step(number), second.step(number):
            train_step()
    first.close()
    second.close()
    assert sorted(windows(tmp_path)) == [(1, 0, "skipped: busy"), (1, 3, "ok")]
    assert sessions(tmp_path) == ["steps-1-to-1", "steps-1-to-4"]


def test_a_trace_that_somebody_else_stopped(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=1, num_steps=3).build()
    for number in range(6):
        with profiler.step(number):
            if number == 2:
                jax.profiler.stop_trace()
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(1, 3, "taken")]


def test_a_trace_that_somebody_else_replaced(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=1, num_steps=3, directory=str(tmp_path / "ours")).build()
    for number in range(6):
        with profiler.step(number):
            if number == 2:
                jax.profiler.stop_trace()
                jax.profiler.start_trace(str(tmp_path / "theirs"))
            train_step()
    profiler.close()
    jax.profiler.stop_trace()
    assert windows(tmp_path / "ours") == [(1, 3, "taken")]
    assert profiled_steps(tmp_path / "theirs") == [3, 4, 5]


# C20: windows that do not fit the run


@pytest.mark.parametrize(
    ("options", "total", "steps", "expected", "warnings"),
    [
        (
            {"start_step": 50, "num_steps": 5},
            None,
            range(20),
            [],
            ["the run ended after step 19, before the window that starts with step 50"],
        ),
        (
            {"start_step": 50, "num_steps": 5},
            20,
            range(20),
            [],
            ["the window of steps 50 to 54 never opens: the run ends with step 19"],
        ),
        (
            {"start_step": 5, "num_steps": 25},
            20,
            range(20),
            [(5, 19, "ok")],
            ["the window of steps 5 to 29 is cut to steps 5 to 19, where the run ends"],
        ),
        (
            {"start_step": 5, "num_steps": 25},
            None,
            range(20),
            [(5, 19, "partial")],
            ["the run ended after step 19, inside the window that ends with step 29"],
        ),
        (
            {"start_step": 5, "num_steps": 3},
            None,
            range(1000, 1010),
            [],
            [
                "the window of steps 5 to 7 never opens: this process starts with step 1000; start_step "
                "counts from step 0 of the run, or with relative_to_resume=True from the first step after "
                "a resume"
            ],
        ),
        (
            {"start_step": 5, "num_steps": 3, "relative_to_resume": True},
            None,
            range(1000, 1010),
            [(1005, 1007, "ok")],
            [],
        ),
        ({"num_steps": 0}, None, range(10), [], []),
    ],
)
def test_windows_are_cut_to_the_run_with_one_warning(
    config: Make,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    options: dict[str, int],
    total: int | None,
    steps: range,
    expected: list[tuple[int, int, str]],
    warnings: list[str],
) -> None:
    profiler = config(**options).build(num_train_steps=total)
    train(profiler, steps[0], steps[-1])
    assert windows(tmp_path) == expected
    assert _says(caplog) == warnings


_TERMINATED = """
import os, signal, sys
sys.path.insert(0, {tests!r})
from loops import train_step
from profdb.capture import ProfilerConfig

{handler}
profiler = ProfilerConfig(enabled=True, start_step=2, num_steps=10, directory=sys.argv[1]).build()
for number in range(20):
    with profiler.step(number):
        train_step()
        if number == 5:
            os.kill(os.getpid(), signal.SIGTERM)
    if stop:
        break
profiler.close()
"""
_OWN_HANDLER = "stop = []\nsignal.signal(signal.SIGTERM, lambda *_: stop.append(1))"


@pytest.mark.parametrize(
    ("handler", "code", "reason"),
    [("stop = []", -signal.SIGTERM, "SIGTERM"), (_OWN_HANDLER, 0, "the run ended inside the window")],
)
def test_sigterm_inside_a_window(tmp_path: Path, handler: str, code: int, reason: str) -> None:
    program = _TERMINATED.format(tests=str(Path(__file__).parents[1]), handler=handler)
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=False)
    assert done.returncode == code, done.stderr.decode()
    assert windows(tmp_path) == [(2, 5, "partial")]
    assert manifests(tmp_path)[0]["reason"] == reason
    assert profiled_steps(tmp_path)[:3] == [2, 3, 4]


def test_a_program_that_ends_without_close(tmp_path: Path) -> None:
    program = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[1])!r})
from loops import train_step
from profdb.capture import ProfilerConfig
profiler = ProfilerConfig(enabled=True, start_step=2, num_steps=10, directory=sys.argv[1]).build()
for number in range(5):
    with profiler.step(number):
        train_step()
"""
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, check=True)
    assert windows(tmp_path) == [(2, 4, "partial")]
    assert profiled_steps(tmp_path) == [2, 3, 4]


# C21: exceptions, and stops that fail or take long


@pytest.mark.parametrize("strict", [False, True])
def test_the_exception_of_a_step_is_what_surfaces(config: Make, tmp_path: Path, strict: bool) -> None:
    profiler = config(start_step=3, num_steps=5, strict=strict).build()
    with pytest.raises(ZeroDivisionError):  # noqa: PT012
        for number in range(10):
            with profiler.step(number):
                train_step()
                if number == 4:
                    raise ZeroDivisionError
    profiler.close()
    assert windows(tmp_path) == [(3, 4, "partial")]
    assert manifests(tmp_path)[0]["reason"] == "step 4 raised ZeroDivisionError"
    assert profiled_steps(tmp_path) == [3, 4]


def test_an_exception_that_the_loop_survives_ends_the_window_only(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=1, num_steps=5).build()
    for number in range(10):
        try:
            with profiler.step(number):
                train_step()
                if number == 2:
                    raise ValueError
        except ValueError:
            continue
    profiler.close()
    assert windows(tmp_path) == [(1, 2, "partial")]


def _failing_stop(error: BaseException) -> Callable[[], None]:
    def stop() -> None:
        raise error

    return stop


@pytest.mark.parametrize("strict", [False, True])
def test_a_stop_that_fails_is_recorded_and_jax_can_trace_again(
    config: Make,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    strict: bool,
) -> None:
    profiler = config(start_step=1, num_steps=2, strict=strict, directory=str(tmp_path / "ours")).build()
    with monkeypatch.context() as patch:
        patch.setattr(jax.profiler, "stop_trace", _failing_stop(MemoryError("no room")))
        if strict:
            with pytest.raises(MemoryError):
                train(profiler, 0, 5)
            profiler.close()
        else:
            train(profiler, 0, 5)
    assert windows(tmp_path / "ours") == [(1, 2, "export_failed")]
    assert manifests(tmp_path / "ours")[0]["reason"] == "MemoryError: no room"
    assert _says(caplog)[0] == "the profile could not be exported: MemoryError: no room"
    _can_trace(tmp_path)


def test_where_jax_cannot_be_made_to_forget_it_is_said(
    config: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    profiler = config(start_step=1, num_steps=2).build()
    with monkeypatch.context() as patch:
        patch.setattr(trace, "_state", lambda: None)
        patch.setattr(jax.profiler, "stop_trace", _failing_stop(OSError("broken")))
        train(profiler, 0, 5)
    assert _says(caplog) == [
        "the profile could not be exported; JAX will answer 'Profile has already been started' until this "
        "process ends: OSError: broken"
    ]
    jax.profiler.stop_trace()


def test_an_export_that_takes_long_says_so(
    config: Make, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "profdb.capture")
    monkeypatch.setattr(heartbeat, "SECONDS", 0.2)
    real = jax.profiler.stop_trace

    def slow() -> None:
        time.sleep(0.7)
        real()

    monkeypatch.setattr(jax.profiler, "stop_trace", slow)
    train(config(start_step=1, num_steps=2).build(), 0, 5)
    beats = [record.getMessage() for record in caplog.records if "training goes on" in record.getMessage()]
    assert len(beats) in (2, 3)
    assert beats[0] == "exporting the profile: 0 s, 0.0 MB; training goes on when it is done"


def test_an_interrupted_export_leaves_jax_usable(
    config: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    profiler = config(start_step=1, num_steps=2, directory=str(tmp_path / "ours")).build()
    with monkeypatch.context() as patch:
        patch.setattr(jax.profiler, "stop_trace", _failing_stop(KeyboardInterrupt()))
        with pytest.raises(KeyboardInterrupt):
            train(profiler, 0, 5)
    profiler.close()
    assert windows(tmp_path / "ours") == [(1, 2, "export_failed")]
    _can_trace(tmp_path)


# Disks


def test_a_folder_that_cannot_be_written_is_found_before_the_trace(
    config: Make, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    profiler = config(start_step=1, num_steps=2, directory=str(tmp_path / "file" / "x")).build()
    train(profiler, 0, 5)
    assert [found["outcome"] for found in profiler.manifests] == ["start_failed"]
    assert _says(caplog)[0].startswith("the profile could not be started: NotADirectoryError")
    _can_trace(tmp_path)


def test_strict_raises_what_prevents_the_start(config: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    profiler = config(start_step=1, num_steps=2, directory=str(tmp_path / "file"), strict=True).build()
    with pytest.raises(FileExistsError):
        train(profiler, 0, 5)
    profiler.close()


_FULL = """
import resource, sys
sys.path.insert(0, {tests!r})
import jax
from loops import train_step
from profdb.capture import ProfileOptionsConfig, ProfilerConfig

train_step()
limits = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (5000, limits[1]))
profiler = ProfilerConfig(
    enabled=True, start_step=2, num_steps=10, every=20, directory=sys.argv[1],
    profile_options=ProfileOptionsConfig(python_tracer_level=1),
).build()
for number in range(32):
    if number == 15:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    with profiler.step(number):
        train_step()
profiler.close()
print([found["outcome"] for found in profiler.manifests])
"""


def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    program = _FULL.format(tests=str(Path(__file__).parents[1]))
    command = [sys.executable, "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "['export_failed', 'ok']\n"
    assert "File too large" in done.stderr
    assert windows(tmp_path) == [(2, 11, "export_failed"), (22, 31, "ok")]
    assert len(list(tmp_path.rglob("*.xplane.pb"))) == 1
    assert list(tmp_path.glob(".*")) == []


# C22: folders that are none


@pytest.mark.parametrize("directory", ["s3://bucket/p", "s3:/bucket/p", "gs://bucket/p"])
def test_a_bucket_never_becomes_a_local_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, directory: str, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.chdir(tmp_path)
    config = ProfilerConfig(
        enabled=True, start_step=1, num_steps=2, directory=directory, upload=UploadConfig(enabled=False)
    )
    train(config.build(run_id="r"), 0, 4)
    assert [path.name for path in tmp_path.iterdir()] == ["profiles"]
    assert sessions(tmp_path / "profiles" / "r") == ["steps-1-to-3"]
    assert _says(caplog) == [
        f"directory {directory} is not local: profiling into ./profiles and uploading from there"
    ]


def test_paths_with_spaces_and_unicode(config: Make, tmp_path: Path) -> None:
    train(config(start_step=1, num_steps=2, directory=str(tmp_path / "my runs" / "ü x")).build(), 0, 4)
    assert profiled_steps(tmp_path / "my runs" / "ü x") == [1, 2]


def test_it_never_raises_where_jax_is_missing(tmp_path: Path) -> None:
    (tmp_path / "jax.py").write_text("raise ModuleNotFoundError(\"No module named 'jax'\")\n")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from profdb.capture import ProfilerConfig
profiler = ProfilerConfig(enabled=True, start_step=1, directory={str(tmp_path)!r}).build()
for number in range(5):
    with profiler.step(number):
        pass
    profiler(number)
profiler.close()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr == "profiling failed, training goes on: ModuleNotFoundError: No module named 'jax'\n"


_WITH = """
import os, signal, sys, time
sys.path.insert(0, {tests!r})
import jax
from loops import train_step
from profdb.capture import ProfilerConfig

profiler = ProfilerConfig(enabled=True, start_step=2, num_steps=3, directory=sys.argv[1]).build()
{before}
for number in range(8):
    with profiler.step(number):
        train_step()
        {inside}
profiler.close()
"""
_TERM_WHILE_EXPORTING = """
real = jax.profiler.stop_trace
def stop():
    os.kill(os.getpid(), signal.SIGTERM)
    real()
jax.profiler.stop_trace = stop
"""
_FORK = """
def fork():
    for number in (signal.SIGTERM, signal.SIGUSR2):
        ready, says = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(says, b"1")  # Python forgets signals that come while it forks
            while True:
                time.sleep(0.01)
        os.read(ready, 1)
        os.kill(child, number)
        _, status = os.waitpid(child, 0)
        assert os.waitstatus_to_exitcode(status) == -number
"""


@pytest.mark.parametrize(
    ("before", "inside", "code"),
    [
        (_TERM_WHILE_EXPORTING, "pass", -signal.SIGTERM),
        (_FORK, "number == 3 and fork()", 0),
    ],
    ids=["sigterm while exporting", "forked workers"],
)
def test_signals_and_processes(tmp_path: Path, before: str, inside: str, code: int) -> None:
    program = _WITH.format(tests=str(Path(__file__).parents[1]), before=before, inside=inside)
    command = [sys.executable, "-W", "ignore", "-c", program, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    assert done.returncode == code, done.stderr.decode()
    assert windows(tmp_path) == [(2, 4, "ok")]
    assert profiled_steps(tmp_path) == [2, 3, 4]
