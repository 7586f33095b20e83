"""Logistic regression that chooses how many columns it has, and paths compared line by line."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from discriminant import LogisticRegression, SparseLogisticRegression, alpha_path, choose_alpha, compare
from discriminant.study.contenders import features_by_column, learners_of
from discriminant.study.design import design_of_table
from discriminant.study.study import study


def rows(n=200, n_classes=2):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 8))
    return X, (X[:, :n_classes] + 0.7 * rng.normal(size=(n, n_classes))).argmax(axis=1)


@pytest.mark.parametrize("rule", ["one-standard-error", "best"])
def test_the_penalty_is_that_of_the_same_folds(rule):
    X, y = rows()
    model = SparseLogisticRegression(n_alphas=8, n_folds=3, rule=rule, random_state=1).fit(X, y)
    rng, folds = np.random.default_rng(1), np.empty(y.size, int)
    for k in (0, 1):
        own = rng.permutation(np.flatnonzero(y == k))
        folds[own] = np.arange(own.size) % 3
    chosen = choose_alpha(LogisticRegression(l1_ratio=1.0), X, y, n_alphas=8, smallest=1e-2, cv=folds, rule=rule)
    np.testing.assert_allclose(model.alpha_, chosen.alpha)
    np.testing.assert_allclose(model.loss_, chosen.loss, rtol=1e-2)
    np.testing.assert_allclose(model.coef_, chosen.learner.coef_, atol=1e-6)
    assert model.gap_ <= model.tol


def test_a_fold_is_judged_by_a_penalty_that_has_not_seen_it():
    X, y = rows()
    folds = np.arange(y.size) % 2
    model = SparseLogisticRegression(n_alphas=5, n_folds=2).fit(X, y)
    scores = model.kfold_decision_function(X, y, folds)
    for f in (0, 1):
        other = SparseLogisticRegression(n_alphas=5, n_folds=2).fit(X[folds != f], y[folds != f])
        np.testing.assert_allclose(scores[folds == f], other.decision_function(X[folds == f]), atol=1e-4)


def test_a_path_is_compared_line_by_line():
    X, y = rows(90, 3)
    path = alpha_path(LogisticRegression(l1_ratio=1.0), X, y, n_alphas=3, smallest=0.05)
    found = compare(X, y, learners={**path.learners(), "sparse": SparseLogisticRegression(n_alphas=3)}, cv=3)
    assert list(found.learners)[:3] == [f"alpha={alpha:.4g}" for alpha in path.alphas]
    assert not found.failures
    assert found.accuracy["sparse"].value > 0.5


def table():
    """A category that matters, one that does not, a number, and one with blanks."""
    rng = np.random.default_rng(0)
    town, colour = rng.integers(0, 5, 400), rng.integers(0, 6, 400)
    age = rng.normal(50, 10, 400)
    score = np.array([-2.0, -1.0, 0.0, 1.0, 2.0])[town] + 0.1 * (age - 50) + rng.logistic(size=400)
    blank = np.where(rng.random(400) < 0.3, None, rng.normal(size=400).round(3))
    return pa.table(
        {
            "town": [f"t{k}" for k in town],
            "colour": [f"c{k}" for k in colour],
            "age": age,
            "noise": pa.array(blank.tolist(), pa.float64()),
            "paid": np.where(score > 0, "yes", "no"),
        }
    )


def test_a_study_keeps_or_drops_a_column_as_a_whole():
    design = design_of_table(table(), "paid")
    found = study(design, learners=("sparse-logistic",))
    weights, kept = found.learner.coef_[0], {}
    for column, start, stop in design.encoding.places():
        used = weights[start:stop] != 0
        assert used.all() or not used.any()
        kept[column.name] = bool(used.any())
    assert kept == {"town": True, "colour": False, "age": True, "noise": False}
    assert found.learner.column_groups == features_by_column(design.encoding)


def test_columns_with_a_sign_are_in_no_group():
    made = learners_of(["sparse-logistic", "lda"], 0, 1.0, {}, [[0, 1], [2, 3]])
    assert made["sparse-logistic"].column_groups == [[0, 1], [2, 3]]
    made = learners_of(["sparse-logistic"], 0, 1.0, {2: 1}, [[0, 1], [2, 3]])
    assert made["sparse-logistic"].column_groups == [[0, 1]]
    assert made["sparse-logistic"].monotone == {2: 1}


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        ({"l1_ratio": 0.0}, "l1_ratio must be above 0"),
        ({"n_folds": 1}, "n_folds must be at least 2"),
        ({"rule": "worst"}, "rule"),
    ],
)
def test_what_makes_no_sense_is_refused(parameters, told):
    with pytest.raises(ValueError, match=told):
        SparseLogisticRegression(**parameters).fit(*rows())


def test_a_class_of_one_row_and_offsets_are_refused():
    X, y = rows()
    with pytest.raises(ValueError, match="single row"):
        SparseLogisticRegression().fit(X[:5], [0, 0, 0, 0, 1])
    with pytest.raises(ValueError, match="without offset"):
        SparseLogisticRegression().fit(X, y, offset=np.ones(y.size))


# a row of weight two is in one fold, and the row repeated may be in two: that is so of every cross-validation
_BY_FOLDS = {"check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"}


@pytest.mark.slow
def test_checks_of_scikit_learn():
    for estimator, check in estimator_checks_generator(SparseLogisticRegression(n_alphas=2, n_folds=2)):
        if getattr(check, "func", check).__name__ not in _BY_FOLDS:
            check(estimator)
