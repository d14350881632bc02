"""Training loops on one real CPU device, and what they left behind."""

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import jsonschema

from profdb.capture import Profiler

SCHEMA = json.loads((Path(__file__).parents[1] / "capture" / "manifest.schema.json").read_text())


@jax.jit
def _multiply(x: jax.Array) -> jax.Array:
    return x @ x / 64


def train_step() -> None:
    """A step of training: small, and waited for."""
    _multiply(jnp.ones((64, 64))).block_until_ready()


def train(profiler: Profiler, first: int, last: int) -> None:
    """Steps `first` to `last`, then the end of the run."""
    for number in range(first, last + 1):
        with profiler.step(number):
            train_step()
    profiler.close()


def sessions(directory: Path) -> list[str]:
    """Session folders, sorted."""
    root = directory / "plugins" / "profile"
    return sorted(path.name for path in root.iterdir()) if root.exists() else []


def manifests(directory: Path) -> list[dict[str, Any]]:
    """The manifests below a directory, in the order of their windows, each checked against the schema."""
    found = [json.loads(path.read_text(encoding="utf-8")) for path in directory.rglob("*.manifest.json")]
    for document in found:
        jsonschema.validate(document, SCHEMA)
    return sorted(found, key=lambda document: document["started_at"])


def windows(directory: Path) -> list[tuple[int, int, str]]:
    """First step, last step and outcome of each window that left a manifest."""
    return [
        (found["window"]["first_step"], found["window"]["end_step"] - 1, found["outcome"])
        for found in manifests(directory)
    ]


def profiled_steps(directory: Path) -> list[int]:
    """Step numbers that JAX's own reader finds in the one profile below a directory."""
    (path,) = directory.rglob("*.xplane.pb")
    data = jax.profiler.ProfileData.from_file(str(path))
    return sorted(
        dict(event.stats)["step_num"]
        for plane in data.planes
        for line in plane.lines
        for event in line.events
        if event.name == "train"
    )
