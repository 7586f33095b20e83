"""Which point of an operating curve is best for a purpose: pure functions from a curve to an index.

Of points that are equally good, the highest θ is taken: it assigns the positive class to the fewest rows.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.bounds import most_wrong, rows_needed
from discriminant.gain.curve import OperatingCurve
from discriminant.parameters import read_count, read_share

Array = NDArray[np.float64]

# Of the largest value: what rounding can do to values that are equal.
_SLACK = 1e-12


def first_best(merit: Array) -> int:
    """The first of the largest values, rounding aside."""
    return int(_nearly_largest(merit).argmax())


def _nearly_largest(merit: Array) -> NDArray[np.bool_]:
    best = float(merit.max())
    return np.asarray(merit >= best - _SLACK * max(abs(best), abs(float(merit.min()))))


def least_errors(curve: OperatingCurve) -> int:
    """Youden: least P_M + P_F."""
    return first_best(-(curve.misdetect + curve.false_alarm))


def best_of_worst(curve: OperatingCurve, gain: Array) -> int:
    """Minimax: the largest gain in the class that gains least; of equals, the one with the most in the other class."""
    i = curve.positive_place
    j = 1 - i
    of_positives = gain[i, i] - curve.misdetect * (gain[i, i] - gain[i, j])
    of_negatives = gain[j, j] - curve.false_alarm * (gain[j, j] - gain[j, i])
    best = np.flatnonzero(_nearly_largest(np.minimum(of_positives, of_negatives)))
    return int(best[first_best((of_positives + of_negatives)[best])])


def within_misdetect(curve: OperatingCurve, bound: float, confidence: float | None) -> int:
    """Neyman–Pearson: least P_F with P_M ≤ bound; then least P_M."""
    allowed = _most_wrong_rows(curve, "misdetect", bound, confidence)
    enough = curve.positive_weight - curve.detected <= allowed
    if not enough.any():
        raise ValueError(
            f"no threshold keeps the misdetect rate at {bound:g}: the rows with a score of -infinity alone exceed it"
        )
    highest = int(enough.argmax())
    return int(np.searchsorted(curve.alarms, curve.alarms[highest], side="right")) - 1


def within_false_alarm(curve: OperatingCurve, bound: float, confidence: float | None) -> int:
    """Neyman–Pearson: least P_M with P_F ≤ bound; then least P_F."""
    allowed = _most_wrong_rows(curve, "false-alarm", bound, confidence)
    lowest = _last_within(curve.alarms, allowed)
    return int(np.searchsorted(curve.detected, curve.detected[lowest], side="left"))


def within_budget(curve: OperatingCurve, budget: Any, priors: Any) -> int:
    """The lowest θ that assigns no more than a number of rows or a share; rows of one score are in or out together."""
    if isinstance(budget, int | np.integer) and not isinstance(budget, bool):
        assigned, allowed = curve.detected + curve.alarms, float(read_count(budget, "budget"))
    else:
        assigned, allowed = assigned_share(curve, priors), read_share(budget, "budget") * (1 + _SLACK)
    return _last_within(assigned, allowed)


def assigned_share(curve: OperatingCurve, priors: Any) -> Array:
    """How much of all is assigned the positive class, at every θ."""
    if priors is None:
        return (curve.detected + curve.alarms) / (curve.positive_weight + curve.negative_weight)
    p = curve.priors(priors)
    i = curve.positive_place
    return np.asarray(p[i] * (1 - curve.misdetect) + p[1 - i] * curve.false_alarm)


def _last_within(rising: Array, allowed: float) -> int:
    """The last point with no more than is allowed; the first one has nothing."""
    return int(np.searchsorted(rising, allowed, side="right")) - 1


def _most_wrong_rows(curve: OperatingCurve, name: str, bound: float, confidence: float | None) -> float:
    """How many rows (Σω) of a class may be wrong."""
    curve.refuse_missing_class()
    n = curve.positive_weight if name == "misdetect" else curve.negative_weight
    if confidence is None:
        return bound * n * (1 + _SLACK)
    if not curve.whole_weights:
        raise ValueError(
            "a confidence needs rows that count once (or a whole number of times); leave the weights out, or ask for "
            "the rate among these rows without confidence="
        )
    allowed = most_wrong(int(n), bound, confidence)
    if allowed < 0:
        kind = "positive" if name == "misdetect" else "negative"
        raise ValueError(
            f"{int(n)} rows of the {kind} class cannot support a {name} rate of at most {bound:g} with confidence "
            f"{confidence:g}: even without a single error at least {rows_needed(bound, confidence)} rows are needed"
        )
    return float(allowed)
