"""Decisions by gain: the rule by brute force, held-out scores by refitting, priors, rejecting, gains by row."""

import pickle
from typing import ClassVar

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC
from threadpoolctl import threadpool_info, threadpool_limits

from discriminant import (
    FindingWarning,
    FisherDiscriminant,
    Gain,
    GainClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
)
from discriminant.multiclass import foreign_estimators
from tests.gain.samples import all_decisions, mean_gain
from tests.tables import gaussian_table, seeds

COSTLY = [[0, -1], [-5, 0]]


def overlapping(seed, n=400, share=0.5, apart=1.5):
    """Two Gaussian classes and the posterior is known."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return rng.standard_normal((n, 2)) + np.outer(y, [apart, 0.0]), y


# --- held-out scores ------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize(
    "learner", [LinearDiscriminantAnalysis(), LogisticRegression(alpha=1.0), GaussianNB(), LinearSVM()], ids=str
)
def test_held_out_scores_are_those_of_models_that_had_not_seen_the_rows(learner, K):
    X, y = gaussian_table(3, n=90, K=K)
    splits = list(StratifiedKFold(3).split(X, y))
    model = GainClassifier(learner, cv=splits).fit(X, y)
    for train, test in splits:
        fold = clone(learner).fit(X[train], y[train])
        if isinstance(learner, LinearSVM):
            expected = fold.decision_function(X[test])
        else:
            logs = fold.predict_log_proba(X[test])
            expected = logs[:, 1] - logs[:, 0] if K == 2 else logs
        got = model.held_out_scores_[test]
        if K == 3 and not isinstance(learner, LinearSVM):  # log joint probabilities will do
            got = got - np.logaddexp.reduce(got, axis=1)[:, None]
        assert np.allclose(got, expected, atol=1e-5)


def test_leave_one_out():
    X, y = gaussian_table(5, n=40)
    model = GainClassifier(LinearDiscriminantAnalysis(), cv="loo").fit(X, y)
    for i in (0, 17):
        rest = np.arange(40) != i
        expected = LinearDiscriminantAnalysis().fit(X[rest], y[rest]).decision_function(X[i : i + 1])[0]
        assert model.held_out_scores_[i] == pytest.approx(expected)
    assert GainClassifier(GaussianNB(), cv="loo").fit(X, y).held_out_scores_.shape == (40,)


def test_training_scores_are_never_used():
    """A learner that knows its rows by heart and nothing else: its own scores would promise everything."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((300, 3)), rng.integers(0, 2, 300)
    model = GainClassifier(RandomForestClassifier(10, bootstrap=False, random_state=0), threshold="tuned").fit(X, y)
    assert model.learner_.score(X, y) > 0.99
    assert 0.4 < model.expected_gain_ < 0.6


# --- the rule -------------------------------------------------------------------------------------------


@given(seeds)
def test_tuned_threshold_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    X, y = overlapping(seed, n=60)
    gain = np.sort(rng.standard_normal((2, 2)), axis=1)
    gain[0] = gain[0, ::-1]  # being right earns more
    weight = rng.integers(1, 4, 60).astype(float)
    priors = None if seed % 2 else [0.3, 0.7]
    model = GainClassifier(LinearDiscriminantAnalysis(), gain, threshold="tuned", cv=3, priors=priors)
    model.fit(X, y, sample_weight=weight)
    s = model.held_out_scores_
    best = max(mean_gain(y, weight, assigned, gain, priors) for assigned in all_decisions(s))
    assert mean_gain(y, weight, s > model.threshold_, gain, priors) == pytest.approx(best)


def test_posterior_threshold_is_the_odds_of_the_stakes():
    X, y = overlapping(1)
    model = GainClassifier(LinearDiscriminantAnalysis(), COSTLY, calibration=None, threshold="posterior").fit(X, y)
    assert model.threshold_ == pytest.approx(np.log(1 / 5))
    p = LinearDiscriminantAnalysis().fit(X, y).predict_proba(X)[:, 1]
    assert np.array_equal(model.predict(X), (p > 1 / 6).astype(int))
    shifted = model.with_priors([0.9, 0.1])
    odds = p / (1 - p) * (0.1 / 0.9) * (1 - y.mean()) / y.mean()
    assert np.array_equal(shifted.predict(X), (odds > 1 / 5).astype(int))


