"""Every test of capture leaves signals and JAX's trace as they were."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import pytest
from bench import Bench

from profdb.capture import ProfilerConfig


@pytest.fixture
def config(tmp_path: Path) -> Callable[..., ProfilerConfig]:
    """A configuration that profiles below `tmp_path`."""

    def make(**options: Any) -> ProfilerConfig:
        return ProfilerConfig(**{"enabled": True, "directory": str(tmp_path), **options})

    return make


@pytest.fixture(autouse=True)
def _signals_and_the_trace_are_given_back() -> Iterator[None]:
    before = [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR2)]
    yield
    assert [signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR2)] == before
    with pytest.raises(RuntimeError, match="No profile started"):
        jax.profiler.stop_trace()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """An empty warehouse and a folder of profiles."""
    return Bench(tmp_path)
