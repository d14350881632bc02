"""What is gathered over all files of a run while its events stream into the tables."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..sql.catalog import tables
from .markers import HostSteps, Marker
from .opnames import Op
from .quality import QualityLog
from .tables import TableWriter

Program = tuple[int | None, str]
"""(program id, module name) of a compiled program."""
EVENT_TABLES = ("op_events", "host_events", "counters")


@dataclass
class StepSpan:
    """A step on one device as its ops show it, in picoseconds."""

    first_start: int
    last_end: int
    op_count: int

    def widen(self, other: "StepSpan") -> None:
        """Take the other's ops too."""
        self.first_start = min(self.first_start, other.first_start)
        self.last_end = max(self.last_end, other.last_end)
        self.op_count += other.op_count


@dataclass
class ModuleRun:
    """One program execution on one device."""

    host: str
    device: str
    module: str
    program_id: int | None
    launch_id: str | None
    start_ps: int
    end_ps: int
    step_num: int | None = None
    assignment: str = "none"
    op_count: int = 0

    @property
    def program(self) -> Program:
        """The program that was executed."""
        return self.program_id, self.module


def program_name(program: Program) -> str:
    """What a program and its recompilations have in common: the module's name, the id where it has none."""
    program_id, module = program
    return module or ("" if program_id is None else str(program_id))


@dataclass
class RunState:
    """The tables of one run under construction."""

    run: str
    folder: Path
    keep_host_events: bool
    quality: QualityLog = field(default_factory=QualityLog)
    ops: dict[int, Op] = field(default_factory=dict)
    devices: list[dict[str, Any]] = field(default_factory=list)
    modules: list[ModuleRun] = field(default_factory=list)
    spans: dict[tuple[str, str, int], StepSpan] = field(default_factory=dict)
    """(host, device, step_num) -> the step's ops."""
    host_steps: dict[str, HostSteps] = field(default_factory=dict)
    device_markers: dict[tuple[str, str], dict[int, Marker]] = field(default_factory=dict)
    """(host, device) -> markers of the device's own Steps line, by step."""
    how: dict[tuple[str, str], str] = field(default_factory=dict)
    """(host, device) -> how ops found their steps."""
    capture: dict[str, tuple[int, int | None]] = field(default_factory=dict)
    """Host -> start and end of its capture in picoseconds; the end is None where it is unknown."""
    program_time: dict[str, int] = field(default_factory=dict)
    """Device time by `program_name`, over all devices."""
    window: tuple[int, int] | None = None
    """First op start and last op end over all devices, in picoseconds."""
    writers: dict[str, TableWriter] = field(default_factory=dict)
    event_count: int = 0

    def __post_init__(self) -> None:
        for name in EVENT_TABLES:
            self.writers[name] = TableWriter(tables()[name], self.folder / f"{name}.parquet")

    def add_device(self, host: str, row: dict[str, Any], how: str) -> None:
        """Add a device's row and how its ops found their steps."""
        self.devices.append({"run": self.run, "host": host, **row})
        if row["op_count"]:
            self.how[(host, row["device"])] = how

    def add_span(self, host: str, device: str, step: int, span: StepSpan) -> None:
        """Add ops of a step on a device."""
        known = self.spans.setdefault((host, device, step), StepSpan(span.first_start, span.last_end, 0))
        known.widen(span)

    def widen_window(self, start: int, end: int) -> None:
        """Take the interval into the run's window."""
        low, high = self.window or (start, end)
        self.window = (min(low, start), max(high, end))

    def add_program_time(self, program: Program, picoseconds: int) -> None:
        """Add device time of a program; ops of an unknown one are none."""
        if name := program_name(program):
            self.program_time[name] = self.program_time.get(name, 0) + picoseconds

    def main_program(self) -> str | None:
        """Name of the program with most device time; the smaller name among equals."""
        return min(self.program_time, key=lambda name: (-self.program_time[name], name), default=None)
