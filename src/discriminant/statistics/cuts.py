"""The best place to cut a line of scores."""

import numpy as np
from numpy.typing import NDArray

from discriminant.statistics.score_counts import ScoreCounts

Array = NDArray[np.float64]

_MOST_SWEEPS = 100


def best_cut(margin: Array, benefit: Array, near: float = 0.0) -> float:
    """The t that maximises Σ benefit over rows with margin > t.

    Every cut between two distinct margins is tried; ties fall on one side together. The middle of the best gap is
    returned, the one nearest to ``near`` where several gaps are equally good; outside all margins, one unit beyond.
    """
    order = np.argsort(margin, kind="stable")
    sorted_margin = margin[order]
    gained = np.concatenate([[0.0], np.cumsum(benefit[order])])
    total = gained[-1]
    last = np.flatnonzero(np.diff(sorted_margin) > 0) + 1  # places between distinct margins
    places = np.concatenate([[0], last, [margin.size]])
    cuts = _between(sorted_margin[np.append(0, last)], sorted_margin[np.append(last - 1, -1)])
    return _best_of(cuts, total - gained[places], near, float(np.abs(benefit).sum()))


def best_cut_of_counts(counts: ScoreCounts, benefit: Array, near: float = 0.0) -> float:
    """The best cut of margins counted in cells, with the benefit of a row of the negative and of the positive class.

    Exact where every margin has a cell of its own; otherwise the t that is best among the edges of the cells.
    """
    gained = np.concatenate([[0.0], np.cumsum(counts.negative * benefit[0] + counts.positive * benefit[1])])
    size = float(counts.negative.sum() * abs(benefit[0]) + counts.positive.sum() * abs(benefit[1]))
    return _best_of(_between(counts.lowest, counts.highest), gained[-1] - gained, near, size)


def _between(lowest: Array, highest: Array) -> Array:
    """The middle of the gaps between margins that fall on one side together, and a unit beyond them all."""
    return np.concatenate([[lowest[0] - 1.0], (highest[:-1] + lowest[1:]) / 2, [highest[-1] + 1.0]])


def _best_of(cuts: Array, values: Array, near: float, size: float) -> float:
    """The cut of largest value up to rounding of sums of this size, the nearest of equals."""
    slack = 1e-12 * size
    good = np.flatnonzero(values >= values.max() - slack)
    good = good[::-1]  # of cuts equally near, the one that assigns fewest rows
    return float(cuts[good[np.abs(cuts[good] - near).argmin()]])


def best_offsets(scores: Array, codes: NDArray[np.integer], weight: Array, gain: Array) -> Array:
    """Offsets b of K scores so that assigning argmax(s_k + b_k) gains most, true × assigned gains weighted by row.

    For two classes one sweep is exact. For more, each class in turn is cut against the best of the others, which
    is exact for that class, until no class gains: an optimum that no single offset improves.
    """
    n, K = scores.shape
    offsets = np.zeros(K)
    rows = np.arange(n)
    best = -np.inf
    for _ in range(1 if K == 2 else _MOST_SWEEPS):
        for k in range(K - 1, -1 if K > 2 else 0, -1):
            shifted = scores + offsets
            shifted[:, k] = -np.inf
            rival = shifted.argmax(axis=1)
            margin = scores[:, k] - shifted[rows, rival]
            benefit = weight * (gain[codes, k] - gain[codes, rival])
            offsets[k] = -best_cut(margin, benefit, near=-offsets[k])
        assigned = (scores + offsets).argmax(axis=1)
        value = float(weight @ gain[codes, assigned])
        if value <= best + 1e-12 * abs(best):
            break
        best = value
    return offsets


def gaussian_cut(centres: Array, spreads: Array, priors: Array, gain: Array) -> float:
    """Where a score stops paying for class 0 and starts paying for class 1, for normal scores.

    Solves p₁a₁φ((t − c₁)/σ₁)/σ₁ = p₀a₀φ((t − c₀)/σ₀)/σ₀ with a_k the gain of being right over being wrong.
    """
    stakes = np.array([gain[0, 0] - gain[0, 1], gain[1, 1] - gain[1, 0]]) * priors
    if (stakes <= 0).any():
        raise ValueError("gain must reward the right assignment over the wrong one in every class for 'gaussian'")
    middle = float(centres.mean())
    c = centres - middle
    spreads = np.where(spreads > 1e-12 * np.ptp(centres), spreads, 0.0)  # less is rounding
    pooled = float(np.sqrt(priors @ spreads**2))
    if pooled == 0.0:
        return middle
    sigma = np.maximum(spreads, 1e-9 * pooled)
    # log density ratio of class 1 to class 0: a t² + b t + k
    a = 0.5 / sigma[0] ** 2 - 0.5 / sigma[1] ** 2
    b = c[1] / sigma[1] ** 2 - c[0] / sigma[0] ** 2
    k = 0.5 * (c[0] / sigma[0]) ** 2 - 0.5 * (c[1] / sigma[1]) ** 2
    k += float(np.log(stakes[1] / stakes[0]) - np.log(sigma[1] / sigma[0]))
    root = np.sqrt(max(b * b - 4 * a * k, 0.0))
    # of the two crossings take the one where the ratio rises; this form of the root is safe as a → 0
    return middle + float(-2 * k / (b + root)) if b + root > 0 else middle
