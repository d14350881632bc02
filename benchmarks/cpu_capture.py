"""A real profile of training on eight virtual CPU devices: `python benchmarks/cpu_capture.py OUT --events N`.

An MLP of named, rematerialised layers; the batch is split over the devices, so that gradients are summed by
all-reduces; each step is waited for. A short capture tells how many steps give N events.
Beside OUT, OUT.json tells what is in it.
"""

import argparse
import json
import os
import shutil
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

from profdb.benchmarks.xplane import message

DEVICES, LAYERS, WIDTH, BATCH = 8, 4, 128, 256
PROBE_STEPS = 10


def write(path: Path, events: int) -> dict[str, int]:
    """Capture a profile of at least `events` events; returns the counts of what is in it."""
    step = _training()
    steps = PROBE_STEPS
    while True:
        with tempfile.TemporaryDirectory(dir=path.parent) as folder:
            captured = _capture(step, steps, folder)
            found = _count(captured)
            if found >= events:
                shutil.move(captured, path)
                return {"events": found, "steps": steps, "devices": DEVICES, "bytes": path.stat().st_size}
        steps = int(steps * events / found * 1.05) + 1


def _count(path: Path) -> int:
    space = message("XSpace").FromString(path.read_bytes())
    return sum(len(line.events) for plane in space.planes for line in plane.lines)


def _capture(step: Callable[[], None], steps: int, folder: str) -> Path:
    import jax

    options = jax.profiler.ProfileOptions()
    options.enable_hlo_proto, options.python_tracer_level = True, 0
    jax.profiler.start_trace(folder, profiler_options=options)
    for number in range(steps):
        with jax.profiler.StepTraceAnnotation("train", step_num=number):
            step()
    jax.profiler.stop_trace()
    return next(Path(folder).rglob("*.xplane.pb"))


def _training() -> Callable[[], None]:
    """One compiled training step, to be called again and again."""
    import jax

    mesh = jax.make_mesh((DEVICES,), ("data",))
    everywhere, split = jax.NamedSharding(mesh, jax.P()), jax.NamedSharding(mesh, jax.P("data"))
    keys = jax.random.split(jax.random.key(0), 2 * LAYERS + 1)
    weights = [jax.random.normal(key, (WIDTH, WIDTH)) * 0.05 for key in keys[:-1]]
    state = {"layers": jax.device_put([weights[2 * i : 2 * i + 2] for i in range(LAYERS)], everywhere)}
    batch = jax.device_put(jax.random.normal(keys[-1], (BATCH, WIDTH)), split)
    compiled = jax.jit(partial(_update, jax), donate_argnums=0)

    def step() -> None:
        state["layers"], loss = compiled(state["layers"], batch)
        loss.block_until_ready()  # many steps in flight: the all-reduce runs out of threads and hangs

    step()
    return step


def _update(jax, layers, batch):
    loss, gradients = jax.value_and_grad(partial(_loss, jax))(layers, batch)
    with jax.named_scope("sgd"):
        return jax.tree.map(lambda value, slope: value - 0.01 * slope, layers, gradients), loss


def _loss(jax, layers, batch):
    def mlp(weights, x):
        with jax.named_scope("mlp"):
            return x + jax.numpy.tanh(x @ weights[0]) @ weights[1]

    x = batch
    for number, weights in enumerate(layers):
        with jax.named_scope(f"layer{number}"):
            x = jax.checkpoint(mlp)(weights, x)
    with jax.named_scope("loss"):
        return jax.numpy.mean((x - 1) ** 2)


def main() -> None:
    """Write the file named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--events", type=int, default=1_000_000)
    arguments = parser.parse_args()
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES}"
    counts = write(arguments.out, arguments.events)
    Path(f"{arguments.out}.json").write_text(json.dumps(counts))


if __name__ == "__main__":
    main()
