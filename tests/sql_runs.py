"""Runs of steps for the views that compare: several runs in one TinyRun. Times are picoseconds."""

from collections.abc import Mapping, Sequence


def add_run(tiny, run: str, *steps: Mapping[int, int], window: int = 100, first: int = 5, **facts) -> None:
    """A run on one device whose steps last `window` each; a step gives the self time of each op in it.

    One more step follows, which is the last and does not count; steps from number 5 on are no warm-up.
    """
    device = {"run": run, "host": "h", "device": "GPU:0"}
    at = 0
    for number, ops in enumerate([*steps, {}], start=first):
        tiny.step(number, at, at + window, **device)
        start = at
        for op_id, self_ps in ops.items():
            tiny.event(op_id, start, start + self_ps, step_num=number, assignment="launch", **device)
            start += self_ps
        at += window
    tiny.window(0, at, run=run, **{"platform": "gpu", "device_count": 1} | facts)
    tiny.insert("devices", core_kind="gpu", op_count=1, **device)
    tiny.devices.clear()


def add_ops(tiny, run: str, ops: Sequence[Mapping[str, object]]) -> None:
    """The ops of a run, whose ids count from 1; a canonical name is the name unless told."""
    for op_id, facts in enumerate(ops, start=1):
        tiny.op(op_id, run=run, **{"canonical_name": facts.get("name", "")} | dict(facts))
