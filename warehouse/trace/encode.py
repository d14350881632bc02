"""The few messages of XPlane that an export is written as, in protobuf's wire format.

Field numbers: xplane.proto of openxla.
"""

_TWO_TO_64 = 1 << 64
_SHORT = [
    bytes((number,)) if number < 0x80 else bytes((number & 0x7F | 0x80, number >> 7))
    for number in range(1 << 14)
]
_INT64, _UINT64, _TEXT = b"\x20", b"\x18", b"\x2a"  # XStat: int64_value, uint64_value, str_value


def varint(number: int) -> bytes:
    """A number as a varint; a negative one as its 64-bit complement."""
    if 0 <= number < len(_SHORT):
        return _SHORT[number]
    number %= _TWO_TO_64
    encoded = bytearray()
    while number >= 0x80:
        encoded.append(number & 0x7F | 0x80)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def sized(tag: bytes, body: bytes) -> bytes:
    """A field with its length in front."""
    return tag + varint(len(body)) + body


def stat(stat_id: int, value: int | bytes) -> bytes:
    """An XStat."""
    head = b"\x08" + varint(stat_id)
    if isinstance(value, bytes):
        return head + sized(_TEXT, value)
    return head + (_INT64 if value < 1 << 63 else _UINT64) + varint(value)


def event(metadata_id: int, start_ps: int, duration_ps: int, stats: bytes) -> bytes:
    """An XEvent as a field of its line; `stats` are fields of it already."""
    head = b"\x08" + varint(metadata_id) + b"\x10" + varint(start_ps) + b"\x18" + varint(duration_ps)
    return sized(b"\x22", head + stats)


def line_head(line_id: int, name: bytes) -> bytes:
    """What stands in an XLine before its events."""
    return b"\x08" + varint(line_id) + sized(b"\x12", name)


def event_metadata(key: int, name: bytes, display_name: bytes, stats: bytes) -> bytes:
    """An entry of XPlane.event_metadata; `stats` are fields of it already."""
    value = b"\x08" + varint(key) + sized(b"\x12", name)
    value += (sized(b"\x22", display_name) if display_name else b"") + stats
    return sized(b"\x22", b"\x08" + varint(key) + sized(b"\x12", value))


def stat_metadata(key: int, name: bytes) -> bytes:
    """An entry of XPlane.stat_metadata."""
    value = b"\x08" + varint(key) + sized(b"\x12", name)
    return sized(b"\x2a", b"\x08" + varint(key) + sized(b"\x12", value))
