"""Every attribute that a fit sets is told of in the Attributes section of its class, and no other."""

import warnings
from itertools import chain

import numpy as np
import pytest
from numpydoc.docscrape import NumpyDocString
from sklearn.datasets import load_iris

from discriminant import (
    Adaline,
    FisherDiscriminant,
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    OneVsAll,
    OneVsOne,
    Perceptron,
    PocketPerceptron,
    SparseLogisticRegression,
    rows,
)

X, Y = load_iris(return_X_y=True)
TWO, SIDE = X[Y > 0], Y[Y > 0]
LIMITS = {"l1_ratio": 0.5, "bounds": {0: (0, None)}}
BATCHES = rows.from_batches(lambda: [(np.tile(TWO[::-1], (200, 1)), np.tile(SIDE[::-1], 200)), (TWO, SIDE)])
FITTED = {
    Adaline: [(Adaline(trace=True), TWO, SIDE), (Adaline(rule="closed-form"), X, Y)],
    FisherDiscriminant: [(FisherDiscriminant(), TWO, SIDE), (FisherDiscriminant(threshold="gaussian"), X, Y)],
    LinearDiscriminantAnalysis: [
        (LinearDiscriminantAnalysis(), TWO, SIDE),
        (LinearDiscriminantAnalysis(shrinkage="auto"), X, Y),
    ],
    LeastSquaresClassifier: [
        (LeastSquaresClassifier(), X, Y),
        (LeastSquaresClassifier(alpha=1.0, **LIMITS), TWO, SIDE),
    ],
    LogisticRegression: [
        (LogisticRegression(), TWO, SIDE),
        (LogisticRegression(alpha=1.0), X, Y),
        (LogisticRegression(alpha=1.0, **LIMITS), TWO, SIDE),
        (LogisticRegression(), BATCHES, None),
    ],
    SparseLogisticRegression: [(SparseLogisticRegression(n_alphas=5), TWO, SIDE)],
    LinearSVM: [
        (LinearSVM(), X, Y),
        (LinearSVM(loss="squared_hinge", **LIMITS), TWO, SIDE),
        (LinearSVM(loss="squared_hinge"), BATCHES, None),
    ],
    NaiveBayes: [
        (NaiveBayes(), X, Y),
        (NaiveBayes("gaussian"), X, Y),
        (NaiveBayes("multinomial"), X, Y),
        (NaiveBayes("categorical"), X.round(), Y),
        (NaiveBayes({0: "gaussian", None: "categorical"}), X.round(), Y),
    ],
    Perceptron: [(Perceptron(trace=True), TWO, SIDE), (Perceptron(average="vote"), X, Y)],
    PocketPerceptron: [(PocketPerceptron(max_iter=5, trace=True), TWO, SIDE)],
    OneVsAll: [
        (OneVsAll(LinearDiscriminantAnalysis()), X, Y),
        (OneVsAll(LinearDiscriminantAnalysis()), X, np.eye(3)[Y]),
    ],
    OneVsOne: [(OneVsOne(LinearDiscriminantAnalysis()), X, Y)],
    GainClassifier: [
        (GainClassifier(LinearDiscriminantAnalysis()), X, Y),
        (GainClassifier(LinearDiscriminantAnalysis(), scoring="accuracy"), TWO, SIDE),
        (GainClassifier(LinearDiscriminantAnalysis(), cv=3), BATCHES, None),
    ],
}
SCIKIT_LEARNS = {"n_features_in_", "feature_names_in_"}


def _documented(cls):
    named = [entry.name.split(", ") for entry in NumpyDocString(_dedented(cls.__doc__))["Attributes"]]
    return set(chain.from_iterable(named))


def _dedented(text):
    first, _, rest = text.partition("\n")
    return first + "\n" + "\n".join(line[4:] for line in rest.split("\n"))


def _set_by(model, table, labels):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(table) if labels is None else model.fit(table, labels)
    return {name for name in vars(model) if name.endswith("_") and not name.startswith("_")}


def _computed(cls):
    """Properties, which have docstrings of their own."""
    return {name for name in dir(cls) if name.endswith("_") and not name.startswith("_")}


@pytest.mark.parametrize("cls", FITTED)
def test_attributes_are_those_of_a_fit(cls):
    found = set(chain.from_iterable(_set_by(*fitted) for fitted in FITTED[cls])) - SCIKIT_LEARNS
    documented = _documented(cls)
    assert found - _computed(cls) <= documented, "set and not told of"
    assert documented <= found | _computed(cls), "told of and never set"


@pytest.mark.parametrize("cls", FITTED)
def test_each_attribute_says_what_it_is(cls):
    entries = NumpyDocString(_dedented(cls.__doc__))["Attributes"]
    assert entries
    for entry in entries:
        assert all(name.isidentifier() and name.endswith("_") for name in entry.name.split(", ")), entry.name
        assert entry.type, entry.name
