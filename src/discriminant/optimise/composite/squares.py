"""Least squares under a penalty of each weight, from sums over rows alone.

    min over w:  ½(yy − 2c·w + w′Sw) + Σ g(w)         S = Σω(x − m)(x − m)′,  c = Σω(x − m)(y − ȳ),  yy = Σω(y − ȳ)²

The residuals r are never formed: X′r = c − Sw, r·y = yy − c·w and r·r = yy − 2c·w + w′Sw are all the gap needs.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.composite.newton import least_of_model
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum

Array = NDArray[np.float64]

_NO_ROWS = np.empty((1, 0))


def minimise_squares(
    S: Array, c: Array, yy: float, penalty: WeightPenalty, *, tolerance: float, max_iterations: int
) -> CompositeOptimum:
    """The optimum to a relative gap; the intercept, which the means decide, is left at zero."""
    spread = np.sqrt(np.maximum(np.diagonal(S), 0.0))
    scale = penalty.shared_scale(np.where(spread > 0, spread, 1.0))
    H, cross, scaled = S / np.outer(scale, scale), c / scale, penalty.scaled(scale)
    v = scaled.nearest(np.zeros(len(c)))
    n = 0
    at = _certificate(H, cross, yy, scaled, v)
    while at[0] - at[1] > tolerance * abs(at[0]) and n < max_iterations:
        n += 1
        new = least_of_model(H, H @ v - cross, v, scaled)
        then = _certificate(H, cross, yy, scaled, new)
        if then[0] >= at[0] and then[1] <= at[1]:
            break  # rounding hides what is left to be won
        v, at = new, then
    primal, dual, factor = at
    w, slopes = penalty.unscaled_weights(v, scale), (cross - H @ v) * scale
    reach = np.sqrt(2.0 * max(primal - dual, 0.0) * np.diagonal(H))
    zero = scaled.keeps_zero(factor * (cross - H @ v)[None], reach)
    return CompositeOptimum(
        w[None], np.zeros(1), primal, dual, (primal - dual) / max(abs(primal), 1e-300), _NO_ROWS, factor * slopes[None],
        penalty.violations(w, slopes)[None], penalty.multipliers(w, slopes)[None],
        zero & (w == 0)[None], n,
    )  # fmt: skip


def _certificate(H: Array, c: Array, yy: float, penalty: WeightPenalty, v: Array) -> tuple[float, float, float]:
    """Primal, the better dual of the residuals and of the residuals shrunk, and the factor."""
    curved = H @ v
    along, length = yy - float(c @ v), max(yy - 2.0 * float(c @ v) + float(v @ curved), 0.0)
    slopes = c - curved
    found = [
        (factor * along - 0.5 * factor**2 * length - penalty.conjugate(factor * slopes[None]), factor)
        for factor in (1.0, penalty.greatest_factor(slopes[None]))
    ]
    return 0.5 * length + penalty.value(v), *max(found)
