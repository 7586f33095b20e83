"""Logistic regression with sparse weights, bounds or signs: the part of `LogisticRegression` that solves for them."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding
from discriminant.hyperplane import Planes
from discriminant.learners.base import linear_scores
from discriminant.learners.weight_limits import WeightLimits, gap_findings, keep_optima, limited_optima
from discriminant.optimise.composite.fits import Fit, LogisticFit, SoftmaxFit, best_intercept
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]


class LimitedLogistic:
    """What a logistic regression does where its weights are limited beyond a ridge."""

    fit_intercept: bool
    tol: float
    max_iter: int
    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    log_likelihood_: float
    null_deviance_: float
    _n_rows: int
    _information: Any
    n_iter_: NDArray[np.int_]
    solver_: str
    findings_: tuple[Finding, ...]

    def penalty_strength(self) -> float:
        """α, the strength of the penalty."""
        raise NotImplementedError

    def _without_large_constants(self, rows: ArrayRows) -> ArrayRows:
        raise NotImplementedError

    def _near_start(self, rows: ArrayRows) -> Array | None:
        raise NotImplementedError

    @property
    def _limited(self) -> bool:
        """Whether weights are to be sparse or to stay within bounds."""
        return WeightLimits.of(self).apply(self.penalty_strength())

    def _check_limits(self) -> None:
        """Refuse limits that make no sense."""
        WeightLimits.of(self).check()

    def _learn_limited(self, rows: ArrayRows, offset: Array | None) -> None:
        """Set the attributes; nothing refers to the rows afterwards."""
        rows = self._without_large_constants(rows)
        rows.refuse_extremes()
        found, fit = self._limited_optimum(rows, offset, self._near_start(rows))
        keep_optima(self, [found])
        self.classes_, self.solver_ = rows.classes, "proximal-newton"
        self.log_likelihood_ = -fit.value(linear_scores(rows.matrix, self.coef_, self.intercept_).T)
        alone = np.zeros((fit.n_planes, rows.n_rows))
        constant = best_intercept(fit, alone)[:, None] if self.fit_intercept else 0.0
        self.null_deviance_ = 2.0 * fit.value(alone + constant)
        self._n_rows, self._information = rows.n_rows, None
        self.__dict__.pop("covariance_", None)  # of an earlier fit
        self.findings_ = gap_findings(self, float(self.tol))
        self.n_iter_ = np.array([found.n_iterations])

    def _limited_planes(self, rows: ArrayRows, start: Array | None) -> Array:
        """The planes (w, b) of other rows, from planes to start at if there are any."""
        found, _ = self._limited_optimum(self._without_large_constants(rows), None, start)
        return np.column_stack([found.coef, found.intercept])

    def _limited_optimum(
        self, rows: ArrayRows, offset: Array | None, start: Array | None
    ) -> tuple[CompositeOptimum, Fit]:
        limits = WeightLimits.of(self)
        penalty = limits.penalty(self.penalty_strength(), rows.names, rows.n_columns, rows.classes)
        if not self.penalty_strength():
            _refuse_empty_bounds(penalty)
        fit = self._fits(rows, offset)[0]
        starts: list[Planes | None] | None = None if start is None else [Planes(start[:, :-1], start[:, -1])]
        found = limited_optima(
            rows, [fit], penalty, tol=float(self.tol), max_iter=int(self.max_iter),
            intercept=bool(self.fit_intercept), starts=starts,
        )  # fmt: skip
        return found[0], fit

    def _fits(self, rows: ArrayRows, offset: Array | None) -> list[Fit]:
        """What is fitted beside the penalty, of all planes together."""
        given = 0.0 if offset is None else offset.T
        if rows.classes.size == 2:
            return [LogisticFit(rows.signs(1).astype(np.float64), rows.weights, given)]
        own = (rows.codes == np.arange(rows.classes.size)[:, None]).astype(np.float64)
        return [SoftmaxFit(own, rows.weights, given)]

    def _with_strength(self, alpha: float) -> Any:
        """The learner with this penalty."""
        return self.set_params(alpha=alpha, C=None)  # type: ignore[attr-defined]


def _refuse_empty_bounds(penalty: WeightPenalty) -> None:
    """Refuse bounds without a penalty: a constant added to all classes' weights would only change which are met."""
    if penalty.low.ndim == 1:
        return
    limited = (np.isfinite(penalty.low) | np.isfinite(penalty.high)).any(axis=0)
    if (limited & ~(penalty.low == penalty.high).any(axis=0)).any():
        raise ValueError(
            "bounds of some of several classes hold nothing without a penalty, since only differences between their "
            "weights count; set alpha, or hold the weights of one class at (0, 0), as those of the reference"
        )
