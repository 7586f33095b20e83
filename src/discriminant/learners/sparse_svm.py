"""A slab with sparse weights, bounds or signs: the part of `LinearSVM` that solves for them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.sequential import positive_codes
from discriminant.learners.weight_limits import WeightLimits, limited_optima
from discriminant.optimise.composite.fits import Fit, SquaredHingeFit
from discriminant.optimise.composite.hinge import HingeFit
from discriminant.optimise.composite.working_set import CompositeOptimum
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]

_MOST_COLUMNS = 5000  # whose products the interior point of the hinge factors, in 200 MB


@dataclass(frozen=True)
class LimitedSlab:
    """An optimum as those of the other solvers, with what proves it."""

    found: CompositeOptimum
    w: Array
    b: float
    alpha: Array
    primal: float
    dual: float
    gap: float
    n_iterations: int

    @classmethod
    def of(cls, found: CompositeOptimum) -> "LimitedSlab":
        """The only plane of an optimum."""
        w, b, alpha = found.coef[0], float(found.intercept[0]), np.abs(found.theta[0])
        return cls(found, w, b, alpha, found.primal, found.dual, found.gap, found.n_iterations)


class LimitedSVM:
    """What a support vector machine does where its weights are limited beyond ½‖w‖²."""

    C: float
    loss: str
    fit_intercept: bool
    tol: float

    @property
    def _limited(self) -> bool:
        return WeightLimits.of(self).apply(1.0)

    def _check_limits(self) -> None:
        limits = WeightLimits.of(self)
        limits.check()
        if not limits.apply(1.0):
            return
        if np.isposinf(float(self.C)):
            raise ValueError("the hard margin (C=inf) takes no l1_ratio, bounds or monotone; pass a finite C")
        if limits.column_groups is not None and self.loss != "squared_hinge":
            raise ValueError(f"column_groups is for loss='squared_hinge', and loss is {self.loss!r}; set the loss")

    def _limited_slab(self, rows: ArrayRows, sign: NDArray[np.int8], plane: int, max_iter: int) -> LimitedSlab:
        """One class against the rest."""
        if self.loss == "hinge" and rows.n_columns > _MOST_COLUMNS:
            raise ValueError(
                f"l1_ratio, bounds and monotone with the hinge are for up to {_MOST_COLUMNS} columns, and there are "
                f"{rows.n_columns}; take loss='squared_hinge'"
            )
        every = WeightLimits.of(self).penalty(1.0, rows.names, rows.n_columns, rows.classes)
        fit = self._fit_of(sign, float(self.C) * rows.weights)
        found = limited_optima(
            rows, [fit], every.of_plane(plane), tol=float(self.tol), max_iter=max_iter,
            intercept=bool(self.fit_intercept),
        )  # fmt: skip
        return LimitedSlab.of(found[0])

    def _fit_of(self, sign: NDArray[np.int8], weight: Array) -> Fit:
        kind = SquaredHingeFit if self.loss == "squared_hinge" else HingeFit
        return kind(sign.astype(np.float64), weight)

    def _fits(self, rows: ArrayRows, offset: Array | None) -> list[Fit]:
        """What is fitted beside the penalty, of each plane; C is 1, and the penalty takes its place."""
        return [self._fit_of(rows.signs(k), rows.weights) for k in positive_codes(rows.classes.size)]

    def _with_strength(self, alpha: float) -> Any:
        """The learner whose loss counts 1/α times its penalty."""
        return self.set_params(C=1.0 / alpha)  # type: ignore[attr-defined]

    def _keep_limits(self, slabs: Sequence[Any]) -> None:
        """Set what proves the planes."""
        found = [slab.found for slab in slabs]
        kkt = np.array([one.kkt for one in found])
        self.kkt_ = float(kkt[0]) if len(found) == 1 else kkt
        self.proved_zero_ = np.vstack([one.proved_zero for one in found])
        self.multipliers_ = np.vstack([one.multipliers for one in found])
