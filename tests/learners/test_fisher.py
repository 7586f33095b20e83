"""Fisher's discriminant: the criterion, the directions, the four thresholds."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from scipy.linalg import eigh
from scipy.stats import norm
from sklearn.datasets import load_iris

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis
from discriminant.statistics.cuts import best_cut, best_offsets, gaussian_cut
from tests.tables import gaussian_table, relative, seeds

EXAMPLE = np.array([[3.0, 2], [5, 2], [1, 4], [3, 6]]), np.array([1, 1, 2, 2])


def test_worked_example():
    """2.6, with the product −½·(−2) + 1·3 = 4 that its source prints as 2."""
    X, y = EXAMPLE
    model = FisherDiscriminant().fit(X, y)
    np.testing.assert_allclose(model.means_, [[4, 2], [2, 5]])
    np.testing.assert_allclose(model.within_scatter_, [[4, 2], [2, 2]])
    np.testing.assert_allclose(model.coef_, [[-2.5, 4]])
    np.testing.assert_allclose(model.intercept_, -0.5 * (np.array([-2.5, 4]) @ [6, 7]))


@given(seeds)
def test_w_maximises_the_criterion(seed):
    """2.2: J is the largest eigenvalue of S_W⁻¹S_B, p₁p₂ δ′Σ⁻¹δ, and no other direction has more."""
    X, y = gaussian_table(seed)
    model = FisherDiscriminant().fit(X, y)
    S_W, S_B, w = model.within_scatter_, model.between_scatter_, model.coef_[0]
    np.testing.assert_allclose(model.total_scatter_, S_W + S_B)
    J = w @ S_B @ w / (w @ S_W @ w)
    assert np.isclose(model.criterion_, J)
    assert np.isclose(J, eigh(S_B, S_W, eigvals_only=True)[-1])
    p = np.bincount(y) / y.size
    delta = model.means_[1] - model.means_[0]
    assert np.isclose(J, p[0] * p[1] * delta @ np.linalg.solve(S_W / y.size, delta))
    for v in np.random.default_rng(seed).standard_normal((20, len(w))):
        assert v @ S_B @ v / (v @ S_W @ v) <= J * (1 + 1e-9)


def test_k_classes_have_k_minus_one_directions():
    X, y = load_iris(return_X_y=True)
    model = FisherDiscriminant().fit(X, y)
    values = eigh(model.between_scatter_, model.within_scatter_, eigvals_only=True)[::-1]
    np.testing.assert_allclose(model.eigenvalues_, values[:2], rtol=1e-9)
    np.testing.assert_allclose(values[2:], 0, atol=1e-9)
    Z = model.transform(X)
    means = np.array([Z[y == k].mean(axis=0) for k in range(3)])
    nearest = ((Z[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
    assert (model.predict(X) == nearest).all()


def test_priors_give_the_population_form():
    X, y = gaussian_table(3)
    p = np.array([0.9, 0.1])
    model = FisherDiscriminant(priors=p).fit(X, y)
    sigma = sum(p[k] * np.cov(X[y == k].T, bias=True) for k in (0, 1))
    np.testing.assert_allclose(
        model.coef_[0], np.linalg.solve(len(X) * sigma, X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0))
    )


def test_gaussian_threshold_with_equal_spreads_is_lda():
    X, y = load_iris(return_X_y=True)
    priors = [0.2, 0.5, 0.3]
    fisher = FisherDiscriminant(threshold="gaussian").fit(X, y)
    assert (fisher.predict(X) == LinearDiscriminantAnalysis().fit(X, y).predict(X)).all()
    two = FisherDiscriminant(threshold="gaussian", priors=[0.2, 0.8]).fit(X[50:], y[50:])
    assert two.intercept_[0] > FisherDiscriminant(priors=[0.2, 0.8]).fit(X[50:], y[50:]).intercept_[0]
    assert len(priors) == fisher.classes_.size


@given(seeds)
@settings(max_examples=30)
def test_gaussian_cut_is_where_weighted_densities_cross(seed):
    rng = np.random.default_rng(seed)
    centres = np.sort(rng.uniform(-3, 3, 2))
    spreads, p = rng.uniform(0.2, 2, 2), rng.dirichlet([3, 3])
    gain = np.array([[rng.uniform(1, 3), -1.0], [-2.0, rng.uniform(1, 3)]])
    cut = gaussian_cut(centres, spreads, p, gain)

    def expected_gain(t):
        misdetect, false_alarm = norm.cdf(t, centres[1], spreads[1]), norm.sf(t, centres[0], spreads[0])
        return p[1] * (gain[1, 1] * (1 - misdetect) + gain[1, 0] * misdetect) + p[0] * (
            gain[0, 0] * (1 - false_alarm) + gain[0, 1] * false_alarm
        )

    near = cut + np.linspace(-1e-2, 1e-2, 21)
    crossing = abs(
        p[1] * (gain[1, 1] - gain[1, 0]) * norm.pdf(cut, centres[1], spreads[1])
        - p[0] * (gain[0, 0] - gain[0, 1]) * norm.pdf(cut, centres[0], spreads[0])
    )
    if crossing < 1e-9:  # otherwise one class pays at every score, and the nearest approach is taken
        assert expected_gain(cut) >= max(map(expected_gain, near)) - 1e-12


@given(seeds)
def test_best_cut_is_the_best_of_all(seed):
    rng = np.random.default_rng(seed)
    margin = rng.integers(-4, 5, 15).astype(float)  # many ties
    benefit = rng.standard_normal(15)
    t = best_cut(margin, benefit)
    candidates = [*(np.unique(margin) + 0.5), margin.min() - 1]
    assert np.isclose(benefit[margin > t].sum(), max(benefit[margin > c].sum() for c in candidates))


@pytest.mark.parametrize("gain", [None, [[2, -3], [-4, 4]]])
@given(seeds)
@settings(max_examples=20)
def test_two_class_thresholds_are_optimal(gain, seed):
    X, y = gaussian_table(seed, n=60)
    model = FisherDiscriminant(threshold="accuracy" if gain is None else "gain", gain=gain).fit(X, y)
    matrix = np.eye(2) if gain is None else np.array(gain)
    projected = X @ model.coef_[0]
    cuts = np.concatenate([[-np.inf], np.sort(projected)])
    best = max(matrix[y, (projected > c).astype(int)].sum() for c in cuts)
    assert np.isclose(matrix[y, model.predict(X)].sum(), best)


def test_k_class_offsets_cannot_be_improved_one_at_a_time():
    rng = np.random.default_rng(0)
    scores, codes = rng.standard_normal((200, 3)), rng.integers(0, 3, 200)
    gain = np.array([[3.0, 0, -1], [0, 1, 0], [-5, 0, 2]])
    weight = rng.uniform(0.5, 1, 200)

    def value(b):
        return weight @ gain[codes, (scores + b).argmax(axis=1)]

    offsets = best_offsets(scores, codes, weight, gain)
    assert value(offsets) >= value(np.zeros(3))
    for k, step in itertools.product(range(3), np.linspace(-3, 3, 121)):
        moved = offsets.copy()
        moved[k] += step
        assert value(moved) <= value(offsets) + 1e-9


def test_priors_weigh_rows_in_the_threshold():
    """With one class made rare by priors, the best cut gives it up sooner."""
    X, y = gaussian_table(8, n=300)
    rare = FisherDiscriminant(threshold="accuracy", priors=[0.99, 0.01]).fit(X, y)
    common = FisherDiscriminant(threshold="accuracy", priors=[0.01, 0.99]).fit(X, y)
    assert (rare.predict(X) == 1).sum() < (common.predict(X) == 1).sum()


def test_rows_are_needed_for_accuracy_and_gain():
    X, y = gaussian_table(9)
    for model in (FisherDiscriminant(threshold="accuracy"), FisherDiscriminant(threshold="gain", gain=np.eye(2))):
        assert not hasattr(model, "partial_fit")
        with pytest.raises(AttributeError, match="partial_fit"):
            model.partial_fit(X, y)


def test_shrinkage_reaches_every_path():
    X, y = gaussian_table(10, n=30, d=3)
    wide = np.random.default_rng(0).standard_normal((20, 40))
    labels = np.repeat([0, 1], 10)
    for s in (0.3, "auto"):
        for table, target in ((X, y), (wide, labels)):
            fisher = FisherDiscriminant(shrinkage=s).fit(table, target)
            lda = LinearDiscriminantAnalysis(shrinkage=s).fit(table, target)
            assert relative(fisher.coef_ * len(table), lda.coef_) < 1e-9
