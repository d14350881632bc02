"""Profile running jobs from outside, through the ports of `jax.profiler.start_server`.

XProf's client speaks to the servers, in a process of its own, because its library must not be loaded here.
"""

import secrets
import socket
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from . import folders, landing, manifest
from .options import Preset, ProfileOptionsConfig

_CONNECT_SECONDS = 5
_CLIENT = """
import sys
from xprof.convert import _pywrap_profiler_plugin as client
addresses, folder, milliseconds, *options = sys.argv[1:]
levels = {name: int(level) for name, _, level in (option.partition("=") for option in options)}
client.trace(addresses, folder, "", True, int(milliseconds), 1, levels)
"""


class RemoteError(Exception):
    """Nothing was profiled; `hint` says what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


@dataclass
class RemoteCapture:
    """A session; `missing` are the addresses that gave no profile, with the reason."""

    folder: Path
    profiled: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)


def capture_remote(
    addresses: Sequence[str],
    directory: Path,
    milliseconds: int,
    *,
    preset: Preset = "device",
    run_id: str | None = None,
) -> RemoteCapture:
    """Profile all `addresses`, HOST:PORT each, at the same time, and write one session below `directory`.

    Raises:
        RemoteError: no address could be profiled, or XProf is not installed.
        OSError: `directory` cannot be written.
    """
    if find_spec("xprof") is None:
        raise RemoteError("a job is profiled from outside by XProf's client", "pip install 'profdb[gateway]'")
    folders.check(directory)
    with ThreadPoolExecutor(min(32, len(addresses))) as pool:
        missing = {
            address: why
            for address, why in zip(addresses, pool.map(_unreachable, addresses), strict=True)
            if why
        }
    reached = [address for address in addresses if address not in missing]
    started_at, said = manifest.now(), ""
    with tempfile.TemporaryDirectory(prefix=".exporting-", dir=directory) as staging:
        if reached:
            said = _trace(reached, Path(staging), milliseconds, preset)
        profiles = {
            address: path
            for address in reached
            for path in Path(staging).rglob(_file_name(address) + folders.PROFILE_SUFFIX)
        }
        if not profiles:
            raise RemoteError(*_nothing(missing, said, addresses))
        for address in reached:
            if address not in profiles:
                missing[address] = said or "it sent no profile"
        return _land(addresses, profiles, missing, directory, started_at, preset, run_id)


def _unreachable(address: str) -> str | None:
    """Why nothing listens at an address; None where something does."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdigit():
        return "it is no HOST:PORT"
    try:
        socket.create_connection((host.strip("[]"), int(port)), _CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        return str(getattr(error, "strerror", None) or error)
    return None


def _trace(addresses: Sequence[str], folder: Path, milliseconds: int, preset: Preset) -> str:
    """Run XProf's client, which writes below `folder`; what it says where it fails."""
    levels = ProfileOptionsConfig().resolve(preset)
    options = [f"{name}={int(levels[name])}" for name in ("host_tracer_level", "python_tracer_level")]
    command = [sys.executable, "-c", _CLIENT, ",".join(addresses), str(folder), str(milliseconds), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = [line for line in done.stderr.splitlines() if "Error: " in line]
    return lines[-1].partition("Error: ")[2] if done.returncode and lines else ""


def _file_name(address: str) -> str:
    """How XProf's client names what an address sent."""
    return address.replace(":", "_")


def _nothing(missing: dict[str, str], said: str, addresses: Sequence[str]) -> tuple[str, str]:
    reasons = "; ".join(f"{address}: {why}" for address, why in missing.items()) or said
    hint = f"jax.profiler.start_server({addresses[0].rpartition(':')[2] or 9999})  (in the training program)"
    return f"no profile from {', '.join(addresses)}: {reasons}", hint


def _land(
    addresses: Sequence[str],
    profiles: dict[str, Path],
    missing: dict[str, str],
    directory: Path,
    started_at: str,
    preset: Preset,
    run_id: str | None,
) -> RemoteCapture:
    token = secrets.token_hex(8)
    hosts = {str(index): address.rpartition(":")[0] for index, address in enumerate(addresses)}
    folder = directory
    for index, address in enumerate(addresses):
        document = _manifest(address, index, hosts, missing.get(address), preset)
        document |= {"run_id": run_id or folders.safe_name(directory.name), "attempt": token}
        document |= {"started_at": started_at, "ended_at": manifest.now()}
        files = {folders.PROFILE_SUFFIX: profiles[address]} if address in profiles else {}
        names = folders.timed_names(started_at)
        folder, _ = landing.land(directory, token, names, files, document)
    return RemoteCapture(folder, list(profiles), missing)


def _manifest(
    address: str, index: int, hosts: dict[str, str], why_not: str | None, preset: Preset
) -> dict[str, Any]:
    levels = ProfileOptionsConfig().resolve(preset)
    return {
        "format": manifest.FORMAT,
        "version": manifest.VERSION,
        "session": None,
        "outcome": "start_failed" if why_not else "ok",
        "reason": why_not,
        "window": manifest.window_of_time(),
        "cost": dict.fromkeys(manifest.COSTS),
        "options": {"preset": preset, **levels, "process_index": None, "create_perfetto_trace": False},
        "versions": {},
        "flags": {},
        "git_sha": None,
        "config_hash": None,
        "mesh": None,
        "tags": {},
        "host": {
            "name": _file_name(address),
            **dict.fromkeys(("cpu_count", "system", "memory_bytes", "pid")),
            "command": [],
        },
        "devices": None,
        "process": {"index": index, "count": len(hosts), "hosts": hosts},
        "profile": None,
        "upload": None,
    }
