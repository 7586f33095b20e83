"""Regressions of wide sparse rows from the products of every two of them, n×n.

With A the centred rows (each times the root of its weight), the shortest minimum of ‖Av − t‖² + λ‖v‖² is v = A′u with
(AA′ + λI)u = t, or as near to t as rows that depend on one another allow. One factor of AA′ + (λ + δ)I, with δ just
above the rounding of the products, serves all steps of

    u ← u + (AA′ + (λ + δ)I)⁻¹ (t − A A′u − λu),

whose residuals are formed from A itself: a step leaves δ/(σ² + λ + δ) of the error along a singular value σ of A. A
part of the rows has a part of the products: folds share them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from discriminant.rows.matrix import Matrix

Array = NDArray[np.float64]

MOST_ROWS = 5000
_BLOCK = 512
_ROUNDING = 1e-12  # of the sum of squares: δ
_STEPS = 100
_ROUNDS, _SHRINKINGS = 3, 4
_MORE, _AMPLE = 30.0, 1000.0  # times δ: for another try; a λ that keeps u small by itself
_STALLED = 0.5  # a step that leaves more than this of the gradient has met rounding
_ENOUGH = 1e-8  # of a relative gradient then


@dataclass(frozen=True)
class RowProducts:
    """x_i·x_j of all rows."""

    products: Array

    @classmethod
    def of(cls, matrix: Matrix) -> "RowProducts":
        """Multiply blocks of rows, each with itself and those below it."""
        n = matrix.shape[0]
        products = np.empty((n, n))
        for a in range(0, n, _BLOCK):
            b = min(a + _BLOCK, n)
            products[a:b, a:] = (matrix[a:b] @ matrix[a:].T).toarray()
            products[b:, a:b] = products[a:b, b:].T
        return cls(products)

    def take(self, rows: NDArray[np.intp]) -> "RowProducts":
        """The products of some of the rows."""
        return RowProducts(self.products[np.ix_(rows, rows)])

    def centred(self, along_mean: Array, mean_square: float, root_weight: Array) -> Array:
        """AA′, for the mean m by x_i·m and m·m."""
        centred = self.products - along_mean[:, None]
        centred -= along_mean
        centred += mean_square
        centred *= root_weight[:, None]
        centred *= root_weight
        return np.asarray(centred)


@dataclass(frozen=True)
class RowSolution:
    """v (d), whether it is the minimum to the tolerance, and the relative gradient left."""

    v: Array
    within_tolerance: bool
    gradient_left: float

    @property
    def converged(self) -> bool:
        """Whether no more than rounding is left."""
        return self.within_tolerance or self.gradient_left <= _ENOUGH


def solve_by_products(
    operator: Any, square: Array, targets: Array, ridge: float, tolerance: float
) -> list[RowSolution]:
    """The shortest v of each column of targets, for A as an operator and AA′, which is overwritten."""
    size = float(np.trace(square))
    if size == 0.0:
        nothing = np.zeros(operator.shape[1])
        return [RowSolution(nothing, True, 0.0) for _ in targets.T]
    factor, delta = _factor(square, ridge, _ROUNDING * size)

    def solve(r: Array) -> Array:
        return np.asarray(cho_solve(factor, r, check_finite=False))

    steps = _GradientSteps(operator, solve, ridge, np.sqrt(size), tolerance)

    def best(target: Array) -> RowSolution:
        found = steps.towards(target, target)
        if found.within_tolerance or ridge > _AMPLE * delta:
            return found
        return steps.towards(target, _within_reach(target, lambda r: (ridge + delta) * solve(r)))

    return [best(target) for target in targets.T]


def _factor(square: Array, ridge: float, delta: float) -> tuple[Any, float]:
    """(Cholesky's factor of AA′ + (λ + δ)I, δ), δ as large as the rounding of AA′ makes it."""
    diagonal = square.diagonal().copy()
    while True:
        np.fill_diagonal(square, diagonal + (ridge + delta))
        try:
            return cho_factor(square, lower=True), delta
        except np.linalg.LinAlgError:
            delta *= _MORE


def _within_reach(target: Array, keep_rest: Callable[[Array], Array]) -> Array:
    """A target without what no v can reach, which where rows depend on one another would add up in u.

    c(AA′ + cI)⁻¹ keeps that part and shrinks the others, over and over; what rounding leaves of it goes the next time.
    """
    for _ in range(_ROUNDS):
        rest = target
        for _ in range(_SHRINKINGS):
            rest = keep_rest(rest)
        target = target - rest
    return target


@dataclass(frozen=True)
class _GradientSteps:
    """The iteration for one A and λ."""

    operator: Any
    solve: Callable[[Array], Array]
    ridge: float
    norm: float  # of A
    tolerance: float

    def towards(self, target: Array, within: Array) -> RowSolution:
        """Until the gradient A′(t − Av) − λv, or what is left of t, is within the tolerance (or its rounding)."""
        A, ridge, left = self.operator, self.ridge, np.inf
        u, v, fitted = np.zeros(target.size), np.zeros(A.shape[1]), np.zeros(target.size)
        for _ in range(_STEPS):
            u += self.solve(within - fitted - ridge * u)
            v = A.rmatvec(u)
            fitted = A.matvec(v)
            residual, before = target - fitted, left
            size = float(np.linalg.norm(residual))
            gradient = float(np.linalg.norm(A.rmatvec(residual) - ridge * v))
            left = gradient / max(self.norm * size, np.finfo(float).tiny)
            reach = float(np.linalg.norm(target)) + self.norm * float(np.linalg.norm(v))
            if left <= self.tolerance or size <= self.tolerance * reach:
                return RowSolution(v, True, left)
            if left > _STALLED * before:
                break
        return RowSolution(v, False, left)
