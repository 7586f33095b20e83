"""What held-out rows show: figures, operating points, histograms, confusion, calibration, small enough for a page."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import Estimate, share_estimate
from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

MOST_POINTS = 1500
MOST_ROWS = 2000
_BINS = 60
_CALIBRATION_BINS = 10


def figure(estimate: Estimate) -> dict[str, float]:
    """A value with its interval."""
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def operating_points(scores: Array, codes: Codes, weight: Array) -> dict[str, Any]:
    """Rows of either class above every threshold (or above some of many), and where the threshold is 0.

    Between two different scores any threshold does the same; the middle is named, except around 0, where it is 0.
    """
    distinct, place = np.unique(scores, return_inverse=True)
    at = [np.bincount(place[codes == k], weights=weight[codes == k], minlength=distinct.size) for k in (0, 1)]
    above = [np.concatenate([[0.0], np.cumsum(a[::-1])]) for a in at]
    reach = max(float(distinct[-1] - distinct[0]), 1e-12)
    falling = distinct[::-1]
    thresholds = np.concatenate(
        [[falling[0] + 0.02 * reach], (falling[:-1] + falling[1:]) / 2, [falling[-1] - 0.02 * reach]]
    )
    chosen = int((distinct > 0).sum())
    thresholds[chosen] = 0.0
    kept = _places_to_keep(thresholds.size, chosen, above)
    return {
        "thresholds": thresholds[kept].tolist(),
        "positives": above[1][kept].tolist(),
        "negatives": above[0][kept].tolist(),
        "chosen": int(np.searchsorted(kept, chosen)),
        "exact": bool(kept.size == thresholds.size),
        "totals": [float(above[0][-1]), float(above[1][-1])],
    }


def _places_to_keep(n: int, chosen: int, above: list[Array]) -> NDArray[np.intp]:
    """All places, or so many of them: evenly by rank, and by rows of either class, so that no stretch is empty."""
    if n <= MOST_POINTS:
        return np.arange(n)
    third = MOST_POINTS // 3
    by_rank = np.linspace(0, n - 1, third).astype(np.intp)
    by_rows = [np.searchsorted(a, np.linspace(0.0, a[-1], third - 2)) for a in above]
    return np.unique(np.concatenate([by_rank, *by_rows, [0, chosen, n - 1]]).clip(0, n - 1))


def histogram(scores: Array, codes: Codes, weight: Array) -> dict[str, Any]:
    """Counts of either class in equal steps; the outermost hold what lies beyond all but a thousandth."""
    low, high = np.quantile(scores, [0.0005, 0.9995])
    if low == high:
        low, high = low - 0.5, high + 0.5
    edges = np.linspace(low, high, _BINS + 1)
    inside = np.clip(scores, edges[0], edges[-1])
    counts = [np.histogram(inside[codes == k], edges, weights=weight[codes == k])[0].tolist() for k in (0, 1)]
    return {"edges": edges.tolist(), "counts": counts}


def confusion(codes: Codes, assigned: Codes, weight: Array, n_classes: int, n_answers: int) -> list[list[float]]:
    """Rows of each true class by what they are assigned."""
    cells = np.bincount(codes * np.intp(n_answers) + assigned, weights=weight, minlength=n_classes * n_answers)
    return [[float(c) for c in row] for row in cells.reshape(n_classes, n_answers)]


def calibration(probability: Array, happened: NDArray[np.bool_], weight: Array) -> list[dict[str, float]]:
    """Predicted against observed shares, in bins of equal numbers of rows; Wilson's intervals."""
    order = np.argsort(probability, kind="stable")
    found = []
    for part in np.array_split(order, min(_CALIBRATION_BINS, max(order.size // 10, 1))):
        w = weight[part]
        share = share_estimate(happened[part], RowWeights(None if (w == 1).all() else w))
        found.append(
            {
                "mean": float(np.average(probability[part], weights=w)),
                "share": share.value,
                "low": share.low,
                "high": share.high,
                "rows": float(w.sum()),
            }
        )
    return found


def few_rows(n: int, seed: int) -> NDArray[np.intp]:
    """All rows, or so many of them drawn at random."""
    if n <= MOST_ROWS:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, MOST_ROWS, replace=False))
