"""Paths of penalties, the choice of one by rows not seen, and how sure columns are."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import (
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    alpha_path,
    choose_alpha,
    selection_stability,
)

LEARNERS = (
    LogisticRegression(l1_ratio=1.0),
    LogisticRegression(l1_ratio=0.7, class_weight="balanced", tol=1e-13),
    LinearSVM(loss="squared_hinge", l1_ratio=1.0, tol=1e-9),
    LeastSquaresClassifier(l1_ratio=0.9),
)


def rows(n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(90, 12))
    y = (X[:, :n_classes] + 0.7 * rng.normal(size=(90, n_classes))).argmax(axis=1)
    return X, y


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_each_point_of_a_path_is_the_fit_with_that_penalty(learner, n_classes):
    X, y = rows(n_classes)
    path = alpha_path(learner, sparse.csr_array(X), y, n_alphas=5)
    assert path.n_columns[0] == 0
    assert (np.diff(path.alphas) < 0).all()
    for i in (1, 4):
        fitted = path.learner_at(path.alphas[i]).fit(X, y)
        np.testing.assert_allclose(path.coef[i], fitted.coef_, atol=1e-5)
        np.testing.assert_allclose(path.intercept[i], fitted.intercept_, atol=1e-5)


def test_the_first_penalty_is_the_least_that_leaves_no_column():
    X, y = rows()
    largest = alpha_path(LogisticRegression(l1_ratio=1.0), X, y, n_alphas=2).alphas[0]
    assert not LogisticRegression(alpha=largest * 1.0001, l1_ratio=1.0).fit(X, y).coef_.any()
    assert LogisticRegression(alpha=largest * 0.999, l1_ratio=1.0).fit(X, y).coef_.any()


def test_the_choice_by_hand():
    X, y = rows()
    folds = np.arange(90) % 3
    choice = choose_alpha(LogisticRegression(l1_ratio=1.0), X, y, n_alphas=6, cv=folds, rule="best")
    losses = np.empty((3, 6))
    for f in range(3):
        for i, alpha in enumerate(choice.path.alphas):
            model = LogisticRegression(l1_ratio=1.0, alpha=alpha).fit(X[folds != f], y[folds != f])
            p = model.predict_proba(X[folds == f])[np.arange(30), y[folds == f]]
            losses[f, i] = -np.log(p).mean()
    np.testing.assert_allclose(choice.loss, losses.mean(axis=0), rtol=1e-5)
    np.testing.assert_allclose(choice.standard_error, losses.std(axis=0, ddof=1) / 3**0.5, rtol=1e-4)
    assert choice.alpha == choice.best_alpha == choice.path.alphas[choice.loss.argmin()]
    assert choice.one_standard_error_alpha >= choice.best_alpha
    assert choice.learner.alpha == choice.alpha


def test_stability_tells_columns_of_signal_from_noise():
    X, y = rows()
    often = selection_stability(LogisticRegression(alpha=5.0, l1_ratio=1.0), X, y, n_resamples=10)
    assert (often[:2] == 1).all()
    assert often[2:].mean() < 0.6


def test_what_has_no_path_is_refused():
    X, y = rows()
    with pytest.raises(TypeError, match="path of penalties"):
        alpha_path(LinearDiscriminantAnalysis(), X, y)
    with pytest.raises(ValueError, match="l1_ratio"):
        alpha_path(LogisticRegression(), X, y)
