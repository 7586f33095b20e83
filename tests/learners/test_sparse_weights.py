"""Sparse weights, bounds and signs: optimal by arithmetic that knows nothing of how they were found."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression as TheirLogistic

from discriminant import LeastSquaresClassifier, LinearSVM, LogisticRegression
from tests.learners.kkt import (
    group_violation,
    hinge_gap,
    logistic_slopes,
    squared_hinge_slopes,
    squares_slopes,
    violation,
)

TIGHT = 1e-11


def problem(seed, n_classes=2):
    """A random table with its labels, weights, offsets: dense or sparse, tall or wide, badly scaled now and then."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(20, 80)), int(rng.integers(2, 120))
    X = rng.normal(size=(n, d)) @ (np.eye(d) + rng.normal(size=(d, d)) * rng.choice([0.0, 0.3]))
    scores = X[:, :n_classes] @ rng.normal(size=(min(d, n_classes), n_classes)) + rng.normal(size=(n, n_classes))
    y = scores.argmax(axis=1)
    y[:n_classes] = np.arange(n_classes)
    if rng.random() < 0.4:
        X = sparse.csr_array(np.where(rng.random((n, d)) < 0.3, X, 0.0))
    elif rng.random() < 0.5:
        X = X * 10.0 ** rng.integers(-4, 5, size=d) + rng.choice([0.0, 30.0])
    weight = rng.integers(1, 4, size=n) * rng.choice([1.0, 0.37])
    offset = rng.choice([0.0, 1.0]) * rng.normal(size=n if n_classes == 2 else (n, n_classes))
    dense = X.toarray() if sparse.issparse(X) else X
    pull = np.abs((dense - dense.mean(axis=0)).T @ (weight * (y == 1))).max()
    return X, y, weight, offset, float(pull * rng.choice([0.3, 0.03, 0.003]))


def check(kind, seed):
    """Fit one random problem of a kind, and hold the result against the conditions of optimality."""
    n_classes = 3 if kind == "softmax" else 2
    X, y, weight, offset, alpha = problem(seed, n_classes)
    rng = np.random.default_rng(seed)
    ratio = float(rng.choice([1.0, 0.5, 0.9]))
    low, high = limits(rng, X) if seed % 2 else (-np.inf, np.inf)
    given = {} if np.ndim(low) == 0 else {"bounds": list(zip(low, high, strict=True))}
    if given and kind == "softmax":
        low, high = (np.array(ends) for ends in zip(*(limits(rng, X) for _ in range(3)), strict=True))
        given = {"bounds": {k: list(zip(low[k], high[k], strict=True)) for k in range(3)}}
    options = {"l1_ratio": ratio, "tol": TIGHT, **given}
    l1, l2 = alpha * ratio, alpha * (1 - ratio)
    if kind == "squared hinge":
        model = LinearSVM(C=1 / alpha, loss="squared_hinge", **options).fit(X, y, weight)
        slopes, target, offset, weight = squared_hinge_slopes, y, 0.0, weight / alpha
        l1, l2 = ratio, 1 - ratio
    elif kind == "squares":
        model = LeastSquaresClassifier(alpha=alpha, **options).fit(X, y, weight)
        slopes, target, offset = squares_slopes, 2.0 * y - 1.0, 0.0
    else:
        model = LogisticRegression(alpha=alpha, **options).fit(X, y, weight, offset)
        slopes, target = logistic_slopes, y
    left = violation(slopes, X, target, weight, model.coef_, model.intercept_, l1, l2, low, high, offset)
    assert left < 3 * TIGHT**0.5, (kind, seed, left)  # the gap is of the second order in it
    assert model.gap_ <= TIGHT
    assert not model.coef_[model.proved_zero_].any()
    return model


def check_groups(seed):
    """The same with groups of columns, of each loss in turn."""
    kind = KINDS[seed % 4]
    X, y, weight, offset, alpha = problem(seed, 3 if kind == "softmax" else 2)
    if kind == "softmax":  # whose groups are visited one by one, which is slow where units differ within one
        X, alpha = sparse.csr_array(X / np.sqrt((X**2).sum(axis=0) + 1e-9)), alpha / np.sqrt((X**2).sum(axis=0)).max()
    rng = np.random.default_rng(seed)
    shuffled, ratio = rng.permutation(X.shape[1]), float(rng.choice([1.0, 0.6]))
    groups = [part.tolist() for part in np.split(shuffled, np.arange(3, shuffled.size, 5)) if part.size > 1]
    groups = groups[: max(1, int(len(groups) * rng.choice([0.5, 1.0])))]
    options = {"l1_ratio": ratio, "tol": TIGHT, "column_groups": groups}
    l1, l2 = alpha * ratio, alpha * (1 - ratio)
    if kind == "squared hinge":
        model = LinearSVM(C=1 / alpha, loss="squared_hinge", **options).fit(X, y, weight)
        slopes, target, offset, weight, l1, l2 = squared_hinge_slopes, y, 0.0, weight / alpha, ratio, 1 - ratio
    elif kind == "squares":
        model = LeastSquaresClassifier(alpha=alpha, **options).fit(X, y, weight)
        slopes, target, offset = squares_slopes, 2.0 * y - 1.0, 0.0
    else:
        model = LogisticRegression(alpha=alpha, **options).fit(X, y, weight, offset)
        slopes, target = logistic_slopes, y
    left = group_violation(slopes, X, target, weight, model.coef_, model.intercept_, l1, l2, groups, offset)
    assert left < 3 * TIGHT**0.5, (kind, seed, left)
    assert model.gap_ <= TIGHT, (kind, seed, model.gap_)
    assert not model.coef_[model.proved_zero_].any()
    for group in groups:  # each is in or out as a whole
        some = model.coef_[:, group] != 0
        varies = np.ptp(X[:, group].toarray() if sparse.issparse(X) else X[:, group], axis=0) > 0
        assert not varies.any() or (some.any(axis=1) == some[:, varies].all(axis=1)).all()


