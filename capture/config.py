"""The options of a capture: one frozen dataclass, from code, a command line, a dict or the environment."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from .options import Preset, ProfileOptionsConfig
from .parsing import changed_by_environment, from_mapping

if TYPE_CHECKING:
    from .profiler import Profiler

ENVIRONMENT = "PROFDB_PROFILER"


@dataclass(frozen=True)
class UploadConfig:
    """Where windows are copied to, in the background: PREFIX/tmp/ttl=Nd/xprof/RUN_ID/..."""

    enabled: bool = True
    """Takes effect where there is a prefix."""
    ttl_days: int = 30
    """Says in the path when the bucket's own rule may delete the profile."""
    prefix: str | None = None
    """Root of the bucket, for example gs://my-bucket."""
    service_url: str | None = None
    """The gateway that shows uploaded profiles."""
    timeout_seconds: int = 600
    """How long `close()` waits for uploads that are not done."""

    def __post_init__(self) -> None:
        _at_least("upload.ttl_days", self.ttl_days, 1)
        _at_least("upload.timeout_seconds", self.timeout_seconds, 0)


@dataclass(frozen=True)
class ProfilerConfig:
    """When to profile, what, and where it lands. Nothing happens before `build`.

    Raises:
        ValueError: a value is impossible; the message names the option.
    """

    enabled: bool = False
    start_step: int | None = 5
    """First profiled step; None opens windows on demand only."""
    num_steps: int = 25
    """Steps in a window; 0 is off."""
    every: int | None = None
    """Steps from the start of a window to the start of the next; None is one window."""
    relative_to_resume: bool = False
    """Count start_step from the first step of this process, not from step 0 of the run."""
    process_index: int | None = None
    """The one process that profiles; None is all."""
    perfetto_link: bool = False
    """Process 0 prints a Perfetto link and waits until somebody opens it."""
    create_perfetto_trace: bool = False
    preset: Preset = "device"
    profile_options: ProfileOptionsConfig = field(default_factory=ProfileOptionsConfig)
    upload: UploadConfig = field(default_factory=UploadConfig)
    directory: str | None = None
    """Local folder that gets plugins/profile/...; None is ./profiles/RUN_ID."""
    on_demand: bool = True
    """A touched file DIRECTORY/profile-now, or SIGUSR2, opens a window of num_steps."""
    sync_after_stop: bool = False
    """All processes wait for each other after a window, at most sync_timeout_seconds."""
    sync_timeout_seconds: int = 60
    strict: bool = False
    """Raise what fails. Otherwise it is logged and recorded, and training goes on."""

    def __post_init__(self) -> None:
        if self.preset not in get_args(Preset):
            raise ValueError(f"preset is one of {', '.join(get_args(Preset))}, not {self.preset!r}")
        if self.start_step is not None:
            _at_least("start_step", self.start_step, 0)
        _at_least("num_steps", self.num_steps, 0)
        if self.every is not None:
            _at_least("every", self.every, max(self.num_steps, 1))
        if self.process_index is not None:
            _at_least("process_index", self.process_index, 0)
        _at_least("sync_timeout_seconds", self.sync_timeout_seconds, 1)

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> "ProfilerConfig":
        """From nested values, as YAML or JSON has them. Raises ValueError that names an unknown option."""
        return from_mapping(cls, values)

    @classmethod
    def from_env(
        cls, base: "ProfilerConfig | None" = None, environ: Mapping[str, str] | None = None
    ) -> "ProfilerConfig":
        """`base` with what the environment says: PROFDB_PROFILER_START_STEP, PROFDB_PROFILER_UPLOAD_PREFIX,
        PROFDB_PROFILER_PROFILE_OPTIONS_PYTHON_TRACER_LEVEL and so on.

        Raises:
            ValueError: a PROFDB_PROFILER_ variable is no option, or its value is none.
        """
        return changed_by_environment(base or cls(), os.environ if environ is None else environ, ENVIRONMENT)

    @property
    def is_enabled(self) -> bool:
        """Whether a window can ever open."""
        return self.enabled and self.num_steps > 0

    def resolve_num_profile_steps(self, num_train_steps: int) -> int:
        """Steps of the first window that lie inside a run of `num_train_steps` steps."""
        return max(0, min(self.num_steps, num_train_steps - (self.start_step or 0)))

    def build(
        self,
        run_id: str | None = None,
        *,
        num_train_steps: int | None = None,
        mesh: Any = None,
        config: Any = None,
        tags: Mapping[str, str] | None = None,
    ) -> "Profiler":
        """The profiler of one training loop.

        Args:
            run_id: Name of the run; None makes one up.
            num_train_steps: The run's last step is num_train_steps - 1; windows are cut there.
            mesh: The device mesh, kept as text; None is the mesh that is set when a window opens.
            config: The training configuration; its hash tells runs of one configuration.
            tags: Your own keys and values, kept with the profile.
        """
        from .job import Run
        from .processes import built
        from .profiler import Profiler

        number = built() if self.is_enabled else -1
        return Profiler(self, Run(number, run_id, num_train_steps, mesh, config, dict(tags or {})))


def _at_least(name: str, value: int, least: int) -> None:
    if value < least:
        raise ValueError(f"{name} is at least {least}, not {value}")
