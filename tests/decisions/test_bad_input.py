"""What makes no sense is refused with a word on the way out."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC, LinearSVC

from discriminant import Gain, GainClassifier, LinearDiscriminantAnalysis, OneVsAll
from tests.tables import gaussian_table

X, Y = gaussian_table(0, n=80, K=2)
LDA = LinearDiscriminantAnalysis()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gain": np.eye(3)}, ValueError, "for 3 classes, but there are 2"),
        ({"gain": [[0, np.nan], [0, 0]]}, ValueError, "(?i)nan"),
        ({"gain": [[0, 1, 2, 3], [0, 0, 0, 0]]}, ValueError, "gain"),
        ({"gain": "lots"}, (TypeError, ValueError), "gain"),
        ({"gain": {"a": {"a": 1, "b": 0}, "b": {"a": 0, "b": 1}}}, ValueError, r"names the classes \['a', 'b'\]"),
        ({"gain": np.zeros((7, 2, 2))}, ValueError, "gains for 7 rows but the table has 80"),
        ({"gain": [[0, 1], [1, 0]]}, ValueError, "rewards taking 0 for 1 and 1 for 0"),
        ({"priors": [-0.1, 1.1]}, ValueError, "prior of class 0 is -0.1"),
        ({"priors": [0.5, 0.6]}, ValueError, "sum to one"),
        ({"priors": {0: 0.5, 2: 0.5}}, ValueError, "names class 2"),
        ({"reject": "ask"}, ValueError, "give its cost too"),
        ({"reject": -1.0}, ValueError, "must be finite and not negative"),
        ({"reject": {"a": 1, "b": 2}}, ValueError, "one label with its cost"),
        ({"reject": 0.1, "gain": [[1, 0, 0], [0, 1, 0]]}, ValueError, "reject column already"),
        ({"reject": {1: 0.1}}, ValueError, "would be answered 1, which is a class"),
        ({"calibration": "beta"}, ValueError, "calibration must be one of"),
        ({"threshold": "half"}, ValueError, "threshold must be one of"),
        ({"cv": 1}, ValueError, "at least 2 folds"),
        ({"cv": "ten"}, ValueError, "cv must be a number of folds"),
        ({"cv": 2.5}, TypeError, "cv must be a number of folds"),
        ({"cv": [(np.arange(80), np.arange(40))]}, ValueError, "learns from row 0 in fold 0, where it also tests it"),
        ({"cv": [(np.arange(80), np.arange(80))] * 2}, ValueError, "row 0 in folds 0 and 1"),
    ],
)
def test_options(options, error, message):
    with pytest.raises(error, match=message):
        GainClassifier(LDA, **options).fit(X, Y)


def test_learners_that_are_none():
    with pytest.raises(TypeError, match=r"pass LinearDiscriminantAnalysis\(\)"):
        GainClassifier(LinearDiscriminantAnalysis).fit(X, Y)
    with pytest.raises(TypeError, match="LinearRegression is none"):
        GainClassifier(LinearRegression()).fit(X, Y)
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        GainClassifier(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(Y)))


def test_too_few_rows_of_a_class():
    y = np.zeros(80, dtype=int)
    with pytest.raises(ValueError, match="one class only"):
        GainClassifier(LDA).fit(X, y)
    y[:3] = 1
    with pytest.raises(ValueError, match=r"class 1 has 3 rows, too few for cv=5 folds.*take cv=3"):
        GainClassifier(LDA).fit(X, y)
    y[:2] = 0
    with pytest.raises(ValueError, match=r"class 1 has 1 row, .*leave the class out"):
        GainClassifier(LDA).fit(X, y)
    with pytest.raises(ValueError, match="all rows of class 1 lie in fold 2"):
        GainClassifier(LDA, cv="loo").fit(X, y)


def test_posteriors_that_are_not_there():
    three = gaussian_table(1, n=90, K=3)
    for fit in (
        lambda: GainClassifier(LinearSVC(), calibration=None).fit(*three),
        lambda: GainClassifier(LinearSVC(), calibration=None, reject=0.1).fit(X, Y),
        lambda: GainClassifier(LinearSVC(), calibration=None).fit(X, Y).predict(X, gain=np.ones((80, 2, 2))),
    ):
        with pytest.raises(ValueError, match="set calibration='auto'"):
            fit()
    with pytest.raises(AttributeError, match="no attribute 'predict_proba'"):
        GainClassifier(LinearSVC(), calibration=None).fit(X, Y).predict_proba  # noqa: B018


def test_gains_at_predict():
    model = GainClassifier(LDA).fit(X, Y)
    with pytest.raises(ValueError, match="gains for 3 rows but the table has 80"):
        model.predict(X, gain=np.zeros((3, 2, 2)))
    with pytest.raises(ValueError, match="names the classes"):
        model.predict(X, gain=Gain.identity(2, classes=["a", "b"]))
    with pytest.raises(ValueError, match="prior of class 1"):
        model.with_priors([1.5, -0.5])


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = GainClassifier(GaussianNB()).fit(X, Y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((20, 4), np.nan), Y[:20])
    assert np.array_equal(model.decision_function(X), before)


def test_before_fit():
    for ask in ("predict", "predict_proba", "decision_function", "with_priors", "estimate_priors"):
        with pytest.raises(NotFittedError):
            getattr(GainClassifier(LDA), ask)(X)
    for name in ("threshold_", "operating_curve_", "expected_gain_"):
        with pytest.raises((NotFittedError, AttributeError)):
            getattr(GainClassifier(LDA), name)


def test_a_class_that_is_called_as_rejecting_is():
    names = np.array(["accept", "reject"])[Y]
    with pytest.raises(ValueError, match="would be answered 'reject', which is a class"):
        GainClassifier(LDA, reject=0.1).fit(X, names)
    answers = GainClassifier(LDA, reject={"ask": 0.01}).fit(X, names).predict(X)
    assert set(answers.tolist()) <= {"accept", "reject", "ask"}
    assert set(GainClassifier(LDA).fit(X, names).predict(X).tolist()) == {"accept", "reject"}


def test_scores_of_pairs_are_no_scores_of_classes():
    """Three classes have as many pairs as classes."""
    with pytest.raises(ValueError, match="decision_function_shape='ovr'"):
        GainClassifier(SVC(decision_function_shape="ovo")).fit(*gaussian_table(1, n=90, K=3))


def test_priors_of_rows_without_probabilities():
    model = GainClassifier(LinearSVC(), calibration=None).fit(X, Y)
    with pytest.raises(ValueError, match="set calibration='auto'"):
        model.estimate_priors(X)


@pytest.mark.parametrize("learner", [LDA, GaussianNB()])
def test_no_rows_at_all(learner):
    for model in (GainClassifier(learner), OneVsAll(learner)):
        with pytest.raises(ValueError, match=r"(?i)0 sample|1D array"):
            model.fit([], [])
