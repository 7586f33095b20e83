"""One body over all sources: the same weights, findings, thresholds and figures wherever the rows are."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import dump_svmlight_file

from discriminant import (
    FisherDiscriminant,
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    compare,
    rows,
    separate,
)
from discriminant.findings import Separable
from discriminant.validation import IdFolds
from tests.sources.tables import COLUMNS, MIXED, arrays_of, sparse_parts, sparse_rows, sparse_weights
from tests.tables import relative

pytestmark = pytest.mark.filterwarnings("ignore")

BY_SUMS = [
    (LinearDiscriminantAnalysis(shrinkage="auto"), 1e-12),
    (LeastSquaresClassifier(), 1e-12),
    (NaiveBayes(marginal="gaussian"), 1e-12),
    (LogisticRegression(alpha=1.0), 1e-8),
    (LogisticRegression(), 1e-8),
    (LinearSVM(loss="squared_hinge"), 1e-8),
]
TWO_CLASSES = [(FisherDiscriminant(), 1e-12)]
COMPARED = ("lda", "naive-bayes", "logistic-ridge")
GAIN = [[1, -2], [-5, 3]]
NUMBERS = {"target": "kind", "columns": COLUMNS}


def assert_same(learner, source, reference, tolerance):
    """A learner gives from a source what it gave from the rows in memory."""
    model = clone(learner).fit(source)
    assert np.array_equal(model.classes_, reference.classes_)
    assert relative(model.coef_, reference.coef_) < tolerance
    assert relative(model.intercept_, reference.intercept_) < tolerance
    assert [type(finding) for finding in model.findings_] == [type(finding) for finding in reference.findings_]
    return model


@pytest.mark.parametrize(("table", "weight"), [("two", None), ("two", "w"), ("four", None), ("four", "w")])
def test_learners_of_sums(opened, table, weight):
    X, y, w = arrays_of(table, weight=weight)
    source = opened(table, weight=weight, **NUMBERS)
    for learner, tolerance in [*BY_SUMS, *(TWO_CLASSES if table == "two" else [])]:
        reference = clone(learner).fit(X, y, sample_weight=w)
        model = assert_same(learner, source, reference, tolerance)
        if isinstance(learner, LogisticRegression) and not learner.alpha:
            assert relative(model.standard_errors_, reference.standard_errors_) < 1e-6
            assert model.log_likelihood_ == pytest.approx(reference.log_likelihood_, rel=1e-10)


def test_rows_in_an_order(opened, request):
    """A rule that visits rows one after another gives bit for bit what it gives in memory."""
    if request.node.callspec.params["opened"] == "spark frame":
        pytest.skip("Spark reads the files of a data frame in an order of its own")
    X, y, _ = arrays_of("two")
    learner = Perceptron(shuffle=False, max_iter=20)
    reference = clone(learner).fit(X, y)
    model = clone(learner).fit(opened("two", **NUMBERS))
    assert np.array_equal(model.coef_, reference.coef_)
    assert np.array_equal(model.intercept_, reference.intercept_)


def test_separable_rows(opened):
    X, y, _ = arrays_of("apart")
    source = opened("apart", **NUMBERS)
    assert separate(source).kind == separate(X, y).kind == "complete"
    findings = {type(finding) for finding in LogisticRegression().fit(source).findings_}
    assert findings == {type(finding) for finding in LogisticRegression().fit(X, y).findings_}
    assert Separable in findings


def decisions_of(source, n_classes, **folds):
    """Thresholds, gains and figures of rows not seen, with folds drawn by a column of ids."""
    gain = GAIN if n_classes == 2 else np.eye(n_classes) * 4 - np.arange(n_classes)
    model = GainClassifier(LinearDiscriminantAnalysis(), gain=gain, **folds).fit(source)
    return model, compare(source, learners=COMPARED, **folds)


@pytest.fixture(scope="session")
def by_key(folder):
    """What `decisions_of` rows in memory are, made once for each table."""
    made = {}

    def decisions(table, weight, n_classes):
        if (table, weight) not in made:
            source = rows.open(folder / "parquet" / table, id="key", weight=weight, **NUMBERS)
            made[table, weight] = decisions_of(source.collect(), n_classes, cv=IdFolds(5))
        return made[table, weight]

    return decisions


@pytest.mark.parametrize(("table", "weight", "n_classes"), [("two", None, 2), ("two", "w", 2), ("four", "w", 4)])
def test_folds_thresholds_and_figures_follow_the_ids(opened, by_key, request, table, weight, n_classes):
    if request.node.callspec.params["opened"] in ("memory", "batches"):
        pytest.skip("arrays and batches have no column of ids")
    decided, compared = by_key(table, weight, n_classes)
    model, found = decisions_of(opened(table, id="key", weight=weight, **NUMBERS), n_classes)
    X, _, _ = arrays_of(table)
    assert np.array_equal(model.predict(X), decided.predict(X))
    if n_classes == 2:
        assert model.threshold_ == pytest.approx(decided.threshold_, rel=1e-9)
    assert model.expected_gain_ == pytest.approx(decided.expected_gain_, rel=1e-9)
    assert model.expected_gain_interval_ == pytest.approx(decided.expected_gain_interval_, rel=1e-9)
    assert found.best == compared.best
    for name in COMPARED:
        for figure in ("auc", "accuracy"):
            ours, theirs = (getattr(comparison, figure)[name] for comparison in (found, compared))
            assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), rel=1e-9)


@pytest.mark.parametrize(("table", "weight"), [("mixed", None), ("mixed", "w"), ("mixed_four", None)])
def test_blanks_and_categories(opened, folder, request, table, weight):
    if request.node.callspec.params["opened"] in ("memory", "batches"):
        pytest.skip("arrays hold numbers alone")
    asked = {"target": "kind", "columns": MIXED, "weight": weight, "encoding": "auto"}
    whole = rows.open(folder / "parquet" / table, **asked)
    memory = whole.collect()
    source = opened(table, **asked)
    assert source.schema.names == whole.schema.names
    for learner, tolerance in ((LinearDiscriminantAnalysis(), 1e-12), (LogisticRegression(alpha=1.0), 1e-8)):
        assert_same(learner, source, clone(learner).fit(memory), tolerance)


@pytest.mark.parametrize(
    ("kind", "weighted"),
    [
        ("batches", False),
        ("batches", True),
        ("svmlight", False),
        ("dask", False),
        ("dask", True),
        ("dask svmlight", False),
        pytest.param("spark svmlight", False, marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("K", [2, 4])
def test_sparse_rows(kind, weighted, K, tmp_path, request):
    X, y = sparse_rows(K)
    weight = sparse_weights() if weighted else None
    source = sparse_source(kind, K, weighted, tmp_path, request)
    for learner, tolerance in BY_SUMS[:1] + BY_SUMS[3:4] + BY_SUMS[5:]:
        assert_same(learner, source, clone(learner).fit(X, y, sample_weight=weight), tolerance)


def sparse_source(kind, K, weighted, folder, request):
    """Sparse rows as batches, as files, or as what workers hold."""
    parts = sparse_parts(K, weighted)
    if kind == "batches":
        return rows.from_batches(parts)
    if kind == "dask":
        dask = pytest.importorskip("dask")
        tasks = [dask.delayed(lambda part: part, pure=False)(part) for part in parts]
        return rows.from_dask(tasks, client=request.getfixturevalue("dask_client"))
    for k, (part, labels) in enumerate(parts):
        dump_svmlight_file(part, labels, str(folder / f"{k}.svm"), zero_based=False)
    if kind == "svmlight":
        return rows.open(folder / "*.svm")
    if kind == "dask svmlight":
        return rows.from_dask(folder / "*.svm", client=request.getfixturevalue("dask_client"))
    return rows.from_spark(folder / "*.svm", target=None, spark=request.getfixturevalue("spark"))
