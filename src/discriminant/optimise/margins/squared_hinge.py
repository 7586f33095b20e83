"""The soft slab with the squared hinge loss, by a method for smooth criteria.

min over w, b:  ½‖w‖² + Σ u max(0, 1 − m)²,      m = c(w·x + b),   u = C ω;      α = 2u max(0, 1 − m)
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.margins.parabolas import least_of_parabolas
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum, certify
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.optimise.row_coefficients import RowCoefficients
from discriminant.optimise.smooth import has_row_coefficients, minimise
from discriminant.statistics.margin_risk import MarginRisk

Array = NDArray[np.float64]

_TIGHTEST = 1e-10
_SAFETY = 0.1
_NEAREST = 1e-8  # a gap that costs little more than a larger one


def squared_hinge(
    slab: SoftSlab, sign: NDArray[np.int8], *, method: str, max_iterations: int, tolerance: float = 0.0
) -> SlabOptimum:
    """The optimum of rows with signs c, to a duality gap of ``tolerance``, relative.

    A score still to be changed by λ leaves a gradient of up to nλ, and the gap is half the square of that beside an
    objective of the order of n. Where it is smaller (rows all but outside the slab), λ is made as small as it will go.
    """
    risk = slab.squared_risk(sign)
    found = _quickest(slab, risk, method, max_iterations, tolerance)
    if found is not None and (abs(found.gap) <= tolerance or found.n_iterations >= max_iterations):
        return found
    loose = max(_SAFETY * float(np.sqrt(tolerance / slab.rows.total_weight)), _TIGHTEST)

    def optimum(start: Array | None, precision: float) -> tuple[Array, SlabOptimum]:
        found = minimise(risk, start=start, method=method, tolerance=precision, max_iterations=max_iterations)
        return found.weights, _certify(slab, sign, found.weights, found.n_iterations)

    if found is None or risk.few is not None:
        weights, found = optimum(None, loose)
        if abs(found.gap) <= tolerance or loose == _TIGHTEST:
            return found
    else:
        weights = np.append(found.w, found.b)
    return optimum(weights, _TIGHTEST)[1]


def _quickest(
    slab: SoftSlab, risk: MarginRisk, method: str, max_iterations: int, tolerance: float
) -> SlabOptimum | None:
    """The optimum of few rows, or of wide sparse ones; None of others, and where rounding is in the way."""
    if method == "auto" and risk.few is not None:
        bottom = least_of_parabolas(risk.few, risk.sign, risk.rows.weight, risk.ridge, max_iterations)
        return None if bottom is None else _certify(slab, risk.sign, risk.to_user(bottom.u), bottom.n_iterations)
    if method in ("auto", "truncated-newton") and has_row_coefficients(risk):
        found = RowCoefficients(risk, 0.0, max_iterations, min(_SAFETY * tolerance, _NEAREST))
        found.descend()
        return _certify(slab, risk.sign, found.weights, found.n_iterations)
    return None


def _certify(slab: SoftSlab, sign: NDArray[np.int8], weights: Array, n_iterations: int) -> SlabOptimum:
    """The plane of weights of the criterion, with its proof."""
    centred, c = slab.centred, sign.astype(np.float64)
    weights = slab.subspace.to_user(weights) if slab.subspace else weights
    plane = centred.centred_plane(weights[:-1], weights[-1])
    alpha = 2.0 * slab.u * np.maximum(0.0, 1.0 - c * centred.scores(plane))
    return certify(centred, c, SlabLoss(slab.u, squared=True), plane, alpha, n_iterations)
