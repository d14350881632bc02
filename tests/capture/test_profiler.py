"""The profiler in a real loop with the real jax.profiler, on one CPU device."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from loops import manifests, profiled_steps, sessions, train, train_step, windows

from profdb.capture import ProfilerConfig
from profdb.capture.profiler import Profiler

Make = Callable[..., ProfilerConfig]


def test_a_window_of_steps(config: Make, tmp_path: Path) -> None:
    train(config(start_step=3, num_steps=4).build(run_id="my-run"), 0, 11)
    assert sessions(tmp_path) == ["steps-3-to-7"]
    host = os.uname().nodename
    session = tmp_path / "plugins" / "profile" / "steps-3-to-7"
    visible = sorted(path.name for path in session.iterdir() if not path.name.startswith("."))
    assert visible == [f"{host}.manifest.json", f"{host}.xplane.pb"]
    assert profiled_steps(tmp_path) == [3, 4, 5, 6]
    assert windows(tmp_path) == [(3, 6, "ok")]
    assert list(tmp_path.glob(".*")) == []


def test_the_manifest_says_where_the_profile_comes_from(config: Make, tmp_path: Path) -> None:
    options = config(start_step=4, num_steps=5, preset="light")
    profiler = options.build(run_id="my-run", config={"lr": 0.1}, mesh="data=1", tags={"branch": "main"})
    train(profiler, 0, 11)
    (found,) = manifests(tmp_path)
    assert found == profiler.manifests[0]
    (profile,) = tmp_path.rglob("*.xplane.pb")
    assert found["profile"]["bytes"] == profile.stat().st_size
    assert (found["run_id"], found["session"], found["mesh"]) == ("my-run", "steps-4-to-9", "data=1")
    assert found["tags"] == {"branch": "main"}
    # echo -n '{"lr":0.1}' | sha256sum
    assert found["config_hash"] == "9c9ba942d8bb6213cd855c3e8ddfeb6640a23616f11f4da3d8e77555902a6107"
    assert found["versions"]["jax"] == jax.__version__
    assert found["host"]["cpu_count"] == len(os.sched_getaffinity(0))
    assert (found["devices"]["count"], found["devices"]["platform"]) == (jax.device_count(), "cpu")
    assert found["process"] == {"index": 0, "count": 1, "hosts": {}}
    assert found["options"]["host_tracer_level"] == 1
    assert found["window"]["affected_steps"] == [4, 9]
    before, profiled = found["cost"]["step_seconds_before"], found["cost"]["step_seconds_profiled"]
    assert 0 < before < 1
    assert found["cost"]["overhead_ratio"] == round(profiled / before - 1, 4)


def test_a_resumed_run_uses_no_name_twice(config: Make, tmp_path: Path) -> None:
    for _ in range(3):
        train(config(start_step=2, num_steps=2).build(run_id="my-run"), 0, 5)
    assert sessions(tmp_path) == ["steps-2-to-4", "steps-2-to-4-2", "steps-2-to-4-3"]
    assert [found["session"] for found in manifests(tmp_path)] == sessions(tmp_path)


def test_periodic_windows(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=2, num_steps=2, every=5).build()
    train(profiler, 0, 14)
    assert windows(tmp_path) == [(2, 3, "ok"), (7, 8, "ok"), (12, 13, "ok")]
    assert profiler.affected_steps == [2, 3, 4, 7, 8, 9, 12, 13, 14]


def test_affected_steps_are_known_during_the_step(config: Make) -> None:
    profiler = config(start_step=3, num_steps=2).build()
    affected = []
    for number in range(8):
        with profiler.step(number):
            train_step()
            if profiler.is_affected(number):
                affected.append(number)
    profiler.close()
    assert affected == [3, 4, 5]  # 5 has the export in the time since step 4
    assert [number for number in range(8) if profiler.is_affected(number)] == affected


def test_a_step_callback(config: Make, tmp_path: Path) -> None:
    """As a Levanter hook: called after a step; the trainer itself writes the step's annotation."""
    profiler = config(start_step=5, num_steps=5).build(num_train_steps=12)
    for number in range(12):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            train_step()
        profiler(SimpleNamespace(step=number))
    profiler(SimpleNamespace(step=11), force=True)
    profiler.close()
    assert windows(tmp_path) == [(5, 9, "ok")]
    assert profiled_steps(tmp_path) == [5, 6, 7, 8, 9]


