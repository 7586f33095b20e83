"""Linear classifiers: every learner is a hyperplane w·x = θ, and what it needs of the rows is a sum.

>>> from discriminant import FisherDiscriminant
>>> FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]).coef_.round(9).tolist()
[[-2.5, 4.0]]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discriminant import rows
    from discriminant.findings import Finding, FindingWarning
    from discriminant.hyperplane import Hyperplane
    from discriminant.learners.fisher import FisherDiscriminant
    from discriminant.learners.lda import LinearDiscriminantAnalysis
    from discriminant.learners.least_squares import LeastSquaresClassifier, least_squares
    from discriminant.learners.naive_bayes import NaiveBayes
    from discriminant.statistics.moments import ClassMoments

# Names are looked up on first use, so that `import discriminant` does not wait for scikit-learn and numba.
_HOMES = {
    "ClassMoments": "discriminant.statistics.moments",
    "Finding": "discriminant.findings",
    "FindingWarning": "discriminant.findings",
    "FisherDiscriminant": "discriminant.learners.fisher",
    "Hyperplane": "discriminant.hyperplane",
    "LeastSquaresClassifier": "discriminant.learners.least_squares",
    "LinearDiscriminantAnalysis": "discriminant.learners.lda",
    "NaiveBayes": "discriminant.learners.naive_bayes",
    "least_squares": "discriminant.learners.least_squares",
}

__all__ = [
    "ClassMoments",
    "Finding",
    "FindingWarning",
    "FisherDiscriminant",
    "Hyperplane",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "NaiveBayes",
    "least_squares",
    "rows",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name == "rows":
        return import_module("discriminant.rows")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'discriminant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
