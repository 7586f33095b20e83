"""Moments of sparse rows from their entries: those of the same rows as dense blocks."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis
from discriminant.rows import from_arrays
from discriminant.statistics.entry_sums import products_of_entries, whole_columns
from discriminant.statistics.moments import ClassMoments


def _indicators(n=4000, groups=6, levels=25, seed=0):
    """One level of each group in every row, and two columns of real numbers."""
    random = np.random.default_rng(seed)
    level = random.zipf(1.5, (n, groups)) % levels + levels * np.arange(groups)
    X = np.zeros((n, groups * levels + 2))
    X[np.arange(n)[:, None], level] = 1.0
    X[:, -2:] = random.normal(size=(n, 2))
    y = (X @ random.normal(size=X.shape[1]) + random.normal(size=n) > 0).astype(int) + (random.random(n) < 0.1)
    return X, y


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("per_class", [False, True])
def test_moments_are_those_of_dense_rows(weighted: bool, per_class: bool) -> None:
    X, y = _indicators()
    weight = np.random.default_rng(1).uniform(0.5, 2.0, y.size) if weighted else None
    rows = from_arrays(sparse.csr_array(X), y, weight)
    assert products_of_entries(rows) is not None
    found = ClassMoments.of_rows(rows, per_class=per_class)
    dense = ClassMoments.of(X, y, weight, per_class=per_class)
    for name in ("counts", "means", "scatter", "cubic", "quartic"):
        ours, theirs = getattr(found, name), getattr(dense, name)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours == pytest.approx(theirs, rel=1e-11, abs=1e-10 * np.abs(theirs).max())


def test_columns_far_from_zero_are_centred_first() -> None:
    X, y = _indicators()
    X[:, -1] += 1e6
    found = ClassMoments.of(sparse.csr_array(X), y)
    assert found.within == pytest.approx(ClassMoments.of(X, y).within, rel=1e-9, abs=1e-8)


def test_whole_columns_are_told() -> None:
    X, y = _indicators()
    rows = from_arrays(sparse.csr_array(X), y)
    assert np.flatnonzero(~whole_columns(rows)).tolist() == [X.shape[1] - 2, X.shape[1] - 1]
    assert not whole_columns(from_arrays(sparse.csr_array(X), y, np.full(y.size, 0.5))).any()


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis, LeastSquaresClassifier])
@pytest.mark.filterwarnings("ignore")
def test_indicators_that_sum_to_one_give_the_planes_of_dense_rows(learner: type) -> None:
    X, y = _indicators()
    found, dense = learner().fit(sparse.csr_array(X), y), learner().fit(X, y)
    assert found.coef_ == pytest.approx(dense.coef_, rel=1e-8, abs=1e-9 * np.abs(dense.coef_).max())
    assert [type(f) for f in found.findings_] == [type(f) for f in dense.findings_]
    assert [f.columns for f in found.findings_] == [f.columns for f in dense.findings_]


@pytest.mark.filterwarnings("ignore")
def test_columns_that_are_nearly_the_same_are_told_apart_by_the_rows() -> None:
    X, y = _indicators()
    X[:, -1] = X[:, -2] * (1.0 + 1e-9 * np.sign(X[:, -1]))
    found, dense = (LinearDiscriminantAnalysis().fit(form, y) for form in (sparse.csr_array(X), X))
    assert [f.columns for f in found.findings_] == [f.columns for f in dense.findings_]
    assert found.decision_function(X) == pytest.approx(dense.decision_function(X), rel=1e-5, abs=1e-5)
