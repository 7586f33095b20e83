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
from tests.sources.tables import COLUMNS, arrays_of, sparse_parts, sparse_rows
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


@pytest.fixture(scope="session")
def by_key(folder):
    """Decisions and comparisons of the files, with folds drawn by a column of ids."""
    source = rows.open(folder / "parquet" / "two", id="key", **NUMBERS)
    return GainClassifier(LinearDiscriminantAnalysis(), gain=GAIN).fit(source), compare(source, learners=COMPARED)


def test_folds_thresholds_and_figures_follow_the_ids(opened, by_key, request):
    if request.node.callspec.params["opened"] in ("memory", "batches"):
        pytest.skip("arrays and batches have no column of ids")
    decided, compared = by_key
    source = opened("two", id="key", **NUMBERS)
    model = GainClassifier(LinearDiscriminantAnalysis(), gain=GAIN).fit(source)
    X, _, _ = arrays_of("two")
    assert np.array_equal(model.predict(X), decided.predict(X))
    found = compare(source, learners=COMPARED)
    assert found.best == compared.best
    for name in COMPARED:
        for figure in ("auc", "accuracy"):
            ours, theirs = (getattr(comparison, figure)[name] for comparison in (found, compared))
            assert (ours.value, ours.low, ours.high) == pytest.approx((theirs.value, theirs.low, theirs.high), rel=1e-9)


def test_blanks_and_categories(opened, folder, request):
    if request.node.callspec.params["opened"] in ("memory", "batches"):
        pytest.skip("arrays hold numbers alone")
    columns = ["amount", "region", "member", "one"]
    whole = rows.open(folder / "parquet" / "mixed", target="kind", columns=columns, encoding="auto")
    reference = LinearDiscriminantAnalysis().fit(whole.collect())
    source = opened("mixed", target="kind", columns=columns, encoding="auto")
    assert source.schema.names == whole.schema.names
    assert_same(LinearDiscriminantAnalysis(), source, reference, 1e-12)
    assert_same(LogisticRegression(alpha=1.0), source, LogisticRegression(alpha=1.0).fit(whole.collect()), 1e-8)


@pytest.mark.parametrize("kind", ["batches", "svmlight", "dask"])
def test_sparse_rows(kind, tmp_path, request):
    X, y = sparse_rows()
    if kind == "batches":
        source = rows.from_batches(sparse_parts())
    elif kind == "dask":
        dask = pytest.importorskip("dask")
        parts = [dask.delayed(lambda part: part, pure=False)(part) for part in sparse_parts()]
        source = rows.from_dask(parts, client=request.getfixturevalue("dask_client"))
    else:
        for k, (part, labels) in enumerate(sparse_parts()):
            dump_svmlight_file(part, labels, str(tmp_path / f"{k}.svm"), zero_based=False)
        source = rows.open(tmp_path / "*.svm")
    for learner, tolerance in BY_SUMS[:1] + BY_SUMS[3:4] + BY_SUMS[5:]:
        assert_same(learner, source, clone(learner).fit(X, y), tolerance)