def test_probabilities_that_are_off_are_overruled_by_the_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    column = rng.standard_normal(2000) + y
    X = np.column_stack([column] * 12) + 0.01 * rng.standard_normal((2000, 12))  # naive Bayes counts it twelve times
    model = GainClassifier(GaussianNB(), COSTLY).fit(X, y)
    held = model.held_out_scores_
    by_odds, by_rule = ((held > t).astype(int) for t in (np.log(1 / 5), model.threshold_))
    assert np.asarray(COSTLY)[y, by_rule].mean() > np.asarray(COSTLY)[y, by_odds].mean() + 0.02


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), FisherDiscriminant(), GaussianNB()], ids=str)
def test_several_classes_decide_by_expected_gain(learner):
    X, y = load_iris(return_X_y=True)
    gain = Gain([[1, 0, -3], [0, 1, -2], [-9, -5, 1]])
    model = GainClassifier(learner, gain).fit(X, y)
    p = model.predict_proba(X)
    assert np.allclose(p.sum(axis=1), 1.0)
    assert np.array_equal(model.predict(X), (p @ gain.matrix).argmax(axis=1))
    assert np.allclose(model.decision_function(X), p @ gain.matrix)
    with pytest.raises(AttributeError, match="3 classes"):
        _ = model.threshold_
    with pytest.raises(AttributeError, match="two classes; there are 3"):
        _ = model.operating_curve_


@pytest.mark.parametrize(
    ("learner", "n", "calibration", "expected"),
    [
        (LinearDiscriminantAnalysis(), 200, "auto", "platt"),
        (LinearDiscriminantAnalysis(), 3000, "auto", "platt"),
        (LinearDiscriminantAnalysis(), 200, None, "given"),
        (LinearDiscriminantAnalysis(), 40, "auto", "given"),
        (LinearDiscriminantAnalysis(), 200, "platt", "platt"),
        (LogisticRegression(alpha=1, class_weight="balanced"), 200, "auto", "platt"),
        (make_pipeline(StandardScaler(), TheirLogistic(class_weight={0: 1, 1: 9})), 200, "auto", "platt"),
        (FisherDiscriminant(), 200, "auto", "platt"),
        (FisherDiscriminant(), 3000, "auto", "isotonic"),
        (LinearSVC(), 200, "isotonic", "isotonic"),
        (LinearSVC(), 200, None, None),
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
def test_calibration_by_learner_and_size(learner, n, calibration, expected):
    X, y = overlapping(2, n=n)
    model = GainClassifier(learner, COSTLY, calibration=calibration).fit(X, y)
    assert model.calibration_ == expected
    assert hasattr(model, "predict_proba") == (expected is not None)
    if expected is not None:
        p = model.predict_proba(X)[:, 1]
        assert abs(p.mean() - y.mean()) < 0.05
        assert (p[y == 1].mean() - p[y == 0].mean()) > 0.15


def test_scores_of_pairs_of_classes_are_refused():
    X, y = gaussian_table(0, n=120, K=4)
    with pytest.raises(ValueError, match="gives 6 scores a row for 4 classes"):
        GainClassifier(SVC(decision_function_shape="ovo")).fit(X, y)


# --- gains by row ---------------------------------------------------------------------------------------


def test_gains_that_differ_by_row():
    X, y = overlapping(4)
    amount = np.random.default_rng(1).uniform(1, 50, len(y))
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "amount": amount})
    by_row = Gain.by_row({(1, 0): lambda t: -t["amount"].to_numpy(), (0, 1): -5}, classes=[0, 1], default=0)
    model = GainClassifier(LinearDiscriminantAnalysis(), by_row).fit(table, y)
    p = model.predict_proba(table)[:, 1]
    expected = (p * amount > (1 - p) * 5).astype(int)
    assert np.array_equal(model.predict(table), expected)
    with pytest.raises(AttributeError, match="gains differ by row"):
        _ = model.threshold_

    values = by_row.for_table(table)
    given = GainClassifier(LinearDiscriminantAnalysis(), np.asarray(values)).fit(table, y)
    assert np.array_equal(given.predict(table, gain=np.asarray(values)), expected)
    assert given.expected_gain_ == model.expected_gain_
    with pytest.raises(ValueError, match="give the gains of these rows"):
        given.predict(table)
    common = GainClassifier(LinearDiscriminantAnalysis(), COSTLY).fit(table, y)
    assert np.array_equal(common.predict(table, gain=by_row), expected)
    assert np.array_equal(common.predict(table, gain=np.asarray(values)), expected)
    low, high = model.expected_gain_interval_
    assert low < model.expected_gain_ < high


def test_a_row_function_that_raises():
    X, y = overlapping(4)

    def amounts(table):
        raise KeyError("amount")

    with pytest.raises(ValueError, match=r"amounts.*raised KeyError"):
        GainClassifier(LinearDiscriminantAnalysis(), Gain.by_row(amounts)).fit(X, y)
    with pytest.raises(ValueError, match=r"amounts.*raised KeyError"):
        GainClassifier(LinearDiscriminantAnalysis()).fit(X, y).predict(X, gain=amounts)


