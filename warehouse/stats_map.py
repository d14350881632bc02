"""The stats of events that have no column of their own, as a MAP of text."""

from typing import Any

import numpy as np
import pyarrow as pa

from .xplane.line import Events
from .xplane.plane import Plane

INTERNAL = ("_p", "_c", "_pt", "_ct", "_src", "_r", "_a")
"""TraceMe's own bookkeeping: ids that link producer and consumer inside the tracer, and its source file."""


def args_map(events: Events, left_out: tuple[str, ...]) -> Any | None:
    """One MAP per event of its stats, without those called `left_out`; None where no event has any."""
    if not len(events.stat_id):
        return None
    skip = np.array(_ids(events.plane, (*INTERNAL, *left_out)), np.int64)
    kept = np.flatnonzero(~np.isin(events.stat_id, skip))
    if not len(kept):
        return None
    ids = events.stat_id[kept]
    distinct, codes = np.unique(ids, return_inverse=True)
    keys = pa.array([events.plane.stat_name(int(i)) for i in distinct], pa.string()).take(pa.array(codes))
    values = events.stat_texts(kept).cast(pa.string())
    counts = np.bincount(events.stat_event[kept], minlength=events.count)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    empty = np.concatenate([counts == 0, [False]])
    return pa.MapArray.from_arrays(pa.array(offsets, mask=empty), keys, values)


def _ids(plane: Plane, names: tuple[str, ...]) -> list[int]:
    return [i for name in names for i in plane.stat_ids.get(name, [])]
