"""Rows that stay where they are, read pass by pass: the fit in memory, whatever the blocks."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from discriminant import Adaline, FindingWarning, LinearSVM, LogisticRegression, Perceptron, PocketPerceptron, rows
from discriminant.findings import NotConverged, RedundantColumns, Separable
from discriminant.rows.parts import ArrayPart, PartRows
from discriminant.rows.protocol import add_neighbours
from discriminant.statistics import overview
from tests.tables import relative, seeds

law = settings(deadline=None, derandomize=True, max_examples=8)


@pytest.fixture(autouse=True)
def _small_sample(monkeypatch):
    """So that small tables do not fit into the sample, which would be fitted in memory."""
    monkeypatch.setattr(overview, "_SAMPLE_ROWS", 100)
    monkeypatch.setattr(overview, "_SAMPLE_NUMBERS", 100)


def table(seed, n=700, d=4, K=2, offset=0.0, spread=1.0):
    """Overlapping classes; ``offset`` in deviations."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * random.uniform(0.5, 2, d)
    y = (0.8 * X @ random.normal(size=(d, K)) + random.gumbel(size=(n, K))).argmax(1)
    y[:K] = np.arange(K)
    return (X + offset) * spread, np.array(["d", "b", "a", "c"])[y], random.integers(1, 4, n) / 2


def batches(X, y, weight=None, size=90):
    parts = range(0, len(y), size)
    if weight is None:
        return rows.from_batches([(X[a : a + size], y[a : a + size]) for a in parts])
    return rows.from_batches([(X[a : a + size], y[a : a + size], weight[a : a + size]) for a in parts])


def assert_same(model, reference, digits=1e-8):
    assert model.classes_.tolist() == reference.classes_.tolist()
    assert relative(model.coef_, reference.coef_) < digits
    assert relative(model.intercept_, reference.intercept_) < digits
    assert [type(f) for f in model.findings_] == [type(f) for f in reference.findings_]


@law
@given(seed=seeds, K=st.integers(2, 4), size=st.sampled_from([1, 37, 350]), alpha=st.sampled_from([0.0, 0.0, 3.0]))
def test_logistic_of_batches_is_that_of_the_table(seed, K, size, alpha):
    X, y, weight = table(seed, n=150 if size == 1 else 700, K=K)
    model = LogisticRegression(alpha=alpha).fit(batches(X, y, weight, size))
    reference = LogisticRegression(alpha=alpha, tol=1e-11).fit(X, y, weight)
    assert_same(model, reference)
    assert model.deviance_ == pytest.approx(reference.deviance_, rel=1e-12)
    assert model.null_deviance_ == pytest.approx(reference.null_deviance_, rel=1e-12)
    if not alpha:
        assert relative(model.standard_errors_, reference.standard_errors_) < 1e-8
        assert relative(model.covariance_, reference.covariance_) < 1e-8


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(("offset", "spread"), [(1e6, 1.0), (0.0, 1e-6), (1e6, 1e-6), (-30.0, 1e5)])
@pytest.mark.parametrize(
    "learner", [LogisticRegression(tol=1e-10), LinearSVM(loss="squared_hinge", C=2.0, tol=1e-10)], ids=str
)
def test_units_and_offsets_cost_no_digits(K, offset, spread, learner):
    X, y, weight = table(5, n=400, K=K, offset=offset, spread=spread)
    model = learner.fit(batches(X, y, weight))
    coef, intercept, findings = model.coef_, model.intercept_, model.findings_
    whole = learner.fit(X, y, weight)
    assert relative(coef, whole.coef_) < 1e-8
    assert relative(intercept, whole.intercept_) < 1e-8
    assert findings == whole.findings_


@law
@given(seed=seeds, K=st.integers(2, 4), C=st.sampled_from([0.01, 1.0, 50.0]), dense=st.booleans())
def test_squared_hinge_of_batches_is_that_of_the_table(seed, K, C, dense):
    X, y, weight = table(seed, K=K)
    X = X if dense else sparse.csr_array(np.where(np.abs(X) < 0.6, 0.0, X))
    model = LinearSVM(loss="squared_hinge", C=C, class_weight="balanced").fit(batches(X, y, weight))
    reference = LinearSVM(loss="squared_hinge", C=C, class_weight="balanced", tol=1e-12).fit(X, y, weight)
    assert_same(model, reference)
    for name in ("primal_", "dual_", "margin_"):
        assert getattr(model, name) == pytest.approx(getattr(reference, name), rel=1e-8)
    assert np.max(np.abs(model.gap_)) < 1e-8
    assert not hasattr(model, "alpha_")


