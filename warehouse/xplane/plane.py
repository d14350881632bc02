"""One plane without its events: its name, its dictionaries of names, its own stats."""

import base64
from collections import ChainMap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

from google.protobuf.message import DecodeError

from .schema import message
from .text import inflate, text_of
from .wire import PlaneBytes, Span, WireError

StatValue = int | float | str | bytes


@dataclass(frozen=True)
class EventName:
    """An entry of a plane's event metadata: the names and the stats that each of its events has."""

    name: str
    display_name: str
    stats: dict[str, StatValue]


@dataclass
class Plane:
    """A plane's dictionaries; `lines` are the bytes of its lines, in file order."""

    name: str
    stats: dict[str, StatValue]
    lines: list[Span]
    stat_names: dict[int, str]
    _event_metadata: Mapping[int, Any] = field(repr=False, default_factory=dict)
    _names: dict[int, EventName] = field(repr=False, default_factory=dict)
    _described: dict[bytes, EventName] = field(repr=False, default_factory=dict)
    """Names by the bytes of their metadata, shared by planes with equal stat names."""

    @cached_property
    def stat_ids(self) -> dict[str, list[int]]:
        """Stat metadata ids by name: a name may have several."""
        ids: dict[str, list[int]] = {}
        for stat_id, name in self.stat_names.items():
            ids.setdefault(name, []).append(stat_id)
        return ids

    def stat_name(self, stat_id: int) -> str:
        """Name of a stat; one without metadata is `(unknown:ID)`."""
        return self.stat_names.get(stat_id) or f"(unknown:{stat_id})"

    def event_name(self, metadata_id: int) -> EventName:
        """Names and constant stats of an event; one without metadata is `(unknown:ID)`."""
        found = self._names.get(metadata_id)
        if found is None:
            raw = self._event_metadata.get(metadata_id)
            found = EventName(f"(unknown:{metadata_id})", "", {}) if raw is None else self._describe(raw)
            self._names[metadata_id] = found
        return found

    def _describe(self, raw: Any) -> EventName:
        raw.ClearField("id")  # differs between planes, and the key in the plane's dictionary counts
        key = raw.SerializeToString()
        if key not in self._described:
            stats = stat_values(raw.stats, self.stat_names)
            self._described[key] = EventName(text_of(raw.name), text_of(raw.display_name), stats)
        return self._described[key]

    def known(self, metadata_id: int) -> bool:
        """Whether the event has metadata in the profile."""
        return metadata_id in self._event_metadata

    def event_metadata_ids(self) -> Iterator[int]:
        """Ids of all event metadata, used or not."""
        return iter(self._event_metadata)


def stat_value(stat: Any, stat_names: dict[int, str]) -> StatValue | None:
    """The value of an XStat message: references and compressed strings resolved; None where it has none."""
    kind = stat.WhichOneof("value")
    if kind is None:
        return None
    value: Any = getattr(stat, kind)
    if kind == "ref_value":
        return stat_names.get(value) or f"(unknown:{value})"
    if kind == "str_value":
        return text_of(value)
    if kind == "compressed_str_value":
        return text_of(inflate(value))
    return value  # type: ignore[no-any-return]


def stat_values(stats: Iterable[Any], stat_names: dict[int, str]) -> dict[str, StatValue]:
    """Stats by name; the last of a name wins, as protobuf's own maps do."""
    values = ((stat.metadata_id, stat_value(stat, stat_names)) for stat in stats)
    return {stat_names.get(i) or f"(unknown:{i})": value for i, value in values if value is not None}


def stat_text(value: StatValue) -> str:
    """A stat value as text: bytes as base64."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def parse(kind: str, buffer: memoryview, pieces: list[Span]) -> Any:
    """The message of type `kind` in the joined pieces. Raises WireError."""
    try:
        return message(kind).FromString(b"".join(buffer[piece.start : piece.end] for piece in pieces))
    except DecodeError:
        raise WireError(pieces[0].start, f"the {kind} here is no valid message") from None


def read_planes(buffer: memoryview, found: list[PlaneBytes]) -> list[Plane]:
    """The planes of a file. One that is repeated with other lines is one plane; those that only share a name
    share their dictionaries, each one's own entries first."""
    by_content: dict[bytes, Plane] = {}
    for part in found:
        content = _digest(buffer, part.rest)
        if content in by_content:
            by_content[content].lines += part.lines
            continue
        raw = parse("XPlane", buffer, part.rest) if part.rest else message("XPlane")()
        names = {entry.key: text_of(entry.value.name) for entry in raw.stat_metadata}
        events = {entry.key: entry.value for entry in raw.event_metadata}
        stats = stat_values(raw.stats, names)
        by_content[content] = Plane(text_of(raw.name), stats, part.lines, names, events)
    planes = list(by_content.values())
    by_name: dict[str, list[Plane]] = {}
    for plane in planes:
        by_name.setdefault(plane.name, []).append(plane)
    for group in by_name.values():
        if len(group) > 1:
            _share_names(group)
    _share_descriptions(planes)
    return planes


def _digest(buffer: memoryview, pieces: list[Span]) -> bytes:
    digest = blake2b(digest_size=16)
    for piece in pieces:
        digest.update(buffer[piece.start : piece.end])
    return digest.digest()


def _share_names(group: list[Plane]) -> None:
    stat_names = {k: v for plane in reversed(group) for k, v in plane.stat_names.items()}
    events = {k: v for plane in reversed(group) for k, v in plane._event_metadata.items()}
    for plane in group:
        plane.stat_names = stat_names | plane.stat_names
        plane._event_metadata = ChainMap(dict(plane._event_metadata), events)


def _share_descriptions(planes: list[Plane]) -> None:
    kinds: list[Plane] = []
    for plane in planes:
        known = next((other for other in kinds if other.stat_names == plane.stat_names), None)
        if known is None:
            kinds.append(plane)
        else:
            plane._described = known._described
