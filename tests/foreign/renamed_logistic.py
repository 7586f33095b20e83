"""scikit-learn's logistic regression on ours: its solvers all find what ours finds, and C is 1/alpha."""

from typing import Any

import discriminant as d
from tests.foreign.renaming import _Renamed

# Which of our methods does what a solver of theirs does; the others are of one kind with the default.
METHODS = {"newton-cholesky": "newton", "newton-cg": "truncated-newton", "lbfgs": "quasi-newton"}


class LogisticRegression(_Renamed, d.LogisticRegression):
    def __init__(
        self,
        penalty: Any = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: Any = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: Any = None,
    ) -> None:
        super().__init__(
            C=C, l1_ratio=l1_ratio, fit_intercept=fit_intercept, class_weight=class_weight, solver=solver, tol=tol,
            max_iter=max_iter, warm_start=warm_start,
        )  # fmt: skip
        self.penalty, self.dual, self.intercept_scaling, self.n_jobs = penalty, dual, intercept_scaling, n_jobs
        self.random_state, self.verbose = random_state, verbose

    def translated(self) -> dict[str, Any]:
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, self.l1_ratio)
        # theirs bounds a gradient, ours with l1_ratio a gap, which is of the order of its square
        tol = max(self.tol**2, 1e-12) if ratio else self.tol
        strength = None if self.penalty is None else self.C
        return {"solver": METHODS.get(self.solver, "auto"), "l1_ratio": ratio, "C": strength, "tol": tol}
