"""Runs of steps for the views that compare: several runs in one TinyRun. Times are picoseconds."""

from collections.abc import Mapping, Sequence

LAST = 5
"""Length of the step behind those of a run."""


def add_run(tiny, run: str, *steps: Mapping[int, int], window: int | Sequence[int] = 100, **facts) -> None:
    """A run on one device whose steps last `window`, each or one by one; a step is the self time of each op.

    One more step follows, which is the last and does not count. The first is step 5, so that none is warm-up.
    """
    device = {"run": run, "host": "h", "device": "GPU:0"}
    windows = [window] * len(steps) if isinstance(window, int) else window
    at = 0
    for number, (ops, length) in enumerate(zip([*steps, {}], [*windows, LAST], strict=True), start=5):
        tiny.step(number, at, at + length, **device)
        start = at
        for op_id, self_ps in ops.items():
            tiny.event(op_id, start, start + self_ps, step_num=number, assignment="launch", **device)
            start += self_ps
        at += length
    tiny.window(0, at, run=run, **{"platform": "gpu", "device_count": 1} | facts)
    tiny.insert("devices", core_kind="gpu", op_count=1, **device)
    tiny.devices.clear()


def add_ops(tiny, run: str, ops: Sequence[Mapping[str, object]]) -> None:
    """The ops of a run, whose ids count from 1; a canonical name is the name unless told."""
    for op_id, facts in enumerate(ops, start=1):
        tiny.op(op_id, run=run, **{"canonical_name": facts.get("name", "")} | dict(facts))
