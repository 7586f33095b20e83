"""Rows as a protocol: sums that do not depend on where the rows are or how they are cut."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import discriminant
from discriminant import rows
from discriminant.statistics.moments import ClassMoments

LEARNERS = [
    discriminant.LinearDiscriminantAnalysis(),
    discriminant.LinearDiscriminantAnalysis(shrinkage="auto"),
    discriminant.FisherDiscriminant(),
    discriminant.FisherDiscriminant(threshold="gaussian"),
    discriminant.LeastSquaresClassifier(alpha=1.0),
    discriminant.NaiveBayes(marginal="gaussian"),
    discriminant.NaiveBayes(marginal="bernoulli"),
]
NEED_MEMORY = [
    discriminant.LinearSVM(),
    discriminant.Perceptron(average=True, max_iter=20, random_state=0),
    discriminant.PocketPerceptron(random_state=0),
    discriminant.Adaline(random_state=0),
    discriminant.FisherDiscriminant(threshold="accuracy"),
    discriminant.OneVsAll(discriminant.LogisticRegression()),
]


def table(n=300, d=4, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 3, n)
    X = random.normal(size=(n, d)) + y[:, None] * np.arange(d) + 1e6
    return X, np.array(["c", "a", "b"])[y], random.integers(0, 3, n).astype(float)


def cut(X, y, weight, places):
    edges = [0, *sorted(places), len(y)]
    return [(X[a:b], y[a:b], weight[a:b]) for a, b in pairwise(edges) if weight[a:b].any()]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
def test_batches_are_learnt_in_one_pass_as_one_table_is(learner):
    X, y, weight = table()
    source = rows.from_batches(cut(X, y, weight, [7, 90, 91, 200]))
    model = learner.fit(source)
    coef, intercept = model.coef_, model.intercept_
    whole = learner.fit(X, y, sample_weight=weight)
    assert source.passes == 1
    assert coef == pytest.approx(whole.coef_, rel=1e-7, abs=1e-9)
    assert intercept == pytest.approx(whole.intercept_, rel=1e-7, abs=1e-6)


@pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")
@pytest.mark.parametrize("learner", NEED_MEMORY, ids=str)
def test_methods_that_go_back_to_rows_say_so(learner):
    X, y, weight = table()
    X -= 1e6
    source = rows.from_batches(cut(X, y, weight, [100]), spool=False)
    with pytest.raises(rows.NeedsRowsInMemory, match=r"rows\.collect\(\)"):
        learner.fit(source)
    collected = learner.fit(source.collect())
    assert collected.predict(X).tolist() == learner.fit(X, y, sample_weight=weight).predict(X).tolist()


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 79), max_size=9, unique=True), st.integers(0, 5))
def test_no_answer_depends_on_where_the_rows_are_cut(places, seed):
    X, y, weight = table(80, 3, seed)
    weight[0] = 1.0
    memory, batches = rows.from_arrays(X, y, weight), rows.from_batches(cut(X, y, weight + 1, places))
    whole = rows.from_arrays(X, y, weight + 1)
    assert batches.fold(lambda block: block.n_rows) == 80
    np.testing.assert_allclose(batches.fold(ClassMoments.of_rows).within, ClassMoments.of_rows(whole).within, rtol=1e-9)
    assert batches.sample(20, seed).numbers.tolist() == whole.sample(20, seed).numbers.tolist()
    assert set(memory.sample(20, seed).numbers) <= set(np.flatnonzero(weight))
    parts = batches.assign(lambda block: block.numbers % 3, ClassMoments.of_rows)
    assert sorted(parts) == [0, 1, 2]
    assert sum(parts.values()).n == pytest.approx(whole.total_weight)
    every_third = whole.take(np.flatnonzero(whole.numbers % 3 == 2))
    np.testing.assert_allclose(parts[2].means, ClassMoments.of_rows(every_third).means, rtol=1e-12)


def test_classes_may_come_late_and_batches_may_be_sparse():
    X = sparse.random_array((60, 5), density=0.4, rng=np.random.default_rng(1), format="csr")
    y = np.repeat(["a", "b", "c"], 20)
    source = rows.from_batches([(X[:30], y[:30]), (X[30:], y[30:])])
    model = discriminant.LinearDiscriminantAnalysis().fit(source)
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.coef_ == pytest.approx(discriminant.LinearDiscriminantAnalysis().fit(X, y).coef_, rel=1e-8, abs=1e-8)
    assert source.collect().matrix.toarray().tolist() == X.toarray().tolist()


def test_a_sample_is_spread_over_the_rows():
    X, y, _ = table(2000)
    drawn = rows.from_arrays(X, y).sample(500, 3).numbers
    assert drawn.size == 500
    assert np.histogram(drawn, 4, (0, 2000))[0] == pytest.approx(125, abs=40)
    assert rows.from_arrays(X, y).sample(500, 4).numbers.tolist() != drawn.tolist()
    assert rows.from_arrays(X, y).sample(9999, 4).n_rows == 2000


@pytest.mark.parametrize(
    ("batches", "kind", "message"),
    [
        ([], ValueError, "no block"),
        (iter([([[1.0]], ["a"])]), TypeError, "only once"),
        ([([[1.0]], ["a"]), ([[1.0, 2.0]], ["b"])], ValueError, r"from row 1 on has 2 columns"),
        ([([[1.0]], ["a"]), ([[2.0]], ["a"])], ValueError, "one class only"),
        ([([[1.0]], ["a"]), ([[np.nan]], ["b"])], ValueError, r"NaN \(at row 1, column 0"),
    ],
)
def test_bad_batches_are_refused(batches, kind, message):
    with pytest.raises(kind, match=message):
        discriminant.LinearDiscriminantAnalysis().fit(rows.from_batches(batches))


def test_a_source_carries_its_own_labels():
    source = rows.from_batches([([[0.0], [1.0]], ["a", "b"])])
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        discriminant.LinearDiscriminantAnalysis().fit(source, ["a", "b"])


def test_models_go_on_with_batches_and_forget_them():
    X, y, weight = table()
    first, later = cut(X, y, weight, [150])
    model = discriminant.LinearDiscriminantAnalysis().fit(rows.from_batches([first]))
    before = model.coef_.copy()
    model.partial_fit(rows.from_batches([later]))
    whole = discriminant.LinearDiscriminantAnalysis().fit(X, y, sample_weight=weight)
    assert model.coef_ == pytest.approx(whole.coef_, rel=1e-7, abs=1e-9)
    model.forget(rows.from_batches([later]))
    assert model.coef_ == pytest.approx(before, rel=1e-6, abs=1e-8)
