"""Thresholds for other aims than a gain, of learners that are fitted already, and the curve they are chosen from."""

import pickle

import numpy as np
import pytest
from sklearn import metrics
from sklearn.frozen import FrozenEstimator
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.svm import LinearSVC

from discriminant import GainClassifier, LinearDiscriminantAnalysis
from discriminant.decisions.aims import Sums, read_aim
from tests.tables import gaussian_table

X, CODES = gaussian_table(0, n=300, K=2)
Y = np.array(["no", "yes"])[CODES]
SCORERS = [
    "accuracy",
    "balanced_accuracy",
    "f1",
    "jaccard",
    "matthews_corrcoef",
    "precision",
    "recall",
    metrics.make_scorer(metrics.fbeta_score, beta=2.0),
    metrics.make_scorer(metrics.f1_score, pos_label=0),
    metrics.make_scorer(metrics.zero_one_loss, greater_is_better=False),
    "f1_macro",
    metrics.cohen_kappa_score,
]


@pytest.mark.parametrize("scoring", SCORERS, ids=lambda scoring: getattr(scoring, "__name__", str(scoring)))
def test_the_score_of_four_sums_is_that_of_the_rows(scoring):
    aim = read_aim(scoring, np.array([0, 1]), None)
    random = np.random.default_rng(0)
    scorer = metrics.get_scorer(scoring) if isinstance(scoring, str) else scoring
    for _ in range(5):
        truth, assigned, weight = random.integers(0, 2, 40), random.integers(0, 2, 40), random.random(40)
        metric, options = getattr(scorer, "_score_func", scorer), getattr(scorer, "_kwargs", {})
        expected = getattr(scorer, "_sign", 1) * metric(truth, assigned, sample_weight=weight, **options)
        assert aim.of_assignments(truth, assigned, weight) == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_sums_that_are_nothing_score_zero_as_theirs_do():
    nothing = Sums(*(np.array([part]) for part in (0.0, 0.0, 5.0, 7.0)))
    for name in ("f1", "precision", "matthews_corrcoef", "jaccard"):
        assert read_aim(name, np.array([0, 1]), None).values(nothing).tolist() == [0.0]


@pytest.mark.parametrize("scoring", ["f1", "f1_macro", "matthews_corrcoef"])
def test_no_threshold_does_better_among_the_held_out_rows(scoring):
    model = GainClassifier(LinearDiscriminantAnalysis(), scoring=scoring, threshold="tuned").fit(X, CODES)
    metric = metrics.get_scorer(scoring)

    def value(threshold):
        assigned = (model.held_out_scores_ > threshold).astype(int)
        return metric._score_func(CODES, assigned, **metric._kwargs)

    best = value(model.threshold_)
    assert all(value(theta) <= best + 1e-12 for theta in np.quantile(model.held_out_scores_, np.linspace(0, 1, 50)))
    curve = model.threshold_curve_
    assert np.all(np.diff(curve.thresholds) > 0)
    assert curve.values.max() == pytest.approx(best)
    assert curve.at(model.threshold_) == pytest.approx(best)
    for theta in curve.thresholds[1::20]:
        assert curve.at(theta) == pytest.approx(value(theta))


def test_rows_agree_on_a_threshold_near_the_best():
    model = GainClassifier(LinearDiscriminantAnalysis(), scoring="f1").fit(X, Y)  # the second class, for 1 is none
    assert model.threshold_curve_.at(model.threshold_) > model.threshold_curve_.values.max() - 0.02
    assert 0.0 < model.expected_score_ <= 1.0
    assert set(model.predict(X)) == {"no", "yes"}


def test_accuracy_is_the_gain_of_no_gain():
    aimed = GainClassifier(LinearDiscriminantAnalysis(), scoring="accuracy", threshold="tuned").fit(X, Y)
    gained = GainClassifier(LinearDiscriminantAnalysis(), np.eye(2), threshold="tuned").fit(X, Y)
    assert aimed.threshold_ == gained.threshold_
    assert aimed.expected_score_ == pytest.approx(aimed.expected_gain_)
    np.testing.assert_allclose(aimed.threshold_curve_.values, gained.threshold_curve_.values)


def test_priors_count_in_the_score():
    base = GainClassifier(LinearDiscriminantAnalysis(), scoring="f1", threshold="tuned").fit(X, Y)
    rare = base.with_priors([0.95, 0.05])
    weight = np.where(CODES == 1, 0.05 / np.mean(CODES == 1), 0.95 / np.mean(CODES == 0))
    assigned = base.held_out_scores_ > rare.threshold_
    best = metrics.f1_score(CODES, assigned, sample_weight=weight)
    assert rare.threshold_curve_.values.max() == pytest.approx(best)
    assert rare.expected_score_ < base.expected_score_


