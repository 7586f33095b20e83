"""Moment learners over sources: what they give for the same rows in memory, also where sums do not suffice."""

import pickle
import warnings
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from discriminant import (
    ClassMoments,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    rows,
)
from discriminant.rows.protocol import Rows

LEARNERS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LinearDiscriminantAnalysis(method="moment"),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="gaussian"),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=0.1),
    NaiveBayes(marginal="gaussian"),
]
law = settings(max_examples=20, deadline=None, derandomize=True)
SAME = 1e-12


def table(seed, K=2, n=120, d=4, spread=1.0, offset=0.0):
    """Classes apart by half a deviation; the last column is the first but for ``spread`` of its own."""
    random = np.random.default_rng(seed)
    codes = np.concatenate([np.repeat(np.arange(K), 2), random.integers(0, K, n - 2 * K)])
    X = random.normal(size=(n, d)) + random.normal(size=(K, d))[codes] / 2
    X[:, -1] = X[:, 0] + spread * X[:, -1]
    return X + offset, np.array(list("cabd"))[codes]


class Shipped(Rows):
    """A source that sends what it is asked through pickle, as engines do."""

    def __init__(self, source):
        self.source = source

    @property
    def schema(self):
        return self.source.schema

    def batches(self):
        return self.source.batches()

    def fold(self, of, add=None):
        of, add = pickle.loads(pickle.dumps((of, add)))
        found = self.source.fold(of) if add is None else self.source.fold(of, add)
        return pickle.loads(pickle.dumps(found))


def cut(X, y, weight, places):
    edges = [0, *sorted(p for p in places if 0 < p < len(y)), len(y)]
    return rows.from_batches(
        [(X[a:b], y[a:b], None if weight is None else weight[a:b]) for a, b in pairwise(edges) if a < b]
    )


