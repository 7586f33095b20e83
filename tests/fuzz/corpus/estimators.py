"""Arrays that were too much for an estimator."""

from pathlib import Path

import numpy as np

import discriminant as d
from discriminant.model import Posterior
from tests.fuzz.judging import REFUSALS, require, require_finite, require_probabilities


def constant_column_in_few_rows(folder: Path) -> None:
    """More columns than rows, one of them a large constant such as a time in nanoseconds."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((20, 31)), np.arange(20) % 2
    X[:, :5] += 2.0 * y[:, None]
    for constant in (1e12, 1.7e18, 1e30, 1e100, 1e150, 1e200, 1e300):
        X[:, 7] = constant
        for model in (
            d.LinearDiscriminantAnalysis(shrinkage="auto"),
            d.LinearDiscriminantAnalysis(shrinkage=0.5),
            d.LeastSquaresClassifier(alpha=1.0),
            d.FisherDiscriminant(),
        ):
            try:
                right = (model.fit(X, y).predict(X) == y).mean()
            except REFUSALS:
                continue
            require(right > 0.9, "a model at the level of chance, in silence", (constant, model, right))


def no_rows_for_a_gain_classifier(folder: Path) -> None:
    d.GainClassifier(d.LinearDiscriminantAnalysis(), gain=[[1, -5], [-1, 2]]).fit([], [])


def naive_bayes_of_many_columns(folder: Path) -> None:
    """A buffer of columns × columns would have 60 GB."""
    X = np.random.default_rng(0).standard_normal((20, 90_000))
    model = d.NaiveBayes(marginal="gaussian").fit(X, np.arange(20) % 2)
    require_finite(model.coef_, "coef_")


def separate_subnormal_numbers(folder: Path) -> None:
    _separated(5e-324)


def separate_numbers_near_overflow(folder: Path) -> None:
    _separated(1.7e308)


def _separated(size: float) -> None:
    X = np.array([[-1.0, 0.0], [-1.0, 1.0], [1.0, 0.0], [1.0, 1.0]]) * size
    require(d.separate(X, [0, 0, 1, 1]).kind == "complete", "classes on two sides of a plane are not found so")
    require(d.separate(X, [0, 1, 1, 0]).kind == "none", "classes in opposite corners are not found so")


def posteriors_of_large_scores(folder: Path) -> None:
    for scores in ([1e16, 1e16, 0.0], [1e300, -1e300, 1e300], [-1e16, -1e16, -1e16]):
        found = np.exp(Posterior(1.0, (0.0, 0.0, 0.0)).log_posteriors(np.array([scores])))
        require_probabilities(found, (1, 3))


def probabilities_of_far_rows(folder: Path) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((30, 2)), np.arange(30) % 3
    X[:, 0] += 3 * y
    far = np.array([[1e16, -1e16], [1e20, 1e20], [-1e100, 1.0]])
    for model in (
        d.LinearDiscriminantAnalysis(),
        d.OneVsAll(d.LogisticRegression(alpha=1.0)),
        d.LogisticRegression(alpha=1.0),
    ):
        require_probabilities(model.fit(X, y).predict_proba(far), (3, 3))


def penalty_of_400_digits(folder: Path) -> None:
    d.LeastSquaresClassifier(alpha=10**400).fit([[0.0], [1.0]], [0, 1])


def shrinkage_of_heavy_rows(folder: Path) -> None:
    """The square of the sum of the weights is beyond a double."""
    rng = np.random.default_rng(0)
    model = d.LinearDiscriminantAnalysis(shrinkage="auto")
    model.fit(rng.standard_normal((6, 31)), [0, 1, 0, 1, 0, 0], sample_weight=np.full(6, 1e200))
    require_finite(model.coef_, "coef_")