def test_precision_at_a_recall():
    def precise(truth, assigned):
        recall = metrics.recall_score(truth, assigned)
        return metrics.precision_score(truth, assigned, zero_division=0) if recall >= 0.9 else 0.0

    model = GainClassifier(LinearDiscriminantAnalysis(), scoring=precise).fit(X, CODES)
    assert metrics.recall_score(CODES, model.held_out_scores_ > model.threshold_) >= 0.9
    with pytest.raises(ValueError, match="precise takes no sample_weight"):
        GainClassifier(LinearDiscriminantAnalysis(), scoring=precise).fit(X, CODES, np.linspace(0.1, 1, len(X)))


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"scoring": "roc_auc"}, ValueError, "judges scores, which no threshold changes"),
        ({"scoring": "no such score"}, ValueError, "no such score"),
        ({"scoring": 3}, TypeError, "a name, a scorer, or a function"),
        ({"scoring": lambda model, X, y: 1.0}, TypeError, "needs 3 arguments; sklearn.metrics.make_scorer"),
        ({"scoring": metrics.make_scorer(metrics.f1_score, pos_label="maybe")}, ValueError, "'maybe' of scoring"),
        ({"scoring": "f1", "gain": np.eye(2)}, ValueError, "leave gain= and reject= out"),
        ({"scoring": "f1", "threshold": "posterior"}, ValueError, "follows from a gain"),
        ({"threshold": np.nan}, ValueError, "threshold is NaN"),
        ({"threshold": 0.5, "reject": 0.1}, ValueError, "leave reject= out"),
    ],
)
def test_aims_that_make_no_sense(options, error, message):
    with pytest.raises(error, match=message):
        GainClassifier(LinearDiscriminantAnalysis(), **options).fit(X, Y)


def test_aims_and_given_thresholds_are_of_two_classes():
    P, Q = gaussian_table(0, K=3)
    with pytest.raises(ValueError, match="Only binary classification"):
        GainClassifier(LinearDiscriminantAnalysis(), scoring="f1").fit(P, Q)
    with pytest.raises(ValueError, match="Only binary classification is supported with a given threshold"):
        GainClassifier(LinearDiscriminantAnalysis(), threshold=0.0).fit(P, Q)


def test_a_given_threshold():
    model = GainClassifier(LinearDiscriminantAnalysis(), threshold=1.5).fit(X, Y)
    scores = LinearDiscriminantAnalysis().fit(X, Y).decision_function(X)
    assert model.threshold_ == 1.5
    assert np.array_equal(model.predict(X) == "yes", scores > 1.5)


def test_models_with_an_aim_are_stored():
    model = GainClassifier(LinearDiscriminantAnalysis(), scoring="f1").fit(X, Y)
    again = pickle.loads(pickle.dumps(model))
    assert again.threshold_ == model.threshold_
    assert again.with_priors([0.9, 0.1]).threshold_ == model.with_priors([0.9, 0.1]).threshold_


# --- learners that are fitted already -------------------------------------------------------------------


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), TheirLogisticRegression(), LinearSVC()], ids=str)
def test_fitted_learners_stay_as_they_are(learner):
    fitted = learner.fit(X[:150], Y[:150])
    rest = X[150:], Y[150:]
    given = GainClassifier(fitted, cv="prefit", scoring="f1").fit(*rest)
    frozen = GainClassifier(FrozenEstimator(fitted), scoring="f1").fit(*rest, sample_weight=np.ones(150))
    assert given.learner_ is fitted
    assert frozen.learner_.estimator is fitted
    assert given.threshold_ == frozen.threshold_
    scores = fitted.decision_function(X[150:])
    np.testing.assert_allclose(given.held_out_scores_, scores, atol=1e-9)
    assert np.array_equal(given.predict(X) == "yes", fitted.decision_function(X) > given.threshold_)


def test_learners_that_are_not_fitted_or_not_to_these_classes():
    with pytest.raises(ValueError, match="LinearDiscriminantAnalysis is not fitted"):
        GainClassifier(LinearDiscriminantAnalysis(), cv="prefit").fit(X, Y)
    with pytest.raises(ValueError, match=r"was fitted to the classes \[0, 1\]"):
        GainClassifier(LinearDiscriminantAnalysis().fit(X, CODES), cv="prefit").fit(X, Y)
    with pytest.raises(ValueError, match="leave offsets out"):
        GainClassifier(LinearDiscriminantAnalysis().fit(X, Y), cv="prefit").fit(X, Y, offsets=X[:, 0])


def test_a_fitted_learner_with_a_given_threshold_needs_no_rows():
    for learner in (LinearDiscriminantAnalysis().fit(X, Y), LinearSVC().fit(X, Y)):
        model = GainClassifier(FrozenEstimator(learner), threshold=0.7)
        assert np.array_equal(model.predict(X) == "yes", learner.decision_function(X) > 0.7)
        assert model.threshold_ == 0.7
        assert not hasattr(model, "expected_gain_")
    model = GainClassifier(LinearDiscriminantAnalysis().fit(X, Y), threshold=0.7, cv="prefit")
    np.testing.assert_allclose(model.predict_proba(X), model.learner.predict_proba(X), rtol=1e-9)
    with pytest.raises(ValueError, match="not fitted yet"):
        GainClassifier(LinearDiscriminantAnalysis().fit(X, Y), threshold=0.7).predict(X)