def check_hinge(seed):
    """The hinge within bounds and with sparse weights, by its two criteria."""
    X, y, weight, _, alpha = problem(seed)
    rng = np.random.default_rng(seed)
    ratio = float(rng.choice([1.0, 0.5, 0.0]))
    low, high = limits(rng, X) if seed % 3 or not ratio else (-np.inf, np.inf)
    given = {} if np.ndim(low) == 0 else {"bounds": list(zip(low, high, strict=True))}
    model = LinearSVM(C=1 / alpha, l1_ratio=ratio, tol=1e-9, **given).fit(X, y, weight)
    gap, infeasible = hinge_gap(
        X, y, weight / alpha, model.alpha_, model.coef_, model.intercept_, ratio, 1 - ratio, low, high
    )
    assert infeasible < 1e-14, (seed, infeasible)
    assert -1e-12 < gap < 2e-9, (seed, gap)
    assert model.gap_ <= 1e-9
    assert ((model.coef_ >= low) & (model.coef_ <= high)).all()


def limits(rng, X):
    """Bounds of all kinds in the units of the columns: none, one-sided, signs, boxes, fixed weights."""
    d, unit = X.shape[1], np.abs(X).mean(axis=0) + 1e-3
    low, high = rng.choice([-np.inf, 0.0, -0.1, 0.02], size=d) / unit, rng.choice([np.inf, 0.05, 0.3], size=d) / unit
    fixed = rng.random(d) < 0.1
    low[fixed] = high[fixed] = 0.0
    return low, high


KINDS = ("logistic", "softmax", "squared hinge", "squares")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(15))
def test_conditions_of_optimality(kind, seed):
    check(kind, seed)


@pytest.mark.parametrize("seed", range(12))
def test_conditions_of_optimality_of_groups(seed):
    check_groups(seed)


@pytest.mark.parametrize("seed", range(8))
def test_both_criteria_of_the_hinge(seed):
    check_hinge(seed)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_conditions_of_optimality_of_many(kind):
    for seed in range(100, 190):
        check(kind, seed)


@pytest.mark.slow
def test_conditions_of_optimality_of_many_groups_and_hinges():
    for seed in range(100, 180):
        check_groups(seed)
        check_hinge(seed)


def test_scikit_learn_has_the_same_weights():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 12))
    y = (X[:, 0] - X[:, 1] + rng.normal(size=60) > 0).astype(int)
    theirs = TheirLogistic(l1_ratio=1.0, C=0.3, solver="saga", tol=1e-10, max_iter=10**5, random_state=0).fit(X, y)
    model = LogisticRegression(alpha=1 / 0.3, l1_ratio=1.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-7)
    np.testing.assert_array_equal(model.coef_ == 0, theirs.coef_ == 0)
    np.testing.assert_array_equal(model.proved_zero_, theirs.coef_ == 0)


@pytest.mark.parametrize("kind", ["logistic", "squared hinge", "squares"])
@pytest.mark.parametrize("seed", [0, 2, 4])
def test_planes_through_the_origin(kind, seed):
    X, y, weight, _, alpha = problem(seed)
    options = {"l1_ratio": 0.8, "tol": TIGHT, "fit_intercept": False}
    if kind == "logistic":
        model, slopes, target = LogisticRegression(alpha=alpha, **options), logistic_slopes, y
    elif kind == "squares":
        model, slopes, target = LeastSquaresClassifier(alpha=alpha, **options), squares_slopes, 2.0 * y - 1.0
    else:
        model, slopes, target = LinearSVM(C=1 / alpha, loss="squared_hinge", **options), squared_hinge_slopes, y
    model.fit(X, y, weight)
    penalties = 0.8 * alpha, 0.2 * alpha
    if kind == "squared hinge":
        weight, penalties = weight / alpha, (0.8, 0.2)
    assert model.intercept_[0] == 0
    found = violation(slopes, X, target, weight, model.coef_, 0.0, *penalties, free_intercept=False)
    assert found < 3 * TIGHT**0.5


def test_a_warm_start_ends_where_a_cold_one_does():
    X, y, weight, _, alpha = problem(4)
    cold = LogisticRegression(alpha=alpha, l1_ratio=1.0, tol=TIGHT).fit(X, y, weight)
    warm = LogisticRegression(alpha=alpha * 1.2, l1_ratio=1.0, tol=TIGHT, warm_start=True).fit(X, y, weight)
    warm.set_params(alpha=alpha).fit(X, y, weight)
    np.testing.assert_allclose(warm.coef_, cold.coef_, atol=1e-4 * np.abs(cold.coef_).max())
    assert warm.n_iter_ < cold.n_iter_


@pytest.mark.parametrize("learner", [LogisticRegression(), LinearSVM(loss="squared_hinge"), LeastSquaresClassifier()])
def test_the_bounds_of_a_column_are_not_taken_for_those_of_a_class(learner):
    """Columns have numbers, and labels may be the same numbers."""
    X, y = np.arange(24.0).reshape(8, 3), np.arange(8) % 3
    with pytest.raises(ValueError, match=r"y has 3 classes, each with a plane of its own; give bounds by class, \{0: "):
        learner.set_params(bounds={0: (0, None)}).fit(X, y)
