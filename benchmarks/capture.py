"""What capture costs: `python benchmarks/capture.py` prints the tables of docs/capture.md.

Each row of the second table is over --rounds windows, in one process per set of options: the least time per
step before and in the windows, and medians. The model is an MLP of 24 small layers: a step has many ops for
its time, which is the worst case for a profiler.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from statistics import median
from typing import Any

from profdb.capture import ProfileOptionsConfig, Profiler, ProfilerConfig

OPTIONS: dict[str, dict[str, Any]] = {
    "light": {"preset": "light"},
    "device": {"preset": "device"},
    "device, HLO proto": {
        "preset": "device",
        "profile_options": ProfileOptionsConfig(enable_hlo_proto=True),
    },
    "device, Python tracer": {
        "preset": "device",
        "profile_options": ProfileOptionsConfig(python_tracer_level=1),
    },
    "full": {"preset": "full"},
}
STEPS = (10, 25, 100)
_LAYERS, _WIDTH = 24, 128


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=12)
    parser.add_argument("--steps", type=int, nargs="+", default=STEPS)
    parser.add_argument("--worker", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.worker:
        print(json.dumps(windows(asked.worker, asked.steps, asked.rounds)))  # noqa: T201
        return
    print("| profiler | microseconds per step |\n|---|---|")  # noqa: T201
    for name, microseconds in idle().items():
        print(f"| {name} | {microseconds:.2f} |")  # noqa: T201
    print("\n| options | steps | a step | added to it | export | profile |\n|---|---|---|---|---|---|")  # noqa: T201
    for name in OPTIONS:
        for row in _worker(name, asked.steps, asked.rounds):
            print(  # noqa: T201
                f"| {name} | {row['steps']} | {row['before_us']:.0f} us | {row['added_us']:+.0f} us | "
                f"{row['export_seconds']:.2f} s | {row['bytes'] / 1e6:.2f} MB |"
            )


def _worker(name: str, steps: list[int], rounds: int) -> list[dict[str, Any]]:
    command = [
        sys.executable,
        __file__,
        "--worker",
        name,
        "--rounds",
        str(rounds),
        "--steps",
        *map(str, steps),
    ]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    rows: list[dict[str, Any]] = json.loads(done.stdout)
    return rows


def idle(count: int = 100_000) -> dict[str, float]:
    """Microseconds that a step takes which does nothing but `with profiler.step(n)`."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        far = 1 << 40
        for name, config in {
            "off": ProfilerConfig(),
            "on, outside its window": ProfilerConfig(enabled=True, start_step=far, directory=folder),
        }.items():
            profiler = config.build()
            found[name] = min(_loop(profiler, count // 10) for _ in range(10))
    return found


def _loop(profiler: Profiler, count: int) -> float:
    with profiler.step(0):
        pass
    began = time.perf_counter()
    for number in range(1, count):
        with profiler.step(number):
            pass
    spent = time.perf_counter() - began
    began = time.perf_counter()
    for _ in range(1, count):
        pass
    return (spent - (time.perf_counter() - began)) / count * 1e6


def windows(name: str, steps: list[int], rounds: int) -> list[dict[str, Any]]:
    """Rows of the second table, for one set of options."""
    step = _training()
    rows = []
    for count in steps:
        with tempfile.TemporaryDirectory() as folder:
            config = ProfilerConfig(
                enabled=True,
                start_step=40,
                num_steps=count,
                every=count + 40,
                directory=folder,
                on_demand=False,
                strict=True,
                **OPTIONS[name],
            )
            with config.build() as profiler:
                for number in range(rounds * (count + 40)):
                    with profiler.step(number):
                        step()
            rows.append(_row(count, [found for found in profiler.manifests if found["outcome"] == "ok"]))
    return rows


def _row(count: int, manifests: list[dict[str, Any]]) -> dict[str, Any]:
    costs = [found["cost"] for found in manifests]
    before = min(cost["step_seconds_before"] for cost in costs)  # other work on the machine only adds
    profiled = min(cost["step_seconds_profiled"] for cost in costs)
    return {
        "steps": count,
        "before_us": before * 1e6,
        "added_us": (profiled - before) * 1e6,
        "export_seconds": median(cost["export_seconds"] for cost in costs),
        "bytes": median(found["profile"]["bytes"] for found in manifests),
    }


def _training() -> Callable[[], None]:
    """A step of training that is waited for."""
    import jax
    import jax.numpy as jnp

    weights = [jnp.eye(_WIDTH)] * _LAYERS
    batch = jnp.ones((64, _WIDTH))

    def loss(layers: list[jax.Array]) -> jax.Array:
        hidden = batch
        for layer in layers:
            hidden = jnp.tanh(hidden @ layer)
        return (hidden**2).mean()

    step = jax.jit(jax.value_and_grad(loss))
    return lambda: jax.block_until_ready(step(weights)) and None


if __name__ == "__main__":
    main()
