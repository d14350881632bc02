"""Rows of the table `devices`."""

from collections.abc import Sequence
from typing import Any

from .planes import DeviceName
from .xplane.plane import Plane, StatValue, stat_text


def describe_device(device: DeviceName, planes: Sequence[Plane], op_count: int) -> dict[str, Any]:
    """The row (without run and host) of a device. A CPU has no planes: its ops lie on host threads."""
    stats = {name: value for plane in reversed(planes) for name, value in plane.stats.items()}
    return {
        "device": device.device,
        "ordinal": device.ordinal,
        "core_kind": device.core_kind,
        "plane_name": planes[0].name if planes else None,
        "device_kind": _first(stats, "device_type_string", "gpu_device_name", "device_vendor")
        or (None if planes else "cpu"),
        "vendor": _first(stats, "device_vendor"),
        "peak_flops_per_s": _scaled(stats.get("peak_teraflops_per_second"), 10**12),
        "peak_hbm_bytes_per_s": _scaled(stats.get("peak_hbm_bw_gigabytes_per_second"), 10**9)
        or _scaled(stats.get("memory_bandwidth"), 1),
        "memory_bytes": _scaled(stats.get("memory_size"), 1),
        "op_count": op_count,
        "stats": [(name, stat_text(value)) for name, value in stats.items()] or None,
    }


def _first(stats: dict[str, StatValue], *names: str) -> str | None:
    return next((str(stats[name]) for name in names if stats.get(name)), None)


def _scaled(value: StatValue | None, unit: int) -> int | None:
    """The value in base units; None for what is absent, zero or no number."""
    if not isinstance(value, (int, float)) or not 0 < value < (1 << 63) / unit:
        return None
    return value * unit if isinstance(value, int) else round(value * unit)
