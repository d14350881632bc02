"""Text of others, made safe to show."""

import unicodedata

PROSE = frozenset({"evidence", "grain", "meaning", "remedy", "sentence", "try_next"})
"""Columns that hold sentences: tables for people wrap them."""


def printable(text: str, keep: str = "") -> str:
    r"""`text` with what could move a cursor or hide text as escapes (\n, \x1b, \u202e), except for `keep`."""
    if text.isprintable():
        return text
    return "".join(_escape(char) if char not in keep else char for char in text)


def _escape(char: str) -> str:
    if char == " " or unicodedata.category(char)[0] not in "CZ":
        return char
    if unicodedata.category(char) == "Zs":  # odd spaces are harmless
        return char
    return char.encode("unicode_escape").decode("ascii")


def shorten(text: str, limit: int) -> str:
    """`text` of at most `limit` characters, cut in the middle: a scope's end and a name's start both tell."""
    if len(text) <= limit:
        return text
    tail = (limit - 1) // 2
    return f"{text[: limit - 1 - tail]}…{text[-tail:]}"
