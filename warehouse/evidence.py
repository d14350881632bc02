"""What single steps say about a change of the step time: an interval by resampling them."""

from collections.abc import Sequence

SEED = 0
"""The same steps give the same interval."""
_SAMPLES = 4000


def interval(
    before: Sequence[int], after: Sequence[int], quantile: float, confidence: float
) -> tuple[float, float] | None:
    """The range of `after / before - 1` of a quantile of step times that agrees with the steps.

    Steps are drawn from each run with replacement, and `confidence` of the ratios lie in the range. It knows
    the noise within a run, not that between two starts of one program. None where no step took any time.
    """
    import numpy as np

    if not min(len(before), len(after)) or min(before) <= 0:
        return None
    draws = np.random.default_rng(SEED)

    def resampled(steps: Sequence[int]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
        chosen = draws.choice(np.asarray(steps, np.float64), (_SAMPLES, len(steps)))
        return np.quantile(chosen, quantile, axis=1)  # type: ignore[no-any-return]

    ratios = resampled(after) / resampled(before) - 1
    tail = (1 - confidence) / 2
    low, high = np.quantile(ratios, [tail, 1 - tail])
    return float(low), float(high)
