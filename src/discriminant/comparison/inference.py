"""What rows say about a mean, and about the difference of two, of which every row is judged by both.

    mean          ḡ = Σωg/Σω,   se² = Σω(g − ḡ)²/(N(N − 1)), N = Σω, for weights that are whole numbers: repetitions
                                se² = Σω²(g − ḡ)²/(Σω)² · m/(m − 1), m = (Σω)²/Σω², for any other weights
    share         Wilson's interval, for N (or m) rows
    groups        rows of a group (a patient) are not independent: sums of ω(g − ḡ) over groups take the place of rows,
                  and N is the number of independent rows that would know the mean as well
    difference    the mean of g − g′ over rows, with Student's t; for right and wrong answers the exact test of McNemar:
                  of the rows only one of two learners gets right, b and c, b ~ Binomial(b + c, ½)

Rows are what is counted. The tempting alternative, a t-test of V fold averages, takes averages for independent that
share most of their training rows; it has no valid level (Dietterich 1998; Bengio and Grandvalet 2004). Averages over
the rows of a cross-validation are asymptotically normal about the mean error of its V models, with the variance above,
for learners that a single row does not upset (Bayle, Bayle, Janson and Mackey 2020).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Estimate:
    """A value with its 95% interval."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.value:.4g} [{self.low:.4g}, {self.high:.4g}]"


@dataclass(frozen=True)
class Difference(Estimate):
    """The difference of a learner to the best one, with the p-value of a paired two-sided test that there is none."""

    p_value: float

    def __str__(self) -> str:
        return f"{super().__str__()}, p = {self.p_value:.3g}"


def mean_estimate(values: Array, weights: RowWeights) -> Estimate:
    """ḡ ± t·se; no interval where some value is infinite."""
    if not np.isfinite(values).all():
        return Estimate(weights.mean(values), np.nan, np.nan)
    mean = weights.mean(values)
    reach = _t_quantile(weights.independent(values.size)) * weights.standard_error(values)
    return Estimate(mean, mean - reach, mean + reach)


def share_estimate(holds: NDArray[np.bool_], weights: RowWeights) -> Estimate:
    """A share by Wilson's score interval: those p with |p̂ − p| ≤ z√(p(1 − p)/N)."""
    shares = holds.astype(np.float64)
    p, N, z = weights.mean(shares), weights.worth(shares), normal_quantile()
    centre = (p + z * z / (2 * N)) / (1 + z * z / N)
    reach = z / (1 + z * z / N) * np.sqrt(p * (1 - p) / N + z * z / (4 * N * N))
    return Estimate(p, float(np.clip(centre - reach, 0.0, p)), float(np.clip(centre + reach, p, 1.0)))


def mean_difference(values: Array, reference: Array, weights: RowWeights) -> Difference:
    """The difference of two means over the same rows, by Student's t of their paired differences."""
    if not (np.isfinite(values).all() and np.isfinite(reference).all()):
        return Difference(weights.mean(values) - weights.mean(reference), np.nan, np.nan, np.nan)
    apart = values - reference
    mean, error = weights.mean(apart), weights.standard_error(apart)
    N = weights.independent(values.size)
    reach = _t_quantile(N) * error
    return Difference(mean, mean - reach, mean + reach, _two_sided(mean, error, N - 1))


def share_difference(holds: NDArray[np.bool_], reference: NDArray[np.bool_], weights: RowWeights) -> Difference:
    """The interval of the paired mean, with McNemar's exact p-value (of t, for other weights and for groups)."""
    found = mean_difference(holds.astype(np.float64), reference.astype(np.float64), weights)
    if not weights.whole or weights.groups is not None:
        return found
    counts = weights.counts(holds.size)
    p = mcnemar(float(counts[holds & ~reference].sum()), float(counts[reference & ~holds].sum()))
    return Difference(found.value, found.low, found.high, p)


def mcnemar(b: float, c: float) -> float:
    """P(as uneven as b : c | even chances), two-sided.

    >>> mcnemar(1, 8), mcnemar(3, 3)
    (0.0390625, 1.0)
    """
    return float(min(1.0, 2.0 * special.bdtr(min(b, c), int(b + c), 0.5)))


def normal_difference(apart: float, error: float) -> Difference:
    """The interval and the p-value of a difference that is normal, with this standard error."""
    reach = normal_quantile() * error
    return Difference(apart, apart - reach, apart + reach, _two_sided(apart, error, np.inf))


def normal_quantile() -> float:
    """The normal quantile z of the confidence level."""
    return float(special.ndtri((1 + CONFIDENCE) / 2))


def _t_quantile(N: float) -> float:
    return float(special.stdtrit(N - 1, (1 + CONFIDENCE) / 2)) if N > 1 else np.inf


def _two_sided(value: float, error: float, degrees: Any) -> float:
    if value == 0.0:
        return 1.0
    if error == 0.0:
        return 0.0
    z = -abs(value) / error
    return float(2.0 * (special.ndtr(z) if np.isinf(degrees) else special.stdtr(degrees, z)))