def test_a_context_manager_around_the_loop(config: Make, tmp_path: Path) -> None:
    with config(start_step=3, num_steps=3).build() as profiler:
        for number in range(5):
            with profiler.step(number):
                train_step()
    assert windows(tmp_path) == [(3, 4, "partial")]
    assert manifests(tmp_path)[0]["reason"] == "the run ended inside the window"


def test_steps_may_leave_a_window_by_a_jump(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=3, num_steps=5).build()
    for number in (0, 3, 4, 100, 101):
        with profiler.step(number):
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(3, 4, "partial")]


def _wait_for_poll(profiler: Profiler, first: int) -> int:
    """Steps until a window opens; the number of the next step."""
    number = first
    deadline = time.monotonic() + 5
    while not profiler.is_affected(number - 1) and time.monotonic() < deadline:
        with profiler.step(number):
            time.sleep(0.02)
        number += 1
    return number


@pytest.mark.parametrize("start_step", [None, 100_000])
def test_a_touched_file_opens_one_window(config: Make, tmp_path: Path, start_step: int | None) -> None:
    (tmp_path / "profile-now").touch()  # of an earlier run: does not count
    profiler = config(start_step=start_step, num_steps=3).build()
    for number in range(3):
        with profiler.step(number):
            train_step()
    os.utime(tmp_path / "profile-now", (1, 1))
    after = _wait_for_poll(profiler, 3)
    for number in range(after, after + 10):
        with profiler.step(number):
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(after - 1, after + 1, "ok")]
    assert manifests(tmp_path)[0]["window"]["why"] == "on demand"


def test_sigusr2_opens_one_window_at_the_next_step(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=None, num_steps=3).build()
    for number in range(10):
        with profiler.step(number):
            if number == 4:
                os.kill(os.getpid(), signal.SIGUSR2)
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(5, 7, "ok")]


def test_sigusr2_before_the_first_step_opens_a_window_there(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=None, num_steps=3).build()
    os.kill(os.getpid(), signal.SIGUSR2)
    train(profiler, 7, 14)
    assert windows(tmp_path) == [(7, 9, "ok")]


def test_a_profiler_that_cannot_begin_gives_its_signal_back(config: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    profiler = config(directory=str(tmp_path / "file" / "below")).build()
    with profiler.step(0):
        train_step()
    profiler.close()
    assert signal.getsignal(signal.SIGUSR2) is signal.SIG_DFL


def test_a_window_asked_for_after_steps_went_back_opens(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=20, num_steps=2, every=None).build()
    for number in (*range(20, 25), *range(5, 12)):
        with profiler.step(number):
            if number == 7:
                os.kill(os.getpid(), signal.SIGUSR2)
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(20, 21, "ok"), (8, 9, "ok")]


def test_a_signal_that_has_a_handler_is_left_to_it(config: Make, tmp_path: Path) -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR2, lambda number, _: seen.append(number))
    try:
        profiler = config(start_step=None, num_steps=3).build()
        with profiler.step(0):
            os.kill(os.getpid(), signal.SIGUSR2)
        train(profiler, 1, 5)
    finally:
        signal.signal(signal.SIGUSR2, before)
    assert (seen, sessions(tmp_path)) == ([signal.SIGUSR2], [])


def test_steps_are_there_for_a_capture_from_outside(config: Make, tmp_path: Path) -> None:
    profiler = config(start_step=None, directory=str(tmp_path / "ours")).build()
    with profiler.step(0):
        train_step()
    jax.profiler.start_trace(str(tmp_path / "theirs"))
    train(profiler, 1, 4)
    jax.profiler.stop_trace()
    assert profiled_steps(tmp_path / "theirs") == [1, 2, 3, 4]


