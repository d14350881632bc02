"""Mutations of XPlane bytes. A number always gives the same mutant."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from xspace import varint

# The messages inside messages, by field number; all else stays bytes.
CHILDREN: dict[str, dict[int, str]] = {
    "XSpace": {1: "XPlane"},
    "XPlane": {3: "XLine", 4: "EventEntry", 5: "StatEntry", 6: "XStat"},
    "XLine": {4: "XEvent"},
    "XEvent": {4: "XStat"},
    "EventEntry": {2: "XEventMetadata"},
    "StatEntry": {2: "XStatMetadata"},
    "XEventMetadata": {5: "XStat"},
}
EDGES = (0, 1, -1, 1 << 31, (1 << 31) - 1, 1 << 32, 1 << 53, 10**17, 1 << 60, (1 << 61) - 1, 1 << 61, 1 << 62,
         (1 << 63) - 1, 1 << 63, (1 << 64) - 2)  # fmt: skip
BLOBS = (b"", b"\0", b"\xff\xfe", b"(" * 99, b"1" * 40, b"\x1f\x8b\x08\0broken", b"Steps", b"XLA Ops",
         b"_counters_", b"/device:TPU:0", b"/device:GPU:99999999999999999999", b"/host:metadata",
         b"Task Environment")  # fmt: skip


@dataclass(frozen=True)
class Field:
    """One field of a message. `length` is what stands before the bytes where that is not their number."""

    number: int
    wire_type: int
    value: "int | bytes | tuple[Field, ...]"
    length: int | None = None

    def encode(self) -> bytes:
        """The field's bytes."""
        tag = varint(self.number << 3 | self.wire_type)
        if isinstance(self.value, int):
            return tag + varint(self.value)
        body = self.value if isinstance(self.value, bytes) else encode(self.value)
        if self.wire_type != 2:
            return tag + body
        return tag + varint(len(body) if self.length is None else self.length) + body


def encode(fields: Sequence[Field]) -> bytes:
    """The message's bytes."""
    return b"".join(field.encode() for field in fields)


def decode(data: bytes, message: str = "XSpace") -> tuple[Field, ...]:
    """The fields of a well-formed message. Raises ValueError or IndexError for another one."""
    fields, at = [], 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire_type = tag >> 3, tag & 7
        if wire_type == 0:
            value, at = _varint(data, at)
            fields.append(Field(number, 0, value))
            continue
        size, at = _varint(data, at) if wire_type == 2 else ({1: 8, 5: 4}[wire_type], at)
        if at + size > len(data):
            raise ValueError(at)
        child = CHILDREN.get(message, {}).get(number)
        body = data[at : at + size]
        fields.append(Field(number, wire_type, decode(body, child) if child and wire_type == 2 else body))
        at += size
    return tuple(fields)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return value, at


Path = tuple[int, ...]


def _paths(fields: Sequence[Field], above: Path = ()) -> Iterator[Path]:
    for i, field in enumerate(fields):
        yield (*above, i)
        if isinstance(field.value, tuple):
            yield from _paths(field.value, (*above, i))


def _edited(
    fields: tuple[Field, ...], path: Path, edit: Callable[[Field], tuple[Field, ...]]
) -> tuple[Field, ...]:
    """The message with the field at `path` replaced by what `edit` makes of it."""
    field = fields[path[0]]
    if len(path) == 1:
        new = edit(field)
    else:
        assert isinstance(field.value, tuple)
        new = (replace(field, value=_edited(field.value, path[1:], edit)),)
    return (*fields[: path[0]], *new, *fields[path[0] + 1 :])


def _structural(edit: Callable[[random.Random, Field], tuple[Field, ...]]) -> "Mutation":
    """A mutation of one field that leaves the lengths around it right; of bits where there are no fields."""

    def mutation(rng: random.Random, data: bytes) -> bytes:
        try:
            fields = decode(data)
        except (ValueError, IndexError, KeyError):
            return flip(rng, data)
        paths = list(_paths(fields))
        return encode(_edited(fields, rng.choice(paths), lambda field: edit(rng, field))) if paths else data

    return mutation


def flip(rng: random.Random, data: bytes) -> bytes:
    """Flip one to eight bits."""
    out = bytearray(data)
    for _ in range(rng.randint(1, 8) if out else 0):
        out[rng.randrange(len(out))] ^= 1 << rng.randrange(8)
    return bytes(out)


def insert(rng: random.Random, data: bytes) -> bytes:
    """Insert up to 16 random bytes."""
    at = rng.randint(0, len(data))
    return data[:at] + rng.randbytes(rng.randint(1, 16)) + data[at:]


def cut_out(rng: random.Random, data: bytes) -> bytes:
    """Take a range of bytes out."""
    at = rng.randint(0, len(data))
    return data[:at] + data[at + rng.choice((1, 2, 8, 100)) :]


def cut_off(rng: random.Random, data: bytes) -> bytes:
    """Cut the end off, as an interrupted copy does."""
    return data[: rng.randint(0, len(data))]


def join(rng: random.Random, data: bytes) -> bytes:
    """The profile twice, as protobuf concatenates messages."""
    return data + data[: rng.choice((len(data), len(data) // 2))]


def _number(rng: random.Random, field: Field) -> tuple[Field, ...]:
    if not isinstance(field.value, int):
        return _blob(rng, field)
    return (
        replace(field, value=rng.choice((*EDGES, field.value + rng.randint(-3, 3), rng.getrandbits(64)))),
    )


def _blob(rng: random.Random, field: Field) -> tuple[Field, ...]:
    if isinstance(field.value, int):
        return _number(rng, field)
    if isinstance(field.value, tuple):
        return (replace(field, value=tuple(rng.sample(field.value, len(field.value)))),)
    raw = field.value
    return (replace(field, value=rng.choice((*BLOBS, flip(rng, raw), insert(rng, raw), raw * 3))),)


def _length(rng: random.Random, field: Field) -> tuple[Field, ...]:
    if isinstance(field.value, int):
        return _number(rng, field)
    length = len(field.value if isinstance(field.value, bytes) else encode(field.value))
    return (replace(field, length=max(rng.choice((*EDGES, length + 1, length - 1, length * 2)), 0)),)


def _kind(rng: random.Random, field: Field) -> tuple[Field, ...]:
    if rng.random() < 0.5:
        return (replace(field, number=rng.choice((*range(12), 1 << 28))),)
    wire_type = rng.randrange(8)
    return (Field(field.number, wire_type, rng.getrandbits(64) if wire_type == 0 else rng.randbytes(8)),)


def _copies(rng: random.Random, field: Field) -> tuple[Field, ...]:
    return (field,) * rng.choice((0, 2, 3, 40))


Mutation = Callable[[random.Random, bytes], bytes]
OF_BYTES: tuple[Mutation, ...] = (flip, insert, cut_out, cut_off, join)
OF_FIELDS = [_structural(edit) for edit in (_number, _number, _number, _blob, _blob, _length, _kind, _copies)]


def mutant(number: int, seeds: Sequence[bytes]) -> bytes:
    """The mutant of that number: one to five mutations of one of the seeds, in most of its fields' values."""
    rng = random.Random(number)
    data, mutations = rng.choice(seeds), OF_BYTES if rng.random() < 0.3 else OF_FIELDS
    for _ in range(rng.choice((1, 1, 1, 2, 3, 5))):
        data = rng.choice(mutations)(rng, data)
    return data
