"""Newton's method for the multinomial criterion of K planes, with as much of its curvature as pays for itself.

    ∇²F p = −∇F    solved by conjugate gradients, each a product with ∇²F, given a rough inverse of it: that of
        its diagonal
        C⊗G      what all rows have in common by classes and by columns: one matrix of the columns
        ∇²F      of this step or an earlier one

Every step up this ladder costs more once and saves products. It is made when the products so far would have paid for
it, so that whatever the rows are like no more than about twice the work of the best rung is done.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.linalg.conjugate_gradients import conjugate_gradients
from discriminant.linalg.metric import EPS, metric_of_scatter
from discriminant.optimise.newton import Iteration, QuasiNewtonSteps, Solve
from discriminant.statistics.softmax_curvature import SoftmaxCurvature
from discriminant.statistics.softmax_risk import SoftmaxRisk

Array = NDArray[np.float64]

MOST_WEIGHTS = 1500  # whose curvature is held as one matrix
_MOST_COLUMNS = 5000  # the same of G
_THIN = 3.0  # multiplications of square matrices in the time of one of a matrix by a few columns
_ENTRY = 10.0  # the same for one product of an entry of a sparse row
_CALLS = 2e6  # the same for the calls that a pass is made of
_FIRST = 50.0  # products that C⊗G may cost to start with it
_AT_ONCE = 5.0  # the same for ∇²F to be factored anew for every step
_FIRST_STEPS = 3  # after which the curvature changes slowly
_LEARNING = 25  # steps that learn it, a pass each; where they are enough they take fewer passes than products would
_LEARNT_VECTORS = 40  # they keep
_LITTLE = 1e-9  # the share of the largest eigenvalue below which the probabilities of classes do not vary
_ROUGHEST = 0.25  # the share of the gradient that a step may leave
_NEAR_END = 0.3  # times the root of the tolerance: from there the next step can be the last


@dataclass(frozen=True)
class CurvatureWork:
    """What a product with ∇²F takes, C⊗G and ∇²F with their factors: in multiplications of square matrices."""

    product: float
    near: float
    hessian: float

    @classmethod
    def of(cls, risk: SoftmaxRisk) -> "CurvatureWork":
        """Counted from the shape of the rows, and the entries of sparse ones."""
        (K, size), n, X = risk.shape, risk.rows.n_rows, risk.rows.matrix
        squares = n * float(size) ** 2 / 2
        pairs = squares * K**2
        if risk.scaled_rows.has_few_entries:
            entries = np.diff(X.indptr) + 1.0
            squares = _ENTRY * float(entries @ entries) / 2
            pairs = squares * K * (K - 1) / 2
        return cls(
            2 * K * _n_numbers(risk) * (_ENTRY if sparse.issparse(risk.products_rows.matrix) else _THIN) + _CALLS,
            squares + size**3 / 3,
            pairs + ((K - 1) * size) ** 3 / 3 + _CALLS,
        )

    def in_products(self) -> dict[str, float]:
        """The work of each rung but the lowest, as a number of products."""
        return {"near": self.near / self.product, "hessian": self.hessian / self.product}


def _n_numbers(risk: SoftmaxRisk) -> float:
    """How many numbers of the rows a product takes into account, with the one for the intercept."""
    X = risk.products_rows.matrix
    return float((X.nnz if sparse.issparse(X) else X.size) + X.shape[0])


def newton_pays(risk: SoftmaxRisk) -> bool:
    """Whether ∇²F is factored in the time of a few products."""
    return risk.n_weights <= MOST_WEIGHTS and CurvatureWork.of(risk).in_products()["hessian"] <= _AT_ONCE


def descend_of_classes(at: Iteration) -> None:
    """A few steps by products, then some that learn the curvature from a rough one, on each rung that is paid for."""
    ladder = LadderSteps(_risk(at))
    at.follow(ladder, _FIRST_STEPS)
    while not at.ended and (solve := ladder.next_inverse(at)) is not None:
        at.follow(QuasiNewtonSteps(solve), at.n_iterations + _LEARNING)
    if not at.ended:
        at.follow(ladder)


def newton_step_of_classes(at: Iteration) -> Array:
    """−(∇²F)⁻¹∇F: one Hessian a step."""
    risk = _risk(at)
    curvature = risk.curvature(at.u)
    at.hessian = curvature.reduced()  # of the first K − 1 planes, which tells all of it
    solve, at.deficient = full_inverse(curvature, at.hessian)
    return -risk.by_planes(solve(risk.by_columns(at.gradient)))


def _risk(at: Iteration) -> SoftmaxRisk:
    assert isinstance(at.risk, SoftmaxRisk)
    return at.risk


# --- rough inverses -------------------------------------------------------------------------------------

# The inverse, of weights column by column, and whether columns determine one another.
Rung = Callable[[SoftmaxCurvature], tuple[Solve, bool]]


def diagonal_inverse(curvature: SoftmaxCurvature) -> tuple[Solve, bool]:
    """The inverse of the diagonal, which does not tell whether columns determine one another."""
    diagonal = curvature.diagonal()
    inverse = 1.0 / np.where(diagonal > 0, diagonal, 1.0)
    return lambda g: inverse * g, False


def near_inverse(curvature: SoftmaxCurvature) -> tuple[Solve, bool]:
    """The inverse of C⊗(G + ρ/c̄), c̄ the harmonic mean of C's eigenvalues: ∇²F if rows had the same probabilities."""
    values, vectors = np.linalg.eigh(curvature.over_classes())
    varying = values > _LITTLE * max(float(values[-1]), 0.0)
    inverse = np.where(varying, 1.0 / np.where(varying, values, 1.0), 0.0)
    G = curvature.over_columns()
    G[np.diag_indices_from(G)] += curvature.ridge * (inverse.sum() / max(int(varying.sum()), 1))
    metric = metric_of_scatter(G)
    inverse_C = (vectors * inverse) @ vectors.T

    def solve(g: Array) -> Array:
        return np.asarray(metric.solve(g.reshape(curvature.shape[::-1])) @ inverse_C).ravel()

    return solve, metric.null.shape[1] > 0


