"""docs/capture.md: each snippet runs, and its tables name what there is."""

import json
import os
import re
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from profdb.capture import ProfileOptionsConfig, ProfilerConfig, UploadConfig
from profdb.capture.options import Preset

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "capture.md").read_text(encoding="utf-8")
SNIPPETS = re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?^```python\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)

# What a reader has around a snippet: data, a step, a mesh, and for Levanter its trainer.
AROUND = """
import itertools
import jax
import jax.numpy as jnp

data = itertools.cycle([(jnp.ones((4, 8)), jnp.ones((4, 8)))])
state = jnp.ones((8, 8))
mesh = jax.make_mesh((1,), ("data",))
train_step = jax.jit(lambda state, batch: state - 0.01 * batch[0].T @ batch[1])
times = {}
record_step_time = times.__setitem__

class Trainer:
    def add_hook(self, hook, every):
        self.hook = hook

    def train(self, state, data):
        for number in range(20):
            with jax.profiler.StepTraceAnnotation("train", step_num=number):
                state = train_step(state, next(data))
            self.hook(type("StepInfo", (), {"step": number})())
        self.hook(type("StepInfo", (), {"step": 19})(), force=True)

trainer = Trainer()
"""
STEPS = {
    "Three parameters": "my-run/plugins/profile/steps-5-to-15",
    "Levanter": "my-run/plugins/profile/steps-5-to-15",
    "A loop as in MaxText": "my-run/plugins/profile/steps-1005-to-1015",
    "Flax NNX": "nnx/plugins/profile/steps-2-to-7",
    "Options": None,
    "Uploads": None,
}


def test_every_snippet_is_known() -> None:
    assert {title for title, _ in SNIPPETS} == STEPS.keys()
    assert TEXT.count("```python") == len(SNIPPETS)


@pytest.mark.parametrize(("title", "code"), SNIPPETS, ids=[title for title, _ in SNIPPETS])
def test_a_snippet_runs(title: str, code: str, tmp_path: Path) -> None:
    program = AROUND + code.replace("enumerate(data)", "zip(range(20), data)")
    check = "\nassert not times or sorted(times) == [*range(1000, 1005), *range(1016, 1020)], times\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program + check],
        cwd=tmp_path,
        env={**os.environ, "PYTHONWARNINGS": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = [str(path.parent.relative_to(tmp_path / "profiles")) for path in tmp_path.rglob("*.xplane.pb")]
    assert found == ([STEPS[title]] if STEPS[title] else [])


def test_all_options_are_told() -> None:
    section = TEXT.partition("## Options\n")[2].partition("\nAbsolute or")[0]
    told = set(re.findall(r"`([\w.]+)`", section))
    nested = {"profile_options", "upload"}
    assert {field.name for field in fields(ProfilerConfig)} - nested <= told
    assert {field.name for field in fields(ProfileOptionsConfig)} <= told
    assert {f"upload.{field.name}" for field in fields(UploadConfig)} <= told


def test_presets_are_as_told() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| (on|off) \| (yes|no) \|", TEXT, re.MULTILINE)
    presets: list[Preset] = ["light", "device", "full"]
    resolved = {preset: ProfileOptionsConfig().resolve(preset) for preset in presets}
    assert rows == [
        (
            preset,
            str(found["host_tracer_level"]),
            "on" if found["python_tracer_level"] else "off",
            "yes" if found["enable_hlo_proto"] else "no",
        )
        for preset, found in resolved.items()
    ]


def test_every_field_of_the_manifest_is_told() -> None:
    schema = json.loads((ROOT / "capture" / "manifest.schema.json").read_text())
    section = TEXT.partition("## The manifest\n")[2].partition("In the warehouse")[0]
    told = {
        name
        for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", row)
    }
    assert told == schema["properties"].keys()
