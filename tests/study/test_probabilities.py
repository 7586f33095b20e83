"""Probabilities from held-out scores: rising, agreeing with the threshold, and borne out by other rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.study.probabilities import calibration_error, fit_log_odds

ONES = np.ones(6000)


def drawn(log_odds, n=6000, seed=0):
    random = np.random.default_rng(seed)
    scores = random.standard_normal(n) * 2
    return scores, (random.random(n) < 1 / (1 + np.exp(-log_odds(scores)))).astype(int), random.integers(0, 5, n)


def test_a_straight_line_stays_one():
    scores, codes, folds = drawn(lambda s: 0.7 * s - 1)
    found = fit_log_odds(scores, codes, ONES, folds, None).log_odds
    assert found.knots == ()
    assert found.slopes[0] == pytest.approx(0.7, abs=0.05)
    assert found.at(np.zeros(1))[0] == pytest.approx(-1, abs=0.1)


def test_bent_log_odds_are_followed():
    def true(s):
        return np.where(s < 0, 0.1 * s, 3 * s) - 1

    scores, codes, folds = drawn(true)
    found = fit_log_odds(scores, codes, ONES, folds, None)
    assert len(found.log_odds.knots) >= 1
    fresh, happened, _ = drawn(true, seed=1)
    mended = 1 / (1 + np.exp(-found.log_odds.at(fresh)))
    assert calibration_error(mended, happened == 1, ONES).p_value > 0.001
    straight = calibration_error(1 / (1 + np.exp(-found.held_straight)), codes == 1, ONES)
    assert straight.beyond_chance
    assert not calibration_error(1 / (1 + np.exp(-found.held)), codes == 1, ONES).beyond_chance


@given(
    st.floats(-3, 3),
    st.floats(-2, 2),
    st.integers(30, 400),
    st.integers(0, 10**6),
    st.floats(-5, 5),
)
@settings(max_examples=40, deadline=None)
def test_laws(threshold, even, n, seed, shift):
    """Even odds at the threshold; never falling; and the model's posterior is the same function of its own scores."""
    random = np.random.default_rng(seed)
    scores, codes = random.standard_normal(n) * 2, random.integers(0, 2, n)
    codes[:2] = 0, 1
    found = fit_log_odds(scores, codes, np.ones(n), np.arange(n) % 5, threshold, even).log_odds
    assert found.at(np.array([threshold]))[0] == pytest.approx(even)
    line = np.linspace(-10, 10, 301)
    assert (np.diff(found.at(line)) >= -1e-9).all()
    logs = found.posterior(shift).log_posteriors((line - shift)[:, None])
    np.testing.assert_allclose(logs[:, 1] - logs[:, 0], found.at(line), atol=1e-7 * (1 + abs(found.at(line)).max()))


def test_separated_scores_have_finite_log_odds():
    scores = np.concatenate([np.full(50, -1.0), np.full(50, 1.0)])
    codes = np.repeat([0, 1], 50)
    found = fit_log_odds(scores, codes, np.ones(100), np.arange(100) % 5, 0.0).log_odds
    z = found.at(np.array([-1.0, 1.0]))
    assert z[0] < -3
    assert z[1] > 3
    assert np.isfinite(z).all()


def test_calibration_error_knows_chance_from_error():
    random = np.random.default_rng(0)
    p = random.beta(1, 3, 6000)
    happened = random.random(6000) < p
    assert not calibration_error(p, happened, ONES).beyond_chance
    off = calibration_error(np.clip(p * 1.5, 0, 1), happened, ONES)
    assert off.beyond_chance
    assert off.off >= 7
