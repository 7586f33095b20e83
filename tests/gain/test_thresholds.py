"""The best threshold is what trying them all finds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discriminant import Gain, ScoreCounts, best_threshold, expected_gain, operating_curve
from discriminant.gain.bounds import most_wrong, rows_needed
from tests.gain.samples import all_decisions, mean_gain, rates, scored_rows
from tests.tables import seeds


@pytest.mark.parametrize("block", range(10))
def test_largest_gain_of_all_thresholds(block):
    """A hundred random cases each: ties, weights, infinities, gains that make no sense, priors."""
    for seed in range(100 * block, 100 * block + 100):
        y, score, weight = scored_rows(seed)
        rng = np.random.default_rng(seed)
        gain = rng.choice([rng.standard_normal((2, 2)), rng.integers(-5, 6, (2, 2)), [[0, -1], [-9, 3]]])
        priors = None if seed % 3 else [0.2, 0.8]
        found = best_threshold(operating_curve(y, score, weight), gain=gain, priors=priors)
        best = max(mean_gain(y, weight, d, gain, priors) for d in all_decisions(score))
        assert found.expected_gain == pytest.approx(best, abs=1e-9)
        assert mean_gain(y, weight, found.decide(score), gain, priors) == pytest.approx(best, abs=1e-9)
        np.testing.assert_allclose(found.joint, joint_by_definition(y, weight, found.decide(score), priors), atol=1e-12)


def joint_by_definition(y, weight, assigned, priors):
    omega = np.ones(len(y)) if weight is None else weight
    table = np.array([[omega[(y == k) & (assigned == a)].sum() for a in (False, True)] for k in (0, 1)])
    return table / table.sum() if priors is None else table / table.sum(axis=1, keepdims=True) * np.c_[priors]


@pytest.mark.parametrize("missing", [0, 1])
def test_one_class_missing(missing):
    """Counted, there is still a best θ; asked of rates or priors, it is an error."""
    for seed in range(100):
        _, score, weight = scored_rows(seed)
        y = np.full(len(score), 1 - missing)
        gain = np.random.default_rng(seed).standard_normal((2, 2))
        curve = operating_curve(y, score, weight, positive=1)
        found = best_threshold(curve, gain=Gain(gain, classes=[0, 1]))
        assert found.expected_gain == pytest.approx(max(mean_gain(y, weight, d, gain) for d in all_decisions(score)))
        assert found.misdetect is None
        for options in ({"by": "youden"}, {"misdetect": 0.1}, {"gain": gain, "priors": [0.5, 0.5]}, {"by": "minimax"}):
            with pytest.raises(ValueError, match="no rows of the"):
                best_threshold(curve, **options)


@given(seeds)
def test_other_purposes_against_all_thresholds(seed):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    every = [rates(y, weight, d) for d in all_decisions(score)]
    accuracy = best_threshold(curve, by="accuracy")
    best = max(mean_gain(y, weight, d, np.eye(2)) for d in all_decisions(score))
    assert np.trace(accuracy.joint) == pytest.approx(best)
    youden = best_threshold(curve, by="youden")
    assert youden.misdetect + youden.false_alarm == pytest.approx(min(m + f for m, f in every), abs=1e-9)
    minimax = best_threshold(curve, by="minimax")
    assert max(minimax.misdetect, minimax.false_alarm) == pytest.approx(min(max(e) for e in every), abs=1e-9)


@given(seeds)
def test_minimax_is_best_under_the_worst_priors(seed):
    y, score, weight = scored_rows(seed)
    gain = np.random.default_rng(seed).integers(-5, 6, (2, 2)).astype(float)
    curve = operating_curve(y, score, weight)
    found = best_threshold(curve, by="minimax", gain=gain)
    extremes = [[1 - 1e-9, 1e-9], [1e-9, 1 - 1e-9], [0.5, 0.5]]
    worst = np.min([expected_gain(curve, gain, p) for p in extremes], axis=0)
    assert worst[found.index] == pytest.approx(worst.max(), abs=1e-6)


@given(seeds, st.floats(0.01, 0.99))
def test_bounds_on_rates_against_all_thresholds(seed, bound):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    every = [rates(y, weight, d) for d in all_decisions(score)]
    alarmed = best_threshold(curve, false_alarm=bound)
    assert alarmed.false_alarm <= bound + 1e-12
    assert alarmed.misdetect == pytest.approx(min(m for m, f in every if f <= bound + 1e-12))
    if min(m for m, _ in every) > bound + 1e-12:
        with pytest.raises(ValueError, match="infinity alone exceed"):
            best_threshold(curve, misdetect=bound)
        return
    missed = best_threshold(curve, misdetect=bound)
    assert missed.misdetect <= bound + 1e-12
    assert missed.false_alarm == pytest.approx(min(f for m, f in every if m <= bound + 1e-12))


@given(seeds, st.integers(1, 45))
def test_budget(seed, most):
    y, score, _ = scored_rows(seed, weighted=False, infinite=False)
    found = best_threshold(y, score, budget=most)
    taken = int(found.decide(score).sum())
    assert taken <= most
    assert taken == max(d.sum() for d in all_decisions(score) if d.sum() <= most)
    share = min(most / len(y), 0.999)
    assert best_threshold(y, score, budget=share).assigned <= share + 1e-9


def test_budget_under_other_priors():
    y, score = np.repeat([0, 1], 100), np.r_[np.arange(100), np.arange(50, 150)].astype(float)
    found = best_threshold(y, score, budget=0.1, priors={0: 0.9, 1: 0.1})
    p_m, p_f = rates(y, None, found.decide(score))
    assert 0.09 < 0.1 * (1 - p_m) + 0.9 * p_f <= 0.1 + 1e-9
    assert found.assigned == pytest.approx(0.1 * (1 - p_m) + 0.9 * p_f)


@given(seeds, st.floats(0.1, 50), st.floats(-100, 100), st.floats(-100, 100))
def test_shift_and_scale_of_the_gain_move_nothing(seed, scale, first, second):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    gain = np.random.default_rng(seed).integers(-5, 6, (2, 2)).astype(float)
    one = best_threshold(curve, gain=gain)
    other = best_threshold(curve, gain=scale * gain + np.array([[first], [second]]))
    gains = expected_gain(curve, gain)
    assert gains[other.index] == pytest.approx(gains[one.index], abs=1e-8)


@given(seeds)
def test_the_other_class_as_positive(seed):
    """Mirrored scores, the same decisions, the same gain; a gain with names goes by the names."""
    y, score, weight = scored_rows(seed, infinite=False)
    gain = Gain([[1, -2], [-7, 3]], classes=["no", "yes"], unit="EUR")
    labels = np.array(["no", "yes"])[y]
    one = best_threshold(operating_curve(labels, score, weight), gain=gain)
    swapped = gain.aligned(["yes", "no"])
    other = best_threshold(operating_curve(labels, -score, weight, positive="no"), gain=swapped)
    assert other.expected_gain == pytest.approx(one.expected_gain)
    assert "EUR" in str(one)


@given(seeds)
def test_counts_that_fit_give_the_same_threshold(seed):
    y, score, weight = scored_rows(seed)
    gain = [[0, -1], [-3, 1]]
    one = best_threshold(y, score, weight, gain=gain)
    other = best_threshold(ScoreCounts.of(score, y, weight), gain=gain)
    assert (one.threshold, one.expected_gain) == (other.threshold, pytest.approx(other.expected_gain))
    assert other.gain_error == 0.0


# --- guarantees -----------------------------------------------------------------------------------------------


@given(st.integers(1, 400), st.floats(0.01, 0.5), st.floats(0.5, 0.999))
def test_most_wrong_is_the_largest_that_is_unlikely(n, rate, confidence):
    r = most_wrong(n, rate, confidence)
    assert r == -1 or stats.binom.cdf(r, n, rate) <= 1 - confidence + 1e-12
    assert stats.binom.cdf(r + 1, n, rate) > 1 - confidence - 1e-12
    needed = rows_needed(rate, confidence)
    assert (1 - rate) ** needed <= (1 - confidence) * (1 + 1e-9)
    assert needed == 1 or (1 - rate) ** (needed - 1) > (1 - confidence) * (1 - 1e-9)


def test_a_claim_the_rows_cannot_support_is_refused():
    y, score = np.repeat([0, 1], [500, 58]), np.arange(558.0)
    with pytest.raises(ValueError, match=r"58 rows of the positive class cannot support.*at least 59 rows"):
        best_threshold(y, score, misdetect=0.05, confidence=0.95)
    found = best_threshold(np.r_[y, 1], np.r_[score, 558.0], misdetect=0.05, confidence=0.95)
    assert found.misdetect == 0.0
    assert "with confidence 0.95" in str(found)
    with pytest.raises(ValueError, match="count once"):
        best_threshold(y, score, np.full(558, 0.5), false_alarm=0.05, confidence=0.95)


@pytest.mark.slow
@pytest.mark.parametrize("counted", [False, True], ids=["rows", "counts"])
@pytest.mark.parametrize("bounded", ["misdetect", "false_alarm"])
def test_the_guarantee_holds(bounded, counted):
    """True rates of normal scores are known: of 1,000 samples at least 950 must keep the bound."""
    rng = np.random.default_rng(12)
    kept, bound = 0, 0.1
    for _ in range(1000):
        y = np.repeat([0, 1], [150, 120])
        score = rng.standard_normal(y.size) + 1.5 * y
        sample = (ScoreCounts.of(score, y),) if counted else (y, score)
        theta = best_threshold(*sample, **{bounded: bound}, confidence=0.95).threshold
        truth = stats.norm.cdf(theta - 1.5) if bounded == "misdetect" else stats.norm.sf(theta)
        kept += truth <= bound
    assert kept >= 950


def test_ties_keep_the_guarantee():
    """With discrete scores the alarms at θ, not the order of equal rows, are counted."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [300, 300])
    score = rng.integers(0, 6, 600) + y
    found = best_threshold(y, score, false_alarm=0.2, confidence=0.95)
    assert ((score > found.threshold) & (y == 0)).sum() <= most_wrong(300, 0.2, 0.95)


