"""Counted scores: exact while they fit, bounded when they do not, and the same however the rows come in blocks."""

from functools import reduce

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant import ScoreCounts, best_threshold, operating_curve
from discriminant.statistics.score_counts import ordered_keys, scores_of_keys
from tests.gain.samples import mean_gain, scored_rows
from tests.tables import seeds

CELLS = 1 << 12


def many_rows(seed, n=30000):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    score = (rng.standard_normal(n) + y) * 10.0 ** rng.integers(-3, 4)
    score[rng.random(n) < 0.001] = rng.choice([np.inf, -np.inf])
    return y, score


def blocks_of(y, score, weight, edges, **options):
    spans = zip([0, *edges], [*edges, len(y)], strict=True)
    return [
        ScoreCounts.of(score[a:b], y[a:b], None if weight is None else weight[a:b], classes=[0, 1], **options)
        for a, b in spans
        if b > a and (weight is None or weight[a:b].any())
    ]


def same(a, b):
    return (
        np.array_equal(a.keys, b.keys)
        and np.allclose(a.positive, b.positive)
        and np.allclose(a.negative, b.negative)
        and (a.dropped_bits, a.n_rows, a.classes) == (b.dropped_bits, b.n_rows, b.classes)
    )


@given(st.lists(st.floats(allow_nan=False), min_size=2))
def test_keys_are_in_the_order_of_the_scores(values):
    scores = np.array(values)
    keys = ordered_keys(scores)
    np.testing.assert_array_equal(scores_of_keys(keys), scores)
    np.testing.assert_array_equal(keys[:-1] < keys[1:], scores[:-1] < scores[1:])
    np.testing.assert_array_equal(keys[:-1] == keys[1:], scores[:-1] == scores[1:])


@given(seeds, st.integers(0, 40), st.integers(0, 40))
def test_few_scores_are_exact(seed, first, second):
    y, score, weight = scored_rows(seed)
    edges = sorted({min(first, len(y)), min(second, len(y))})
    curve = operating_curve(reduce(ScoreCounts.__add__, blocks_of(y, score, weight, edges), ScoreCounts.zero()))
    exact = operating_curve(y, score, weight)
    for name in ("thresholds", "detected", "alarms"):
        np.testing.assert_allclose(getattr(curve, name), getattr(exact, name))
    assert (curve.relative_width, curve.auc_error, curve.rate_error) == (0.0, 0.0, (0.0, 0.0))
    assert [curve.robust_threshold(i) for i in range(len(curve))] == [
        exact.robust_threshold(i) for i in range(len(exact))
    ]


@pytest.mark.parametrize("seed", range(6))
def test_addition_does_not_care_about_blocks(seed):
    """zero is neutral; order and grouping do not matter, also when bits are dropped on the way."""
    y, score = many_rows(seed)
    whole = ScoreCounts.of(score, y, most_cells=CELLS)
    a, b, c = blocks_of(y, score, None, [100, 9000], most_cells=CELLS)
    assert whole.dropped_bits > 0
    for total in ((a + b) + c, a + (b + c), c + a + b, ScoreCounts.zero(CELLS) + whole, whole + ScoreCounts.zero()):
        assert same(total, whole)
    zero = ScoreCounts.zero() + ScoreCounts.zero()
    assert (zero.keys.size, zero.n_rows) == (0, 0)


@pytest.mark.parametrize("seed", range(6))
def test_memory_is_bounded_and_so_is_the_error(seed):
    y, score = many_rows(seed)
    counts = ScoreCounts.of(score, y, most_cells=CELLS)
    assert CELLS // 4 < counts.keys.size <= CELLS
    assert (counts.lowest <= counts.highest).all()
    finite = np.isfinite(counts.lowest)
    low, high = counts.lowest[finite], counts.highest[finite]
    assert (high - low <= counts.relative_width * np.minimum(np.abs(low), np.abs(high))).all()
    curve, exact = operating_curve(counts), operating_curve(y, score)
    for i in range(0, len(curve), 97):  # rates at its own thresholds are exact
        point = exact.point(exact.index_at(curve.thresholds[i]))
        assert (point.detected[0], point.alarms[0]) == (curve.detected[i], curve.alarms[i])
    assert abs(curve.auc - exact.auc) <= curve.auc_error < 0.01
    for theta in score[:50]:
        i, j = curve.index_at(theta), exact.index_at(theta)
        assert 0 <= exact.misdetect[j] - curve.misdetect[i] <= curve.rate_error[0]
        assert 0 <= curve.false_alarm[i] - exact.false_alarm[j] <= curve.rate_error[1]


