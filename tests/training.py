"""Profiles of training steps on one TPU, whose times a test plans. Times are picoseconds."""

from collections.abc import Mapping, Sequence

from xspace import event, line, plane, ref, space

FIRST_STEP = 100


def training(
    steps: Sequence[Mapping[str, int]], *, gap: int = 0, last: int = 1, chip: str = "TPU v6e"
) -> bytes:
    """A profile of these steps and a `last` one, which does not count.

    Nothing tells that the capture began before the first one, so that counts as cut. A step is the time of
    each op by its framework path, one after the other, and a `gap` behind them.
    """
    markers, ops, at = [], [], 0
    for number, durations in enumerate([*steps, {"jit(f)/last/add": last}], start=FIRST_STEP):
        start = at
        for place, (path, duration) in enumerate(durations.items()):
            facts = {"tf_op": ref(path), "hlo_category": "convolution fusion"}
            ops.append(event(f"fusion.{place}", at, duration, facts))
            at += duration
        at += gap
        markers.append(event(str(number), start, at - start))
    lines = (line("Steps", *markers), line("XLA Ops", *ops))
    return space(plane("/device:TPU:0", *lines, stats={"device_type_string": chip}), hostnames=("h",))
