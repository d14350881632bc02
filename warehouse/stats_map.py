"""The stats of events that have no column of their own, as a MAP of text."""

from typing import Any

import numpy as np
import pyarrow as pa

from .xplane.line import Events


def args_map(events: Events, left_out: tuple[str, ...]) -> Any | None:
    """One MAP per event of its stats, without those called `left_out`; None where no event has any."""
    skip = [i for name in left_out for i in events.plane.stat_ids.get(name, ())]
    kept = ~np.isin(events.stat_id, skip) if skip else np.ones(len(events.stat_row), np.bool_)
    if not kept.any():
        return None
    distinct, codes = np.unique(events.stat_id[kept], return_inverse=True)
    keys = pa.array([events.plane.stat_name(int(i)) for i in distinct], pa.string()).take(pa.array(codes))
    values = events.rows.as_text(events.stat_row[kept])
    counts = np.bincount(events.stat_event[kept], minlength=events.count)
    offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int32)
    empty = np.concatenate([counts == 0, [False]])
    return pa.MapArray.from_arrays(pa.array(offsets, mask=empty), keys, values)
