"""Intervals for the expected gain cover it as often as they say."""

import numpy as np
import pytest
from scipy.stats import norm

from discriminant import GainClassifier, LinearDiscriminantAnalysis
from discriminant.decisions.interval import estimated_gain


def test_mean_by_definition_and_weights_as_repetitions():
    rng = np.random.default_rng(0)
    codes, gains, weight = rng.integers(0, 3, 80), rng.standard_normal(80), rng.integers(1, 5, 80).astype(float)
    ranges = np.tile([-3.0, 3.0], (3, 1))
    copies = np.repeat(np.arange(80), weight.astype(int))
    for priors in (None, np.array([0.2, 0.3, 0.5])):
        weighed = estimated_gain(gains, codes, weight, ranges, priors)
        repeated = estimated_gain(gains[copies], codes[copies], np.ones(copies.size), ranges, priors)
        by_class = [np.average(gains[codes == k], weights=weight[codes == k]) for k in range(3)]
        shares = np.bincount(codes, weights=weight) / weight.sum() if priors is None else priors
        assert weighed.mean == pytest.approx(shares @ by_class)
        assert (weighed.mean, weighed.low, weighed.high) == pytest.approx((repeated.mean, repeated.low, repeated.high))


@pytest.mark.parametrize("priors", [None, np.array([0.1, 0.2, 0.7])])
@pytest.mark.parametrize("gain", [9.0, 0.1, -7.3])
@pytest.mark.parametrize("seed", range(5))
def test_what_every_row_earns_is_the_mean_to_the_last_digit(seed, gain, priors):
    rng = np.random.default_rng(seed)
    codes, weight = rng.integers(0, 3, 150), rng.uniform(0.1, 3.0, 150)
    found = estimated_gain(np.full(150, gain), codes, weight, np.tile([gain - 1.0, gain], (3, 1)), priors)
    assert found.mean == gain


def test_no_loss_seen_is_no_proof_that_there_is_none():
    gains, codes = np.zeros(100), np.repeat([0, 1], 50)
    found = estimated_gain(gains, codes, np.ones(100), np.array([[-1.0, 0.0], [-5.0, 0.0]]))
    assert found.mean == 0.0
    assert found.low < -0.05


@pytest.mark.parametrize("priors", [None, np.array([0.3, 0.7])])
def test_no_interval_reaches_beyond_what_can_be_earned(priors):
    ranges = np.array([[-1.0, 0.0], [-5.0, 2.0]])
    codes = np.repeat([0, 1], [40, 3])
    for end in (0, 1):
        found = estimated_gain(ranges[codes, end], codes, np.ones(43), ranges, priors)
        least, largest = (
            (ranges[:, 0].min(), ranges[:, 1].max()) if priors is None else (priors[:, None] * ranges).sum(axis=0)
        )
        assert least <= found.low <= found.high <= largest


@pytest.mark.slow
@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize("gain", [[[1, 0], [0, 1]], [[0, -1], [-5, 0]], [[2, -3], [-4, 4]]])
def test_coverage_of_a_fixed_rule(gain, priors):
    """1000 samples of 500 scored rows: the 95% interval holds the true expected gain in 93 to 97% of them."""
    rng = np.random.default_rng(1)
    g, theta, share = np.array(gain, dtype=float), -0.3, 0.3
    confusion = np.array([[norm.cdf(theta + 1), norm.sf(theta + 1)], [norm.cdf(theta - 1), norm.sf(theta - 1)]])
    pi = np.array([1 - share, share]) if priors is None else np.array(priors)
    true = pi @ (confusion * g).sum(axis=1)
    held = 0
    for _ in range(1000):
        y = (rng.random(500) < share).astype(int)
        assigned = (rng.standard_normal(500) + 2 * y - 1 > theta).astype(int)
        ends = np.stack([g.min(axis=1), g.max(axis=1)], axis=1)
        found = estimated_gain(g[y, assigned], y, np.ones(500), ends, None if priors is None else pi)
        held += found.low <= true <= found.high
    assert 930 <= held <= 970


@pytest.mark.slow
@pytest.mark.parametrize("threshold", ["posterior", "tuned", "auto"])
def test_coverage_of_the_rule_that_was_fitted(threshold):
    """The same for the rule of each fit, whose true gain follows from the plane it found."""
    rng = np.random.default_rng(2)
    g = np.array([[0.0, -1.0], [-5.0, 0.0]])
    held = 0
    for _ in range(1000):
        y = (rng.random(600) < 0.3).astype(int)
        X = rng.standard_normal((600, 3)) + np.outer(y, [1.5, 0.0, 0.0])
        model = GainClassifier(LinearDiscriminantAnalysis(), g, threshold=threshold).fit(X, y)
        w, b = model.learner_.coef_[0], model.learner_.intercept_[0] - model.threshold_
        size = np.linalg.norm(w)
        alarm, detect = norm.sf(-b / size), norm.sf(-(b + 1.5 * w[0]) / size)
        true = 0.7 * alarm * g[0, 1] + 0.3 * (1 - detect) * g[1, 0]
        low, high = model.expected_gain_interval_
        held += low <= true <= high
    assert 930 <= held <= 970