def full_inverse(curvature: SoftmaxCurvature, reduced: Array | None = None) -> tuple[Solve, bool]:
    """The inverse of ∇²F, on weights that sum to zero over the classes; ``reduced`` where that is known already."""
    K, size = curvature.shape
    metric = metric_of_scatter(curvature.reduced() if reduced is None else reduced)

    def solve(g: Array) -> Array:
        found = np.zeros((size, K))
        found[:, :-1] = metric.solve(g.reshape(size, K)[:, :-1].T.ravel()).reshape(K - 1, size).T
        return np.asarray(found - found.mean(axis=1, keepdims=True)).ravel()

    return solve, metric.null.shape[1] > 0


# --- steps ----------------------------------------------------------------------------------------------


class LadderSteps:
    """p with ∇²F p ≈ −∇F, the closer the nearer the minimum is (Eisenstat and Walker 1996)."""

    def __init__(self, risk: SoftmaxRisk) -> None:
        cost = CurvatureWork.of(risk).in_products()
        rungs: list[tuple[float, Rung]] = [(0.0, diagonal_inverse)]
        if risk.shape[1] <= _MOST_COLUMNS:
            rungs.append((cost["near"], near_inverse))
        if risk.n_weights <= MOST_WEIGHTS:
            rungs.append((cost["hessian"], full_inverse))
            rungs.pop(0)  # C⊗G is at hand, and tells whether columns determine one another
        elif len(rungs) > 1 and cost["near"] <= _FIRST:
            rungs.pop(0)
        self._rungs = rungs
        self._solve: Solve | None = None
        self._made = 0.0  # products since the last inverse
        self._on_rung = 0.0  # the same since this rung was stepped on
        self._learnt_from: Rung | None = None

    def __call__(self, at: Iteration) -> Array:
        """The next Newton step, by the rung of the ladder that pays now."""
        risk = _risk(at)
        curvature, gradient = risk.curvature(at.u), risk.by_columns(at.gradient)
        solve = self._inverse_for(curvature, at)
        size = float(np.sqrt(max(float(gradient @ solve(gradient)), 0.0) / risk.total_weight))
        fraction = self._fraction(at, size)
        found = conjugate_gradients(curvature.times, -gradient, solve, fraction, self._most_products(at))
        at.n_passes += found.n_products
        self._count(found.n_products)
        planes = (found.x if found.n_products else found.step_left).reshape(curvature.shape[::-1]).T
        step = np.asarray(planes - planes.mean(axis=0)).ravel()  # what all have in common changes no probability
        if found.reached and size <= _NEAR_END * np.sqrt(at.tolerance):
            at.remainder = _left_by(at, step, size, fraction * size)
        return step

    def _count(self, products: int) -> None:
        self._made += products
        self._on_rung += products

    def next_inverse(self, at: Iteration) -> Solve | None:
        """A rough inverse to learn from, counting the steps that will: first of the rung stood on, then of a paid one.

        None where there is no such, or the vectors that are kept would take more room than the rows.
        """
        risk = _risk(at)
        if self._learnt_from is self._rungs[0][1] and not self._climbs():
            return None
        self._learnt_from = self._rungs[0][1]
        if self._learnt_from is diagonal_inverse or _LEARNT_VECTORS * at.u.size > _n_numbers(risk):
            return None
        solve, _ = self._learnt_from(risk.curvature(at.u))
        self._solve, self._made = solve, np.inf  # to be made anew when it is used again
        self._on_rung += _LEARNING
        return lambda g: risk.by_planes(solve(risk.by_columns(g)))

    def _climbs(self) -> bool:
        """Step up if the products so far would have paid for it."""
        paid = len(self._rungs) > 1 and self._on_rung >= self._rungs[1][0]
        if paid:
            self._rungs.pop(0)
            self._made, self._on_rung = np.inf, 0.0
        return paid

    def _inverse_for(self, curvature: SoftmaxCurvature, at: Iteration) -> Solve:
        """The rough inverse, made anew where the products since the last would have paid for it."""
        self._climbs()
        cost, make = self._rungs[0]
        if self._solve is None or self._made >= cost:
            first = self._solve is None
            self._solve, deficient = make(curvature)
            at.deficient = at.deficient or (first and deficient)
            self._made = 0.0
        return self._solve

    def _most_products(self, at: Iteration) -> int:
        """Until the next rung is paid for."""
        if len(self._rungs) == 1:
            return 10 * at.u.size
        return int(max(self._rungs[1][0] - self._on_rung, 1.0)) + 1

    def _fraction(self, at: Iteration, size: float) -> float:
        """The share of the gradient that the step may leave: near the end as little as the tolerance allows.

        Below the rounding of the gradient there is nothing to solve. The iteration would go far along directions in
        which F is flat.
        """
        rounding = EPS * np.sqrt(at.u.size) / max(size, 1e-300)
        wanted = min(_ROUGHEST, np.sqrt(size))
        if size <= _NEAR_END * np.sqrt(at.tolerance):
            wanted = min(_ROUGHEST, _NEAR_END * at.tolerance / max(size, 1e-300))
        return float(min(max(wanted, rounding), 1.0))


def _left_by(at: Iteration, step: Array, size: float, left: float) -> float:
    """A bound of the next step's size: what the equations leave, and what the curvature changes along this one.

    Where no score changes by more than δ, the curvature changes by a share of 2δ at most.
    """
    risk = _risk(at)
    length = float(np.sqrt(max(-float(step @ at.gradient), 0.0) / risk.total_weight))
    furthest = float(np.abs(risk.scaled_rows.scores(step.reshape(risk.shape))).max())
    return left * max(length / max(size, 1e-300), 1.0) + 2.0 * furthest * length
