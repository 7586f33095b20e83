"""What a fixed rule earns, from the gains g_i of rows it had not seen, with an interval (analytic, not a bootstrap).

Rows as they come (priors None):      E = Σω g/Σω                 Var = s²/n
Known priors π of the classes:        E = Σ_k π_k ḡ_k             Var = Σ_k π_k² s_k²/n_k

with n = Σω (a weight is a number of repetitions). The first is computed class by class as well, with π_k = n_k/n and
the variance of those shares added. The normal interval is too narrow where large losses are rare, for they are then
likely to be missing from the rows. So, as Agresti and Caffo do for a difference of two proportions, two pseudo-rows
are added to each class, one with the least and one with the largest gain a row of the class can have, and one
to each n_k in the shares, before means and variances are taken.

A rule that was chosen by its gain among rows is uncertain itself. What it earned there beyond what rules of its kind
earn on other rows is its optimism; of a rule near the best one, half of that is chance in those rows and half what the
rule falls short of the best (as for any parameter found by a maximum). So half the optimism enters as a standard error
of its own; it is nothing for a rule that was not chosen by gain.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discriminant.decisions.held_out import HeldOut
from discriminant.decisions.rules import Rule
from discriminant.gain.alignment import least_and_largest
from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class GainEstimate:
    """A mean gain and bounds on it."""

    mean: float
    low: float
    high: float


def estimated_gain(
    gains: Array,
    codes: Codes,
    weight: Array,
    range_of_class: Array,
    priors: Array | None = None,
    confidence: float = 0.95,
    optimism: float = 0.0,
) -> GainEstimate:
    """The mean gain of rows and an interval for its expectation; ``range_of_class`` is K×2, least and largest gain."""
    z = float(special.ndtri(0.5 + confidence / 2.0))
    K = len(range_of_class)
    counts, sums, squares = (_by_class(codes, weight * power, K) for power in (1.0, gains, gains**2))
    mean = _mean(gains, codes, counts, sums, priors)
    n, means, variances = _with_pseudo_rows(counts, sums, squares, range_of_class)
    pi = (counts + 1.0) / (counts.sum() + K) if priors is None else priors
    centre = float(pi @ means)
    variance = float(pi**2 @ (variances / n))
    if priors is None:  # how many rows of each class there are is chance too
        variance += float(pi @ (means - centre) ** 2) / (float(counts.sum()) + K)
    half = z * float(np.sqrt(variance + (optimism / 2.0) ** 2))
    least, largest = _reachable(range_of_class, priors)
    return GainEstimate(mean, max(centre - half, least), min(centre + half, largest))


def held_out_gain(held: HeldOut, rule: Rule, assigned: NDArray[np.intp], priors: Array | None) -> GainEstimate:
    """What a rule earns, from assignments by rules that held-out rows had no part in, and from its own."""
    judged = held.gain.realised(held.codes, assigned)
    weight = held.weight
    if held.groups is not None:  # rows of a group say less than as many independent ones
        weight = weight * (RowWeights(weight, held.groups).worth(judged) / weight.sum())
    of_rows = held.codes, weight, least_and_largest(held.gain), priors
    apparent = held.gain.realised(held.codes, rule.assign(held.scores, held.gain))
    optimism = estimated_gain(apparent, *of_rows).mean - estimated_gain(judged, *of_rows).mean
    return estimated_gain(judged, *of_rows, optimism=max(optimism, 0.0))


def _mean(gains: Array, codes: Codes, counts: Array, sums: Array, priors: Array | None) -> float:
    """E, which lies among the gains it is a mean of whatever the rounding: where all rows earn the same, E is that."""
    if priors is None:
        return float(np.clip(sums.sum() / counts.sum(), gains.min(), gains.max()))
    least, largest = np.full(counts.size, np.inf), np.full(counts.size, -np.inf)
    np.minimum.at(least, codes, gains)
    np.maximum.at(largest, codes, gains)
    seen = counts > 0
    means = np.zeros(counts.size)
    means[seen] = np.clip(sums[seen] / counts[seen], least[seen], largest[seen])
    return float(np.clip((priors * means).sum(), means.min(), means.max()))


def _reachable(ranges: Array, priors: Array | None) -> tuple[float, float]:
    """The least and the largest expected gain there can be."""
    if priors is None:
        return float(ranges[:, 0].min()), float(ranges[:, 1].max())
    return float((priors * ranges[:, 0]).sum()), float((priors * ranges[:, 1]).sum())


def _with_pseudo_rows(counts: Array, sums: Array, squares: Array, ranges: Array) -> tuple[Array, Array, Array]:
    """(n_k, mean, variance) of each class with one more row at either end of its range."""
    n = counts + 2.0
    means = (sums + ranges.sum(axis=1)) / n
    variances = np.maximum((squares + (ranges**2).sum(axis=1)) / n - means**2, 0.0)
    return n, means, variances


def _by_class(codes: Codes, values: Array, n_classes: int) -> Array:
    return np.bincount(codes, weights=values, minlength=n_classes).astype(np.float64)
