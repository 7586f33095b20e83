"""Arrays that were too much for an estimator."""

from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

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


def endless_epochs(folder: Path) -> None:
    """A pocket never finds that no plane is right; as many epochs as nothing can count are refused."""
    _refused(d.PocketPerceptron(max_iter=10**400, ratchet=True), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1])


def infinite_constant_column(folder: Path) -> None:
    """It is no constant that an intercept could stand for."""
    X, y = np.random.default_rng(0).standard_normal((40, 3)), np.arange(40) % 2
    for infinity in (np.inf, -np.inf):
        X[:, 1] = infinity
        for model in (d.LinearSVM(), d.Perceptron(), d.PocketPerceptron(), d.LogisticRegression(alpha=1, l1_ratio=1.0)):
            _refused(model, X, y)


def bounds_beyond_a_double(folder: Path) -> None:
    """The criterion is infinite wherever the weights may be."""
    X, y = [[0.1], [-0.4], [0.3], [-0.1]], [0, 1, 0, 1]
    for kind in (d.LeastSquaresClassifier(), d.LinearSVM(), d.LinearSVM(C=1e-300), d.LogisticRegression()):
        for low in (1e300, 10**400, float("inf")):
            model = clone(kind).set_params(bounds={0: (low, None)})
            try:
                model.fit(X, y)
            except REFUSALS:
                continue
            require(not np.isnan((model.gap_, model.primal_)).any(), "a gap that is no number", model)


def balanced_adaline_in_parts(folder: Path) -> None:
    require(not hasattr(d.Adaline(class_weight="balanced"), "partial_fit"), "parts of rows that cannot be balanced")


def no_classes_are_declared(folder: Path) -> None:
    _refused_part(d.Perceptron(), [])
    _refused_part(d.Adaline(), [1, 1])


def _refused_part(model: Any, classes: Any) -> None:
    try:
        model.partial_fit([[0.0], [1.0]], [0, 1], classes=classes)
    except REFUSALS:
        return
    require(False, "classes that are none", model)


def labels_of_other_rows(folder: Path) -> None:
    """Fewer than rows, some of which have no weight."""
    model = d.GainClassifier(d.LinearDiscriminantAnalysis(), cv=2)
    try:
        model.fit(np.eye(9), [0], sample_weight=np.arange(9) % 2)
    except REFUSALS:
        return
    require(False, "labels that are not of the rows", model)


def losses_below_the_least_number(folder: Path) -> None:
    """Rows that count next to nothing beside the penalty."""
    for C in (1e-300, 1e-308, 5e-324):
        try:
            model = d.LinearSVM(C=C, l1_ratio=1.0).fit([[0.6, -3.3], [-0.5, 2.8], [0.4, -1.9]], [0, 1, 0])
        except REFUSALS:
            continue
        require_finite(np.append(model.coef_, model.intercept_), "a plane")


def losses_beyond_a_double(folder: Path) -> None:
    """C and the weight of a class multiply to infinity."""
    for loss in ("hinge", "squared_hinge"):
        model = d.LinearSVM(C=1e300, class_weight={0: 1e-300, 1: 1e300}, loss=loss)
        _refused(model, [[-1.0], [1e12], [0.3], [0.3]], [0, 1, 0, 1])


def _refused(model: Any, X: Any, y: Any) -> None:
    try:
        model.fit(X, y)
    except REFUSALS:
        return
    require(False, "a fit that makes no sense", model)


def shrinkage_of_heavy_rows(folder: Path) -> None:
    """The square of the sum of the weights is beyond a double."""
    rng = np.random.default_rng(0)
    model = d.LinearDiscriminantAnalysis(shrinkage="auto")
    model.fit(rng.standard_normal((6, 31)), [0, 1, 0, 1, 0, 0], sample_weight=np.full(6, 1e200))
    require_finite(model.coef_, "coef_")


def one_class_declared_alone(folder: Path) -> None:
    """Every row belongs to it, with the probability 1."""
    X = [[1.0], [2.0]]
    for kind in (d.LinearDiscriminantAnalysis, d.FisherDiscriminant, d.NaiveBayes, d.LeastSquaresClassifier):
        model = kind().partial_fit(X, [3, 3], classes=[3])
        require(model.predict(X).tolist() == [3, 3], "answers that are no classes", model)
        require(len(model.decision_function(X)) == 2, "scores of another shape", model)
        if hasattr(model, "predict_proba"):
            require_probabilities(model.predict_proba(X), (2, 1))
        model.partial_fit(X, [3, 3])
        require(model.coef_.shape == (0, 1), "a plane beside one class", model)
