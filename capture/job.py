"""What the windows of one process share: who it is, where it writes, and where that comes from."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from . import folders, manifest, processes, provenance
from .config import ProfilerConfig
from .log import warn
from .step_times import StepTimes
from .upload import Uploader, destination


@dataclass(frozen=True)
class Run:
    """What the user says of the run. `number` tells the profilers of a process apart."""

    number: int
    run_id: str | None
    num_train_steps: int | None
    mesh: Any
    config: Any
    tags: dict[str, str]


@dataclass
class Job:
    """One process of a run."""

    config: ProfilerConfig
    run_id: str
    token: str
    directory: Path
    process_index: int
    process_count: int
    read_facts: Callable[[], dict[str, Any]]
    tags: dict[str, str]
    uploader: Uploader | None = None
    times: StepTimes = field(default_factory=StepTimes)

    @cached_property
    def facts(self) -> dict[str, Any]:
        """What does not change between windows; read at the first one, because it takes a while."""
        return self.read_facts()

    @property
    def is_profiled(self) -> bool:
        """Whether this process is to record."""
        return self.config.process_index in (None, self.process_index)


def open_job(config: ProfilerConfig, run: Run, times: StepTimes) -> Job:
    """The job of this process, once jax is there; announces it to the others."""
    index, token = processes.process_index(), processes.token(run.number)
    run_id = run.run_id or f"run-{token[:8]}"
    local, root = _places(config, run_id)
    job = Job(
        config=config,
        run_id=run_id,
        token=token,
        directory=local,
        process_index=index,
        process_count=processes.process_count(),
        read_facts=lambda: manifest.static_facts(config, run.mesh, run.config),
        tags=run.tags,
        times=times,
    )
    if root is not None:
        tells = index == (config.process_index or 0)
        job.uploader = Uploader(config.upload, root, token, tells_link=tells)
    provenance.fact(lambda: processes.announce(token, provenance.host()["name"]))
    return job


def _places(config: ProfilerConfig, run_id: str) -> tuple[Path, str | None]:
    """The local folder, and the root of what is uploaded."""
    directory, root = config.directory, destination(config.upload, run_id)
    if directory is not None and folders.is_remote(directory):
        warn(f"directory {directory} is not local: profiling into ./profiles and uploading from there")
        root = root or (_bucket(directory) if config.upload.enabled else None)
        directory = None
    if directory is None:
        return (Path("profiles") / folders.safe_name(run_id)).absolute(), root
    return Path(directory.removeprefix("file://")).absolute(), root


def _bucket(directory: str) -> str:
    """A bucket's URL, also where pathlib took one of its slashes."""
    scheme, _, rest = directory.partition(":")
    return f"{scheme}://{rest.lstrip('/')}"