@law
@given(seed=seeds, K=st.integers(2, 3), alpha=st.sampled_from([0.0, 2.0]))
def test_sparse_batches_and_class_weights(seed, K, alpha):
    X, y, weight = table(seed, K=K)
    X = sparse.csr_array(np.where(np.abs(X) < 0.6, 0.0, X))
    model = LogisticRegression(alpha=alpha, class_weight="balanced").fit(batches(X, y, weight))
    reference = LogisticRegression(alpha=alpha, class_weight="balanced", tol=1e-11).fit(X, y, weight)
    assert_same(model, reference)
    assert alpha or relative(model.standard_errors_, reference.standard_errors_) < 1e-8


def test_many_classes_learn_the_curvature_from_the_gradients():
    X, y, _ = table(3, n=900, d=30, K=4)
    model = LogisticRegression().fit(source := batches(X, y))
    reference = LogisticRegression(tol=1e-11).fit(X, y)
    assert model.solver_ == "quasi-newton"
    assert_same(model, reference, 1e-7)
    assert source.passes == model.n_passes_
    assert relative(model.standard_errors_, reference.standard_errors_) < 1e-7


def test_blocks_their_order_of_merging_and_engines_change_nothing_but_rounding():
    X, y, weight = table(8, K=3)
    models = [LogisticRegression().fit(batches(X, y, weight, size)) for size in (50, 131, 699)]
    parts = [ArrayPart(rows.from_arrays(X[a:b], y[a:b], weight[a:b])) for a, b in ((0, 400), (400, 700))]
    models.append(LogisticRegression().fit(PartRows(parts, rows.Schema(4), spool=False)))
    for model in models[1:]:
        assert relative(model.coef_, models[0].coef_) < 1e-10


def test_what_is_sent_to_the_rows_can_be_pickled():
    class Pickling(type(batches(*table(0)[:2]))):
        def fold(self, of, add=None):
            sent = pickle.loads(pickle.dumps((of, add)))
            return super().fold(sent[0]) if add is None else super().fold(*sent)

    X, y, weight = table(2, K=3)
    y[np.abs(X[:, 0]) > 3] = "a"

    def source():
        return Pickling(lambda: [(X[:300], y[:300], weight[:300]), (X[300:], y[300:], weight[300:])])

    LogisticRegression().fit(source())
    LinearSVM(loss="squared_hinge").fit(source())
    X[:, 1] += 20 * (y == "b")
    with pytest.warns(FindingWarning):
        LogisticRegression().fit(source())


def test_a_usual_fit_takes_a_handful_of_passes_and_says_how_many():
    X, y, weight = table(1, n=3000)
    source = batches(X, y, weight, 500)
    model = LogisticRegression().fit(source)
    assert source.passes == model.n_passes_ <= 7
    assert abs(model.reading_plan().passes - model.n_passes_) <= 2
    _ = model.standard_errors_, model.null_deviance_, pickle.dumps(model)
    assert source.passes == model.n_passes_
    test = model.likelihood_ratio_test([1], X=source)
    assert source.passes > model.n_passes_
    reference = LogisticRegression().fit(X, y, weight)
    assert test.statistic == pytest.approx(
        reference.likelihood_ratio_test([1], X=X, y=y, sample_weight=weight).statistic, rel=1e-9
    )
    assert str(model.summary()) == str(reference.summary())


def test_few_rows_are_fitted_as_they_are_after_one_pass(monkeypatch):
    monkeypatch.setattr(overview, "_SAMPLE_ROWS", 10_000)
    monkeypatch.setattr(overview, "_SAMPLE_NUMBERS", 1 << 24)
    X, y, weight = table(4, K=3)
    source = batches(X, y, weight)
    model = LogisticRegression().fit(source)
    assert source.passes == model.n_passes_ == 1
    assert model.coef_.tolist() == LogisticRegression().fit(X, y, weight).coef_.tolist()


# --- odd rows -------------------------------------------------------------------------------------------


def test_a_class_that_comes_late():
    X, y, _ = table(6, K=3)
    order = np.argsort(y == "a", kind="stable")
    X, y = X[order], y[order]
    assert_same(LogisticRegression().fit(batches(X, y, size=60)), LogisticRegression(tol=1e-11).fit(X, y))


@pytest.mark.parametrize("K", [2, 3])
def test_rare_columns_and_constants(K):
    X, y, _ = table(7, n=2000, K=K)
    rare = (np.arange(2000) % 250 == 0).astype(float)
    X = np.column_stack([X, rare, np.full(2000, 7.0), np.full(2000, 1e9)])
    model, reference = LogisticRegression().fit(batches(X, y)), LogisticRegression(tol=1e-11).fit(X, y)
    assert_same(model, reference, 1e-7)
    assert model.findings_ == reference.findings_