def fitted(learner, *given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(learner).fit(*given)


def assert_same(model, reference, X, allowed=SAME):
    scale = X.std(axis=0)
    size = np.abs(reference.coef_ * scale).max()
    assert np.abs((model.coef_ - reference.coef_) * scale).max() <= allowed * size
    reach = np.abs(reference.coef_) @ np.abs(X).max(axis=0) + np.abs(reference.intercept_)
    assert (np.abs(model.intercept_ - reference.intercept_) <= allowed * reach.max()).all()
    assert [type(f) for f in model.findings_] == [type(f) for f in reference.findings_]
    assert [f.columns for f in model.findings_] == [f.columns for f in reference.findings_]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@law
@given(
    seed=st.integers(0, 99),
    K=st.sampled_from([2, 4]),
    spread=st.sampled_from([1.0, 1e-2, 1e-3, 1e-6, 1e-7, 1e-9]),
    offset=st.sampled_from([0.0, 1e6]),
    weighted=st.booleans(),
    places=st.lists(st.integers(1, 119), max_size=9, unique=True),
)
def test_sources_give_what_memory_gives(learner, seed, K, spread, offset, weighted, places):
    if spread < 1e-3:
        offset = 0.0  # rounding of the numbers themselves would hide such a spread
    X, y = table(seed, K, spread=spread, offset=offset)
    weight = np.random.default_rng(seed).integers(1, 4, y.size) / 2.0 if weighted else None
    reference = fitted(learner, X, y, weight)
    assert_same(fitted(learner, Shipped(cut(X, y, weight, places))), reference, X)


@pytest.mark.parametrize("spread", [1.0, 1e-3, 1e-7])
@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_blocks_of_one_row_and_a_class_in_the_last_block_alone(learner, spread):
    X, y = table(5, K=4, n=60, spread=spread)
    order = np.argsort(y == "a", kind="stable")
    X, y = X[order], y[order]
    reference = fitted(learner, X, y)
    assert_same(fitted(learner, cut(X, y, None, range(1, 60))), reference, X)
    assert_same(fitted(learner, cut(X, y, None, [np.argmax(y == "a")])), reference, X)


@pytest.mark.parametrize("spread", [1.0, 1e-7])
def test_permuting_blocks_is_permuting_rows(spread):
    X, y = table(7, spread=spread)
    edges = [(0, 30), (30, 31), (31, 90), (90, 120)]
    blocks = [(X[a:b], y[a:b]) for a, b in edges]
    order = [2, 0, 3, 1]
    places = np.concatenate([np.arange(*edges[i]) for i in order])
    for learner in LEARNERS:
        model = fitted(learner, rows.from_batches([blocks[i] for i in order]))
        assert_same(model, fitted(learner, X[places], y[places]), X)
        assert_same(model, fitted(learner, X, y), X)


@law
@given(st.permutations(range(5)), st.integers(0, 20))
def test_the_order_of_merging_changes_rounding_alone(order, seed):
    X, y = table(seed, K=4, n=100, offset=1e6)
    parts = [ClassMoments.of(X[20 * i : 20 * i + 20], y[20 * i : 20 * i + 20]) for i in range(5)]
    whole, merged = ClassMoments.of(X, y), sum(parts[i] for i in order)
    np.testing.assert_allclose(merged.displacements, whole.displacements, rtol=0, atol=1e-13)
    np.testing.assert_allclose(merged.within, whole.within, rtol=1e-12, atol=1e-11)


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("spread", [1.0, 1e-7])
def test_sparse_sources(learner, spread):
    X, y = table(11, spread=spread)
    X[:, 1] *= X[:, 1] > 0.5
    source = rows.from_batches([(sparse.csr_array(X[:50]), y[:50]), (sparse.csr_array(X[50:]), y[50:])])
    assert_same(fitted(learner, source), fitted(learner, X, y), X)


def test_priors_reweigh_the_classes_of_a_source():
    for spread in (1.0, 1e-7):
        X, y = table(2, spread=spread)
        learner = FisherDiscriminant(priors={"a": 0.2, "c": 0.8})
        assert_same(fitted(learner, Shipped(cut(X, y, None, [9, 60]))), fitted(learner, X, y), X)


@pytest.mark.parametrize("threshold", ["accuracy", "gain"])
@pytest.mark.parametrize("weighted", [False, True])
def test_thresholds_of_fisher_take_a_second_pass(threshold, weighted):
    X, y = table(3, n=400)
    weight = np.random.default_rng(0).integers(1, 3, y.size).astype(float) if weighted else None
    gain = {"a": {"a": 1, "c": -2}, "c": {"a": -1, "c": 3}}
    for priors in (None, [0.3, 0.7]):
        learner = FisherDiscriminant(threshold=threshold, gain=gain, priors=priors)
        source = cut(X, y, weight, [1, 40, 250])
        model = fitted(learner, source)
        assert source.passes == 2
        assert_same(model, fitted(learner, X, y, weight), X)


def test_fisher_of_more_classes_needs_rows_for_its_threshold():
    X, y = table(3, K=4)
    source = cut(X, y, None, [50])
    learner = FisherDiscriminant(threshold="accuracy")
    assert_same(fitted(learner, source), fitted(learner, X, y), X)
    source.spool = False
    with pytest.raises(rows.NeedsRowsInMemory, match="of 4 classes"):
        learner.fit(source)


def test_passes_are_one_where_sums_suffice():
    X, y = table(0)
    for learner in LEARNERS:
        source = cut(X, y, None, [20, 70])
        fitted(learner, source)
        assert source.passes == 1


def test_wide_sources_say_the_way_out():
    random = np.random.default_rng(0)
    X, y = random.normal(size=(20, 30)), np.arange(20) % 2
    source = cut(X, y, None, [10])
    assert_same(fitted(LinearDiscriminantAnalysis(), source), fitted(LinearDiscriminantAnalysis(), X, y), X)
    source.spool = False
    with pytest.raises(rows.NeedsRowsInMemory, match=r"more columns than rows.*rows\.collect\(\)"):
        LinearDiscriminantAnalysis().fit(source)
    wide, codes = sparse.random_array((40, 2500), density=0.01, rng=random, format="csr"), np.arange(40) % 2
    source = rows.from_batches([(wide[:15], codes[:15]), (wide[15:], codes[15:])])
    model = fitted(LeastSquaresClassifier(alpha=1.0), source)
    assert model.coef_ == pytest.approx(fitted(LeastSquaresClassifier(alpha=1.0), wide, codes).coef_, abs=1e-12)
    source.spool = False
    with pytest.raises(rows.NeedsRowsInMemory, match="2500 sparse columns"):
        LeastSquaresClassifier().fit(source)


def test_a_view_may_leave_no_row_of_a_block():
    from discriminant.rows.views import ChangedRows

    X, y = table(1)
    source = rows.from_batches([(X[:40], y[:40]), (X[40:], y[40:])])
    late = ChangedRows(source, partial(_from, 60))
    assert_same(fitted(LinearDiscriminantAnalysis(), late), fitted(LinearDiscriminantAnalysis(), X[60:], y[60:]), X)
    with pytest.raises(ValueError, match="no row of the source is left"):
        LinearDiscriminantAnalysis().fit(ChangedRows(source, partial(_from, 500)))


def _from(first, block):
    return block.take(np.flatnonzero(block.numbers >= first))
