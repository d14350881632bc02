"""The capture manifest: one JSON document beside each profile that says where it comes from.

Its form is `manifest.schema.json`; a field that changes its meaning raises VERSION.
"""

import hashlib
import json
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from . import folders, provenance
from .config import ProfilerConfig

FORMAT = "profdb.capture"
VERSION = 1
COSTS = (
    "start_seconds",
    "wait_seconds",
    "export_seconds",
    "step_seconds_before",
    "step_seconds_profiled",
    "overhead_ratio",
)


def static_facts(config: ProfilerConfig, mesh: Any, training_config: Any) -> dict[str, Any]:
    """What does not change between the windows of a process."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "versions": provenance.fact(provenance.versions) or {},
        "flags": provenance.flags(),
        "git_sha": provenance.fact(provenance.git_sha),
        "config_hash": provenance.fact(lambda: provenance.config_hash(training_config)),
        "mesh": provenance.fact(lambda: provenance.mesh_text(mesh)),
        "host": provenance.host(),
        "devices": provenance.fact(provenance.devices),
        "options": {
            "preset": config.preset,
            **config.profile_options.resolve(config.preset),
            "process_index": config.process_index,
            "create_perfetto_trace": config.create_perfetto_trace or config.perfetto_link,
        },
    }


def window_of_time() -> dict[str, Any]:
    """The window of a command from outside, which knows no steps."""
    names = ("first_step", "end_step", "planned_end_step", "affected_steps")
    return {"why": "command", **dict.fromkeys(names)}


def text(manifest: dict[str, Any]) -> str:
    """The document as it is written."""
    return json.dumps(manifest, indent=1, ensure_ascii=False, default=str) + "\n"


def file_facts(path: Path) -> dict[str, Any]:
    """Size and SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return {"bytes": path.stat().st_size, "sha256": digest.hexdigest()}


def now() -> str:
    """The time, in UTC, as ISO 8601."""
    return datetime.fromtimestamp(time.time(), UTC).isoformat(timespec="milliseconds")


def write(manifest: dict[str, Any], folder: Path, stem: str) -> Path:
    """Write it, or write it again, beside the profile STEM.xplane.pb."""
    path = folder / (stem + folders.MANIFEST_SUFFIX)
    folders.write_whole(path, text(manifest))
    return path
