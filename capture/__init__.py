"""Profile a training loop: `ProfilerConfig(enabled=True, start_step=5, num_steps=10).build()`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config import ProfilerConfig, UploadConfig
    from .options import ProfileOptionsConfig
    from .profiler import Profiler

__all__ = ["ProfileOptionsConfig", "Profiler", "ProfilerConfig", "UploadConfig"]
_HOMES = {
    "ProfileOptionsConfig": "options",
    "Profiler": "profiler",
    "ProfilerConfig": "config",
    "UploadConfig": "config",
}


def __getattr__(name: str) -> Any:
    """Import a class when it is asked for: every command imports this package, few need the profiler."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOMES[name]}", __name__), name)
