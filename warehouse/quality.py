"""What the decoder saw about completeness: the rows of quality_events."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass
class QualityLog:
    """Collects facts; the same (host, check, subject) adds up."""

    _rows: dict[tuple[str | None, str, str | None], tuple[int | None, str | None]] = field(
        default_factory=dict
    )

    def note(
        self,
        host: str | None,
        check: str,
        subject: str | None = None,
        value: int | None = None,
        text: str | None = None,
    ) -> None:
        """Record one fact. Values of the same key are added; the first text stays."""
        key = (host, check, subject)
        known_value, known_text = self._rows.get(key, (None, None))
        if value is not None and known_value is not None:
            value += known_value
        self._rows[key] = (known_value if value is None else value, known_text or text)

    def rows(self, run: str) -> Iterator[dict[str, Any]]:
        """The rows of the table."""
        for (host, check, subject), (value, text) in self._rows.items():
            yield {
                "run": run,
                "host": host,
                "check_name": check,
                "subject": subject,
                "value": value,
                "text": text,
            }