@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize("seed", range(4))
def test_what_counting_can_cost_is_bounded(seed, priors):
    y, score = many_rows(seed)
    gain = np.array([[0.0, -1.0], [-4.0, 2.0]])
    counts = ScoreCounts.of(score, y, most_cells=CELLS)
    found, best = best_threshold(counts, gain=gain, priors=priors), best_threshold(y, score, gain=gain, priors=priors)
    assert mean_gain(y, None, found.decide(score), gain, priors) == pytest.approx(found.expected_gain)
    assert found.expected_gain <= best.expected_gain + 1e-12
    assert best.expected_gain <= found.expected_gain + found.gain_error + 1e-12
    assert 0 < found.gain_error < 0.05


def test_extremes_have_cells_of_their_own():
    extreme = [-np.inf, -1.7976931348623157e308, -5e-324, -0.0, 0.0, 5e-324, 1.7976931348623157e308, np.inf]
    rng = np.random.default_rng(0)
    score = np.r_[extreme, rng.standard_normal(20000)]
    y = np.r_[0, 1, 0, 1, 0, 1, 0, 1, rng.integers(0, 2, 20000)]
    counts = ScoreCounts.of(score, y, most_cells=CELLS)
    assert counts.dropped_bits > 0
    assert (counts.lowest[0], counts.highest[0]) == (-np.inf, -np.inf)
    assert (counts.lowest[-1], counts.highest[-1]) == (np.inf, np.inf)
    assert not np.isnan(counts.lowest).any()
    assert operating_curve(counts).thresholds[0] == np.inf


def test_float32_and_weights_of_zero():
    counts = ScoreCounts.of(np.array([0.5, 1.5, 2.5], np.float32), [0, 1, 1], [1, 0, 2])
    assert counts.lowest.tolist() == [0.5, 2.5]
    assert (counts.n_rows, counts.positive.sum(), counts.positive_label) == (2, 2.0, 1)
    absent = ScoreCounts.of([np.nan, 3.0], [0, 1], [0, 0])
    empty = ScoreCounts.of([], [], classes=[0, 1])
    assert same(absent + counts + empty, counts)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ScoreCounts.of([1.0, np.nan], [0, 1]), "NaN at row 1"),
        (lambda: ScoreCounts.of([1.0, 2.0], [0, 0]), "pass classes="),
        (lambda: ScoreCounts.of([1.0, 2.0], [0, 3], classes=[0, 1]), "3 at row 1"),
        (lambda: ScoreCounts.of([1.0], [0, 1]), "2 labels"),
        (lambda: ScoreCounts.of([1.0, 2.0], [0, 1], classes=[0, 0]), "two different"),
        (lambda: ScoreCounts.of([1.0, 2.0], [0, 1], positive=2), "positive=2"),
        (lambda: ScoreCounts.zero(100), "at least 4096"),
        (lambda: operating_curve(ScoreCounts.zero()), "no scores"),
        (lambda: operating_curve(ScoreCounts.of([1.0, 2.0], [0, 1]), [1, 2]), "carries its own"),
        (
            lambda: ScoreCounts.of([1.0, 2.0], [0, 1]) + ScoreCounts.of([1.0, 2.0], [0, 1], positive=0),
            "cannot be added",
        ),
    ],
)
def test_bad_input(call, message):
    with pytest.raises(ValueError, match=message):
        call()