# --- rejecting ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gain", "reject", "label"),
    [
        (None, {"ask": 0.2}, "ask"),
        (None, 0.2, "reject"),
        ([[0, -1, -0.2], [-1, 0, -0.2]], None, "reject"),
        ([[0, -1], [-1, 0]], 0.2, "reject"),
        ([[0, -1], [-1, 0]], {"ask": 0.2}, "ask"),
        ([[0, -1, -0.2], [-1, 0, -0.2]], "ask", "ask"),
        ({0: {0: 0, 1: -1, "ask": -0.2}, 1: {0: -1, 1: 0, "ask": -0.2}}, None, "ask"),
    ],
)
def test_rejecting_where_it_earns_more(gain, reject, label):
    X, y = overlapping(6)
    model = GainClassifier(LinearDiscriminantAnalysis(), gain, reject=reject).fit(X, y)
    p = model.predict_proba(X).max(axis=1)
    answers = model.predict(X)
    assert np.array_equal(answers == label, 1 - p > 0.2)
    kept = answers != label
    assert 0 < kept.sum() < len(y)
    assert set(answers[kept].tolist()) == {0, 1}


def test_a_reject_label_of_the_kind_of_the_classes():
    X, y = overlapping(6)
    answers = (
        GainClassifier(LinearDiscriminantAnalysis(), reject={-1: -0.0}, gain=[[0, -1], [-1, 0]]).fit(X, y).predict(X)
    )
    assert answers.dtype.kind == "i"
    assert (answers == -1).all()
    names = np.array(["no", "yes"])[y]
    model = GainClassifier(LinearDiscriminantAnalysis(), [[0, -1], [-1, 0]], reject={"undecided": 0.2})
    answers = model.fit(X, names).predict(X)
    assert answers.dtype.kind == "U"
    assert set(answers.tolist()) == {"no", "yes", "undecided"}


# --- what it is a scikit-learn estimator for --------------------------------------------------------------


def test_names_frames_sparse_rows_pickle_and_search():
    X, y = overlapping(8)
    labels = np.array(["stay", "churn"])[y]
    gain = {"churn": {"churn": 50, "stay": -20}, "stay": {"churn": -4, "stay": 0}}
    frame = pd.DataFrame(X, columns=["a", "b"])
    model = GainClassifier(LogisticRegression(alpha=1.0), Gain(gain, unit="EUR"), threshold="posterior").fit(
        frame, labels
    )
    assert model.classes_.tolist() == ["churn", "stay"]
    assert model.feature_names_in_.tolist() == ["a", "b"]
    p = model.predict_proba(frame)[:, 0]
    assert np.array_equal(model.predict(frame) == "churn", p * 70 > (1 - p) * 4)
    same = GainClassifier(LogisticRegression(alpha=1.0), gain, threshold="posterior").fit(sparse.csr_array(X), labels)
    assert np.array_equal(same.predict(sparse.csr_array(X)), model.predict(frame))
    assert np.array_equal(pickle.loads(pickle.dumps(model)).predict(frame), model.predict(frame))
    assert clone(model).set_params(learner__alpha=3.0).learner.alpha == 3.0
    search = GridSearchCV(clone(model), {"learner__alpha": [1.0, 100.0]}, cv=2).fit(frame, labels)
    assert search.best_score_ > 0


def test_weights_of_zero_are_absence():
    X, y = overlapping(9, n=150)
    weight = np.ones(150)
    weight[::4] = 0
    kept = weight > 0
    splits = [(~(np.arange(150) % 3 == f), np.arange(150) % 3 == f) for f in range(3)]
    inside = [(train[kept], test[kept]) for train, test in splits]
    for learner in (LinearDiscriminantAnalysis(), GaussianNB(), LinearSVM()):
        weighed = GainClassifier(learner, COSTLY, cv=splits).fit(X, y, sample_weight=weight)
        without = GainClassifier(learner, COSTLY, cv=inside).fit(X[kept], y[kept])
        assert np.allclose(weighed.decision_function(X), without.decision_function(X), atol=1e-7)
        assert weighed.expected_gain_ == pytest.approx(without.expected_gain_)
        assert np.isnan(weighed.held_out_scores_[~kept]).all()


