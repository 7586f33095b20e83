"""The soft slab with the squared hinge loss, over rows that stay where they are.

min over w, b:  ½‖w‖² + Σ u max(0, 1 − m)²,      m = c(w·x + b),   u = C ω

for the plane of two classes, or for those of each of K classes against the rest at once. The multipliers of the rows
are never held: a last pass gives the sums of them that the dual objective is made of.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import SQUARED_HINGE
from discriminant.optimise.margins.slab import SlabOptimum, without_rounding
from discriminant.optimise.passes import minimise_by_passes, risk_of_source
from discriminant.rows import Rows
from discriminant.statistics.overview import Overview
from discriminant.statistics.slab_sums import SlabSums, SlabSumsAt

Array = NDArray[np.float64]

_TIGHTEST, _TIGHT = 1e-10, 1e-8
_SAFETY = 0.1
_SUM_ROUNDING = 1e-14
_SQUARE_ROUNDING = 1e-8


def squared_hinge_of_source(
    source: Rows,
    overview: Overview,
    C: float,
    *,
    class_factor: Array | None,
    max_iterations: int,
    tolerance: float,
) -> tuple[SlabOptimum, ...]:
    """The optimum of a source whose first pass is made; its multipliers are left out (``alpha`` is empty)."""
    risk = risk_of_source(source, overview, loss=SQUARED_HINGE.name, penalty=1.0 / C, class_factor=class_factor)
    loose = _SAFETY * float(np.sqrt(tolerance / risk.total_weight))
    found = minimise_by_passes(risk, tolerance=float(np.clip(loose, _TIGHTEST, _TIGHT)), max_iterations=max_iterations)
    planes = found.u.reshape(risk.criterion.n_planes, -1)
    sums = source.fold(SlabSumsAt(risk.criterion, planes, C))
    return tuple(
        _certify(k, sums, weights, risk.scaling.scale, found.n_iterations)
        for k, weights in enumerate(np.atleast_2d(found.weights))
    )


def _certify(k: int, sums: SlabSums, weights: Array, scale: Array, n_iterations: int) -> SlabOptimum:
    """A plane with both objectives, the dual at the nearest feasible multipliers (see `slab.certify`)."""
    factor = _balance(sums.alpha[k])
    alpha, soft = float(factor @ sums.alpha[k]), float(factor**2 @ sums.loss[k])
    combined = scale * (factor @ sums.combined[k])
    multiple = alpha / max(float(combined @ combined), 1e-300)
    if multiple < 1.0 - _SQUARE_ROUNDING:
        alpha, soft, combined = multiple * alpha, multiple**2 * soft, multiple * combined
    dual = alpha - 0.5 * float(combined @ combined) - soft
    divisor, primal = without_rounding(weights[:-1], float(sums.loss[k].sum()), float(sums.least[k]))
    if primal < dual <= (1.0 + _SUM_ROUNDING) * primal:
        dual = primal
    plane = weights / divisor
    return SlabOptimum(plane[:-1], float(plane[-1]), np.empty(0), primal, dual, n_iterations)


def _balance(sides: Array) -> Array:
    """The factors for the multipliers of either side that make their sums the same."""
    least = float(sides.min())
    if abs(sides[0] - sides[1]) <= _SUM_ROUNDING * least:
        return np.ones(2)
    return np.zeros(2) if least == 0.0 else least / sides
