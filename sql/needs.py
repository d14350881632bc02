"""What of the catalogue one query can touch, told from its text before anything is opened.

A query can only read what it names, a view only what its own text names, and a column likewise. So opening
few relations, and few columns of those, gives the same rows; over hundreds of small files it saves most of
the time.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from . import catalog

_WORD = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True)
class Needs:
    """The relations that a query can touch, directly or through views."""

    relations: frozenset[str]
    """Every relation that has to exist."""
    repeated: Mapping[str, frozenset[str]]
    """Stored relations read through views alone, and more than once, with the columns that these name."""


def of_query(sql: str, version: str = catalog.DEFAULT_VIEWS) -> Needs:
    """The needs of a query's text; a word in it that happens to be a relation's name counts as one."""
    known = catalog.relations(version)
    words = _words(sql)
    named = (
        known.keys() & words if "show" not in words else set(known)
    )  # SHOW TABLES names none and tells all
    readings = Counter(named)
    todo = list(named)
    while todo:
        relation = known[todo.pop()]
        if relation.kind in ("view", "helper"):
            read = [name for name in catalog.source_list(relation.sql) if name in known]
            readings.update(read)
            todo += read
    views = [known[name] for name in readings if known[name].kind in ("view", "helper")]
    columns = frozenset(word for view in views for word in _words(view.sql))
    repeated = {
        name: frozenset(column.name for column in known[name].columns if column.name in columns)
        for name, count in readings.items()
        if count > 1 and name not in named and known[name].kind in ("table", "derived")
    }
    return Needs(frozenset(readings), repeated)


def _words(sql: str) -> set[str]:
    return set(_WORD.findall(sql.lower()))
