"""Where a profile comes from: versions, flags, code, devices. None of it may stop a capture."""

import dataclasses
import hashlib
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

from .log import logger
from .trace import jax

_FLAG_NAMES = ("XLA_FLAGS", "LIBTPU_INIT_ARGS", "TF_XLA_FLAGS", "TPU_LIBRARY_PATH", "NCCL_ALGO", "NCCL_PROTO")
_FLAG_PREFIXES = ("JAX_", "XLA_PYTHON_CLIENT_")
_PACKAGES = ("profdb", "jax", "jaxlib", "libtpu", "flax", "numpy")
_GIT = ("git", "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty")


def fact(read: Callable[[], Any]) -> Any:
    """What `read` returns, or None where it fails."""
    try:
        return read()
    except Exception:
        logger.debug("a fact of the capture is unknown", exc_info=True)
        return None


def versions() -> dict[str, str]:
    """Python and the packages that matter, as installed."""
    found = {"python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    runtime = fact(lambda: jax().local_devices()[0].client.platform_version)
    return found | ({"runtime": str(runtime)} if runtime else {})


def flags() -> dict[str, str]:
    """The environment variables that change what is compiled or how it runs."""
    return {
        name: value
        for name, value in sorted(os.environ.items())
        if name in _FLAG_NAMES or name.startswith(_FLAG_PREFIXES)
    }


def git_sha() -> str | None:
    """Commit of the program's folder, with -dirty where files were changed; None outside git."""
    program = getattr(sys.modules.get("__main__"), "__file__", None)
    folder = Path(program).resolve().parent if program else Path.cwd()
    done = subprocess.run(_GIT, cwd=folder, capture_output=True, text=True, timeout=3, check=False)
    return done.stdout.strip() or None


def config_hash(config: Any) -> str | None:
    """SHA-256, in hex, of a configuration as JSON with sorted keys; None where there is none."""
    if config is None:
        return None
    if dataclasses.is_dataclass(config) and not isinstance(config, type):
        config = dataclasses.asdict(config)
    text = json.dumps(config, sort_keys=True, default=_plain, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> Any:
    """A value that JSON has no form for. An address in a repr would make every run another configuration."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)
    name = getattr(value, "__qualname__", None)
    return name if name and callable(value) else str(value)


def mesh_text(mesh: Any) -> str | None:
    """A mesh as text, for example data=8,model=1; None is the mesh that is set now."""
    if mesh is None:
        mesh = jax().sharding.get_abstract_mesh()
    if isinstance(mesh, str):
        return mesh
    shape = mesh.shape
    return ",".join(f"{name}={size}" for name, size in shape.items()) or None


def host() -> dict[str, Any]:
    """The machine: its name, the cores that this process may use, system and memory."""
    return {
        "name": platform.node(),
        "cpu_count": cpu_count(),
        "system": platform.platform(),
        "memory_bytes": fact(lambda: os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")),
        "pid": os.getpid(),
        "command": sys.argv[:1],
    }


def cpu_count() -> int | None:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def devices() -> dict[str, Any]:
    """The devices of the job: how many, here and in all, and what they are."""
    local = jax().local_devices()
    first = local[0]
    stats = fact(first.memory_stats) or {}
    return {
        "platform": first.platform,
        "kind": first.device_kind,
        "count": jax().device_count(),
        "local_count": len(local),
        "local_ids": [device.id for device in local],
        "local_coords": [list(device.coords) for device in local if getattr(device, "coords", None)],
        "memory_bytes": stats.get("bytes_limit"),
    }
