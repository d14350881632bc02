"""Which of many ops changed: a test for each, and a bound on false alarms among all that are named."""

from typing import Any


def false_shares(before: Any, after: Any) -> Any:
    """For each op the share of false alarms among the ops named, if it and all that are surer are named.

    `before` and `after` are arrays of self time, one row an op and one column a step. Logarithms are compared
    by Student's test, so that one slow step of many does not decide; the shares are those of Benjamini and
    Hochberg.
    """
    import numpy as np

    chances = _chances(np.log1p(before), np.log1p(after))
    order = np.argsort(chances, kind="stable")
    scaled = chances[order] * len(chances) / np.arange(1, len(chances) + 1)
    shares = np.empty_like(scaled)
    shares[order] = np.minimum.accumulate(scaled[::-1])[::-1].clip(max=1)
    return shares


def _chances(before: Any, after: Any) -> Any:
    """How likely means would lie so far apart without a change, two-sided; without any spread 0 or 1."""
    import numpy as np
    from scipy.special import stdtr

    freedom = before.shape[1] + after.shape[1] - 2
    squares = sum(((side - side.mean(1, keepdims=True)) ** 2).sum(1) for side in (before, after))
    apart = np.abs(after.mean(1) - before.mean(1))
    spread = np.sqrt(squares / max(freedom, 1) * (1 / before.shape[1] + 1 / after.shape[1]))
    is_spread = spread > 1e-12
    chances = np.where(apart > 1e-12, 0.0, 1.0)
    if freedom > 0:
        chances[is_spread] = 2 * stdtr(freedom, -apart[is_spread] / spread[is_spread])
    else:
        chances[:] = 1.0
    return chances
