"""The threshold that held-out rows agree on."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

from discriminant import operating_curve
from discriminant.decisions import resampling
from discriminant.decisions.resampling import resampled_threshold
from discriminant.gain.choices import first_best
from discriminant.gain.rates import gain_of_rates

COSTLY = np.array([[0.0, -1.0], [-5.0, 0.0]])


def scored(seed, n, share=0.5, apart=1.5):
    """Scores of two normal classes ``apart`` deviations from one another."""
    rng = np.random.default_rng(seed)
    y = (np.arange(n) < share * n).astype(int)
    return y, rng.standard_normal(n) + apart * y


def agreed(y, score, weight=None, gain=COSTLY, priors=None):
    curve = operating_curve(y, score, weight, positive=1)
    return resampled_threshold(
        curve, np.asarray(gain, dtype=float), curve.shares if priors is None else np.array(priors)
    )


def tuned(y, score):
    curve = operating_curve(y, score, positive=1)
    rates = curve.misdetect, curve.false_alarm
    return curve.robust_threshold(first_best(gain_of_rates(*rates, COSTLY, curve.shares, 1)))


@given(st.integers(0, 10**6))
def test_weights_are_repetitions(seed):
    y, score = scored(seed, 60)
    weight = np.random.default_rng(seed).integers(0, 4, 60)
    weight[[0, -1]] = 1
    copies = np.repeat(np.arange(60), weight)
    assert agreed(y, score, weight) == agreed(y[copies], score[copies])


@given(st.integers(0, 10**6))
def test_only_differences_of_gains_count_and_the_order_of_rows_does_not(seed):
    y, score = scored(seed, 80)
    order = np.random.default_rng(seed).permutation(80)
    expected = agreed(y, score)
    assert agreed(y[order], score[order]) == expected
    assert agreed(y, score, gain=4.0 * COSTLY) == expected
    assert agreed(y, score, gain=COSTLY + np.array([[3.0], [-8.0]])) == expected
    assert agreed(y, np.exp(score)) == pytest.approx(np.exp(expected), rel=0.2)  # midway between the same two rows


def test_the_class_of_high_scores_may_be_either():
    y, score = scored(3, 300)
    curve = operating_curve(1 - y, score, positive=0)
    assert resampled_threshold(curve, COSTLY[::-1, ::-1], curve.shares) == agreed(y, score)


def test_nearer_to_the_best_than_the_best_of_the_rows():
    """What is lost against the true optimum, on average over samples, is less by a quarter at least."""

    def earned(theta):
        return -0.5 * norm.sf(theta) - 0.5 * 5 * norm.cdf(theta - 1.5)

    best = earned(1.5 / 2 - np.log(5) / 1.5)
    samples = [scored(seed, 200) for seed in range(200)]
    lost = [np.mean([best - earned(rule(*sample)) for sample in samples]) for rule in (agreed, tuned)]
    assert 0 < lost[0] < 0.75 * lost[1]


def test_many_scores_are_taken_together_and_lose_nothing(monkeypatch):
    y, score = scored(5, 4000)
    together = agreed(y, score)
    monkeypatch.setattr(resampling, "_MOST_STEPS", 10**6)
    apart = agreed(y, score)
    assert abs((score > together).mean() - (score > apart).mean()) < 0.02


def test_a_rare_class_is_told_apart_as_finely():
    """Of a hundred thousand rows the hundred that matter have the highest scores."""
    y, score = scored(6, 100_000, share=0.001, apart=6.0)
    theta = agreed(y, score, gain=[[0.0, -1.0], [-50.0, 0.0]])
    truth = 3.0 - (np.log(50.0) + np.log(0.001 / 0.999)) / 6.0
    assert theta == pytest.approx(truth, abs=0.35)


@pytest.mark.parametrize(("gain", "theta"), [([[0, -100], [-0.01, 0]], np.inf), ([[0, -0.01], [-100, 0]], -np.inf)])
def test_one_answer_for_all_where_most_draws_say_so(gain, theta):
    y, score = scored(7, 100, apart=0.2)
    score[np.r_[y.argmin(), y.argmax()]] = 9.0, -9.0  # the outermost rows are of the other class
    assert agreed(y, score, gain=gain) == theta


def test_scores_without_information_do_no_harm():
    """The commoner class is the answer, whatever a few rows seem to say."""
    y, score = scored(8, 300, share=0.2, apart=0.0)
    theta = agreed(y, score, gain=[[0.0, -1.0], [-1.0, 0.0]])
    assert (score > theta).mean() < 0.02


def test_priors_move_it():
    y, score = scored(9, 500)
    rare, common = (agreed(y, score, priors=priors) for priors in ([0.95, 0.05], [0.05, 0.95]))
    assert rare > agreed(y, score) > common


def test_infinite_and_equal_scores():
    y = np.repeat([0, 1], 30)
    assert np.isfinite(agreed(y, np.where(y == 1, np.inf, -np.inf)))
    assert agreed(y, np.zeros(60)) == -np.inf
