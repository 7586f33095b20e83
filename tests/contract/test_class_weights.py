"""class_weight and fit_intercept: the same meaning in every learner that has them."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import RidgeClassifier
from sklearn.svm import SVC

from discriminant import (
    Adaline,
    FindingWarning,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    PocketPerceptron,
)

LEARNERS = {
    "adaline": Adaline(rule="closed-form"),
    "lda": LinearDiscriminantAnalysis(),
    "lda-auto": LinearDiscriminantAnalysis(shrinkage="auto"),
    "least-squares": LeastSquaresClassifier(alpha=1.0),
    "logistic": LogisticRegression(alpha=1.0),
    "bernoulli": NaiveBayes(),
    "gaussian": NaiveBayes(marginal="gaussian"),
    "perceptron": Perceptron(random_state=0, max_iter=20),
    "pocket": PocketPerceptron(random_state=0, max_iter=5),
    "svm": LinearSVM(tol=1e-9),
    "squared-hinge": LinearSVM(loss="squared_hinge", tol=1e-9),
}
RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((120, 3)) + 0.5
Y = (X @ RANDOM.standard_normal((3, 3)) + RANDOM.gumbel(size=(120, 3))).argmax(axis=1)
Y[:3] = [0, 1, 2]


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        yield


@pytest.mark.parametrize("given", ["balanced", {0: 2.0, 2: 0.5}])
@pytest.mark.parametrize("name", LEARNERS)
def test_weights_of_classes_multiply_those_of_rows(name, given):
    weight = np.random.default_rng(1).integers(1, 4, 120).astype(float)
    totals = np.bincount(Y, weight)
    factors = totals.sum() / (3 * totals) if given == "balanced" else np.array([2.0, 1.0, 0.5])
    one = clone(LEARNERS[name]).set_params(class_weight=given).fit(X, Y, sample_weight=weight)
    other = clone(LEARNERS[name]).fit(X, Y, sample_weight=weight * factors[Y])
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6, atol=1e-8)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_class_of_no_weight_stays_a_class(name):
    model = clone(LEARNERS[name]).set_params(class_weight={1: 0.0}).fit(X, Y)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.decision_function(X).shape == (120, 3)
    if name in ("adaline", "perceptron", "pocket"):
        return
    assert set(model.predict(X)) <= {0, 2}
    rest = Y != 1
    alone = clone(LEARNERS[name]).fit(X[rest], Y[rest])
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))
    if hasattr(model, "predict_proba"):
        np.testing.assert_allclose(model.predict_proba(X)[:, [0, 2]], alone.predict_proba(X), rtol=1e-6, atol=1e-12)
        assert model.predict_proba(X)[:, 1].max() == 0.0
    with pytest.raises(ValueError, match="leaves one class only"):
        clone(LEARNERS[name]).set_params(class_weight={0: 0, 1: 0}).fit(X, Y)


@pytest.mark.parametrize("name", ["lda", "gaussian", "least-squares", "perceptron"])
def test_parts_are_weighed_by_a_mapping(name):
    learner = clone(LEARNERS[name])
    parts = clone(learner).set_params(class_weight={0: 2.0})
    plain = clone(learner)
    for a in range(0, 120, 40):
        part = slice(a, a + 40)
        parts.partial_fit(X[part], Y[part], classes=[0, 1, 2])
        plain.partial_fit(X[part], Y[part], classes=[0, 1, 2], sample_weight=np.where(Y[part] == 0, 2.0, 1.0))
    np.testing.assert_allclose(parts.coef_, plain.coef_, rtol=1e-9, atol=1e-12)
    assert not hasattr(parts.set_params(class_weight="balanced"), "partial_fit")
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'") as refusal:
        parts.partial_fit(X, Y)
    assert "needs all rows at once; give a mapping" in str(refusal.value.__cause__)


def test_left_out_scores_are_weighed_too():
    model = LinearDiscriminantAnalysis(class_weight="balanced").fit(X, Y)
    folds = np.arange(120) % 4
    scores = model.kfold_decision_function(X, Y, folds)
    rest = folds != 1
    alone = LinearDiscriminantAnalysis(class_weight="balanced").fit(X[rest], Y[rest])
    np.testing.assert_allclose(scores[~rest], alone.decision_function(X[~rest]), rtol=1e-8)


# --- planes through the origin --------------------------------------------------------------------------


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("d", [3, 150])
def test_logistic_and_ridge_through_the_origin(form, n_classes, d):
    table = np.random.default_rng(2).standard_normal((120, d)) + 0.5
    table[:, :3] = X
    y = Y if n_classes == 3 else (Y > 0).astype(int)
    ours = LogisticRegression(C=0.5, fit_intercept=False).fit(form(table), y)
    theirs = TheirLogistic(C=0.5, fit_intercept=False, tol=1e-10, max_iter=10_000).fit(table, y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-5)
    assert not ours.intercept_.any()
    ours = LeastSquaresClassifier(alpha=2.0, fit_intercept=False).fit(form(table), y)
    theirs = RidgeClassifier(alpha=2.0, fit_intercept=False).fit(table, y)
    np.testing.assert_allclose(ours.coef_, np.atleast_2d(theirs.coef_), atol=1e-7)
    assert not ours.intercept_.any()


def test_sums_of_parts_give_the_plane_through_the_origin_too():
    model = LeastSquaresClassifier(alpha=1.0, fit_intercept=False)
    parts = clone(model).partial_fit(X[:50], Y[:50]).partial_fit(X[50:], Y[50:])
    np.testing.assert_allclose(parts.coef_, model.fit(X, Y).coef_, rtol=1e-9)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_slabs_through_the_origin_are_optimal(loss, form):
    from sklearn.svm import LinearSVC

    y = (Y > 0).astype(int)
    model = LinearSVM(C=0.5, loss=loss, fit_intercept=False, tol=1e-9).fit(form(X), y)
    assert not model.intercept_.any()
    c = 2 * y - 1
    shortfall = np.maximum(1 - c * (X @ model.coef_[0]), 0)
    primal = 0.5 * (model.coef_**2).sum() + 0.5 * (shortfall ** (1 if loss == "hinge" else 2)).sum()
    assert model.primal_ == pytest.approx(primal, rel=1e-8)
    assert abs(model.gap_) < 1e-7
    np.testing.assert_allclose((model.alpha_ * c) @ X, model.coef_[0], rtol=1e-4, atol=1e-5)
    peer = LinearSVC(C=0.5, loss=loss, fit_intercept=False, dual=True, tol=1e-10, max_iter=1_000_000).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)


def test_hard_margins_through_the_origin():
    rows = np.vstack([X[:20] @ np.diag([1, 1, 0]) + [0, 0, 3], X[:20] @ np.diag([1, 1, 0]) - [0, 0, 1]])
    y = np.repeat([1, 0], 20)
    model = LinearSVM(C=float("inf"), fit_intercept=False).fit(rows, y)
    assert (np.sign(model.decision_function(rows)) == 2 * y - 1).all()
    peer = SVC(C=1e8, kernel="linear", tol=1e-8).fit(np.vstack([rows, -rows]), np.concatenate([y, 1 - y]))
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-3, atol=1e-3)


def test_inference_without_an_intercept():
    y = (Y > 0).astype(int)
    model = LogisticRegression(fit_intercept=False).fit(X, y)
    p = 1 / (1 + np.exp(-(X @ model.coef_[0])))
    errors = np.sqrt(np.diagonal(np.linalg.inv(X.T @ ((p * (1 - p))[:, None] * X))))
    np.testing.assert_allclose(model.standard_errors_[0], errors, rtol=1e-6)
    assert model.intercept_standard_errors_.tolist() == [0.0]
    assert model.null_deviance_ == pytest.approx(2 * 120 * np.log(2))
    assert [row["column"] for row in model.summary().rows] == ["column 0", "column 1", "column 2"]
    assert model.intervals(kind="profile", X=X, y=y).shape == (3, 2)
    assert model.likelihood_ratio_test([0], X=X, y=y).degrees == 1


def test_c_and_alpha_are_one_penalty():
    y = (Y > 0).astype(int)
    np.testing.assert_array_equal(
        LogisticRegression(C=0.25).fit(X, y).coef_, LogisticRegression(alpha=4.0).fit(X, y).coef_
    )
    with pytest.raises(ValueError, match="give one of them"):
        LogisticRegression(C=1.0, alpha=1.0).fit(X, y)
    assert not hasattr(LogisticRegression(C=1.0).fit(X, y), "standard_errors_")


def test_warm_starts_begin_where_the_last_fit_ended():
    y = (Y > 0).astype(int)
    model = LogisticRegression(alpha=1.0, warm_start=True).fit(X, y)
    first, coef = model.n_iter_, model.coef_
    again = model.fit(X, y)
    assert again.n_iter_ < first
    np.testing.assert_allclose(again.coef_, coef, rtol=1e-6)
    model.fit(X[:, :2], y)  # other columns: from the start
    assert model.coef_.shape == (1, 2)
    separable = np.sign(X[:, :1]) * [[1.0, 2.0]]
    rule = Perceptron(random_state=0, warm_start=True).fit(separable, X[:, 0] > 0)
    assert rule.fit(separable, X[:, 0] > 0).n_updates_ == 0
