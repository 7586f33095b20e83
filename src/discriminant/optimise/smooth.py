"""The minimum of a smooth convex criterion that is a sum over rows: which method, and from where.

newton            one Hessian a step; for few columns or few rows
quasi-newton      one pass over the rows a step, from the Hessian of some of them; for many rows, or many columns
truncated-newton  a pass for each product with the Hessian; where the others learn too slowly, and for wide sparse rows
                  under a penalty, whose coefficients are then the unknowns

"auto" takes Hessians, where they are small enough, only as often as that saves passes over the rows (`lagged_newton`).
"""

from typing import Literal, TypeGuard, get_args

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.linalg.metric import metric_of_scatter
from discriminant.losses import SQUARED_HINGE, Loss
from discriminant.optimise.lagged_newton import LaggedNewtonSteps, hessian_in_passes
from discriminant.optimise.multinomial import descend_of_classes, newton_pays, newton_step_of_classes
from discriminant.optimise.newton import (
    Iteration,
    QuasiNewtonSteps,
    Solve,
    newton_step,
    truncated_newton_step,
)
from discriminant.optimise.rare_columns import has_rare_columns
from discriminant.optimise.row_coefficients import RowCoefficients
from discriminant.statistics.correlations import mostly_chance
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.origin_risk import OriginRisk
from discriminant.statistics.penalised_risk import PenalisedRisk
from discriminant.statistics.softmax_risk import SoftmaxRisk

Array = NDArray[np.float64]

Method = Literal["auto", "newton", "quasi-newton", "truncated-newton"]
METHODS: tuple[Method, ...] = get_args(Method)

_SAMPLE_ROWS, _SAMPLED = 10_000, 16  # rows of a sample; one of so many, where the steps correct its Hessian
_FEW_PASSES = 5.0  # in the time of a Hessian; Newton's method takes four or five, steps by that of a sample dozens
_LEAST_FACTOR = 4  # rows of the sample for each weight
_MOST_SAMPLE_WORK = 5e8  # multiplications for its Hessian
MOST_HESSIAN_WEIGHTS = 1500
MOST_FACTORED = 12_000  # rows and columns of a matrix, of a gigabyte
_ENOUGH_FACTOR, _MANY_WEIGHTS = 30, 100
_ENOUGH_OF_CLASSES = 25  # rows of the sample for each weight of several planes, for its Hessian to serve all rows
_MORE_THAN_WEIGHTS = 100  # rows by which dependent columns are told from independent ones
_LEAST_SHARE = 1e-6
_SAMPLE_STEPS = 6
_GAP_OF_TOLERANCE = 1e-2  # a bound of what is left of F, relative, that is as good as scores which change by no more
_PATIENCE, _PATIENCE_OF_MANY = 40, 100  # quasi-Newton steps before a better curvature is asked for


def minimise(
    risk: PenalisedRisk,
    *,
    start: Array | None = None,
    method: str = "auto",
    tolerance: float = 1e-6,
    max_iterations: int = 200,
) -> Iteration:
    """The minimum of a risk, from ``start`` (in the units of the columns) or from that of a sample of the rows."""
    if start is None and method in ("auto", "truncated-newton") and has_row_coefficients(risk):
        found = row_coefficients(risk, tolerance, max_iterations, _GAP_OF_TOLERANCE * tolerance)
        if not found.lost:
            return _at_coefficients(risk, found)
    if method == "newton" and risk.n_weights > MOST_FACTORED:
        raise ValueError(
            f"solver='newton' would factor a matrix of {risk.n_weights:,} rows and columns; take 'auto' or "
            "'truncated-newton'"
        )
    lagged = method == "auto" and bends_gradually(risk)
    sample = _sample_size(risk, lagged) if max_iterations else 0  # without a step the weights stay where they begin
    chosen = _method_for(risk, sample) if method == "auto" else method
    u = None if start is None else risk.from_user(start)
    curvature: Solve | None = None
    deficient = False
    if max_iterations == 0:
        sample = 0  # whoever asks for no step asks for the weights before any
    elif method == "auto" and chosen == "truncated-newton":
        sample = 0  # the first steps on all rows take few products, fewer than a Hessian of the sample is worth
    if sample and (u is None or chosen == "quasi-newton"):
        if u is None and has_rare_columns(risk.rows.matrix, sample):
            chosen = _method_for(risk, 0) if method == "auto" else method
        else:
            near, curvature, deficient = start_from_sample(risk, sample, u)
            u = near if u is None else u
    at = Iteration(risk, np.zeros(risk.n_weights) if u is None else u, tolerance, max_iterations, chosen, deficient)
    if lagged and risk.n_weights <= MOST_HESSIAN_WEIGHTS:
        at.follow(LaggedNewtonSteps(risk, curvature))
        if at.hessian is None and not (risk.penalty or _sample_size(risk, lagged=False)):
            at.hessian = risk.hessian(at.u)  # which a likelihood is asked for, of rows that are not many
    else:
        descend(at, curvature)
    return at


def bends_gradually(risk: PenalisedRisk) -> bool:
    """Whether the curvature of a plane's criterion at one point tells something of that at another."""
    loss = _loss_of(risk)
    return loss is not None and loss is not SQUARED_HINGE  # whose rows have all of it or none


def _loss_of(risk: PenalisedRisk) -> Loss | None:
    """The loss of the margin, None where there are several planes."""
    plane = risk.whole if isinstance(risk, OriginRisk) else risk
    return plane.loss if isinstance(plane, MarginRisk) else None


