"""How the op executions of a stream find their step."""

from collections.abc import Callable
from typing import Any

from .markers import Lookup, Windows
from .times import Times
from .xplane.line import Events

Assign = Callable[[Events, Times], tuple[Any, Any, str]]
"""For the events of a stream: step numbers, where they hold, and how they were found."""


def by_time(windows: Windows, how: str) -> Assign:
    """The window in which the execution starts."""

    def assign(_: Events, times: Times) -> tuple[Any, Any, str]:
        step, inside = windows.at(times.start)
        return step, inside, how

    return assign


def by_key(stat: str, steps: Lookup, how: str) -> Assign:
    """The step of the launch that the execution's stat names."""

    def assign(events: Events, _: Times) -> tuple[Any, Any, str]:
        key, present = events.ints(stat)
        step, known = steps.at(key)
        return step, known & present, how

    return assign
