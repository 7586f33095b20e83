"""Scores of rows by logistic regressions that have not seen their fold."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import GainClassifier, LogisticRegression
from tests.learners.test_logistic import table

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")


def refitted(model, X, y, folds, weight=None):
    """The same by fits from nowhere."""
    parts = {}
    for fold in np.unique(folds):
        rest = folds != fold
        own = None if weight is None else weight[rest]
        parts[fold] = LogisticRegression(**model.get_params()).fit(X[rest], y[rest], sample_weight=own)
    return np.array([parts[fold].decision_function(X[[i]])[0] for i, fold in enumerate(folds)])


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "parameters",
    [{}, {"alpha": 2.0}, {"class_weight": "balanced"}, {"alpha": 0.5, "solver": "truncated-newton"}],
    ids=str,
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_as_if_fitted_without_the_fold(n_classes, parameters, form):
    X, y = table(3, n=150, n_classes=n_classes)
    X, folds = form(X), np.arange(150) % 4
    model = LogisticRegression(tol=1e-10, **parameters).fit(X, y)
    found = model.kfold_decision_function(X, y, folds)
    assert np.allclose(found, refitted(model, X, y, folds), rtol=1e-6, atol=1e-7)


def test_firth_and_weights():
    X, y = table(4, n=80)
    weight, folds = np.random.default_rng(0).uniform(0.5, 2.0, 80), np.arange(80) % 3
    model = LogisticRegression(firth=True, tol=1e-10).fit(X, y, sample_weight=weight)
    found = model.kfold_decision_function(X, y, folds, sample_weight=weight)
    assert np.allclose(found, refitted(model, X, y, folds, weight), rtol=1e-6, atol=1e-7)


def test_many_rows_start_near_the_answer():
    X, y = table(5, n=60_000)
    folds = np.arange(60_000) % 5
    model = LogisticRegression().fit(X, y)
    found = model.kfold_decision_function(X, y, folds)
    rest = LogisticRegression().fit(X[folds != 2], y[folds != 2])
    assert np.abs(found[folds == 2] - rest.decision_function(X[folds == 2])).max() < 1e-5


@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("n", [120, 50_000])
def test_nothing_stays_of_a_column_that_only_the_fold_knows(n, alpha):
    """Without the fold its weight is nothing, whatever it is with it."""
    X, y = table(6, n=n)
    folds = np.arange(n) % 5
    known = (folds == 1) * np.where(np.random.default_rng(1).random(n) < 0.8, y, 1 - y)
    X = np.column_stack([X, known])
    model = LogisticRegression(alpha=alpha).fit(X, y)
    assert abs(model.coef_[0, -1]) > 0.05
    without = LogisticRegression(alpha=alpha).fit(X[folds != 1][:, :-1], y[folds != 1])
    found = model.kfold_decision_function(X, y, folds)[folds == 1]
    assert np.abs(found - without.decision_function(X[folds == 1][:, :-1])).max() < 1e-5


def test_rows_without_weight_are_scored_by_the_model_of_their_fold():
    X, y = table(7, n=60)
    weight, folds = np.ones(60), np.arange(60) % 3
    weight[::7] = 0
    model = LogisticRegression(alpha=1.0).fit(X, y, sample_weight=weight)
    found = model.kfold_decision_function(X, y, folds, sample_weight=weight)
    seen = (folds != 0) & (weight > 0)
    rest = LogisticRegression(alpha=1.0).fit(X[seen], y[seen])
    assert np.allclose(found[folds == 0], rest.decision_function(X[folds == 0]), atol=1e-6)


def test_what_is_refused():
    X, y = table(8, n=30)
    model = LogisticRegression(alpha=1.0).fit(X, y)
    with pytest.raises(ValueError, match="spread the rows of each class over the folds"):
        model.kfold_decision_function(X, y, y)
    with pytest.raises(ValueError, match="one fold for each of the 30 rows"):
        model.kfold_decision_function(X, y, [0, 1])
    with pytest.raises(ValueError, match="holds all rows"):
        model.kfold_decision_function(X, y, np.zeros(30))


def test_a_gain_classifier_scores_rows_by_it():
    X, y = table(9, n=200)
    model = GainClassifier(LogisticRegression(alpha=1.0), [[0, -1], [-5, 0]]).fit(X, y)
    folds = model._held.folds
    assert np.allclose(model.held_out_scores_, refitted(model.learner_, X, y, folds), atol=1e-6)
