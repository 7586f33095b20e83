"""Linear classifiers: every learner is a hyperplane w·x = θ, and what it needs of the rows is a sum.

>>> from discriminant import FisherDiscriminant
>>> FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]).coef_.round(9).tolist()
[[-2.5, 4.0]]
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discriminant.forks import importing

if TYPE_CHECKING:
    from discriminant import losses, plots, rows, schedules
    from discriminant.basis import GaussianBasis
    from discriminant.comparison import Comparison, compare
    from discriminant.decisions import GainClassifier
    from discriminant.findings import Finding, FindingWarning
    from discriminant.gain import Gain, OperatingCurve, best_threshold, expected_gain, operating_curve
    from discriminant.hyperplane import Hyperplane
    from discriminant.learners.adaline import Adaline
    from discriminant.learners.alpha_path import alpha_path
    from discriminant.learners.fisher import FisherDiscriminant
    from discriminant.learners.lda import LinearDiscriminantAnalysis
    from discriminant.learners.least_squares import LeastSquaresClassifier, least_squares
    from discriminant.learners.logistic import LogisticRegression
    from discriminant.learners.naive_bayes import NaiveBayes
    from discriminant.learners.perceptron import Perceptron
    from discriminant.learners.pocket import PocketPerceptron
    from discriminant.learners.sparse_choice import SparseLogisticRegression
    from discriminant.learners.svm import LinearSVM
    from discriminant.losses import Loss
    from discriminant.model import DecisionModel, load, save
    from discriminant.model.moments_file import load_moments, save_moments
    from discriminant.multiclass import OneVsAll, OneVsOne
    from discriminant.networks import DelayNetwork, ThresholdNetwork, ThresholdUnit
    from discriminant.optimise.descent import gradient_descent, regression_descent
    from discriminant.schedules import robbins_monro
    from discriminant.separability import (
        NotSeparableError,
        Separation,
        capacity,
        cover_probability,
        ripley_probability,
        separate,
    )
    from discriminant.statistics.correlations import variance_inflation
    from discriminant.statistics.moments import ClassMoments
    from discriminant.statistics.projection import fisher_criterion, projected_moments
    from discriminant.statistics.score_counts import ScoreCounts
    from discriminant.validation.alpha_choice import choose_alpha, selection_stability

# Names are looked up on first use, so that `import discriminant` does not wait for scikit-learn and numba.
_HOMES = {
    "Adaline": "discriminant.learners.adaline",
    "ClassMoments": "discriminant.statistics.moments",
    "Comparison": "discriminant.comparison",
    "DecisionModel": "discriminant.model",
    "DelayNetwork": "discriminant.networks",
    "Finding": "discriminant.findings",
    "FindingWarning": "discriminant.findings",
    "FisherDiscriminant": "discriminant.learners.fisher",
    "Gain": "discriminant.gain",
    "GainClassifier": "discriminant.decisions",
    "GaussianBasis": "discriminant.basis",
    "Hyperplane": "discriminant.hyperplane",
    "LeastSquaresClassifier": "discriminant.learners.least_squares",
    "LinearDiscriminantAnalysis": "discriminant.learners.lda",
    "LinearSVM": "discriminant.learners.svm",
    "LogisticRegression": "discriminant.learners.logistic",
    "SparseLogisticRegression": "discriminant.learners.sparse_choice",
    "Loss": "discriminant.losses",
    "NaiveBayes": "discriminant.learners.naive_bayes",
    "NotSeparableError": "discriminant.separability",
    "OneVsAll": "discriminant.multiclass",
    "OneVsOne": "discriminant.multiclass",
    "OperatingCurve": "discriminant.gain",
    "Perceptron": "discriminant.learners.perceptron",
    "PocketPerceptron": "discriminant.learners.pocket",
    "ScoreCounts": "discriminant.statistics.score_counts",
    "Separation": "discriminant.separability",
    "ThresholdNetwork": "discriminant.networks",
    "ThresholdUnit": "discriminant.networks",
    "alpha_path": "discriminant.learners.alpha_path",
    "best_threshold": "discriminant.gain",
    "capacity": "discriminant.separability",
    "choose_alpha": "discriminant.validation.alpha_choice",
    "compare": "discriminant.comparison",
    "cover_probability": "discriminant.separability",
    "expected_gain": "discriminant.gain",
    "fisher_criterion": "discriminant.statistics.projection",
    "gradient_descent": "discriminant.optimise.descent",
    "least_squares": "discriminant.learners.least_squares",
    "load": "discriminant.model",
    "load_moments": "discriminant.model.moments_file",
    "operating_curve": "discriminant.gain",
    "projected_moments": "discriminant.statistics.projection",
    "regression_descent": "discriminant.optimise.descent",
    "ripley_probability": "discriminant.separability",
    "robbins_monro": "discriminant.schedules",
    "save": "discriminant.model",
    "save_moments": "discriminant.model.moments_file",
    "selection_stability": "discriminant.validation.alpha_choice",
    "separate": "discriminant.separability",
    "variance_inflation": "discriminant.statistics.correlations",
}

_ROOMS = ("losses", "plots", "rows", "schedules")

__all__ = [
    "Adaline",
    "ClassMoments",
    "Comparison",
    "DecisionModel",
    "DelayNetwork",
    "Finding",
    "FindingWarning",
    "FisherDiscriminant",
    "Gain",
    "GainClassifier",
    "GaussianBasis",
    "Hyperplane",
    "LeastSquaresClassifier",
    "LinearDiscriminantAnalysis",
    "LinearSVM",
    "LogisticRegression",
    "Loss",
    "NaiveBayes",
    "NotSeparableError",
    "OneVsAll",
    "OneVsOne",
    "OperatingCurve",
    "Perceptron",
    "PocketPerceptron",
    "ScoreCounts",
    "Separation",
    "SparseLogisticRegression",
    "ThresholdNetwork",
    "ThresholdUnit",
    "alpha_path",
    "best_threshold",
    "capacity",
    "choose_alpha",
    "compare",
    "cover_probability",
    "expected_gain",
    "fisher_criterion",
    "gradient_descent",
    "least_squares",
    "load",
    "load_moments",
    "losses",
    "operating_curve",
    "plots",
    "projected_moments",
    "regression_descent",
    "ripley_probability",
    "robbins_monro",
    "rows",
    "save",
    "save_moments",
    "schedules",
    "selection_stability",
    "separate",
    "variance_inflation",
]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        with importing:
            return import_module(f"discriminant.{name}")
    if name in _HOMES:
        with importing:
            return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'discriminant' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
