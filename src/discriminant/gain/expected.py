"""What a threshold earns: E = −P_M P1(α − β) − P_F P2(δ − γ) + αP1 + δP2 at every θ (the symbols are those of `rates`).

(At P_F = .5 the lecture notes this follows print a gain of .399 in their table; their own worked table, and the
formula, give .393.)
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.gain.alignment import align_with_curve, square_gain
from discriminant.gain.curve import OperatingCurve
from discriminant.gain.matrix import read_gain
from discriminant.gain.rates import gain_of_rates, read_rates
from discriminant.parameters import read_priors

Array = NDArray[np.float64]


def gain_of_counts(curve: OperatingCurve, gain: Array) -> Array:
    """The mean gain of the rows themselves at every θ, also where one class has no rows."""
    i = curve.positive_place
    j = 1 - i
    total = curve.positive_weight + curve.negative_weight
    never = curve.positive_weight * gain[i, j] + curve.negative_weight * gain[j, j]
    earned: Array = curve.detected * ((gain[i, i] - gain[i, j]) / total)
    earned += curve.alarms * ((gain[j, i] - gain[j, j]) / total)
    earned += never / total
    return earned


def expected_gain(
    curve: Any, gain: Any, priors: ArrayLike | Mapping[Any, float] | None = None, *, positive: Any = None
) -> Array:
    """The expected gain of a row at every θ of a curve, or at given rates.

    Parameters
    ----------
    curve : an `OperatingCurve`; or a pair (misdetect, false_alarm) of rates, numbers or arrays.
    gain : a `Gain`, or a 2×2 matrix, true × assigned in the order of the classes.
    priors : class probabilities in the same order, or a mapping; of a curve by default the shares of its rows.
    positive : for bare rates, the class to be detected: a label of the gain, or 0 or 1 where it has none. By default
        the first, as the formula is written; a curve knows its own.

    Returns
    -------
    array
        E = −P_M P1(α − β) − P_F P2(δ − γ) + αP1 + δP2 at every θ.

    Examples
    --------
    >>> expected_gain((0.363, 0.4), [[2, -3], [-4, 4]], priors=[0.6, 0.4]).round(3).item()
    0.431
    """
    if isinstance(curve, OperatingCurve):
        if positive is not None:
            raise ValueError("a curve knows its positive class; give positive= to operating_curve")
        return gain_along(curve, gain, priors)
    try:
        misdetect, false_alarm = curve
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"give an OperatingCurve or a pair (misdetect, false_alarm), got {type(curve).__name__}"
        ) from error
    value = square_gain(read_gain(gain), 2)
    if priors is None:
        raise ValueError("rates alone do not say how common the classes are; give priors=")
    p_m, p_f = np.broadcast_arrays(read_rates(misdetect, "misdetect"), read_rates(false_alarm, "false_alarm"))
    p = read_priors(priors, np.array(value.labels, dtype=object), np.ones(2))
    place = 0 if positive is None else value.place_of(positive)
    return gain_of_rates(p_m, p_f, value.matrix, p, place)


def gain_along(curve: OperatingCurve, gain: Any, priors: Any = None) -> Array:
    """E at every θ of a curve."""
    matrix = align_with_curve(gain, curve).matrix
    if priors is None:
        return gain_of_counts(curve, matrix)
    p = curve.priors(priors)
    return gain_of_rates(curve.misdetect, curve.false_alarm, matrix, p, curve.positive_place)
