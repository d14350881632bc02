"""Run a program that was never changed, with a window of time inside it."""

import json
import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import attach, folders
from .config import ENVIRONMENT
from .options import Preset

HOOK = Path(__file__).with_name("hook")


@dataclass(frozen=True)
class Launched:
    """What became of a program: its exit code, and the folders of the sessions that it wrote."""

    exit_code: int
    sessions: tuple[Path, ...]


def run_program(
    command: Sequence[str],
    directory: Path,
    *,
    after: float,
    duration: float,
    preset: Preset = "device",
    run_id: str | None = None,
) -> Launched:
    """Run `command`; `after` seconds behind its first compilation, profile it for `duration` seconds.

    Every process of it that uses jax is profiled, into `directory`. Its input and output are left alone.

    Raises:
        OSError: the program cannot be started, or the folder cannot be written.
    """
    folders.check(directory)
    before = _profiles(directory)
    environ = os.environ | {
        attach.DIRECTORY: str(directory.absolute()),
        attach.AFTER: str(after),
        attach.DURATION: str(duration),
        attach.RUN_ID: run_id or folders.safe_name(directory.absolute().name),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(HOOK), os.environ.get("PYTHONPATH")))),
        f"{ENVIRONMENT}_PRESET": preset,
    }
    done = subprocess.run(command, env=environ, check=False)
    written = {path.parent for path in _profiles(directory) - before}
    return Launched(done.returncode, tuple(sorted(written)))


def _profiles(directory: Path) -> set[Path]:
    return set((directory / folders.PROFILES).glob(f"*/*{folders.PROFILE_SUFFIX}"))


def outcomes(directory: Path) -> list[str]:
    """Outcome and reason of the manifests in a session's folder that are not `ok`."""
    found = []
    for path in sorted(directory.glob(f"*{folders.MANIFEST_SUFFIX}")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if document["outcome"] != "ok":
            found.append(f"{document['host']['name']}: {document['outcome']}: {document['reason']}")
    return found
