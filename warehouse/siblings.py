"""Folders are not sessions: one capture in several folders of a run, and the same bytes in two places."""

from collections.abc import Iterable
from datetime import datetime
from itertools import product

from .grouping import ProfileSet, hostname
from .sources import SUFFIX

_STAMP = "%Y_%m_%d_%H_%M_%S"
_NEAR_S = 5
"""Processes of one run start to profile within this time of each other."""


def merged(sets: Iterable[ProfileSet]) -> list[ProfileSet]:
    """The sets, with those that are one capture made one: under the name of the first."""
    found: list[ProfileSet] = []
    for one in sets:
        same = [i for i, other in enumerate(found) if _are_one(other, one)]
        if not same:
            found.append(one)
            continue
        for later in reversed(same[1:]):  # what had nothing in common until this one came
            found[same[0]].take(found.pop(later))
        found[same[0]].take(one)
    return found


def _are_one(a: ProfileSet, b: ProfileSet) -> bool:
    if a.heads and a.content_sha256 == b.content_sha256:
        return True
    if a.run_folder is None or a.run_folder != b.run_folder:
        return False
    ours, theirs = _captures(a), _captures(b)
    if ours and theirs:
        return any(x[0] <= y[1] and y[0] <= x[1] for x, y in product(ours, theirs))
    return not _hosts(a) & _hosts(b) and _are_near(a.session, b.session)


def _captures(one: ProfileSet) -> list[tuple[int, int]] | None:
    """(start, stop) of each file's capture; None where a file does not tell it.

    Never the hull of them: a folder may hold captures of different years."""
    times = [
        (head.start_ns, head.stop_ns)
        for head in one.heads
        if head.start_ns is not None and head.stop_ns is not None
    ]
    return times if len(times) == len(one.heads) else None


def _hosts(one: ProfileSet) -> set[str]:
    refused = {path.name.removesuffix(SUFFIX) for path, _ in one.refused}
    return {hostname(head) for head in one.heads} | refused


def _are_near(a: str | None, b: str | None) -> bool:
    try:
        gap = datetime.strptime(a or "", _STAMP) - datetime.strptime(b or "", _STAMP)
    except ValueError:  # not named by a time
        return False
    return abs(gap.total_seconds()) <= _NEAR_S
