"""Profile a training loop: `ProfilerConfig(enabled=True, start_step=5, num_steps=10).build()`."""

from .config import ProfilerConfig, UploadConfig
from .options import ProfileOptionsConfig
from .profiler import Profiler

__all__ = ["ProfileOptionsConfig", "Profiler", "ProfilerConfig", "UploadConfig"]
