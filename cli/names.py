"""Names that a user typed and nothing carries."""

from collections.abc import Iterable
from difflib import get_close_matches

from ..sql.errors import InputError


def unknown(kind: str, name: str, known: Iterable[str], hint: str) -> InputError:
    """The error for a `name` that is not in `known`, with the nearest name that is."""
    near = get_close_matches(name, list(known), n=1)
    suggestion = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(f"there is no {kind} {name!r}{suggestion}", hint=hint)
