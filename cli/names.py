"""Names that a user typed and nothing carries."""

import shlex
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from ..sql.errors import InputError

if TYPE_CHECKING:
    from ..warehouse.reader import Session


def unknown(kind: str, name: str, known: Iterable[str], hint: str) -> InputError:
    """The error for a `name` that is not in `known`, with the nearest name that is."""
    near = get_close_matches(name, list(known), n=1)
    suggestion = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(f"there is no {kind} {name!r}{suggestion}", hint=hint)


def find_run(session: "Session", name: str | None, warehouse: str) -> str:
    """The run of that name, or the newest; InputError where there is none."""
    query = "SELECT run FROM runs ORDER BY ingested_at DESC, run"
    known: list[str] = session.query(query).table.column("run").to_pylist()
    place = shlex.quote(warehouse)
    if not known:
        raise InputError(f"{warehouse} has no runs", hint=f"profdb ingest PROFILE -w {place}")
    if name is not None and name not in known:
        raise unknown("run", name, known, hint=f"profdb runs -w {place}")
    return known[0] if name is None else name
