"""What the planes and lines of a profile are, told by their names."""

import re
from dataclasses import dataclass
from enum import Enum

_TPU = re.compile(r"/device:TPU:(\d+)")
_SPARSE_CORE = re.compile(r"/device:TPU:(\d+) SparseCore(?: [a-zA-Z]+)? (\d+)")
_GPU = re.compile(r"/device:GPU:(\d+)")
_STREAM = re.compile(r"Stream #(-?\d+)")
_DERIVED_SUFFIX = re.compile(r" - from #.*$")
_DERIVED = {
    "Framework Name Scope",
    "Framework Ops",
    "Launch Stats",
    "Source code",
    "TensorFlow Name Scope",
    "TensorFlow Ops",
    "XLA Modules",
    "XLA Ops",
}

ENVIRONMENT = "Task Environment"
METADATA = "/host:metadata"


@dataclass(frozen=True)
class DeviceName:
    """A device as its plane names it; `platform` is tpu, gpu or custom."""

    device: str
    ordinal: int | None
    core_kind: str
    platform: str


class LineKind(Enum):
    """What the events of a device plane's line are."""

    OPS = "ops"
    ASYNC_OPS = "async ops"
    MODULES = "modules"
    STEPS = "steps"
    COUNTERS = "counters"
    DERIVED = "derived from the other lines by the producer"
    SIDE = "anything else that happened on the device"


def device_name(plane: str) -> DeviceName | None:
    """The device that a plane is about; None for a plane of the host."""
    if match := _SPARSE_CORE.fullmatch(plane):
        return DeviceName(f"TPU:{match[1]}/SC:{match[2]}", _ordinal(match[1]), "sparsecore", "tpu")
    if match := _TPU.fullmatch(plane):
        return DeviceName(f"TPU:{match[1]}", _ordinal(match[1]), "tensorcore", "tpu")
    if match := _GPU.fullmatch(plane):
        return DeviceName(f"GPU:{match[1]}", _ordinal(match[1]), "gpu", "gpu")
    if plane.startswith("/device:"):
        return DeviceName(plane.removeprefix("/device:"), None, "custom", "custom")
    return None


def _ordinal(digits: str) -> int | None:
    return int(digits) if len(digits) < 19 else None


def line_kind(device: DeviceName, line: str) -> LineKind:
    """What the events of the line called `line` on `device` are."""
    if line == "_counters_":
        return LineKind.COUNTERS
    if line in ("Steps", "Sparse Core Steps"):
        return LineKind.STEPS
    if device.platform == "gpu":
        if _STREAM.match(line):
            return LineKind.OPS
        return LineKind.DERIVED if _DERIVED_SUFFIX.sub("", line) in _DERIVED else LineKind.SIDE
    kinds = {
        "XLA Ops": LineKind.OPS,
        "Sparse Core Ops": LineKind.OPS,
        "Async XLA Ops": LineKind.ASYNC_OPS,
        "XLA Modules": LineKind.MODULES,
        "Sparse Core Modules": LineKind.MODULES,
    }
    return kinds.get(line) or (LineKind.DERIVED if line in _DERIVED else LineKind.SIDE)


def stream_name(device: DeviceName, line: str) -> str:
    """The stream of an op line: the id of a GPU stream, the line's name elsewhere."""
    match = _STREAM.match(line) if device.platform == "gpu" else None
    return match[1] if match else line