def has_row_coefficients(risk: PenalisedRisk) -> TypeGuard[MarginRisk | OriginRisk]:
    """Whether products with sparse rows are all that is cheap, and a penalty keeps the weights in their space."""
    plane = risk.whole if isinstance(risk, OriginRisk) else risk
    if not (isinstance(plane, MarginRisk) and risk.penalty and sparse.issparse(risk.rows.matrix)):
        return False
    return risk.n_weights > min(MOST_HESSIAN_WEIGHTS, risk.n_rows)


def row_coefficients(
    risk: MarginRisk | OriginRisk, tolerance: float, max_iterations: int, gap: float
) -> RowCoefficients:
    """The minimum over coefficients of the rows."""
    plane = risk.whole if isinstance(risk, OriginRisk) else risk
    found = RowCoefficients(plane, tolerance, max_iterations, gap, risk.has_intercept)
    found.descend()
    return found


def _at_coefficients(risk: MarginRisk | OriginRisk, found: RowCoefficients) -> Iteration:
    start = risk.from_user(found.weights)
    at = Iteration(risk, start, found.tolerance, found.max_iterations, "truncated-newton")
    at.step_left, at.n_iterations = found.step_left, found.n_iterations
    return at


def descend(at: Iteration, curvature: Solve | None) -> None:
    """The steps of the method of an iteration; of those that learn the curvature from a given inverse Hessian."""
    risk, max_iterations, chosen = at.risk, at.max_iterations, at.method
    if chosen == "quasi-newton":
        patience = _PATIENCE if risk.n_weights <= MOST_HESSIAN_WEIGHTS else _PATIENCE_OF_MANY
        if curvature is None:
            curvature, at.deficient = _curvature_at(risk, at.u)
        at.follow(QuasiNewtonSteps(curvature), min(max_iterations, patience))
        if at.converged or at.n_iterations >= max_iterations:
            return
    by_hessian = chosen == "newton" or (chosen == "quasi-newton" and risk.n_weights <= MOST_HESSIAN_WEIGHTS)
    if isinstance(risk, SoftmaxRisk) and chosen != "newton":
        descend_of_classes(at)
    elif isinstance(risk, SoftmaxRisk):
        at.follow(newton_step_of_classes)
    else:
        at.follow(newton_step if by_hessian else truncated_newton_step)


def _sample_size(risk: PenalisedRisk, lagged: bool) -> int:
    """Rows enough to estimate a Hessian from, or 0 where that is not worth while."""
    if risk.scaled_rows.has_few_entries and (
        lagged or (_loss_of(risk) is SQUARED_HINGE and hessian_in_passes(risk) < _FEW_PASSES)
    ):
        return 0  # as a Hessian of all rows takes few passes
    p = risk.n_weights
    most = risk.rows.n_rows / _SAMPLED if lagged else _SAMPLE_ROWS
    m = int(max(min(_SAMPLE_ROWS, most, _MOST_SAMPLE_WORK / p**2), _LEAST_FACTOR * p))
    return m if 4 * m <= risk.rows.n_rows and p <= MOST_HESSIAN_WEIGHTS else 0


def _method_for(risk: PenalisedRisk, sample: int) -> str:
    if isinstance(risk, SoftmaxRisk) and sample < _ENOUGH_OF_CLASSES * risk.n_weights:
        return "newton" if newton_pays(risk) else "truncated-newton"
    return "quasi-newton" if sample or risk.n_weights > MOST_HESSIAN_WEIGHTS else "newton"


def start_from_sample(risk: PenalisedRisk, sample: int, start: Array | None) -> tuple[Array, Solve, bool]:
    """Where to start, an inverse Hessian, and whether columns may determine one another: from a sample of the rows.

    By Newton steps, of which the first, from zero, is least squares. Where rows are few for each weight and the
    correlations of the columns little more than chance, the diagonal alone is the better curvature.
    """
    u = np.zeros(risk.n_weights) if start is None else start
    if u.size > _MANY_WEIGHTS and sample < _ENOUGH_FACTOR * u.size:
        fewest = risk.of_sample(u.size + _MORE_THAN_WEIGHTS)
        H = fewest.hessian(u)
        if mostly_chance(H, u.size + _MORE_THAN_WEIGHTS):
            diagonal = np.where(np.diagonal(H) > 0, np.diagonal(H), 1.0)
            return u, lambda g: g / diagonal, _is_deficient(H)
    few = risk.of_sample(sample)
    H = np.empty((0, 0))
    solve: Solve

    def bounded_newton_step(at: Iteration) -> Array:
        nonlocal H, solve
        H = few.hessian(at.u)
        solve = metric_of_scatter(_bound_inverse(H)).solve
        return -solve(at.gradient)

    at = Iteration(few, u, float(np.sqrt(u.size / sample)), _SAMPLE_STEPS)
    at.follow(bounded_newton_step)
    return at.u, solve, _is_deficient(H)


def _bound_inverse(H: Array) -> Array:
    """A Hessian of some rows with a bounded inverse: they may hold nothing of a direction that others do."""
    diagonal = np.diagonal(H)
    mean = diagonal.mean()
    H = H + np.diag(np.where(diagonal > 0, _LEAST_SHARE * diagonal, mean if mean > 0 else 1.0))
    return np.asarray(H)


def _is_deficient(H: Array) -> bool:
    return bool(metric_of_scatter(H).null.shape[1] > 0)


def _curvature_at(risk: PenalisedRisk, u: Array) -> tuple[Solve, bool]:
    """An inverse Hessian, of many weights its diagonal; and whether columns determine one another."""
    if risk.n_weights <= MOST_HESSIAN_WEIGHTS:
        metric = metric_of_scatter(risk.hessian(u))
        return metric.solve, metric.null.shape[1] > 0
    diagonal = risk.diagonal(u)
    return lambda g: g / np.where(diagonal > 0, diagonal, 1.0), False
