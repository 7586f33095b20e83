"""Log-odds of two classes that bend: right in the log domain, never falling, and inverted exactly."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.gain import Gain
from discriminant.gain.reading import GainTable
from discriminant.model import DecisionModel, Posterior, Target
from discriminant.model.boundary import rivals
from discriminant.model.settings import with_threshold
from discriminant.table.encoding import IndexedEncoding
from tests.model.samples import random_bends


def by_definition(posterior, s):
    first, second = posterior.offsets
    return second - first + posterior.slope * s + sum(c * max(s - at, 0.0) for at, c in posterior.bends)


@given(st.integers(0, 10_000), st.lists(st.floats(-50, 50), min_size=1, max_size=10))
def test_log_odds_are_those_of_the_definition(seed, scores):
    rng = np.random.default_rng(seed)
    posterior = Posterior(float(rng.exponential()), tuple(rng.normal(size=2).tolist()), random_bends(rng))
    logs = posterior.log_posteriors(np.array(scores)[:, None])
    wanted = [by_definition(posterior, s) for s in scores]
    np.testing.assert_allclose(logs[:, 1] - logs[:, 0], wanted, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-14)


def test_a_bend_of_nothing_is_no_bend():
    scores = np.linspace(-900, 900, 41)[:, None]
    straight, bent = Posterior(1.5, (0.2, -0.3)), Posterior(1.5, (0.2, -0.3), ((0.7, 0.0),))
    np.testing.assert_allclose(bent.log_posteriors(scores), straight.log_posteriors(scores), rtol=1e-14, atol=1e-15)


def test_the_log_domain_goes_on_where_probabilities_end_and_nothing_is_lost():
    posterior = Posterior(2.0, (0.0, 1.0), ((1.0, 3.0), (2.0, -5.0)))
    logs = posterior.log_posteriors(np.array([[-2000.0], [-1e308], [1e308], [0.0]]))
    assert np.isfinite(logs).all()
    assert logs[0, 1] == pytest.approx(-3999.0)
    assert logs[2, 0] == pytest.approx(-8.0 - math.log1p(math.exp(-8.0)))  # flat from 2 on: 1 + 2·2 + 3


@pytest.mark.parametrize("bends", [((0.0, -1.5),), ((1.0, 1.0), (0.0, -1.5)), ((0.0, math.nan),), ((math.inf, 1.0),)])
def test_log_odds_that_fall_or_are_no_numbers_are_refused(bends):
    with pytest.raises(ValueError, match="log-odds"):
        Posterior(1.0, (0.0, 0.0), bends)


def test_only_two_classes_bend():
    with pytest.raises(ValueError, match="two classes"):
        Posterior(1.0, (0.0, 0.0, 0.0), ((0.0, 1.0),))


def test_slopes_that_rounding_makes_negative_are_flat():
    steps = (0.1, 0.2, -0.3, -0.1)
    posterior = Posterior(0.1, (0.0, 0.0), tuple((float(i), step) for i, step in enumerate(steps)))
    z = posterior.log_odds(np.linspace(3, 1e6, 9))
    assert (np.diff(z) >= 0).all()


@given(st.integers(0, 10_000), st.floats(-8, 8))
def test_the_nearest_score_of_another_answer_is_where_the_answer_changes(seed, score):
    rng = np.random.default_rng(seed)
    matrix = np.eye(2) * rng.uniform(1, 5, 2)
    if rng.random() < 0.5:
        matrix = np.column_stack([matrix, rng.uniform(0.2, 1.5, 2)])
    model = DecisionModel(
        Target("y", ("no", "yes")),
        IndexedEncoding(1),
        np.ones((1, 1)),
        np.zeros(1),
        rule="gain",
        gain=Gain(GainTable(matrix, None, "ask")),
        posterior=Posterior(float(rng.choice([0.0, 0.7])), tuple(rng.normal(size=2).tolist()), random_bends(rng)),
    )
    answer = int(model.decide(np.array([[score]])).assigned[0])
    for rival in rivals(model, answer, np.array([score])):
        away = -rival.value * rival.slopes[0]
        p = model.decide(
            np.array([[score + away * 0.999 - 1e-9 * np.sign(away)], [score + away * 1.001 + 1e-7 * np.sign(away)]])
        )
        earned = p.posteriors @ model.gain.matrix
        lead = earned[:, rival.answer] - earned[:, answer]
        assert lead[0] <= 1e-9
        assert lead[1] >= -1e-9


@pytest.mark.parametrize("threshold", [0.02, 0.2, 0.5, 0.8, 0.97])
@pytest.mark.parametrize("bends", [(), ((-1.0, 1.5), (0.5, -1.9)), ((0.0, -0.5), (2.0, 3.0))])
def test_what_is_set_moves_bent_log_odds_with_the_plane(threshold, bends):
    model = DecisionModel(
        Target("y", ("no", "yes")),
        IndexedEncoding(2),
        np.array([[1.0, -0.4]]),
        np.array([0.3]),
        rule="threshold",
        gain=Gain.identity(2),
        posterior=Posterior(0.5, (0.2, -0.3), bends),
    )
    rows = np.random.default_rng(0).standard_normal((500, 2)) * 3
    before, set_ = model.decide(rows), with_threshold(model, threshold).decide(rows)
    np.testing.assert_allclose(set_.posteriors, before.posteriors, rtol=1e-9, atol=1e-12)
    clear = np.abs(before.posteriors[:, 1] - threshold) > 1e-9
    assert ((set_.assigned == 1) == (before.posteriors[:, 1] > threshold))[clear].all()
