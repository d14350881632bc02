"""The row of the table `runs`."""

from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from .. import __version__
from .manifest import Capture
from .run_state import RunState
from .xplane.plane import StatValue, stat_text

EXTRACTOR_VERSION = 1
SCHEMA_VERSION = 1
_SOURCE_OF_HOW = {"device": "device", "launch": "host", "time": "host", "module": "module"}


def run_row(
    state: RunState,
    stats: Mapping[str, StatValue],
    capture: Capture,
    *,
    start_ns: int | None,
    identity: Mapping[str, Any],
    process_count: int,
    tags: Mapping[str, str],
    expect_hosts: int | None,
    has_refused: bool,
) -> dict[str, Any]:
    """The row. `stats` are those of the environment and metadata planes; `identity` holds run_id, session,
    source_uri, content_sha256 and format. What the user says wins over manifests, they over the layout."""
    active = [device for device in state.devices if device["op_count"]]
    platform = _platform(active or state.devices)
    low, high = state.window or (None, None)
    sources = Counter(_SOURCE_OF_HOW[how] for how in state.how.values() if how in _SOURCE_OF_HOW)
    host_count = len({device["host"].partition("#")[0] for device in state.devices} | _hostnames(state))
    expect_processes = capture.expected_processes or _count(stats, "process_count")
    expect_hosts = expect_hosts or capture.expected_hosts
    return {
        "run": state.run,
        **identity,
        "run_id": capture.first("run_id") or identity["run_id"],
        "started_at": datetime.fromtimestamp(start_ns // 1000 / 1e6, UTC) if start_ns else None,
        "profile_start_ns": start_ns,
        "window_start_ps": low,
        "window_ps": high - low if low is not None and high is not None else None,
        "platform": platform,
        "device_kind": next((d["device_kind"] for d in active or state.devices if d["device_kind"]), None),
        "device_count": len({(d["host"], d["device"].partition("/")[0]) for d in active}),
        "host_count": host_count,
        "process_count": process_count,
        "expected_device_count": capture.expected_devices,
        "expected_host_count": expect_hosts,
        "expected_process_count": expect_processes,
        "jax_version": _stat(stats, "jax_version") or capture.first("versions", "jax"),
        "jaxlib_version": _stat(stats, "jaxlib_version") or capture.first("versions", "jaxlib"),
        "runtime_version": _stat(stats, f"{platform}_version"),
        "git_sha": capture.first("git_sha"),
        "mesh": capture.first("mesh"),
        "config_hash": capture.first("config_hash"),
        "tags": list((capture.tags | dict(tags)).items()),
        "facts": sorted((_told(stats) | capture.facts()).items()),
        "is_partial": has_refused
        or (expect_hosts or 0) > host_count
        or (expect_processes or 0) > process_count,
        "step_source": sources.most_common(1)[0][0] if state.spans and sources else None,
        "profdb_version": __version__,
        "extractor_version": EXTRACTOR_VERSION,
        "schema_version": SCHEMA_VERSION,
        "ingested_at": datetime.now(UTC),
    }


def _told(stats: Mapping[str, StatValue]) -> dict[str, str]:
    return {name: stat_text(value) for name, value in stats.items() if name != "process_id"}


def _hostnames(state: RunState) -> set[str]:
    return {host.partition("#")[0] for host in state.host_steps}


def _platform(devices: list[dict[str, Any]]) -> str | None:
    kinds = {device["core_kind"] for device in devices}
    if kinds & {"tensorcore", "sparsecore"}:
        return "tpu"
    return "gpu" if "gpu" in kinds else "cpu" if "cpu" in kinds else None


def _stat(stats: Mapping[str, StatValue], name: str) -> str | None:
    return str(stats[name]) if stats.get(name) else None


def _count(stats: Mapping[str, StatValue], name: str) -> int | None:
    value = stats.get(name)
    return value if isinstance(value, int) and 0 < value < 1 << 31 else None