# --- options --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "needs gain="),
        ({"by": "magic"}, "by must be one of"),
        ({"by": "neyman-pearson"}, "one bound"),
        ({"misdetect": 0.1, "false_alarm": 0.1}, "one bound"),
        ({"by": "gain", "gain": np.eye(2), "misdetect": 0.1}, "belong to"),
        ({"by": "youden", "confidence": 0.9}, "belong to"),
        ({"by": "youden", "budget": 3}, "belongs to"),
        ({"by": "budget"}, "needs budget="),
        ({"budget": 0}, "at least 1"),
        ({"budget": 1.5}, "between 0 and 1"),
        ({"misdetect": 1.5}, "misdetect must lie between 0 and 1"),
        ({"misdetect": "5%"}, "must be a number"),
        ({"misdetect": 0.1, "confidence": 95}, "confidence must lie"),
        ({"gain": np.eye(3)}, "2 classes|3 classes|for 3"),
        ({"gain": [[1, 0, 0], [0, 1, 0]]}, "must be 2×2"),
        ({"gain": np.ones((4, 2, 2))}, "differ by row"),
        ({"gain": Gain(np.eye(2), classes=["a", "b"])}, "names the classes"),
        ({"gain": np.eye(2), "priors": [-0.5, 1.5]}, "prior"),
        ({"gain": np.eye(2), "priors": [0.5, 0.6]}, "sum to one"),
        ({"gain": np.eye(2), "positive": 1}, "carries its scores"),
    ],
)
def test_options_that_make_no_sense(options, message):
    curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    with pytest.raises((ValueError, TypeError), match=message):
        best_threshold(curve, **options)


def test_all_scores_equal():
    found = best_threshold([0, 1, 1], [2.0, 2.0, 2.0], gain=np.eye(2))
    assert found.threshold == -np.inf
    assert str(found).startswith("Assign 1 to every row")
    assert best_threshold([0, 0, 1], [2.0, 2.0, 2.0], gain=np.eye(2)).threshold == np.inf
    assert float(found) == -np.inf


def test_a_curve_or_rows_are_needed():
    with pytest.raises(TypeError, match="OperatingCurve"):
        best_threshold([0, 1], gain=np.eye(2))
