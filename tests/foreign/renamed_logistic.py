"""scikit-learn's logistic regression on ours: its solvers all find what ours finds, and C is 1/alpha."""

import warnings
from typing import Any

from sklearn.exceptions import ConvergenceWarning

import discriminant as d
from tests.foreign.renaming import _Renamed

# Which of our methods does what a solver of theirs does; to their default corresponds ours.
METHODS = {
    "newton-cholesky": "newton",
    "newton-cg": "truncated-newton",
    "liblinear": "truncated-newton",
    "sag": "quasi-newton",
    "saga": "quasi-newton",
}
# With what words a solver of theirs says what ours says with those of a finding.
UNFINISHED = {
    "newton-cholesky": "Newton solver did not converge after {n} iterations",
    "newton-cg": "newton-cg failed to converge at loss. Increase the number of iterations.",
    "lbfgs": "lbfgs failed to converge",
    "liblinear": "Liblinear failed to converge, increase the number of iterations.",
    "sag": "The max_iter was reached which means the coef_ did not converge",
    "saga": "The max_iter was reached which means the coef_ did not converge",
}


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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None, **others: Any) -> Any:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            super().fit(X, y, sample_weight, **others)
        for warning in said:
            unfinished = issubclass(warning.category, ConvergenceWarning) and self.solver in UNFINISHED
            words = UNFINISHED[self.solver].format(n=self.n_iter_[0]) if unfinished else str(warning.message)
            warnings.warn(words, warning.category, stacklevel=2)
        return self

    def translated(self) -> dict[str, Any]:
        ratio = {"l1": 1.0, "l2": 0.0}.get(self.penalty, self.l1_ratio)
        # theirs bounds a gradient, ours with l1_ratio a gap, which is of the order of its square
        tol = max(self.tol**2, 1e-12) if ratio else self.tol
        strength = None if self.penalty is None else self.C
        return {"solver": METHODS.get(self.solver, "auto"), "l1_ratio": ratio, "C": strength, "tol": tol}
