"""The band around the gain of a threshold: it encloses it, widens with confidence, and covers the truth."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from discriminant import expected_gain, operating_curve
from discriminant.gain.band import gain_band

GAIN = [[2, -3], [-4, 4]]


@given(
    st.integers(0, 10**6),
    st.lists(st.integers(-9, 9), min_size=4, max_size=4),
    st.floats(0.01, 0.99),
)
def test_the_band_encloses_the_gain_and_widens_with_confidence(seed, gain, p):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 40)
    curve = operating_curve(y, rng.normal(size=40).round(1) + y)
    matrix, priors = np.reshape(gain, (2, 2)), [p, 1 - p]
    earned = expected_gain(curve, matrix, priors)
    narrow, wide = (gain_band(curve, matrix, priors, level) for level in (0.8, 0.99))
    slack = 1e-9
    assert (wide.low <= narrow.low + slack).all()
    assert (narrow.low <= earned + slack).all()
    assert (earned <= narrow.high + slack).all()
    assert (narrow.high <= wide.high + slack).all()


def test_the_band_covers_the_gain_of_a_fixed_threshold():
    rng = np.random.default_rng(5)
    priors, theta, covered = [0.7, 0.3], 0.5, 0
    misdetect, false_alarm = 0.3085375, 0.3085375  # Φ(−½), on either side of θ between N(0, 1) and N(1, 1)
    truth = expected_gain((misdetect, false_alarm), GAIN, priors, positive=1)
    y = np.repeat([0, 1], 60)
    for _ in range(400):
        curve = operating_curve(y, rng.normal(size=120) + y)
        at = curve.point(curve.index_at(theta))
        low, high = gain_band(at, GAIN, priors)
        covered += bool(low[0] <= truth <= high[0])
    assert covered / 400 > 0.93
