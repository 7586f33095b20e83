"""Intervals and tests against other implementations, by brute force, and by simulation."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from discriminant import compare
from discriminant.comparison.inference import (
    RowWeights,
    mcnemar,
    mean_difference,
    mean_estimate,
    share_difference,
    share_estimate,
)
from discriminant.comparison.ranking import area_difference, area_estimate, placements, ranking
from discriminant.gain import operating_curve
from tests.tables import seeds

ONCE = RowWeights(None)


@given(st.integers(0, 40), st.integers(0, 40))
def test_mcnemar_is_the_binomial_test(b, c):
    expected = stats.binomtest(b, b + c, 0.5).pvalue if b + c else 1.0
    assert mcnemar(b, c) == pytest.approx(expected)


@given(st.integers(1, 60), st.data())
def test_shares_have_wilsons_interval(n, data):
    k = data.draw(st.integers(0, n))
    found = share_estimate(np.arange(n) < k, ONCE)
    expected = stats.binomtest(k, n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert found.low <= found.value <= found.high


@given(seeds, st.integers(1, 200))
def test_a_share_of_all_is_one_whatever_the_weights(seed, n):
    weights = RowWeights(np.random.default_rng(seed).uniform(0.01, 5.0, n))
    found = share_estimate(np.ones(n, bool), weights)
    assert (found.value, found.high) == (1.0, 1.0)


@given(seeds)
def test_means_have_students_interval_and_paired_test(seed):
    rng = np.random.default_rng(seed)
    a, b = rng.standard_normal((2, 25)) + rng.standard_normal((2, 1))
    low, high = stats.t.interval(0.95, 24, a.mean(), stats.sem(a))
    found, apart = mean_estimate(a, ONCE), mean_difference(a, b, ONCE)
    assert (found.value, found.low, found.high) == pytest.approx((a.mean(), low, high))
    assert apart.p_value == pytest.approx(stats.ttest_rel(a, b).pvalue)
    assert (apart.p_value < 0.05) == (not apart.low < 0 < apart.high)


@given(seeds)
def test_whole_weights_are_repetitions(seed):
    rng = np.random.default_rng(seed)
    times = rng.integers(1, 4, 30)
    a, b = rng.integers(0, 5, (2, 30)).astype(float)
    weights = RowWeights(times.astype(float))
    again = [np.repeat(part, times) for part in (a, b)]
    assert mean_difference(a, b, weights).p_value == pytest.approx(mean_difference(*again, ONCE).p_value)
    assert mean_estimate(a, weights).low == pytest.approx(mean_estimate(again[0], ONCE).low)
    assert share_estimate(a > 2, weights).low == pytest.approx(share_estimate(again[0] > 2, ONCE).low)
    once, repeated = share_difference(a > 2, b > 2, weights), share_difference(again[0] > 2, again[1] > 2, ONCE)
    assert once.p_value == pytest.approx(repeated.p_value)
    codes, folds = np.arange(30) % 2, np.zeros(30, int)
    few = area_estimate(ranking(a, codes, folds, weights), weights)
    many = area_estimate(ranking(again[0], np.repeat(codes, times), np.repeat(folds, times), ONCE), ONCE)
    assert (few.value, few.low, few.high) == pytest.approx((many.value, many.low, many.high))


@given(seeds, st.floats(1e-3, 1e3))
def test_the_unit_of_weights_that_are_no_repetitions_does_not_matter(seed, unit):
    rng = np.random.default_rng(seed)
    a, b, w = rng.random((3, 30))
    for tell in (lambda v: mean_difference(a, b, v), lambda v: share_difference(a > 0.5, b > 0.5, v)):
        assert tell(RowWeights(w + 0.1)).p_value == pytest.approx(tell(RowWeights(unit * (w + 0.1))).p_value)
    codes, folds = np.arange(30) % 2, np.zeros(30, int)
    one, other = (
        area_estimate(ranking(a, codes, folds, v), v) for v in (RowWeights(w + 0.1), RowWeights(unit * (w + 0.1)))
    )
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_learners_that_say_the_same_are_not_told_apart():
    right = np.arange(20) < 13
    assert share_difference(right, right, ONCE).p_value == 1.0
    assert mean_difference(right * 1.0, right * 1.0, ONCE).p_value == 1.0


def test_an_infinite_loss_has_no_interval():
    found = mean_estimate(np.array([1.0, np.inf]), ONCE)
    assert found.value == np.inf
    assert np.isnan(found.low)
    assert np.isnan(mean_difference(np.array([1.0, np.inf]), np.array([1.0, 2.0]), ONCE).p_value)


# --- areas ----------------------------------------------------------------------------------------------


def delong(scores, up):
    """Areas and their covariance from all pairs (DeLong, DeLong and Clarke-Pearson), one score a row."""
    psi = [(s[up][:, None] > s[~up]) + 0.5 * (s[up][:, None] == s[~up]) for s in scores]
    v10, v01 = np.array([p.mean(axis=1) for p in psi]), np.array([p.mean(axis=0) for p in psi])
    return v10.mean(axis=1), np.cov(v10) / up.sum() + np.cov(v01) / (~up).sum()


@given(seeds, st.booleans())
def test_areas_and_their_difference_are_those_of_delong(seed, ties):
    rng = np.random.default_rng(seed)
    up = rng.permutation(np.arange(40) < 15)
    scores = rng.standard_normal((2, 40)) + up
    scores = scores.round() if ties else scores
    folds = np.zeros(40, int)
    first, second = (ranking(s, up.astype(int), folds, ONCE) for s in scores)
    areas, covariance = delong(scores, up)
    assert (first.area, second.area) == pytest.approx(tuple(areas))
    assert first.area == pytest.approx(operating_curve(up.astype(int), scores[0]).auc)
    assert first.influence @ first.influence == pytest.approx(covariance[0, 0])
    variance = covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1]
    expected = 2 * stats.norm.sf(abs(areas[0] - areas[1]) / np.sqrt(variance)) if variance > 1e-15 else 1.0
    assert area_difference(first, second, ONCE).p_value == pytest.approx(expected, rel=1e-6, abs=1e-12)


def test_ranks_are_within_folds():
    score = np.array([0.0, 1.0, 100.0, 101.0])
    codes, folds = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
    assert ranking(score, codes, folds, ONCE).area == 1.0
    assert operating_curve(codes, score).auc == 0.75
    assert ranking(score, np.array([0, 0, 1, 1]), folds, ONCE) is None


def test_several_classes_are_each_against_the_rest():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 60)
    scores = rng.standard_normal((60, 3)) + np.eye(3)[codes]
    found = ranking(scores, codes, np.zeros(60, int), ONCE)
    leads = [scores[:, k] - np.delete(scores, k, axis=1).max(axis=1) for k in range(3)]
    expected = [operating_curve((codes == k).astype(int), lead).auc for k, lead in enumerate(leads)]
    assert found.area == pytest.approx(np.mean(expected))
    shifted = ranking(scores + rng.standard_normal((60, 1)), codes, np.zeros(60, int), ONCE)
    assert shifted.area == pytest.approx(found.area)


def test_an_area_without_error_has_an_interval_too():
    perfect = ranking(np.arange(20.0), (np.arange(20) > 9).astype(int), np.zeros(20, int), ONCE)
    found = area_estimate(perfect, ONCE)
    assert found.value == found.high == 1.0
    assert 0.5 < found.low < 1.0
    assert placements(np.zeros(4), np.array([True, False, True, False])).tolist() == [0.5] * 4


# --- simulations ----------------------------------------------------------------------------------------


def drawn(rng, n, d=4, gap=0.5):
    y = rng.permutation(np.arange(n) % 2)
    return rng.standard_normal((n, d)) + gap * y[:, None], y


@pytest.mark.slow
def test_intervals_cover_the_figures_of_models_of_this_size():
    """The truth is the figure of the five models themselves on many new rows; rejecting makes posteriors decide."""
    rng = np.random.default_rng(0)
    new_X, new_y = drawn(rng, 20_000)
    gain = np.array([[0.0, -1.0, -0.4], [-3.0, 0.0, -0.4]])
    inside = dict.fromkeys(("accuracy", "gain", "log_loss", "auc"), 0)
    runs = 400
    for run in range(runs):
        X, y = drawn(rng, 200)
        found = compare(X, y, learners=["lda"], gain=gain, random_state=run)
        truth = true_figures(found, X, y, new_X, new_y, gain)
        for figure in inside:
            estimate = getattr(found, figure)["lda"]
            inside[figure] += estimate.low <= truth[figure] <= estimate.high
    for figure, covered in inside.items():
        assert 0.92 <= covered / runs <= 0.98, (figure, covered / runs)


def true_figures(found, X, y, new_X, new_y, gain):
    figures = []
    for f in range(5):
        outside = found.folds != f
        model = found.learners["lda"].__class__().fit(X[outside], y[outside])
        score, p = model.decision_function(new_X), model.predict_proba(new_X)
        earned = gain[new_y, (p @ gain).argmax(axis=1)].mean()
        loss = -np.log(p[np.arange(new_y.size), new_y]).mean()
        area = operating_curve(new_y, score).auc
        figures.append([((score > 0) == new_y).mean(), earned, loss, area])
    return dict(zip(("accuracy", "gain", "log_loss", "auc"), np.mean(figures, axis=0), strict=True))


@pytest.mark.slow
def test_two_learners_equally_good_are_told_apart_in_one_case_of_twenty():
    """Each of two learners sees its own half of exchangeable columns, so that neither is better in truth."""
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import FunctionTransformer

    from discriminant import LinearDiscriminantAnalysis

    first = make_pipeline(FunctionTransformer(first_columns), LinearDiscriminantAnalysis())
    last = make_pipeline(FunctionTransformer(last_columns), LinearDiscriminantAnalysis())
    rng = np.random.default_rng(1)
    runs, called, fold_t = 400, dict.fromkeys(("accuracy", "gain", "log_loss", "auc"), 0), 0
    for run in range(runs):
        X, y = drawn(rng, 200, d=6)
        found = compare(X, y, learners={"a": first, "b": last}, gain=[[0, -1], [-3, 0]], random_state=run)
        other = next(name for name in "ab" if name != found.best)
        for figure in called:
            called[figure] += found.differences(figure)[other].p_value < 0.05
        fold_t += fold_test(found, y) < 0.05
    for figure, times in called.items():
        assert 0.02 <= times / runs <= 0.08, (figure, times / runs)
    assert fold_t / runs > 0.02  # the test that is avoided, for the record


def fold_test(found, y):
    right = [np.array([((found.scores[name] > 0) == y)[found.folds == f].mean() for f in range(5)]) for name in "ab"]
    return stats.ttest_rel(*right).pvalue if np.ptp(right[0] - right[1]) > 0 else 1.0


def first_columns(X):
    return X[:, :3]


def last_columns(X):
    return X[:, 3:]
