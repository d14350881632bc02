"""The events of a trace viewer export, one at a time, also where the file is cut or almost JSON."""

import codecs
import gzip
import json
import re
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ...sql.errors import InputError
from ..xplane.wire import REPAIR, unreadable

SUFFIXES = (".trace.json.gz", ".trace.json", "perfetto_trace.json.gz")
_BLOCK = 4 << 20
_FAR = 1 << 20
"""An error so far from the end of what has been read is not there because the rest is missing."""
_SPACE = re.compile(r"[ \t\r\n]*").match
_BETWEEN = re.compile(r"[ \t\r\n,]*").match
_HEAD = 1 << 20
"""How far other tools write of themselves before their first event, amply."""
_GZIP = b"\x1f\x8b"
_OTHERS = re.compile(
    r'"(cat|schemaVersion|deviceProperties|distributedInfo|baseTimeNanoseconds|stackFrames)"\s*:'
)
"""Keys that XLA never writes and other tools do."""


class _EndError(Exception):
    """The text ends, or is no JSON, inside a value."""


@dataclass
class TraceFile:
    """A file that is read once, by `events`; afterwards `cut` tells why it ended early, if it did."""

    path: Path
    cut: str | None = None
    _text: str = ""
    _at: int = 0
    _passed: int = 0
    _ended: bool = False
    _decoder: Any = field(
        default_factory=lambda: codecs.getincrementaldecoder("utf-8-sig")("surrogateescape")
    )

    def __post_init__(self) -> None:
        self._json = json.JSONDecoder(parse_float=str)
        self._stream = _open(self.path)

    def events(self) -> Iterator[dict[str, Any]]:
        """The objects of all `traceEvents`; times with a fraction are text, so that none of it is lost.

        Raises:
            InputError: the file is no JSON object.
        """
        with self._stream:
            if self._next(_SPACE) != "{":
                raise self._broken(self.cut or "no JSON object begins here")
            self._at += 1
            try:
                while self._next(_BETWEEN) not in ("}", ""):
                    yield from self._member()
            except _EndError:
                pass
            if self._at >= len(self._text) and self.cut is None:
                self.cut = f"it ends at byte {self._byte()}, before the end of its JSON"

    def broken(self, why: str) -> InputError:
        """The error for a file that cannot be used: how it is cut, or else `why`."""
        return self._broken(self.cut or why)

    def _member(self) -> Iterator[dict[str, Any]]:
        key = self._value()
        if self._next(_SPACE) != ":":
            raise self._stop()
        self._at += 1
        if key != "traceEvents" or self._next(_SPACE) != "[":
            self._next(_SPACE)
            self._value()
            return
        self._at += 1
        while (first := self._next(_BETWEEN)) != "]":
            if not first:
                raise _EndError
            event = self._value()
            if isinstance(event, dict):
                yield event
        self._at += 1

    def _next(self, skip: Callable[[str, int], Any]) -> str:
        """The character behind what is skipped; empty at the end."""
        while True:
            self._at = skip(self._text, self._at).end()
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> Any:
        while True:
            try:
                value, end = self._json.raw_decode(self._text, self._at)
            except (ValueError, RecursionError) as error:
                at = getattr(error, "pos", self._at)
                if len(self._text) - at > _FAR or not self._more():
                    raise self._stop() from None
                continue
            if end == len(self._text) and self._more():  # a number may go on
                continue
            self._at = end
            return value

    def _stop(self) -> _EndError:
        if self.cut is None and not self._ended:
            self.cut = f"byte {self._byte()} and what follows is no JSON"
        elif self.cut is None:
            self.cut = f"it ends inside the value that begins at byte {self._byte()}"
        return _EndError()

    def _more(self) -> bool:
        """Read on, and let go of what was read; False at the end."""
        if self._ended:
            return False
        self._passed = self._byte()
        try:
            block = self._stream.read1(_BLOCK)
        except (EOFError, OSError, zlib.error) as error:
            block, self._ended = b"", True
            self.cut = f"its compressed data ends or is damaged behind byte {self._passed}: {error}"
        self._ended = self._ended or not block
        self._text, self._at = self._text[self._at :] + self._decoder.decode(block, self._ended), 0
        return bool(block)

    def _byte(self) -> int:
        return self._passed + len(self._text[: self._at].encode("utf-8", "surrogateescape"))

    def _broken(self, why: str) -> InputError:
        place = f"byte {self._byte()}: " if why != self.cut else ""
        return InputError(f"not a readable trace: {self.path}: {place}{why}", hint=REPAIR)


def is_trace(path: Path) -> bool:
    """Whether a file has the name of a trace viewer export."""
    return path.name.endswith(SUFFIXES)


def stem(name: str) -> str:
    """The name of a file without what tells that it is a trace viewer export."""
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def is_of_another_tool(path: Path) -> bool:
    """Whether the beginning of a file has what other tools write into traces and XLA does not."""
    if not path.is_file():  # opening a pipe would wait for ever
        return False
    try:
        with _open(path) as stream:
            head = stream.read(_HEAD).decode("utf-8", "replace")
    except (InputError, EOFError, OSError, zlib.error):
        return False  # said when it is read
    return head.lstrip("\ufeff \t\r\n").startswith("[") or _OTHERS.search(head) is not None


def _open(path: Path) -> Any:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == _GZIP
        return gzip.open(path, "rb") if packed else path.open("rb")
    except OSError as error:
        raise unreadable(path, error) from error
