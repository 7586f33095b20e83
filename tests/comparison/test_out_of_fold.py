"""Every row is scored by the model of all rows outside its fold, whatever the way there."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit, StratifiedKFold, cross_val_predict
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, NaiveBayes, OneVsAll, Perceptron, compare
from discriminant.kernels import folds as kernels
from discriminant.learners.registry import known_learners
from discriminant.rows import from_arrays
from discriminant.validation import Folds, fold_sums
from discriminant.validation.dealing import deal_folds
from tests.tables import gaussian_table, relative, seeds

CLOSED_FORM = [name for name, entry in known_learners().items() if entry.closed_form]


def by_hand(learner, X, y, folds, weight=None):
    """Scores of each fold by a learner refitted without it."""
    parts = []
    for f in range(folds.max() + 1):
        inside, outside = folds == f, folds != f
        more = {} if weight is None else {"sample_weight": weight[outside]}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = clone(learner).fit(X[outside], y[outside], **more)
        parts.append((inside, model.decision_function(X[inside])))
    scores = np.empty((len(y), *parts[0][1].shape[1:]))
    for inside, part in parts:
        scores[inside] = part
    return scores


def separable_table(K):
    X, y = gaussian_table(3, n=90, d=3, K=K)
    return X + 30 * np.eye(3)[y], y


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("name", list(known_learners()))
def test_scores_equal_refitting_by_hand(name, K):
    X, y = separable_table(K) if name == "hard-margin" else gaussian_table(5, n=120, d=4, K=K)
    if name == "bernoulli-naive-bayes":
        X = (X > 0).astype(float)
    found = compare(X, y, learners=[name], random_state=1)
    assert found.failures == {}
    expected = by_hand(found.learners[name], X, y, found.folds)
    assert relative(found.scores[name], expected) < 1e-9


@settings(max_examples=30)
@given(seeds, st.integers(2, 4), st.booleans())
def test_one_pass_equals_refitting_whatever_the_table(seed, K, weighted):
    rng = np.random.default_rng(seed)
    X, y = gaussian_table(seed, n=60 + 20 * K, d=3, K=K)
    X = X * 10.0 ** rng.integers(-6, 7, 3) + 10.0 ** rng.integers(-3, 4, 3)
    weight = rng.integers(1, 4, y.size).astype(float) if weighted else None
    found = compare(X, y, learners="closed-form", cv=3, random_state=seed % 1000, sample_weight=weight)
    for name in CLOSED_FORM:
        expected = by_hand(found.learners[name], X, y, found.folds, weight)
        assert relative(found.scores[name], expected) < 1e-7, name


def test_learners_of_sums_take_that_way_and_wide_tables_do_not():
    X, y = gaussian_table(0, n=100, d=4)
    rows, inside = from_arrays(X, y), Folds(np.arange(100, dtype=np.int32) % 2)
    for name in CLOSED_FORM:
        assert fold_sums.statistic_for(known_learners()[name].make(0), rows, inside) is not None, name
    assert fold_sums.statistic_for(FisherDiscriminant(threshold="accuracy"), rows, inside) is None
    wide = from_arrays(np.tile(X, 20), y)
    assert fold_sums.statistic_for(LinearDiscriminantAnalysis(), wide, inside) is None
    assert fold_sums.statistic_for(NaiveBayes(marginal="categorical"), rows, inside) is None


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), FisherDiscriminant(threshold="accuracy")])
def test_columns_that_determine_one_another_and_more_columns_than_rows(learner):
    X, y = gaussian_table(2, n=60, d=4)
    for table in (
        np.column_stack([X, X[:, 0] + 1e-7 * X[:, 1], X[:, 2]]),
        np.hstack([X] + [X[:, :2] ** k for k in range(2, 30)]),
    ):
        found = compare(table, y, learners={"it": learner}, cv=3, random_state=0)
        assert relative(found.scores["it"], by_hand(learner, table, y, found.folds)) < 1e-5


def test_classes_absent_from_a_fold_and_folds_given_by_row():
    X, y = gaussian_table(4, n=90, d=3, K=3)
    folds = np.where(y == 2, np.arange(y.size) % 2, np.arange(y.size) % 3)
    found = compare(X, y, learners="closed-form", cv=folds)
    assert np.array_equal(found.folds, folds)
    for name in CLOSED_FORM:
        assert relative(found.scores[name], by_hand(found.learners[name], X, y, folds)) < 1e-9


def test_sparse_rows_and_rows_sources_and_float32():
    X, y = gaussian_table(6, n=100, d=5)
    X[np.abs(X) < 1] = 0.0
    dense = compare(X, y, learners=["lda", "naive-bayes", "svm"], random_state=0)
    for other in (
        compare(sparse.csr_array(X), y, learners=["lda", "naive-bayes", "svm"], random_state=0),
        compare(from_arrays(X, y), learners=["lda", "naive-bayes", "svm"], random_state=0),
    ):
        for name in dense.names:
            assert relative(other.scores[name], dense.scores[name]) < 1e-6
    narrow = compare(X.astype(np.float32), y, learners=["lda"], random_state=0)
    assert relative(narrow.scores["lda"], dense.scores["lda"]) < 1e-4


def test_rows_without_weight_are_absent():
    X, y = gaussian_table(7, n=100, d=3)
    weight = np.ones(y.size)
    weight[::7] = 0.0
    kept = weight > 0
    learners = {
        "lda": LinearDiscriminantAnalysis(),
        "theirs": TheirLogistic(),
        "perceptron": Perceptron(random_state=0, max_iter=5),
    }
    whole = compare(X, y, learners=learners, sample_weight=weight, random_state=3)
    part = compare(X[kept], y[kept], learners=learners, random_state=3)
    for name in learners:
        assert np.isnan(whole.scores[name][~kept]).all()
        assert relative(whole.scores[name][kept], part.scores[name]) < 1e-9
        assert whole.accuracy[name] == part.accuracy[name]
    assert (whole.folds[~kept] == -1).all()


def test_anybodys_classifiers():
    X, y = gaussian_table(8, n=120, d=3, K=3)
    splitter = StratifiedKFold(4, shuffle=True, random_state=0)
    learners = {
        "scaled": make_pipeline(StandardScaler(), TheirLogistic()),
        "neighbours": KNeighborsClassifier(),
        "kernel": SVC(decision_function_shape="ovo"),
        "reduced": OneVsAll(TheirLogistic()),
    }
    found = compare(X, np.array(list("abc"))[y], learners=learners, cv=splitter)
    for name in ("scaled", "neighbours"):
        p = cross_val_predict(learners[name], X, y, cv=splitter, method="predict_proba")
        with np.errstate(divide="ignore"):
            assert found.log_loss[name].value == pytest.approx(-np.log(p[np.arange(y.size), y]).mean(), rel=1e-9)
    for name, learner in learners.items():
        right = cross_val_predict(learner, X, y, cv=splitter) == y
        assert found.accuracy[name].value == pytest.approx(right.mean())
    assert "kernel" not in found.auc  # scores of pairs are no scores of classes
    assert "kernel" not in found.log_loss


def test_a_learner_that_fails_is_a_row_with_its_reason():
    X, y = gaussian_table(9, n=150, d=2)
    y[:10] = 1 - y[:10]
    found = compare(X, y, learners=["hard-margin", "lda"], random_state=0)
    assert "NotSeparableError" in found.failures["hard-margin"]
    assert found.best == "lda"
    assert list(found.accuracy) == ["lda"]
    assert "hard-margin failed: NotSeparableError" in str(found)
    table = found.table()
    assert table["learner"].tolist() == ["lda", "hard-margin"]
    assert np.isnan(table["accuracy"].iloc[1])
    assert "NotSeparableError" in table["failure"].iloc[1]


class Failing(ClassifierMixin, BaseEstimator):
    """Fails on the second fit."""

    fits = 0

    def fit(self, X, y):
        Failing.fits += 1
        if Failing.fits == 2:
            raise RuntimeError("no more")
        self.classes_ = np.unique(y)
        warnings.warn("careful", UserWarning, stacklevel=1)
        return self

    def decision_function(self, X):
        return X[:, 0]

    def predict(self, X):
        return self.classes_[(X[:, 0] > 0).astype(int)]


def test_no_fold_is_tried_after_a_failure_and_all_failing_is_no_end():
    X, y = gaussian_table(9, n=150, d=2)
    Failing.fits = 0
    found = compare(X, y, learners={"failing": Failing()}, cv=5)
    assert Failing.fits == 2
    assert found.failures == {"failing": "RuntimeError: no more"}
    assert "failing failed" in str(found)
    assert "no more" in found._repr_html_()
    assert found.table()["failure"].tolist() == ["RuntimeError: no more"]
    with pytest.raises(ValueError, match=r"every learner failed.*no more"):
        found.best  # noqa: B018


def test_warnings_become_findings_of_their_learner_and_are_not_shown():
    X, y = gaussian_table(9, n=150, d=2)
    Failing.fits = 2
    with warnings.catch_warnings(record=True) as shown:
        warnings.simplefilter("always")
        found = compare(X, y, learners={"warning": Failing(), "quiet": TheirLogistic()}, n_jobs=2)
    assert shown == []
    assert [str(finding) for finding in found.findings["warning"]] == [
        "UserWarning. careful. See the documentation of the learner."
    ]
    assert found.findings["quiet"] == ()


def test_weights_for_a_learner_without_them_are_a_failure_not_ignored():
    X, y = gaussian_table(9, n=100, d=2)
    found = compare(X, y, learners={"neighbours": KNeighborsClassifier()}, sample_weight=np.full(y.size, 2.0))
    assert "takes no sample_weight" in found.failures["neighbours"]


def test_threads_change_nothing_and_progress_is_told():
    X, y = gaussian_table(10, n=100, d=3)
    told = []
    one = compare(X, y, random_state=0, progress=lambda *step: told.append(step))
    many = compare(X, y, random_state=0, n_jobs=3)
    assert one.names == many.names
    for name in one.scores:
        assert np.array_equal(one.scores[name], many.scores[name]), name
    assert told[-1][:2] == (60, 60)
    assert [done for done, _, _ in told] == sorted(done for done, _, _ in told)
    assert {name for _, _, name in told} == set(one.names)


def test_a_callback_that_raises_ends_it():
    X, y = gaussian_table(10, n=100, d=3)

    def stop(done, total, name):
        raise InterruptedError(name)

    for jobs in (1, 2):
        with pytest.raises(InterruptedError):
            compare(X, y, learners=["svm", "logistic"], n_jobs=jobs, progress=stop)


def test_random_state_gives_the_same_folds():
    X, y = gaussian_table(10, n=100, d=3)
    a, b, c = (compare(X, y, learners=["lda"], random_state=s).folds for s in (0, 0, 1))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


@given(seeds, st.integers(2, 7), st.integers(2, 5))
def test_dealt_folds_are_even_in_every_class_and_every_stretch(seed, n_folds, K):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, 200).astype(np.int32)
    folds = deal_folds(codes, n_folds, rng)
    for k in np.unique(codes):
        own = folds[codes == k]
        assert np.ptp(np.bincount(own, minlength=n_folds)) <= 1
        whole = own[: own.size // n_folds * n_folds].reshape(-1, n_folds)
        assert (np.sort(whole, axis=1) == np.arange(n_folds)).all()


def test_kernels_equal_their_python_functions():
    rng = np.random.default_rng(0)
    X, planes, folds = (
        rng.standard_normal((30, 4)),
        rng.standard_normal((3, 2, 5)),
        rng.integers(0, 3, 30).astype(np.int32),
    )
    for rows in (X, tuple(getattr(sparse.csr_array(X), part) for part in ("data", "indices", "indptr"))):
        compiled, plain = np.zeros((2, 30)), np.zeros((2, 30))
        kernels.score_by_fold(rows, folds, planes, 0, 30, compiled)
        kernels.score_by_fold.py_func(rows, folds, planes, 0, 30, plain)
        assert relative(compiled, plain) < 1e-14
    score, up, weight = rng.integers(0, 9, 40).astype(float), rng.random(40) > 0.5, rng.random(40)
    for w in (weight, np.empty(0)):
        compiled, plain = np.zeros(40), np.zeros(40)
        kernels.place(score, np.argsort(score), up, w, compiled)
        kernels.place.py_func(score, np.argsort(score), up, w, plain)
        assert relative(compiled, plain) < 1e-14
    sizes, lots = rng.integers(1, 4, 20).astype(float), rng.random(24)
    compiled, plain = np.zeros(20, np.int32), np.zeros(20, np.int32)
    kernels.deal(sizes, lots, np.zeros(4), compiled)
    kernels.deal.py_func(sizes, lots, np.zeros(4), plain)
    assert np.array_equal(compiled, plain)


# --- bad input ------------------------------------------------------------------------------------------

X, y = gaussian_table(11, n=40, d=3)


@pytest.mark.parametrize(
    ("options", "kind", "words"),
    [
        ({"learners": ["lda", "ladder"]}, ValueError, "'ladder' is no learner.*known are fisher, lda, .*adaline"),
        ({"learners": "none"}, ValueError, "'none' is no learner"),
        ({"learners": []}, ValueError, "learners is empty"),
        ({"learners": {}}, ValueError, "mapping of learners is empty"),
        ({"learners": ["lda", "lda"]}, ValueError, "'lda' more than once"),
        ({"learners": [LinearDiscriminantAnalysis()]}, TypeError, "a list holds names"),
        ({"learners": LinearDiscriminantAnalysis()}, TypeError, "give names"),
        ({"learners": {"a": LinearDiscriminantAnalysis}}, TypeError, "pass LinearDiscriminantAnalysis"),
        ({"learners": {"a": StandardScaler()}}, TypeError, "'a'"),
        ({"learners": {"a": NearestCentroid(), 3: DummyClassifier()}}, TypeError, "name is text, got 3"),
        ({"cv": 1}, ValueError, "cv=1"),
        ({"cv": 30}, ValueError, r"too few for cv=30 folds with some of it in each; take cv=\d+"),
        ({"cv": "five"}, ValueError, "cv must be a number"),
        ({"cv": True}, TypeError, "cv must be a number"),
        ({"cv": [0, 1]}, ValueError, "a fold for 2 rows, but the table has 40"),
        ({"cv": np.zeros(40)}, ValueError, "one fold"),
        ({"cv": ShuffleSplit(30)}, ValueError, r"cv tests row \d+ in folds \d and \d"),
        ({"cv": y}, ValueError, "all rows of class 0 lie in fold 0"),
        ({"gain": np.eye(3)}, ValueError, "the gain is for 3 classes"),
        ({"gain": {"a": {"a": 1, "b": 0}, "b": {"a": 0, "b": 1}}}, ValueError, "the gain names the classes"),
        ({"gain": np.zeros((3, 2, 2))}, ValueError, "gains for 3 rows"),
        ({"n_jobs": 0}, ValueError, "n_jobs"),
        ({"n_jobs": 1.5}, TypeError, "n_jobs"),
        ({"progress": 3}, TypeError, "progress"),
        ({"sample_weight": -np.ones(40)}, ValueError, "sample_weight is -1.0 at row 0"),
    ],
)
def test_bad_options(options, kind, words):
    with pytest.raises(kind, match=words):
        compare(X, y, **options)


def test_bad_tables():
    with pytest.raises(ValueError, match="one class only"):
        compare(X, np.zeros(40))
    with pytest.raises(ValueError, match="class 2 has 1 row"):
        compare(X, np.r_[y[:-1], 2])
    with pytest.raises(ValueError, match="y to be passed"):
        compare(X)
    with pytest.raises(ValueError, match="inconsistent"):
        compare(X, y[:-1])
    for learners in ("all", ["svm"]):
        with pytest.raises(ValueError, match=r"NaN \(at row 1, column 2"):
            compare(np.where(np.arange(120).reshape(40, 3) == 5, np.nan, X), y, learners=learners)


def test_splitters():
    groups = np.arange(40) // 4
    found = compare(X, y, learners=["lda"], cv=KFold(4))
    assert np.array_equal(np.bincount(found.folds), [10] * 4)
    with pytest.raises(ValueError, match="groups"):
        compare(X, y, learners=["lda"], cv=GroupKFold(5))
    by_group = compare(X, y, learners=["lda"], cv=groups % 5)
    assert all(np.unique(by_group.folds[groups == g]).size == 1 for g in range(10))