def test_rows_come_in_any_order_of_folds():
    X, y = overlapping(10)
    one, other = (GainClassifier(GaussianNB(), random_state=s).fit(X, y) for s in (None, 7))
    assert np.array_equal(one.held_out_scores_, GainClassifier(GaussianNB()).fit(X, y).held_out_scores_)
    assert not np.array_equal(one.held_out_scores_, other.held_out_scores_)
    assert GainClassifier(GaussianNB(), cv=KFold(4)).fit(X, y).threshold_ == pytest.approx(one.threshold_, abs=0.5)


def test_all_scores_equal():
    y = np.repeat([0, 1], [30, 10])
    with pytest.warns(FindingWarning, match="Every row has the same score"):
        model = GainClassifier(DummyClassifier(), [[0, -1], [-9, 0]]).fit(np.zeros((40, 1)), y)
    assert model.predict([[0.0], [3.0]]).tolist() == [1, 1]
    with pytest.warns(FindingWarning, match="Every row has the same score"):
        model = GainClassifier(DummyClassifier(), [[0, -1], [-2, 0]]).fit(np.zeros((40, 1)), y)
    assert model.predict([[0.0]]).tolist() == [0]


# --- other priors ---------------------------------------------------------------------------------------


def test_prior_shift_recovers_the_gain_of_a_model_trained_there():
    gain = np.array([[0.0, -1.0], [-20.0, 0.0]])
    X, y = overlapping(11, n=4000, share=0.5)
    there, classes = overlapping(12, n=200_000, share=0.05)
    own, own_y = overlapping(13, n=40_000, share=0.05)
    for learner in (LinearDiscriminantAnalysis(), FisherDiscriminant()):
        moved = GainClassifier(learner, gain).fit(X, y).with_priors([0.95, 0.05])
        trained = GainClassifier(learner, gain).fit(own, own_y)
        earned, possible = (gain[classes, model.predict(there)].mean() for model in (moved, trained))
        assert abs(earned - possible) < 0.01 * abs(possible)
        low, high = moved.expected_gain_interval_
        assert low < earned < high


def test_with_priors_is_fitting_with_priors():
    X, y = overlapping(14)
    for threshold in ("auto", "tuned"):
        model = GainClassifier(GaussianNB(), COSTLY, threshold=threshold).fit(X, y)
        direct = GainClassifier(GaussianNB(), COSTLY, threshold=threshold, priors={0: 0.2, 1: 0.8}).fit(X, y)
        before = model.threshold_
        moved = model.with_priors([0.2, 0.8])
        assert (moved.threshold_, moved.expected_gain_) == (direct.threshold_, direct.expected_gain_)
        assert model.threshold_ == before
        assert moved.with_priors(None).threshold_ == before


def test_priors_of_unlabelled_rows():
    X, y = overlapping(15, n=4000)
    for share in (0.05, 0.3, 0.9):
        unlabelled, _ = overlapping(16, n=10_000, share=share)
        for learner, calibration in ((LinearDiscriminantAnalysis(), None), (LinearSVC(), "platt")):
            model = GainClassifier(learner, calibration=calibration).fit(X, y)
            found = model.estimate_priors(unlabelled)
            assert abs(found[1] - share) < 0.02
            assert found.sum() == pytest.approx(1.0)
            again = model.with_priors([0.2, 0.8]).estimate_priors(unlabelled)
            assert np.abs(again - found).max() < 1e-5


def test_a_learner_with_priors_of_its_own():
    X, y = overlapping(17, share=0.3)
    own = {"calibration": None, "threshold": "posterior"}
    plain = GainClassifier(LinearDiscriminantAnalysis(), COSTLY, **own).fit(X, y)
    odd = GainClassifier(LinearDiscriminantAnalysis(priors=[0.9, 0.1]), COSTLY, **own).fit(X, y)
    assert np.array_equal(plain.predict(X), odd.predict(X))
    assert np.allclose(plain.predict_proba(X), odd.predict_proba(X))


# --- threads --------------------------------------------------------------------------------------------


class _Counting(TheirLogistic):
    """Says how many threads BLAS had during its fits."""

    seen: ClassVar[list[int]] = []

    def fit(self, X, y, sample_weight=None):
        self.seen.append(max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"))
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize(("few", "threads"), [(True, 1), (False, 2)])
def test_linear_learners_of_small_tables_have_one_thread_of_blas(monkeypatch, few, threads):
    X, y = overlapping(18)
    _Counting.seen.clear()
    if not few:
        monkeypatch.setattr(foreign_estimators, "_WORTH_THREADS", 10)
    with threadpool_limits(2, user_api="blas"):
        GainClassifier(make_pipeline(StandardScaler(), _Counting()), COSTLY).fit(X, y)
    assert _Counting.seen == [threads] * 6
