"""What every format of a report is made of: the run, how the report came about, and its sections."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .sections import Section
from .shown import Cell, Table, show

if TYPE_CHECKING:
    import pyarrow as pa

_HEADLINE = {
    ("steps", "step_median_ps"): "median step",
    ("steps", "step_p90_ps"): "P90 step",
    ("steps", "counted_step_count"): "steps counted",
    ("shares", "busy_share"): "busy",
    ("shares", "exposed_communication_share"): "exposed communication",
    ("shares", "stall_share"): "stalled",
    ("shares", "mfu_ratio"): "MFU",
}
"""What is said first: a column of a section, and its name."""


@dataclass(frozen=True)
class Report:
    """A report before it is laid out."""

    run: str
    facts: Mapping[str, str | None]
    """How it came about: profdb_version, views, and the host or device that it is restricted to."""
    tables: "Mapping[Section, pa.Table]"
    """Rows of every section, exact, in the order in which they are read."""

    @property
    def quality(self) -> str:
        """Worst status of the capture's checks."""
        return str(self._of("summary", "quality") or "unknown")

    @property
    def quality_sentence(self) -> str | None:
        """What the worst check found; None where all are ok."""
        sentence: str | None = self._of("summary", "quality_sentence")
        return sentence

    @property
    def subtitle(self) -> str:
        """Hardware and start of the run, as far as they are known."""
        platform, kind = self._of("summary", "platform"), self._of("summary", "device_kind")
        count, started = self._of("summary", "device_count"), self._of("summary", "started_at")
        devices = f"{count} {'device' if count == 1 else 'devices'}"
        when = f"{started:%Y-%m-%d %H:%M:%S} UTC" if started else None
        only = [self.facts[key] for key in ("host", "device") if self.facts.get(key)]
        restricted = f"only {', '.join(map(str, only))}" if only else None
        kind = kind if kind != platform else None
        return ", ".join(str(part) for part in (platform, kind, devices, when, restricted) if part)

    @property
    def rerun(self) -> str:
        """The command that gives the rows of a section, which is named behind it."""
        return f"profdb summarize {shlex.quote(self.run)} --format csv --section"

    def shown(self, most_rows: int, most_characters: int) -> list[Table]:
        """The sections as a reader sees them."""
        return [
            show(section, rows, most_rows=most_rows, most_characters=most_characters)
            for section, rows in self.tables.items()
        ]

    def headline(self) -> list[tuple[str, Cell]]:
        """The numbers that are looked for first, each with its name, as far as they are known."""
        shown: dict[tuple[str, str], Cell] = {}
        for section, rows in self.tables.items():
            table = show(section, rows, most_rows=1, most_characters=40)
            for row in table.rows if section.is_record else ():
                names = (column.name for column in table.columns)
                shown |= {(section.name, n): value for n, value in zip(names, row, strict=True)}
        return [(name, shown[place]) for place, name in _HEADLINE.items() if place in shown]

    def _of(self, section: str, column: str) -> Any:
        rows = next(rows for part, rows in self.tables.items() if part.name == section)
        return rows.column(column)[0].as_py() if len(rows) else None