def test_redundant_columns_are_named():
    X, y, _ = table(9)
    X = np.column_stack([X, X[:, 0] - 2 * X[:, 1]])
    model, reference = LogisticRegression().fit(batches(X, y)), LogisticRegression().fit(X, y)
    assert isinstance(model.findings_[0], RedundantColumns)
    assert model.findings_ == reference.findings_
    # the weights are not unique: which ones are shortest depends on the scales of the columns, here of all rows
    scores, expected = model.decision_function(X), reference.decision_function(X)
    assert relative(scores, expected) < 1e-7
    assert np.isnan(model.standard_errors_).tolist() == np.isnan(reference.standard_errors_).tolist()


def finding_of(source, *table):
    with pytest.warns(FindingWarning):
        model, reference = LogisticRegression().fit(source), LogisticRegression().fit(*table)
    return model.findings_, reference.findings_


@pytest.mark.parametrize("K", [2, 3])
def test_separable_rows_are_found(K):
    X, y, _ = table(10, n=400, K=K)
    X[:, 2] += 12.0 * (y == "b")
    found, expected = finding_of(batches(X, y), X, y)
    assert [str(f) for f in found] == [str(f) for f in expected]
    assert isinstance(found[-1], Separable)
    assert found[-1].separation.kind == "complete"
    assert found[-1].separation.verify(X, y)


def test_quasi_separable_rows_are_found():
    X, y, _ = table(11, n=600)
    X = np.column_stack([X, (np.arange(600) % 40 == 0).astype(float)])
    y[X[:, 4] == 1] = "b"
    found, expected = finding_of(batches(X, y), X, y)
    assert [str(f) for f in found] == [str(f) for f in expected]
    assert found[0].separation.on_plane == expected[0].separation.on_plane
    assert found[0].separation.verify(X, y)


def test_an_iteration_cut_short_says_so():
    X, y, _ = table(12)
    with pytest.warns(FindingWarning, match=r"stopped after 1 iteration\."):
        model = LogisticRegression(max_iter=1, tol=1e-12).fit(batches(X, y))
    assert isinstance(model.findings_[0], NotConverged)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda X, y: X.__setitem__((650, 2), np.nan), r"NaN \(at row 650, column 2"),
        (lambda X, y: y.__setitem__(slice(None), "a"), "one class only"),
    ],
)
@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVM(loss="squared_hinge")], ids=str)
def test_bad_rows_are_refused_and_leave_the_model_as_it_was(learner, change, message):
    X, y, _ = table(13)
    learner.fit(X, y)
    before = learner.coef_.tolist()
    change(X, y)
    with pytest.raises(ValueError, match=message):
        learner.fit(batches(X, y))
    assert learner.coef_.tolist() == before


@pytest.mark.parametrize(
    "learner",
    [
        LogisticRegression(firth=True),
        LinearSVM(),
        Perceptron(shuffle=False, max_iter=20),
        Perceptron(rule="batch", average=True, max_iter=20),
        Perceptron(random_state=1, max_iter=20),
        PocketPerceptron(shuffle=False, max_iter=20),
        Adaline(shuffle=False, max_iter=20),
        Adaline(rule="batch", max_iter=20),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")
def test_rules_that_go_back_to_rows_take_them_from_the_spool_bit_for_bit(learner):
    X, y, weight = table(14)
    source = batches(X, y, weight)
    assert learner.reading_plan().all_rows
    coef = learner.fit(source).coef_.tolist()
    assert source.passes == 1
    assert coef == learner.fit(X, y, weight).coef_.tolist()
    source.spool = False
    with pytest.raises(rows.NeedsRowsInMemory):
        learner.fit(source)


def test_files_are_spooled_where_there_is_room_and_clusters_read_pass_by_pass():
    X, y, weight = table(15)
    parts = [ArrayPart(rows.from_arrays(X[a:b], y[a:b], weight[a:b])) for a, b in ((0, 400), (400, 700))]
    local, refused = PartRows(parts, rows.Schema(4)), PartRows(parts, rows.Schema(4), spool=False)
    elsewhere = PartRows(parts, rows.Schema(4), engine=Elsewhere())
    assert [source.spools for source in (local, refused, elsewhere)] == [True, False, False]
    models = [LogisticRegression().fit(source) for source in (local, refused, elsewhere)]
    assert local.passes == 1
    assert refused.passes == models[1].n_passes_ > 2
    assert models[0].coef_.tolist() == LogisticRegression().fit(X, y, weight).coef_.tolist()
    assert models[1].coef_.tolist() == models[2].coef_.tolist()


class Elsewhere:
    """An engine that is not of this process."""

    def fold(self, parts, of_part, add):
        return add_neighbours(map(of_part, parts), add)
