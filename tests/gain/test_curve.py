"""The operating curve is what counting says, whatever the scores."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score, roc_curve

from discriminant import operating_curve
from discriminant.gain.curve import threshold_between
from tests.gain.samples import all_decisions, rates, scored_rows
from tests.tables import seeds


@given(seeds)
def test_rates_are_counts(seed):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    assert curve.thresholds[-1] == -np.inf
    assert (np.diff(curve.thresholds) < 0).all()
    for theta, missed, alarmed in zip(curve.thresholds, curve.misdetect, curve.false_alarm, strict=True):
        np.testing.assert_allclose((missed, alarmed), rates(y, weight, score > theta), atol=1e-12)
    counted = np.ones(len(y)) if weight is None else weight
    reached = {tuple((d & (counted > 0)).tolist()) for d in all_decisions(score)}
    assert len(curve) == len(reached)


@given(seeds)
def test_auc_is_the_share_of_pairs_in_order(seed):
    y, score, weight = scored_rows(seed)
    omega = np.ones(len(y)) if weight is None else weight
    high, low = score[y == 1][:, None], score[y == 0][None, :]
    in_order = np.where(high > low, 1.0, np.where(high == low, 0.5, 0.0))
    pairs = omega[y == 1][:, None] * omega[y == 0][None, :]
    curve = operating_curve(y, score, weight)
    assert curve.auc == pytest.approx((pairs * in_order).sum() / pairs.sum(), abs=1e-12)
    assert curve.auc_error == 0.0


@given(seeds)
def test_agrees_with_scikit_learn(seed):
    y, score, weight = scored_rows(seed, infinite=False)
    curve = operating_curve(y, score, weight)
    false_alarm, detected, thresholds = roc_curve(y, score, sample_weight=weight, drop_intermediate=False)
    # theirs is the least score assigned, ours the greatest that is not; and theirs has scores of rows without weight
    present = np.isin(thresholds, [np.inf, *curve.thresholds])
    np.testing.assert_allclose(curve.false_alarm, false_alarm[present], atol=1e-12)
    np.testing.assert_allclose(1 - curve.misdetect, detected[present], atol=1e-12)
    assert curve.auc == pytest.approx(roc_auc_score(y, score, sample_weight=weight), abs=1e-12)


@given(seeds)
def test_monotone_transforms_move_nothing(seed):
    y, score, weight = scored_rows(seed, infinite=False)
    one = operating_curve(y, score, weight)
    other = operating_curve(y, np.exp(score / 4) * 3 - 100, weight)
    np.testing.assert_array_equal(one.detected, other.detected)
    np.testing.assert_array_equal(one.alarms, other.alarms)
    np.testing.assert_array_equal(one.hull, other.hull)


@given(seeds)
def test_whole_weights_are_repetitions_and_order_does_not_matter(seed):
    y, score, _ = scored_rows(seed)
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, len(y))
    times[:2] += 1
    order = rng.permutation(len(y))
    weighted = operating_curve(y[order], score[order], times[order])
    repeated = operating_curve(np.repeat(y, times), np.repeat(score, times))
    for name in ("thresholds", "detected", "alarms"):
        np.testing.assert_array_equal(getattr(weighted, name), getattr(repeated, name))
    np.testing.assert_array_equal(weighted.bands().misdetect_high, repeated.bands().misdetect_high)


@given(seeds)
def test_negated_scores_of_the_other_class(seed):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    mirrored = operating_curve(y, -score, weight, positive=0)
    assert mirrored.positive == 0
    assert mirrored.auc == pytest.approx(curve.auc, abs=1e-12)
    np.testing.assert_allclose(mirrored.shares, curve.shares)


@given(seeds)
def test_hull_holds_the_best_points_of_all_gains(seed):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    assert set(curve.hull) <= set(range(len(curve)))
    for stake in np.r_[0.0, np.geomspace(1e-3, 1e3, 25)]:
        value = curve.misdetect + stake * curve.false_alarm
        assert value[curve.hull].min() <= value.min() + 1e-12


def test_float32_scores_keep_their_ties():
    score = np.array([0.1, 0.1, 0.2], dtype=np.float32)
    curve = operating_curve([0, 1, 1], score)
    assert len(curve) == 3
    assert curve.thresholds[1] == score[0]


def test_negative_zero_is_zero():
    assert operating_curve([0, 1], [-0.0, 0.0]).thresholds.tolist() == [0.0, -np.inf]


@pytest.mark.parametrize(
    ("score", "thresholds", "misdetect"),
    [
        ([-np.inf, 1.0, np.inf], [np.inf, 1.0, -np.inf], [1.0, 0.5, 0.0]),
        ([np.inf, np.inf, np.inf], [np.inf, -np.inf], [1.0, 0.0]),
        ([-np.inf, -np.inf, -np.inf], [-np.inf], [1.0]),
    ],
)
def test_infinite_scores(score, thresholds, misdetect):
    """No θ assigns rows with a score of −∞."""
    curve = operating_curve([0, 1, 1], score)
    assert curve.thresholds.tolist() == thresholds
    assert curve.misdetect.tolist() == misdetect


@given(seeds, st.floats(-4, 4))
def test_any_theta_has_its_point(seed, theta):
    y, score, weight = scored_rows(seed)
    curve = operating_curve(y, score, weight)
    for t in (theta, *score[:3], np.inf, -np.inf):
        point = curve.point(curve.index_at(t))
        np.testing.assert_allclose((point.misdetect[0], point.false_alarm[0]), rates(y, weight, score > t), atol=1e-12)
        joint = curve.joint(t, priors=[0.3, 0.7])
        np.testing.assert_allclose(joint.sum(axis=1), [0.3, 0.7])
        assert joint[1, 0] == pytest.approx(0.7 * point.misdetect[0])
    with pytest.raises(ValueError, match="NaN"):
        curve.index_at(float("nan"))


@given(seeds)
def test_robust_thresholds_reproduce_their_decisions(seed):
    y, score, weight = scored_rows(seed)
    counted = np.ones(len(y), bool) if weight is None else weight > 0
    curve = operating_curve(y, score, weight)
    for i, theta in enumerate(curve.thresholds):
        robust = curve.robust_threshold(i)
        np.testing.assert_array_equal((score > robust)[counted], (score > theta)[counted])
        if np.isfinite(robust):
            assert robust not in score[counted]


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_midway_lies_between(a, b):
    low, high = min(a, b), max(a, b)
    if low < high:
        assert low <= threshold_between(low, high) < high
        if np.isfinite([low, high]).all() and np.nextafter(low, high) < high:
            middle = (Fraction(low) + Fraction(high)) / 2
            assert abs(Fraction(threshold_between(low, high)) - middle) <= abs(middle) * Fraction(1, 2**50) + Fraction(
                5e-324
            )


LARGEST = float(np.finfo(float).max)


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1.0, np.nextafter(1.0, 2.0)),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (-np.inf, -LARGEST),
        (-LARGEST, LARGEST),
        (LARGEST, np.inf),
        (-np.inf, np.inf),
    ],
)
def test_thresholds_between_scores_with_hardly_a_number_between(low, high):
    assert low <= threshold_between(low, high) < high
    found = operating_curve([0, 1], [low, high]).robust_threshold(1)
    assert (np.array([low, high]) > found).tolist() == [False, True]


def test_bands_are_exact_binomial():
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 60), rng.standard_normal(60)
    curve = operating_curve(y, score)
    bands = curve.bands(0.9)
    n = int((y == 1).sum())
    for i in range(0, len(curve), 7):
        wrong = int(((y == 1) & (score <= curve.thresholds[i])).sum())
        exact = stats.binomtest(wrong, n).proportion_ci(0.9, method="exact")
        assert (bands.misdetect_low[i], bands.misdetect_high[i]) == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert (bands.false_alarm_low <= curve.false_alarm).all()
    assert (bands.false_alarm_high >= curve.false_alarm).all()


@pytest.mark.parametrize(
    ("y", "score", "options", "message"),
    [
        ([0, 1], [0.5, np.nan], {}, "NaN at row 1"),
        ([0, 1, 1], [0.5, np.nan, 0.1], {"sample_weight": [1, 2, 1]}, "NaN at row 1"),
        ([0, 1], np.ma.masked_invalid([0.5, np.nan]), {}, "masked at row 1"),
        ([0, 1], [0.5], {}, "2 labels but there are 1 scores"),
        ([], [], {}, "no scores"),
        ([0, 0], [0.5, 0.7], {}, "positive="),
        ([0, 1, 2], [1, 2, 3], {}, "3 class"),
        ([0, 1], [1, 2], {"positive": 7}, "not one of the classes"),
        ([0, 1], [[1, 2], [3, 4]], {}, "one number a row"),
        ([0, 1], [1, 2], {"sample_weight": [1, -1]}, "row 1"),
        ([0, 1], ["a", "b"], {}, "real numbers"),
    ],
)
def test_bad_input(y, score, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        operating_curve(y, score, **options)


def test_nan_of_a_row_without_weight_does_not_matter():
    curve = operating_curve([0, 1, 1], [0.1, np.nan, 0.5], [1, 0, 1])
    assert curve.auc == 1.0
    assert curve.n_rows == 2


def test_a_missing_class_has_no_rate():
    curve = operating_curve(["a", "a"], [0.5, 0.7], positive="b")
    assert curve.classes == ("a", "b")
    for ask in (
        lambda: curve.misdetect,
        lambda: curve.false_alarm,
        lambda: curve.auc,
        lambda: curve.bands(),
        lambda: curve.hull,
    ):
        with pytest.raises(ValueError, match="no rows of the positive class"):
            ask()


def test_forms_of_labels():
    score = [0.1, 0.9, 0.4]
    assert operating_curve(pd.Series(["no", "yes", "no"]), pd.Series(score)).positive == "yes"
    assert operating_curve([True, True, True], score).negative_weight == 0
    rest = operating_curve(["a", "b", "c"], score, positive="b")
    assert rest.classes == ("not b", "b")
    assert rest.auc == 1.0
    assert "3 rows" in repr(rest)


def test_three_classes_are_told_the_ways_out():
    with pytest.raises(ValueError, match=r"holds 3 class.*positive='c' for instance.*GainClassifier or gain\.decide"):
        operating_curve(["a", "b", "c"], [1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="of several columns pass the one of the positive class"):
        operating_curve([0, 1, 2], np.eye(3))
    curve = operating_curve(["a", "b", "c"], [1.0, 2.0, 3.0], positive="c")
    assert curve.classes == ("not c", "c")
