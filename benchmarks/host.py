"""The host plane of the synthetic profile: the thread that runs the loop, and the runtime's threads."""

from dataclasses import dataclass

import numpy as np

from profdb.benchmarks import wire
from profdb.benchmarks.metadata import PlaneNames
from profdb.benchmarks.xplane import message

_THREADS = 16
_START_NS = 4797
_CHILDREN = (
    "PjRtCApiLoadedExecutable::ExecuteHelper",
    "tpu::System::Execute=>IssueEvent",
    "MemoryAllocation",
    "ThreadpoolListener::StartRegion",
    "TpuExecutable::ExecuteAsyncOnStream",
    "MemoryDeallocation",
    "ThreadpoolListener::StopRegion",
    "AwaitSequencedEvents",
)
_ALLOCATOR = ("MemoryAllocation", "MemoryDeallocation")
_INSTANT = (*_ALLOCATOR, "ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion")
_MEMORY = ("bytes_reserved", "bytes_allocated", "bytes_available", "peak_bytes_in_use", "addr")


@dataclass(frozen=True)
class Thread:
    """Calls of one function, each with the same events inside; steps are marked by the first thread only."""

    name: str
    call: str
    calls: int
    children: int
    span_ps: int
    first_step: int | None = None

    @property
    def count(self) -> int:
        """Number of events."""
        return self.calls * (1 + self.children)


def main_threads(steps: int, first_step: int, events: int, span_ps: int) -> list[Thread]:
    """The threads of a host that runs `steps` steps, of about `events` events."""
    each = events // (_THREADS + 1)
    inside = max(1, each // steps - 1)
    python = Thread("python", "train", steps, inside, span_ps, first_step)
    calls = max(1, each // (1 + len(_CHILDREN)))
    call = "PjRtCApiLoadedExecutable::Execute"
    names = [f"tf_pjrt_thread_{i}/{3118200 + i}" for i in range(_THREADS)]
    return [python, *(Thread(name, call, calls, len(_CHILDREN), span_ps) for name in names)]


def host_plane(threads: list[Thread]) -> bytes:
    """The bytes of the plane."""
    names = PlaneNames(701, "/host:CPU")
    lines = []
    for number, thread in enumerate(threads):
        head = message("XLine")(
            id=3118200 + number, name=thread.name, display_name=thread.name, timestamp_ns=_START_NS
        )
        lines.append(wire.field(3, head.SerializeToString() + wire.to_bytes(_events(thread, names, number))))
    return wire.field(1, names.plane.SerializeToString() + b"".join(lines))


def _events(thread: Thread, names: PlaneNames, number: int) -> wire.Cells:
    draws = np.random.default_rng((11, number))
    size = 1 + thread.children
    call, at = np.divmod(np.arange(thread.count), size)
    slot = thread.span_ps // thread.calls
    words = [thread.call, *(_CHILDREN[i % len(_CHILDREN)] for i in range(thread.children))]
    word = np.array(words)[at]
    width = max(slot // (size + 1), 4000)
    start = call * slot + at * width + draws.integers(0, width // 4, len(at))
    duration = np.where(at == 0, slot - width, draws.integers(width // 8, width // 2, len(at)))
    duration[np.isin(word, _INSTANT)] = 0
    start, duration = start // 1000 * 1000, duration // 1000 * 1000  # the host clock counts nanoseconds
    ids = np.array([names.event(w) for w in words])[at]
    return wire.message(
        4,
        wire.integer(1, ids),
        wire.integer(2, start),
        wire.integer(3, duration),
        *_stats(thread, names, call, at, word, draws),
    )


def _stats(thread: Thread, names: PlaneNames, call, at, word, draws) -> list[wire.Cells]:
    def stat(name: str, number: int, values, present) -> wire.Cells:
        kind = wire.to_bytes(wire.varint(np.array([names.stat_id(name)])))
        head = wire.constant(len(values), b"\x08" + kind)
        return wire.only(wire.message(4, head, wire.integer(number, values)), present)

    first = at == 0
    if thread.first_step is not None:
        stats = [stat("step_num", 4, thread.first_step + call, first), stat("_r", 4, call * 0 + 1, first)]
    else:
        runs = 5000 + call
        stats = [
            stat("run_id", 4, runs, first),
            stat("device_ordinal", 4, call % 8, first),
            stat("queue_id", 4, call * 0, first),
            stat("_ct", 4, call * 0 + 12, first),
            stat("_c", 4, draws.integers(-(1 << 62), 1 << 62, len(at)), first),
        ]
    memory = np.isin(word, _ALLOCATOR)
    stats += [stat(name, 4, draws.integers(1, 1 << 28, len(at)) * 512, memory) for name in _MEMORY]
    return stats
