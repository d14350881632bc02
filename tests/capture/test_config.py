"""Options: the names that Levanter has, from code, a dict, the environment and nested command lines."""

import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, field

import draccus
import pytest
import tyro

from profdb.capture import ProfileOptionsConfig, ProfilerConfig, UploadConfig


@dataclass
class TrainerConfig:
    profiler: ProfilerConfig = field(default_factory=ProfilerConfig)


@dataclass
class Main:
    trainer: TrainerConfig = field(default_factory=TrainerConfig)


def test_defaults_are_those_of_levanter() -> None:
    config = ProfilerConfig()
    assert (config.enabled, config.start_step, config.num_steps, config.process_index) == (False, 5, 25, None)
    assert (config.perfetto_link, config.create_perfetto_trace) == (False, False)
    assert config.profile_options == ProfileOptionsConfig(None, None, None, False, None, {})
    assert (config.upload.enabled, config.upload.ttl_days) == (True, 30)
    assert not config.is_enabled


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        ProfilerConfig().enabled = True  # type: ignore[misc]


ARGUMENTS = ["--trainer.profiler.num_steps", "10", "--trainer.profiler.upload.prefix", "gs://b"]
LEVEL = "--trainer.profiler.profile_options.python_tracer_level"
WANTED = ProfilerConfig(
    enabled=True,
    num_steps=10,
    upload=UploadConfig(prefix="gs://b"),
    profile_options=ProfileOptionsConfig(python_tracer_level=1),
)


def test_draccus_command_line() -> None:
    arguments = [*ARGUMENTS, LEVEL, "1", "--trainer.profiler.enabled", "true"]
    assert draccus.parse(Main, args=arguments).trainer.profiler == WANTED


def test_tyro_command_line() -> None:
    arguments = [*ARGUMENTS, LEVEL, "1", "--trainer.profiler.enabled"]
    assert tyro.cli(Main, args=arguments).trainer.profiler == WANTED


def test_from_dict() -> None:
    values = {
        "enabled": True,
        "num_steps": 10,
        "upload": {"prefix": "gs://b"},
        "profile_options": {"python_tracer_level": 1},
    }
    assert ProfilerConfig.from_dict(values) == WANTED


def test_from_environment() -> None:
    environ = {
        "PROFDB_PROFILER_ENABLED": "true",
        "PROFDB_PROFILER_NUM_STEPS": "10",
        "PROFDB_PROFILER_UPLOAD_PREFIX": "gs://b",
        "PROFDB_PROFILER_PROFILE_OPTIONS_PYTHON_TRACER_LEVEL": "1",
        "HOME": "/root",
    }
    assert ProfilerConfig.from_env(environ=environ) == WANTED
    base = ProfilerConfig(process_index=3, start_step=7)
    changed = {
        "PROFDB_PROFILER_PROCESS_INDEX": "none",
        "PROFDB_PROFILER_PROFILE_OPTIONS_ADVANCED_CONFIGURATION": '{"tpu_trace_mode": "TRACE_COMPUTE"}',
    }
    assert ProfilerConfig.from_env(base, changed) == ProfilerConfig(
        start_step=7,
        profile_options=ProfileOptionsConfig(advanced_configuration={"tpu_trace_mode": "TRACE_COMPUTE"}),
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"num_step": 3}, "num_step is no option; did you mean num_steps?"),
        (
            {"upload": {"ttl": 3}},
            "upload.ttl is no option; did you mean upload.ttl_days?",
        ),
        ({"num_steps": "3"}, "num_steps: '3' is no whole number"),
        ({"num_steps": True}, "num_steps: True is no whole number"),
        ({"enabled": 1}, "enabled: 1 is no true or false"),
        ({"num_steps": -1}, "num_steps is at least 0, not -1"),
        ({"num_steps": 10, "every": 9}, "every is at least 10, not 9"),
        ({"preset": "heavy"}, "preset is one of light, device, full, not 'heavy'"),
        ({"upload": {"ttl_days": 0}}, "upload.ttl_days is at least 1, not 0"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ProfilerConfig.from_dict(values)


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("NUM_STEP", "3", "PROFDB_PROFILER_NUM_STEP is no option; did you mean PROFDB_PROFILER_NUM_STEPS?"),
        ("NUM_STEPS", "ten", "PROFDB_PROFILER_NUM_STEPS: 'ten' is no whole number"),
        ("ENABLED", "maybe", "PROFDB_PROFILER_ENABLED: 'maybe' is no true or false"),
    ],
)
def test_what_is_wrong_in_the_environment_is_named(variable: str, text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ProfilerConfig.from_env(environ={f"PROFDB_PROFILER_{variable}": text})


def test_a_preset_gives_way_to_an_option() -> None:
    options = ProfileOptionsConfig(host_tracer_level=1, device_tracer_level=0)
    assert options.resolve("full") == {
        "host_tracer_level": 1,
        "python_tracer_level": 1,
        "enable_hlo_proto": True,
        "advanced_configuration": {"device_tracer_level": 0},
    }
    assert ProfileOptionsConfig().resolve("light") == {
        "host_tracer_level": 1,
        "python_tracer_level": 0,
        "enable_hlo_proto": False,
    }


def test_no_jax_before_the_first_step() -> None:
    program = """
import sys
from profdb.capture import ProfilerConfig
off = ProfilerConfig().build(run_id="x")
for number in range(10):
    with off.step(number):
        pass
    off(number)
off.close()
ProfilerConfig(enabled=True).build(run_id="x")
heavy = ("jax", "numpy", "fsspec", "duckdb", "pyarrow", "profdb.sql", "profdb.warehouse")
print([name for name in heavy if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")
