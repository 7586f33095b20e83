"""How sure what a threshold earns is: bounds on E(θ) from those on its rates.

    E(θ) = E₀ − c_M P_M(θ) − c_F P_F(θ),      c_M = P1(α − β),   c_F = P2(δ − γ)

Exact binomial bounds on both rates are put together as independent errors add:

    E − E_low = √((c_M ΔP_M)² + (c_F ΔP_F)²)

with each Δ the distance to the bound of its rate that lowers E (for E_high, the one that raises it). They hold at each
θ for itself, with the priors taken as known.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.alignment import align_with_curve
from discriminant.gain.curve import OperatingCurve
from discriminant.gain.expected import gain_along

Array = NDArray[np.float64]


class Band(NamedTuple):
    """Bounds on the expected gain at every θ."""

    low: Array
    high: Array


def gain_band(curve: OperatingCurve, gain: Any, priors: Any = None, confidence: float = 0.95) -> Band:
    """Bounds on the expected gain at every θ of a curve, each for itself; priors are taken as known.

    >>> from discriminant.gain.curve import operating_curve
    >>> curve = operating_curve([0] * 50 + [1] * 50, np.arange(100.0))
    >>> band = gain_band(curve, np.eye(2))
    >>> round(float(band.low[50]), 3), round(float(band.high[50]), 3)
    (0.95, 1.0)
    """
    g = align_with_curve(gain, curve).matrix
    i = curve.positive_place
    p = curve.priors(priors)
    # what each rate takes from E
    costs = p[i] * (g[i, i] - g[i, 1 - i]), p[1 - i] * (g[1 - i, 1 - i] - g[1 - i, i])
    bounds = curve.bands(confidence)
    rates = ((curve.misdetect, bounds[0], bounds[1]), (curve.false_alarm, bounds[2], bounds[3]))
    lowered, raised = np.zeros(len(curve)), np.zeros(len(curve))
    for cost, (rate, low, high) in zip(costs, rates, strict=True):
        worse, better = (high - rate, rate - low) if cost >= 0 else (rate - low, high - rate)
        lowered, raised = np.hypot(lowered, cost * worse), np.hypot(raised, cost * better)
    along = gain_along(curve, gain, p)
    return Band(along - lowered, along + raised)
