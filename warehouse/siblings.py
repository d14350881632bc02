"""Folders are not sessions: one capture in several folders of a run, and the same bytes in two places."""

from collections.abc import Iterable
from datetime import datetime

from .grouping import ProfileSet, hostname
from .sources import SUFFIX

_STAMP = "%Y_%m_%d_%H_%M_%S"
_NEAR_S = 5
"""Processes of one run start to profile within this time of each other."""


def merged(sets: Iterable[ProfileSet]) -> list[ProfileSet]:
    """The sets, with those that are one capture made one: under the name of the first."""
    found: list[ProfileSet] = []
    for one in sets:
        known = next((other for other in found if _are_one(other, one)), None)
        if known is None:
            found.append(one)
        else:
            known.take(one)
    return found


def _are_one(a: ProfileSet, b: ProfileSet) -> bool:
    if a.heads and a.content_sha256 == b.content_sha256:
        return True
    if a.run_folder is None or a.run_folder != b.run_folder:
        return False
    times = _capture(a), _capture(b)
    if times[0] and times[1]:
        return times[0][0] <= times[1][1] and times[1][0] <= times[0][1]
    return not _hosts(a) & _hosts(b) and _are_near(a.session, b.session)


def _capture(one: ProfileSet) -> tuple[int, int] | None:
    """First start and last stop of the captures; None where a file does not tell them."""
    times = [(head.start_ns, head.stop_ns) for head in one.heads]
    starts = [start for start, _ in times if start is not None]
    stops = [stop for _, stop in times if stop is not None]
    return (min(starts), max(stops)) if times and len(starts) == len(stops) == len(times) else None


def _hosts(one: ProfileSet) -> set[str]:
    refused = {path.name.removesuffix(SUFFIX) for path, _ in one.refused}
    return {hostname(head) for head in one.heads} | refused


def _are_near(a: str | None, b: str | None) -> bool:
    try:
        gap = datetime.strptime(a or "", _STAMP) - datetime.strptime(b or "", _STAMP)
    except ValueError:  # not named by a time
        return False
    return abs(gap.total_seconds()) <= _NEAR_S
