"""One log record: a change as one line of JSON."""

import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TypeVar

from .snapshot import Change, DataFile, RunEntry

_FORMAT = 1
_T = TypeVar("_T")


def encode(change: Change) -> bytes:
    """The record of a change. `id` makes each record unique, `at` is the UTC time of the attempt."""
    at = datetime.now(UTC).isoformat(timespec="milliseconds")
    record = {"format": _FORMAT, "id": secrets.token_hex(8), "at": at, **asdict(change)}
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def decode(data: bytes) -> Change:
    """The change of a record; ValueError if the bytes are not one."""
    record = json.loads(data)
    if not isinstance(record, dict):
        raise ValueError("it is not a JSON object")
    if record.get("format") != _FORMAT:
        raise ValueError(f"its format is {record.get('format')!r}, this profdb reads {_FORMAT}")
    return Change(
        op=_typed(record, "op", str),
        add=tuple(data_file(item) for item in _typed(record, "add", list)),
        remove=_texts(record, "remove"),
        runs_add=tuple(run_entry(item) for item in _typed(record, "runs_add", list)),
        runs_del=_texts(record, "runs_del"),
    )


def data_file(item: Mapping[str, Any]) -> DataFile:
    """The file with these fields; ValueError if one is of the wrong kind or the path leads out of data/."""
    path = _typed(item, "path", str)
    if not path.startswith("data/") or ".." in path.split("/"):
        raise ValueError(f"path {path!r} is not under data/")
    return DataFile(
        table=_typed(item, "table", str),
        path=path,
        rows=_typed(item, "rows", int),
        bytes=_typed(item, "bytes", int),
        run=_text_or_none(item, "run"),
        view_version=_text_or_none(item, "view_version"),
    )


def run_entry(item: Mapping[str, Any]) -> RunEntry:
    """The run with these fields; ValueError if one is of the wrong kind."""
    return RunEntry(
        run=_typed(item, "run", str),
        content_sha256=_typed(item, "content_sha256", str),
        extractor_version=_typed(item, "extractor_version", int),
        is_partial=_typed(item, "is_partial", bool),
        file_sha256s=_texts(item, "file_sha256s"),
    )


def _text_or_none(item: Mapping[str, Any], key: str) -> str | None:
    return None if item.get(key) is None else _typed(item, key, str)


def _texts(item: Mapping[str, Any], key: str) -> tuple[str, ...]:
    return tuple(_typed({key: value}, key, str) for value in _typed(item, key, list))


def _typed(item: Mapping[str, Any], key: str, kind: type[_T]) -> _T:
    value = item.get(key) if isinstance(item, Mapping) else None
    if not isinstance(value, kind):
        raise ValueError(f"{key} is {value!r}")
    return value
