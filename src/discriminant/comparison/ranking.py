"""The area under the operating curve, within folds, with the variance of DeLong, DeLong and Clarke-Pearson (1988).

A row is ranked among those scored by the same model: scores of different folds have different scales. In a fold with
positives of weight P and negatives of weight N a positive has placement v = the share of negatives below it, a negative
the share of positives above it, ties counted half, and

    A_f = Σ_positives ωv/P = Σ_negatives ωv/N,      A = Σ_f p_f A_f,   p_f ∝ P_f N_f
    u   = p_f (v − A_f)/√(P(P − 1)) of a positive,  p_f (v − A_f)/√(N(N − 1)) of a negative
    Var A = Σω u²,   Var(A − A′) = Σω (u − u′)².

For several classes, the mean over classes of each against the rest; u is then the mean of theirs.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import (
    CONFIDENCE,
    Difference,
    Estimate,
    normal_difference,
    normal_quantile,
)
from discriminant.kernels.folds import place
from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Ranking:
    """A and the share u of every row in its variance; ``least_rows`` is the weight of the rarer side."""

    area: float
    influence: Array
    least_rows: float


def placements(score: Array, positive: NDArray[np.bool_], weight: Array | None = None) -> Array:
    """v of every row.

    >>> placements(np.array([1.0, 2.0, 2.0, 3.0]), np.array([False, True, False, True])).tolist()
    [1.0, 0.75, 0.75, 1.0]
    """
    w = np.ones(score.size) if weight is None else weight
    total, up = float(w.sum()), float(w @ positive)
    placed = np.empty(score.size)
    place.suited_to(score.size)(score, np.argsort(score), positive, w, placed)
    return placed / np.where(positive, total - up, up)


def ranking(scores: Array, codes: NDArray[np.int32], folds: NDArray[np.int32], weights: RowWeights) -> Ranking | None:
    """The ranking by scores (n for two classes, n×K for more); None where no fold has rows of both sides."""
    if scores.ndim == 1:
        return _of_two(scores, codes == 1, folds, weights)
    parts = [_of_two(_lead(scores, k), codes == k, folds, weights) for k in range(scores.shape[1])]
    known = [part for part in parts if part is not None]
    if not known:
        return None
    influence = np.mean([part.influence for part in known], axis=0)
    return Ranking(float(np.mean([part.area for part in known])), influence, min(part.least_rows for part in known))


def _lead(scores: Array, k: int) -> Array:
    """How far class k is ahead of the best other: the same for scores with and without a term common to all."""
    others = np.delete(scores, k, axis=1).max(axis=1)
    with np.errstate(invalid="ignore"):
        lead = scores[:, k] - others
    return np.where(np.isnan(lead), 0.0, lead)  # both impossible


def _of_two(score: Array, positive: NDArray[np.bool_], folds: NDArray[np.int32], weights: RowWeights) -> Ranking | None:
    area, influence, pairs, rarer = 0.0, np.zeros(score.size), 0.0, np.zeros(2)
    counts = weights.counts(score.size)
    for f in range(int(folds.max()) + 1):
        inside = np.flatnonzero(folds == f)
        up, w = positive[inside], counts[inside]
        P, N = float(w @ up), float(w @ ~up)
        if P == 0 or N == 0:
            continue
        v = placements(score[inside], up, w)
        A = float(w @ np.where(up, v, 0.0)) / P
        area, pairs = area + P * N * A, pairs + P * N
        influence[inside] = P * N * (v - A) * np.where(up, _per_row(P, w[up]), _per_row(N, w[~up]))
        rarer += P, N
    if pairs == 0:
        return None
    return Ranking(area / pairs, influence / pairs, float(rarer.min()))


def _per_row(total: float, weight: Array) -> float:
    """1/√(P(P − 1)); for weights that are no repetitions P is known up to a factor, and m stands for it."""
    number = total**2 / float(weight @ weight) if (weight != np.floor(weight)).any() else total
    return float(np.sqrt(number / max(number - 1.0, 1.0)) / total)


def area_estimate(found: Ranking, weights: RowWeights) -> Estimate:
    """A, with an interval that is symmetric in log A/(1 − A); without error, the bound that many rows support."""
    A = found.area
    tail = (1 - CONFIDENCE) / 2
    if A >= 1.0 or A <= 0.0:
        rows = min(found.least_rows, weights.independent(found.influence.size))
        bound = float(tail ** (1.0 / max(rows, 1.0)))
        return Estimate(A, bound, 1.0) if A >= 1.0 else Estimate(A, 0.0, 1.0 - bound)
    error = float(np.sqrt(weights.sum_of_squares(found.influence)))
    centre, reach = np.log(A / (1 - A)), normal_quantile() * error / (A * (1 - A))
    low, high = (float(1 / (1 + np.exp(-x))) for x in (centre - reach, centre + reach))
    return Estimate(A, low, high)


def area_difference(found: Ranking, reference: Ranking, weights: RowWeights) -> Difference:
    """DeLong's test of two areas over the same rows."""
    error = float(np.sqrt(weights.sum_of_squares(found.influence - reference.influence)))
    return normal_difference(found.area - reference.area, error)
