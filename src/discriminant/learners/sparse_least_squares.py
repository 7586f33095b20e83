"""Least squares on class codes with sparse weights, bounds or signs: the part of `LeastSquaresClassifier` for these."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding
from discriminant.learners.base import class_codes
from discriminant.learners.moment_backends import Evidence, MomentEvidence
from discriminant.learners.moment_backends.answers import class_cross_products
from discriminant.learners.weight_limits import WeightLimits, finite_optimum, gap_findings, keep_optima, limited_optima
from discriminant.optimise.composite.fits import Fit, SquaresFit
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.squares import minimise_squares
from discriminant.optimise.composite.working_set import CompositeOptimum
from discriminant.rows import ArrayRows, Rows
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]

_MOST_ITERATIONS = 1000


class LimitedLeastSquares:
    """What least squares does where its weights are limited beyond a ridge."""

    alpha: float
    fit_intercept: bool
    tol: float
    classes_: NDArray[Any]
    findings_: tuple[Finding, ...]
    rank_: int | None

    @property
    def _limited(self) -> bool:
        return WeightLimits.of(self).apply(float(self.alpha))

    def _fits(self, rows: ArrayRows, offset: Array | None) -> list[Fit]:
        """What is fitted beside the penalty, of each plane."""
        targets = class_codes(rows.classes.size)[rows.codes]
        return [SquaresFit(target, rows.weights) for target in targets.T]

    def _with_strength(self, alpha: float) -> Any:
        """The learner with this penalty."""
        return self.set_params(alpha=alpha)  # type: ignore[attr-defined]

    def _learn_limited(self, evidence: Evidence, rows: Rows | None, targets: Array) -> None:
        """Learn from the rows where they are wide or sparse, else from the moments, which merge and forget."""
        limits = WeightLimits.of(self)
        names = self.column_names_in()  # type: ignore[attr-defined]
        penalty = limits.penalty(float(self.alpha), names, int(evidence.mean.size), evidence.classes)
        if isinstance(rows, ArrayRows) and not isinstance(evidence, MomentEvidence):
            found = limited_optima(
                rows, self._fits(rows, None), penalty, tol=float(self.tol), max_iter=_MOST_ITERATIONS,
                intercept=bool(self.fit_intercept),
            )  # fmt: skip
        else:
            found = _of_moments(evidence.moments(), targets, penalty, float(self.tol), bool(self.fit_intercept))
        self.classes_, self.rank_ = evidence.classes, None
        keep_optima(self, found)
        self.findings_ = gap_findings(self, float(self.tol))


def _of_moments(
    m: ClassMoments, targets: Array, penalty: WeightPenalty, tol: float, intercept: bool
) -> list[CompositeOptimum]:
    cross, target_mean = class_cross_products(m, targets)
    squares = m.counts @ (targets - target_mean) ** 2
    S, found = m.total, []
    if not intercept:  # sums about the origin
        S = S + m.n * np.outer(m.mean, m.mean)
        cross, squares = cross + m.n * np.outer(m.mean, target_mean), squares + m.n * target_mean**2
    for k, mean in enumerate(target_mean):
        one = minimise_squares(
            S, cross[:, k], float(squares[k]), penalty.of_plane(k), tolerance=tol, max_iterations=_MOST_ITERATIONS
        )
        found.append(finite_optimum(replace(one, intercept=mean - one.coef @ m.mean) if intercept else one))
    return found
