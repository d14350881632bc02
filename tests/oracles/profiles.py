"""The profiles that oracles look at, and both sides of a comparison: the run, another reader's lines."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from profdb.sql.engine import Settings
from profdb.warehouse.reader import open_session

CAPTURE = "cpu_capture"
REAL_PROFILES = (
    "cpu_github_runner",
    "gpu_amd_te_fused_attention",
    "gpu_gtx1080ti_x2_xla",
    "gpu_mi300x_jax08_conv",
    "gpu_x8_tf2020_worker",
    "tpu_v6e_4chip_inference",
)
PROFILES = (CAPTURE, *REAL_PROFILES)


@dataclass(frozen=True)
class Ingested:
    """A profile file and the run of the same name that it became."""

    name: str
    path: Path
    warehouse: str

    def table(self, sql: str) -> pa.Table:
        """What the query gives; `$run` in it is the run."""
        with open_session(self.warehouse, Settings()) as session:
            return session.query(sql, {"run": self.name}).table

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """The same as tuples."""
        return [tuple(row.values()) for row in self.table(sql).to_pylist()]


@dataclass
class OtherLine:
    """A line as jax's own reader sees it (see profile_data.py), or some events of it."""

    plane: str
    line: str
    name: np.ndarray
    start_ps: np.ndarray
    duration_ps: np.ndarray
    stats: dict[str, np.ndarray]

    @staticmethod
    def of(found: dict[str, Any]) -> "OtherLine":
        """From what profile_data.py prints."""
        stats = {name: np.array(values, object) for name, values in found["stats"].items()}
        start, duration = (np.array(found[key], np.int64) for key in ("start_ps", "duration_ps"))
        return OtherLine(
            found["plane"], found["line"], np.array(found["name"], object), start, duration, stats
        )

    @property
    def end_ps(self) -> np.ndarray:
        """End of each event."""
        return self.start_ps + self.duration_ps

    def stat(self, name: str) -> np.ndarray:
        """The stat of each event, None where it has none."""
        return self.stats.get(name, np.full(len(self.name), None, object))

    def take(self, keep: np.ndarray) -> "OtherLine":
        """Only the events of the mask."""
        stats = {name: values[keep] for name, values in self.stats.items()}
        times = self.start_ps[keep], self.duration_ps[keep]
        return OtherLine(self.plane, self.line, self.name[keep], *times, stats)


@dataclass(frozen=True)
class OpLine:
    """The op executions of one device on one stream."""

    device: str
    stream: str
    is_async: bool
    events: OtherLine


def op_lines(lines: list[OtherLine]) -> Iterator[OpLine]:
    """The device op lines of a profile, by the rules of the time model ("What is an op execution")."""
    for line in lines:
        if tpu := re.fullmatch(r"/device:(TPU:\d+)", line.plane):
            if line.line in ("XLA Ops", "Async XLA Ops"):
                yield OpLine(tpu[1], line.line, line.line.startswith("Async"), line)
        elif gpu := re.fullmatch(r"/device:(GPU:\d+)", line.plane):
            if stream := re.match(r"Stream #(\d+)", line.line):
                yield OpLine(gpu[1], stream[1], False, line)
        else:
            # The launch of a GPU kernel names the kernel's HLO op too, but no device of its own.
            is_op = (line.stat("hlo_op") != None) & (line.stat("device_ordinal") != None)  # noqa: E711
            for ordinal in sorted(set(line.stat("device_ordinal")[is_op])):
                mine = line.take(is_op & (line.stat("device_ordinal") == ordinal))
                yield OpLine(f"CPU:{ordinal}", line.line, False, mine)
