"""Capture a tiny real training run: `python -m profdb.capture.demo LOGDIR`.

Runs in a process of its own, because XLA reads its flags once, before jax is imported. The model is an MLP
of four named layers, rematerialised, on eight virtual CPU devices; the batch is split over them, so that
gradients are summed by an all-reduce. As in real training, the loop launches the next step without waiting.
The profile is taken by this library, as any training loop would take it.
"""

import os
import sys
from importlib import import_module
from typing import Any, NoReturn

from .config import ProfilerConfig
from .options import ProfileOptionsConfig

DEVICES = 8
LAYERS = 4
STEPS = 10
_WIDTH = 384
_BATCH = 2048


def main() -> None:
    """Train, profile ten steps into LOGDIR/plugins/profile/SESSION, and print that folder."""
    if len(sys.argv) != 2:
        _fail(2, "no LOGDIR was given", "python -m profdb.capture.demo LOGDIR")
    os.environ["JAX_PLATFORMS"] = "cpu"
    # XLA for CPU would merge what jax.checkpoint computes again with its first computation.
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={DEVICES} --xla_disable_hlo_passes=cse"
    try:
        os.makedirs(sys.argv[1], exist_ok=True)
        print(capture(sys.argv[1]))  # noqa: T201
    except ImportError as e:
        _fail(3, str(e), "pip install 'profdb[capture]'")
    except (OSError, RuntimeError) as e:
        _fail(3, f"cannot capture into {sys.argv[1]}: {e}", "python -m profdb.capture.demo LOGDIR")


def _fail(code: int, message: str, hint: str) -> NoReturn:
    print(f"profdb: error: {message}\n\nhint: {hint}", file=sys.stderr)  # noqa: T201
    sys.exit(code)


def capture(logdir: str) -> str:
    """Profile ten training steps into `logdir` and return the session's folder.

    Raises:
        ImportError: jax is not installed.
        OSError, RuntimeError: the profile could not be written or taken.
    """
    step, layers, batch = _training()
    layers, loss = step(layers, batch)
    loss.block_until_ready()  # compiled before the profile starts
    config = ProfilerConfig(
        enabled=True,
        start_step=0,
        num_steps=STEPS,
        profile_options=ProfileOptionsConfig(enable_hlo_proto=True),
        directory=logdir,
        strict=True,
    )
    with config.build(run_id="demo", num_train_steps=STEPS, mesh=f"data={DEVICES}") as profiler:
        for number in range(STEPS):
            with profiler.step(number):
                layers, _ = step(layers, batch)
    return os.path.join(logdir, "plugins", "profile", profiler.manifests[0]["session"])


def _jax() -> Any:
    """jax, untyped, because half of what is called here has no annotations."""
    return import_module("jax")


def _training() -> tuple[Any, Any, Any]:
    """The compiled step, its first layers, and one batch (inputs, targets), placed on the devices."""
    jax = _jax()
    mesh = jax.make_mesh((DEVICES,), ("data",))
    everywhere = jax.NamedSharding(mesh, jax.P())
    split = jax.NamedSharding(mesh, jax.P("data"))
    keys = jax.random.split(jax.random.key(0), 2 * LAYERS + 1)
    weights = [jax.random.normal(key, (_WIDTH, _WIDTH)) * 0.05 for key in keys[:-1]]
    layers = [
        {"up": up, "bias": jax.numpy.zeros(_WIDTH), "down": down}
        for up, down in zip(weights[:LAYERS], weights[LAYERS:], strict=True)
    ]
    batch = (jax.random.normal(keys[-1], (_BATCH, _WIDTH)), jax.numpy.ones((_BATCH, _WIDTH)))
    step = jax.jit(_step, donate_argnums=0)
    return step, jax.device_put(layers, everywhere), jax.device_put(batch, split)


def _step(layers: Any, batch: Any) -> tuple[Any, Any]:
    jax = _jax()
    loss, gradients = jax.value_and_grad(_loss)(layers, batch)
    with jax.named_scope("sgd"):
        layers = jax.tree.map(lambda weight, gradient: weight - 0.01 * gradient, layers, gradients)
    return layers, loss


def _loss(layers: Any, batch: Any) -> Any:
    jax = _jax()
    hidden, targets = batch
    for number, layer in enumerate(layers):
        with jax.named_scope(f"layer{number}"), jax.named_scope("block"):
            hidden = jax.checkpoint(_mlp)(layer, hidden)
    with jax.named_scope("loss"):
        return jax.numpy.mean((hidden - targets) ** 2)


def _mlp(layer: Any, hidden: Any) -> Any:
    jax = _jax()
    with jax.named_scope("mlp"):
        inner = hidden @ layer["up"] + layer["bias"]
        inner = jax.numpy.tanh(inner)
        return hidden + inner @ layer["down"]


if __name__ == "__main__":
    main()
