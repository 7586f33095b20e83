"""One against one: votes, ties, coupled probabilities, and shared moments of pairs."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.linear_model import SGDClassifier
from sklearn.multiclass import OneVsOneClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from discriminant import LinearDiscriminantAnalysis, LogisticRegression, OneVsOne, Perceptron
from discriminant.multiclass.coupling import couple_pairs
from discriminant.multiclass.one_vs_one import ballots
from tests.multiclass.test_one_vs_all import CLOSED_FORM, OTHERS, confidence, numbers_for
from tests.tables import gaussian_table, relative, seeds


@pytest.mark.parametrize("learner", CLOSED_FORM + OTHERS, ids=str)
@given(seeds)
@settings(max_examples=3)
def test_pairs_are_fitted_to_their_own_rows_alone(learner, seed):
    X, y = gaussian_table(seed, K=4)
    X = numbers_for(learner, X)
    weight = np.random.default_rng(seed).integers(1, 3, len(X)).astype(float)
    model = OneVsOne(learner).fit(X, y, sample_weight=weight)
    assert model.pairs_ == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    for (a, b), one in zip(model.pairs_, model.estimators_, strict=True):
        inside = (y == a) | (y == b)
        other = clone(learner).fit(X[inside], (y[inside] == b).astype(int), sample_weight=weight[inside])
        assert relative(confidence(one, X), confidence(other, X)) < 1e-9


def test_as_scikit_learn_votes():
    X, y = load_iris(return_X_y=True)
    ours, theirs = (
        OneVsOne(TheirLogisticRegression()).fit(X, y),
        OneVsOneClassifier(TheirLogisticRegression()).fit(X, y),
    )
    assert relative(ours.decision_function(X), theirs.decision_function(X)) < 1e-12
    assert np.array_equal(ours.predict(X), theirs.predict(X))


@given(st.integers(3, 6), seeds, st.sampled_from([1e-200, 1.0, 1e200]))
def test_votes_come_first_and_confidence_breaks_ties(n_classes, seed, size):
    rng = np.random.default_rng(seed)
    scores = rng.choice([-2.0, -1.0, 1.0, 2.0, 3.0], (30, n_classes * (n_classes - 1) // 2)) * size
    votes, sums = ballots(scores, n_classes)
    assert (votes.sum(axis=1) == scores.shape[1]).all()
    assert np.abs(sums.sum(axis=1)).max() <= 1e-12 * size
    model = OneVsOne(LinearDiscriminantAnalysis())
    model.classes_ = np.arange(n_classes)
    totals = model._class_scores(scores)
    for v, s, winner in zip(votes, sums, totals.argmax(axis=1), strict=True):
        assert (v[winner], s[winner]) == max(zip(v, s, strict=True))
    assert np.abs(totals - votes).max() < 0.5


@given(st.integers(2, 7), seeds)
def test_pairs_that_agree_give_their_probabilities_back(n_classes, seed):
    p = np.random.default_rng(seed).dirichlet(np.ones(n_classes), 20)
    i, j = np.triu_indices(n_classes, 1)
    assert np.abs(couple_pairs(p[:, j] / (p[:, i] + p[:, j]), n_classes) - p).max() < 1e-10


@given(st.integers(3, 5), seeds)
@settings(max_examples=20)
def test_coupling_solves_the_equations_of_wu_lin_and_weng(n_classes, seed):
    """Their bordered system, in fifty digits."""
    second = np.random.default_rng(seed).uniform(0, 1, (1, n_classes * (n_classes - 1) // 2))
    with mpmath.workdps(50):
        r = mpmath.zeros(n_classes)
        for value, i, j in zip(second[0], *np.triu_indices(n_classes, 1), strict=True):
            r[int(i), int(j)], r[int(j), int(i)] = 1 - mpmath.mpf(value), mpmath.mpf(value)
        A = mpmath.ones(n_classes + 1)
        A[n_classes, n_classes] = 0
        for i in range(n_classes):
            for j in range(n_classes):
                A[i, j] = sum(r[s, i] ** 2 for s in range(n_classes) if s != i) if i == j else -r[j, i] * r[i, j]
        right = mpmath.zeros(n_classes + 1, 1)
        right[n_classes] = 1
        expected = [float(v) for v in mpmath.lu_solve(A, right)][:n_classes]
    assert np.abs(couple_pairs(second, n_classes)[0] - expected).max() < 1e-12


@given(st.integers(2, 6), seeds)
def test_certain_pairs_still_give_probabilities(n_classes, seed):
    second = np.random.default_rng(seed).integers(0, 2, (40, n_classes * (n_classes - 1) // 2)).astype(float)
    p = couple_pairs(second, n_classes)
    assert (p >= 0).all()
    assert np.abs(p.sum(axis=1) - 1).max() < 1e-12


def test_probabilities_of_an_estimator_are_coupled():
    X, y = gaussian_table(3, K=4)
    for learner in (
        LinearDiscriminantAnalysis(),
        LogisticRegression(alpha=1.0),
        DecisionTreeClassifier(random_state=0),
    ):
        model = OneVsOne(learner).fit(X, y)
        second = np.column_stack([e.predict_proba(X)[:, 1] for e in model.estimators_])
        assert np.abs(model.predict_proba(X) - couple_pairs(second, 4)).max() < 1e-12
        with np.errstate(divide="ignore"):
            assert np.allclose(model.predict_log_proba(X), np.log(model.predict_proba(X)))


def test_the_plane_between_two_classes_is_the_one_learnt_from_them():
    X, y = gaussian_table(3, K=4)
    labels = np.array(list("dbca"))[y]
    model = OneVsOne(LinearDiscriminantAnalysis()).fit(X, labels)
    assert model.coef_.shape == (6, 4)
    assert list(model.hyperplanes_) == model.pairs_
    for (a, b), one in zip(model.pairs_, model.estimators_, strict=True):
        assert model.hyperplane(a, b) == one.hyperplane()
        assert model.hyperplane(b, a) == -one.hyperplane()
    with pytest.raises(ValueError, match="say which two"):
        model.hyperplane()
    with pytest.raises(ValueError, match="is one class"):
        model.hyperplane("a", "a")
    with pytest.raises(ValueError, match="'e' is not one of the classes"):
        model.hyperplane("a", "e")


def test_a_pair_with_fewer_rows_than_columns_has_its_own_space():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [5, 6, 60])
    X = rng.standard_normal((71, 20)) + rng.standard_normal((3, 20))[y]
    learner = LinearDiscriminantAnalysis(shrinkage=0.3)
    model = OneVsOne(learner).fit(X, y)
    other = clone(learner).fit(X[:11], y[:11])
    assert relative(model.estimators_[0].decision_function(X), other.decision_function(X)) < 1e-9


def test_separable_pairs_of_overlapping_classes_are_learnt():
    X, y = load_iris(return_X_y=True)
    model = OneVsOne(Perceptron(random_state=0, average=True)).fit(X, y)
    assert model.score(X, y) > 0.95


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")  # theirs, of a class without rows
@pytest.mark.parametrize(
    "learner",
    [Perceptron(), LinearDiscriminantAnalysis(shrinkage=0.1), SGDClassifier(random_state=0), GaussianNB()],
)
@pytest.mark.parametrize("only", [0, 1, 2])
def test_pairs_that_no_row_was_seen_of_prefer_neither(learner, only):
    X, y = load_iris(return_X_y=True)
    model = OneVsOne(clone(learner)).partial_fit(X[y == only], y[y == only], classes=[0, 1, 2])
    assert set(model.predict(X).tolist()) == {only}
    if hasattr(model, "predict_proba"):
        assert model.predict_proba(X).shape == (150, 3)
    rest = y != only
    model.partial_fit(X[rest], y[rest])
    for one, pair in zip(model.estimators_, [(0, 1), (0, 2), (1, 2)], strict=True):
        alone = clone(learner)
        for part in (y == only, rest):
            rows = part & np.isin(y, pair)
            if rows.any():
                alone.partial_fit(X[rows], (y[rows] == pair[1]).astype(int), classes=[0, 1])
        assert type(one) is type(learner)
        assert (one.predict(X) == alone.predict(X)).all()
