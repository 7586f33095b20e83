"""Least squares of many hardly correlated columns: products with the rows give what the scatter gives."""

import pickle

import numpy as np
import pytest

from discriminant import LeastSquaresClassifier
from discriminant.findings import OneRowClass, UnequalScales
from discriminant.learners.least_squares import class_codes
from discriminant.learners.moment_backends import ClassMeans, DenseRowsEvidence, MomentEvidence, gather_evidence
from discriminant.linalg.cg_regression import conjugate_weights, hardly_correlated
from discriminant.rows import from_arrays

N, D = 12000, 500
SCALES = 10.0 ** np.random.default_rng(9).uniform(-3, 3, D)


def table(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((N, D)) * SCALES
    y = rng.integers(0, 2, N)
    X[:, :20] *= 1 + 0.5 * y[:, None]
    X[:, 5] += 2 * X[:, 5].std() * y
    return X, y


def by_scatter(X, y, alpha=0.0, weight=None):
    return MomentEvidence.of(from_arrays(X, y, weight), per_class=False).regress(class_codes(2), alpha)


def score_error(X, model, expected):
    """The largest difference of scores beside their deviation."""
    scores = X @ expected.coef[0] + expected.intercept[0]
    return np.abs(model.decision_function(X) - scores).max() / scores.std()


@pytest.mark.parametrize("alpha", [0.0, 3.0])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")
def test_products_give_the_planes_of_the_scatter(alpha, weighted):
    X, y = table()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, N) if weighted else None
    model = LeastSquaresClassifier(alpha=alpha).fit(X, y, weight)
    assert isinstance(model._evidence, ClassMeans)
    expected = by_scatter(X, y, alpha, weight)
    assert score_error(X, model, expected) < 3e-10
    assert model.rank_ == expected.rank == D
    assert model.findings_ == expected.findings
    assert any(isinstance(f, UnequalScales) for f in model.findings_) == (alpha > 0)


def test_what_is_not_hardly_correlated_is_left_to_the_scatter():
    X, y = table()
    correlated = X / X.std(axis=0) + np.random.default_rng(2).standard_normal((N, 1))
    redundant = X.copy()
    redundant[:, 7] = 2 * X[:, 8]
    constant = X.copy()
    constant[:, 3] = 1.0
    far = X + 100 * X.std(axis=0)
    for other in (
        correlated,
        redundant,
        constant,
        far,
        X[:6000],
        X[:, :400],
        X.astype(np.float32),
        np.asfortranarray(X),
    ):
        assert not hardly_correlated(from_arrays(other, y[: len(other)]))
    assert hardly_correlated(from_arrays(X, y))
    assert isinstance(gather_evidence(from_arrays(X, y)), MomentEvidence)


def test_rows_of_no_weight_do_not_vouch_for_the_others():
    X, y = table()
    weight = np.ones(N)
    weight[::2] = 0.0
    X[1::2, 7] = 2 * X[1::2, 8]
    model = LeastSquaresClassifier().fit(X, y, weight)
    assert model.rank_ == D - 1


def test_dependence_the_sample_did_not_see_ends_with_the_scatter():
    X, y = table()
    X /= X.std(axis=0)
    seen = np.linspace(0, N - 1, D + 100).astype(int)
    hidden = np.setdiff1d(np.arange(N), seen)
    X[hidden] = 0.1 * X[hidden] + X[hidden, :1]
    rows = from_arrays(X, y)
    evidence = gather_evidence(rows, per_class=False)
    assert isinstance(evidence, DenseRowsEvidence)
    assert (
        conjugate_weights(rows, evidence.mean, evidence.of_classes.total, evidence.means[1] - evidence.mean, 0.0)
        is None
    )
    model = LeastSquaresClassifier().fit(X, y)
    assert isinstance(model._evidence, MomentEvidence)
    assert score_error(X, model, by_scatter(X, y)) < 3e-10


def test_a_fit_by_products_keeps_no_scatter_and_no_rows():
    X, y = table(3)
    model = LeastSquaresClassifier().fit(X, y)
    more, labels = table(4)
    stored = pickle.loads(pickle.dumps(model))
    assert np.array_equal(stored.coef_, model.coef_)
    assert len(pickle.dumps(model)) < 100 * D * 8
    for change in (stored.partial_fit, model.partial_fit, model.forget):
        with pytest.raises(ValueError, match=f"went without their {D}×{D} scatter.*begin with partial_fit"):
            change(more, labels)
    assert np.array_equal(stored.coef_, model.coef_)
    grown = LeastSquaresClassifier().partial_fit(X, y).partial_fit(more, labels)
    assert score_error(X, grown, by_scatter(np.vstack([X, more]), np.concatenate([y, labels]))) < 3e-10


def test_a_class_of_one_row_is_told():
    X, _ = table(7)
    y = np.arange(N) == 11
    model = LeastSquaresClassifier().fit(X, y)
    assert isinstance(model._evidence, ClassMeans)
    assert any(isinstance(f, OneRowClass) for f in model.findings_)


def test_cells_that_are_no_numbers_are_named():
    X, y = table(8)
    for row in (0, 123):  # the first is looked at among the few
        X[row, 45] = np.inf
        with pytest.raises(ValueError, match=rf"row {row}.*column 45"):
            LeastSquaresClassifier().fit(X, y)
        X[row, 45] = 0.0
