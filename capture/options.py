"""What a window records: the tracers' levels, and three presets for them."""

from dataclasses import dataclass, field
from typing import Any, Literal

Preset = Literal["light", "device", "full"]

_LEVELS: dict[Preset, dict[str, int]] = {
    "light": {"host_tracer_level": 1, "python_tracer_level": 0},
    "device": {"host_tracer_level": 2, "python_tracer_level": 0},
    "full": {"host_tracer_level": 3, "python_tracer_level": 1},
}


@dataclass(frozen=True)
class ProfileOptionsConfig:
    """What goes to `jax.profiler.ProfileOptions`; None is the preset's value, else JAX's own."""

    host_tracer_level: int | None = None
    """0 nothing of the host, 1 your own annotations and steps, 2 the runtime's events too, 3 everything."""
    python_tracer_level: int | None = None
    """1 records every Python call, which slows the host down; 0 none."""
    device_tracer_level: int | None = None
    """0 leaves the devices out."""
    enable_hlo_proto: bool = False
    """The programs themselves: graph and memory views in XProf, regions and source lines on CPU and GPU."""
    include_dataset_ops: bool | None = None
    """Ops of tf.data."""
    advanced_configuration: dict[str, bool | int | str] = field(default_factory=dict)
    """Passed on as it is, for example {"tpu_trace_mode": "TRACE_COMPUTE"}."""

    def resolve(self, preset: Preset) -> dict[str, Any]:
        """The fields of `jax.profiler.ProfileOptions` that are set, for this preset."""
        found: dict[str, Any] = dict(_LEVELS[preset])
        for name in ("host_tracer_level", "python_tracer_level", "include_dataset_ops"):
            if (value := getattr(self, name)) is not None:
                found[name] = value
        found["enable_hlo_proto"] = self.enable_hlo_proto or preset == "full"
        advanced = dict(self.advanced_configuration)
        if self.device_tracer_level is not None:
            advanced["device_tracer_level"] = self.device_tracer_level
        if advanced:
            found["advanced_configuration"] = advanced
        return found
