"""Where the time of an ingest goes: `python benchmarks/phases.py FILE WAREHOUSE` prints seconds by phase.

Runs the ingest in this process with a clock around some of its functions; a phase's time is without that of
the phases inside it. What no phase has is `rest`.
"""

import json
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

PHASES = {
    "hash and find": ("grouping:profile_sets",),
    "metadata": ("xplane.plane:read_planes",),
    "decode": ("xplane.line:read_line",),
    "stat columns": ("xplane.line:Events.ints", "xplane.line:Events.texts", "xplane.line:Events.doubles"),
    "select": ("xplane.line:Events.take",),
    "nesting": ("nesting:nest",),
    "naming": ("opnames:OpNamer.name",),
    "pairs": ("pairs:PairBook.match", "pairs:PairBook.match_async"),
    "args maps": ("stats_map:args_map",),
    "markers": (
        "markers:HostSteps.read_markers",
        "markers:HostSteps.read_launches",
        "markers:HostSteps.read_compilations",
    ),
    "columns": ("tables:TableWriter._array",),
    "parquet": ("tables:TableWriter._flush", "tables:TableWriter.close"),
    "rollups": ("rollups:roll_up",),
    "commit": ("store:Warehouse.put", "store:Warehouse.commit"),
}
_PACKAGE = "profdb.warehouse"


class Clock:
    """Time by phase; the innermost running phase gets it."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = defaultdict(float)
        self._running = ["rest"]
        self._since = time.perf_counter()

    def switch(self) -> None:
        """Give the time since the last switch to the running phase."""
        now = time.perf_counter()
        self.seconds[self._running[-1]] += now - self._since
        self._since = now

    def timed(self, phase: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its time counted."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.phase(phase):
                result = function(*args, **kwargs)
            return self._each(phase, result) if isinstance(result, Iterator) else result

        return call

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the time inside as this phase's."""
        self.switch()
        self._running.append(name)
        try:
            yield
        finally:
            self.switch()
            self._running.pop()

    def _each(self, phase: str, items: Iterator[Any]) -> Iterator[Any]:
        """The items of a generator, with the time that each takes counted."""
        end = object()
        while True:
            with self.phase(phase):
                item = next(items, end)
            if item is end:
                return
            yield item


def instrument(clock: Clock) -> None:
    """Put the clock around the functions of all phases, wherever they were imported."""
    import_module(f"{_PACKAGE}.ingest")
    modules = [module for name, module in sys.modules.items() if name.startswith("profdb.")]
    for phase, targets in PHASES.items():
        for target in targets:
            module_name, _, path = target.partition(":")
            owner: Any = import_module(f"{_PACKAGE}.{module_name}")
            *parents, name = path.split(".")
            for parent in parents:
                owner = getattr(owner, parent)
            function = getattr(owner, name)
            timed = clock.timed(phase, function)
            setattr(owner, name, timed)
            for module in modules:
                if vars(module).get(name) is function:
                    setattr(module, name, timed)


def main(source: str, warehouse: str) -> None:
    """Ingest one file and print a JSON object of seconds by phase."""
    clock = Clock()
    instrument(clock)
    clock.switch()
    clock.seconds = defaultdict(float, imports=clock.seconds["rest"])
    from profdb.warehouse.ingest import ingest

    ingest([source], warehouse)
    clock.switch()
    sys.stdout.write(json.dumps(dict(clock.seconds)) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
