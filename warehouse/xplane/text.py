"""Bytes of a profile as text that keeps every byte."""

import zlib

_MARK = "bytes:"


def text_of(raw: bytes) -> str:
    """The bytes as text; invalid UTF-8 as `bytes:` and backslash escapes, so that no two names meet."""
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        return _MARK + raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")
    return _MARK + text.replace("\\", "\\\\") if text.startswith(_MARK) else text


def inflate(raw: bytes, limit: int = 64 << 20) -> bytes:
    """A gzip-compressed string stat, at most `limit` bytes; the bytes themselves if not gzip."""
    try:
        return zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(raw, limit)
    except zlib.error:
        return raw