def test_perfetto_trace(config: Make, tmp_path: Path) -> None:
    train(config(start_step=1, num_steps=2, create_perfetto_trace=True).build(), 0, 3)
    (trace,) = tmp_path.rglob("*.perfetto_trace.json.gz")
    assert trace.stat().st_size > 100


def test_without_a_directory_it_lands_below_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    train(ProfilerConfig(enabled=True, start_step=1, num_steps=2).build(run_id="a/b ü"), 0, 3)
    assert sessions(tmp_path / "profiles" / "a_b ü") == ["steps-1-to-3"]


def test_a_step_outside_the_window_costs_at_most_two_microseconds(config: Make) -> None:
    profiler = config(start_step=1 << 40).build()

    def microseconds(count: int) -> float:
        began = time.perf_counter()
        for number in range(count):
            with profiler.step(number):
                pass
        return (time.perf_counter() - began) / count * 1e6

    assert min(microseconds(500) for _ in range(50)) < 2
    profiler.close()


def test_many_windows_are_looked_up_fast(config: Make) -> None:
    profiler = config(start_step=0, num_steps=1, every=3).build()
    for number in range(60):
        with profiler.step(number):
            pass
    profiler.close()
    assert [number for number in range(60) if not profiler.is_affected(number)] == list(range(2, 60, 3))


@pytest.mark.parametrize(
    "as_step",
    [np.int64, float, str, jnp.asarray, lambda k: jnp.asarray(k) + 0],
    ids=["numpy", "float", "text", "array", "result"],
)
@pytest.mark.parametrize("is_callback", [False, True])
def test_steps_that_are_told_otherwise_than_as_an_int(
    config: Make, tmp_path: Path, as_step: Callable[[int], Any], is_callback: bool
) -> None:
    profiler = config(start_step=3, num_steps=2).build()
    for number in range(7):
        if is_callback:
            train_step()
            profiler(SimpleNamespace(step=as_step(number)))
        else:
            with profiler.step(as_step(number)):
                train_step()
    profiler.close()
    assert sessions(tmp_path) == ["steps-3-to-5"]


@pytest.mark.parametrize("nothing", [None, "a", float("nan"), object(), jnp.ones(2)])
@pytest.mark.parametrize("at", [0, 3])
def test_what_is_no_step_number_turns_the_profiler_off_and_never_raises(
    config: Make, caplog: pytest.LogCaptureFixture, nothing: Any, at: int
) -> None:
    profiler = config(start_step=9).build()
    numbers = [0, 1, 2, 3, 4]
    numbers[at] = nothing
    counts_on = at > 0 and not isinstance(nothing, float | str | None)
    for number in numbers:
        with profiler.step(number):
            train_step()
        profiler(SimpleNamespace(step=number))
    profiler.close()
    told = [r.getMessage() for r in caplog.records if "is no step number: profiling is off" in r.getMessage()]
    assert len(told) == (0 if counts_on else 1)


def test_what_is_no_step_number_raises_where_that_is_asked_for(config: Make) -> None:
    with pytest.raises(TypeError), config(strict=True).build() as profiler, profiler.step(None):
        raise AssertionError("not reached")


def test_a_window_ends_where_the_step_number_goes_back(config: Make, tmp_path: Path) -> None:
    """A job that loads an old checkpoint inside the window."""
    profiler = config(start_step=6, num_steps=5).build()
    for number in [5, 6, 7, 2, 3, 4, 5, 6, 7, 8]:
        with profiler.step(number):
            train_step()
    profiler.close()
    assert windows(tmp_path) == [(6, 7, "partial")]
    (found,) = manifests(tmp_path)
    assert found["reason"] == "the step number went back"
    assert profiled_steps(tmp_path) == [6, 7]
    assert profiler.affected_steps == [6, 7, 8]
