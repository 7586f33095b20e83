"""Linear classifiers: every learner is a hyperplane w·x = θ, and what it needs of the rows is a sum.

>>> from discriminant import FisherDiscriminant
>>> FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]).coef_.round(9).tolist()
[[-2.5, 4.0]]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from discriminant import losses, plots, rows, schedules
    from discriminant.basis import GaussianBasis
    from discriminant.findings import Finding, FindingWarning
    from discriminant.hyperplane import Hyperplane
    from discriminant.learners.adaline import Adaline
    from discriminant.learners.fisher import FisherDiscriminant
    from discriminant.learners.lda import LinearDiscriminantAnalysis
    from discriminant.learners.least_squares import LeastSquaresClassifier, least_squares
    from discriminant.learners.naive_bayes import NaiveBayes
    from discriminant.learners.perceptron import Perceptron
    from discriminant.learners.pocket import PocketPerceptron
    from discriminant.losses import Loss
    from discriminant.networks import ThresholdNetwork, ThresholdUnit
    from discriminant.schedules import robbins_monro
    from discriminant.solvers.descent import gradient_descent
    from discriminant.statistics.moments import ClassMoments

# Names are looked up on first use, so that `import discriminant` does not wait for scikit-learn and numba.
_HOMES = {
    "Adaline": "discriminant.learners.adaline",
    "ClassMoments": "discriminant.statistics.moments",
    "Finding": "discriminant.findings",
    "FindingWarning": "discriminant.findings",
    "FisherDiscriminant": "discriminant.learners.fisher",
    "GaussianBasis": "discriminant.basis",
    "Hyperplane": "discriminant.hyperplane",
    "LeastSquaresClassifier": "discriminant.learners.least_squares",
    "LinearDiscriminantAnalysis": "discriminant.learners.lda",
    "Loss": "discriminant.losses",
    "NaiveBayes": "discriminant.learners.naive_bayes",
    "Perceptron": "discriminant.learners.perceptron",
    "PocketPerceptron": "discriminant.learners.pocket",
    "ThresholdNetwork": "discriminant.networks",
    "ThresholdUnit": "discriminant.networks",
    "gradient_descent": "discriminant.solvers.descent",
    "least_squares": "discriminant.learners.least_squares",
    "robbins_monro": "discriminant.schedules",
}

_ROOMS = ("losses", "plots", "rows", "schedules")

__all__ = [
    "Adaline",
    "ClassMoments",
    "Finding",
    "FindingWarning",
    "FisherDiscriminant",
    "GaussianBasis",
    "Hyperplane",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "Loss",
    "NaiveBayes",
    "Perceptron",
    "PocketPerceptron",
    "ThresholdNetwork",
    "ThresholdUnit",
    "gradient_descent",
    "least_squares",
    "losses",
    "plots",
    "robbins_monro",
    "rows",
    "schedules",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"discriminant.{name}")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'discriminant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
