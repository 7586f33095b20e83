"""partial_fit(classes=...): every class is there from the start, and one class alone can predict."""

import numpy as np
import pytest

from discriminant import (
    Adaline,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    Perceptron,
)

LEARNERS = {
    "adaline": Adaline(),
    "fisher": FisherDiscriminant(),
    "least-squares": LeastSquaresClassifier(),
    "lda": LinearDiscriminantAnalysis(),
    "lda-priors": LinearDiscriminantAnalysis(priors=[0.5, 0.25, 0.25]),
    "bernoulli": NaiveBayes(),
    "gaussian": NaiveBayes(marginal="gaussian"),
    "multinomial": NaiveBayes(marginal="multinomial"),
    "categorical": NaiveBayes(marginal="categorical"),
    "perceptron": Perceptron(),
}

RANDOM = np.random.default_rng(0)
Y = np.array(["a", "b", "c"])[np.arange(90) % 3]
X = np.rint(np.abs(RANDOM.standard_normal((90, 3)) + 3 * np.eye(3)[np.arange(90) % 3]))
ALL = ["a", "b", "c"]


def _only(*labels):
    rows = np.isin(Y, labels)
    return X[rows], Y[rows]


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("first", [("b",), ("a", "c")])
def test_declared_classes_are_there_from_the_start(name, first):
    from sklearn.base import clone

    model = clone(LEARNERS[name]).partial_fit(*_only(*first), classes=ALL)
    assert model.classes_.tolist() == ALL
    assert model.decision_function(X).shape == (90, 3)
    assert model.coef_.shape[0] == 3
    if hasattr(model, "predict_proba"):
        proba = model.predict_proba(X)
        np.testing.assert_allclose(proba.sum(axis=1), 1.0)
        np.testing.assert_array_equal(proba[:, ~np.isin(ALL, first)], 0.0)
    if name not in ("perceptron", "adaline"):
        assert set(model.predict(X)) <= set(first)
    rest = [label for label in ALL if label not in first]
    model.partial_fit(*_only(*rest))
    if name not in ("perceptron", "adaline"):
        whole = clone(LEARNERS[name]).fit(X, Y)
        np.testing.assert_allclose(model.coef_, whole.coef_, rtol=1e-7, atol=1e-9)
        np.testing.assert_allclose(model.intercept_, whole.intercept_, rtol=1e-7, atol=1e-9)
    with pytest.raises(ValueError, match="'d'"):
        model.partial_fit(X, np.where(Y == "a", "d", Y))


@pytest.mark.parametrize("name", LEARNERS)
def test_one_of_two_declared_classes_is_the_answer(name):
    from sklearn.base import clone

    if name == "lda-priors":
        pytest.skip("its priors are of three classes")
    model = clone(LEARNERS[name]).partial_fit(*_only("b"), classes=["a", "b"])
    assert model.predict(_only("b")[0]).tolist() == ["b"] * 30
    assert model.decision_function(X).shape == (90,)
    if hasattr(model, "predict_proba"):
        np.testing.assert_array_equal(model.predict_proba(X), np.tile([0.0, 1.0], (90, 1)))


def test_a_new_fit_forgets_what_was_declared():
    model = LinearDiscriminantAnalysis().partial_fit(*_only("a", "b"), classes=ALL).fit(*_only("a", "b"))
    assert model.classes_.tolist() == ["a", "b"]


def test_copies_and_merged_models_keep_declared_classes():
    model = LinearDiscriminantAnalysis(shrinkage=0.1).partial_fit(*_only("a", "b"), classes=ALL)
    assert model.with_shrinkage(0.2).classes_.tolist() == ALL
    assert model.with_priors({"a": 0.2, "b": 0.3, "c": 0.5}).predict_proba(X).shape == (90, 3)
    other = LinearDiscriminantAnalysis(shrinkage=0.1).partial_fit(*_only("a", "b"))
    assert other.merge(model).classes_.tolist() == ALL
    assert model.forget(X[:2], Y[:2]).predict_proba(X)[:, 2].max() == 0.0
