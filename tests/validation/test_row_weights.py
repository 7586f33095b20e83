"""Rows of a group say less than as many independent ones, and intervals know it."""

import numpy as np
import pytest

from discriminant import GainClassifier, LinearDiscriminantAnalysis, compare
from discriminant.comparison.inference import mean_estimate, share_estimate
from discriminant.validation.row_weights import RowWeights


def random_values(seed, n=40):
    random = np.random.default_rng(seed)
    return random.normal(size=n), random.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_group_of_one_row_is_a_row(weighted):
    values, weight = random_values(0)
    # weights that are no repetitions: a row is one of its own whatever it weighs
    weight = weight + 0.5 if weighted else None
    alone, grouped = RowWeights(weight), RowWeights(weight, np.arange(values.size))
    assert grouped.sum_of_squares(values) == pytest.approx(alone.sum_of_squares(values))
    if not weighted:
        assert grouped.standard_error(values) == pytest.approx(alone.standard_error(values))
        assert grouped.worth(values) == pytest.approx(values.size)


@pytest.mark.parametrize("times", [2, 5])
def test_rows_repeated_within_their_groups_say_what_one_of_each_says(times):
    values, _ = random_values(1)
    once = RowWeights(None)
    repeated, groups = np.repeat(values, times), np.repeat(np.arange(values.size), times)
    grouped = RowWeights(None, groups)
    assert grouped.standard_error(repeated) == pytest.approx(once.standard_error(values))
    one, more = mean_estimate(values, once), mean_estimate(repeated, grouped)
    assert (more.value, more.low, more.high) == pytest.approx((one.value, one.low, one.high))
    holds = values > 0.3
    one, more = share_estimate(holds, once), share_estimate(np.repeat(holds, times), grouped)
    assert (more.low, more.high) == pytest.approx((one.low, one.high), abs=0.01)


def test_intervals_of_grouped_rows_cover_the_truth():
    covered = {"rows": 0, "groups": 0}
    for seed in range(400):
        random = np.random.default_rng(seed)
        groups = np.repeat(np.arange(30), random.integers(2, 12, 30))
        values = random.normal(size=30)[groups] + random.normal(size=groups.size)
        for name, weights in (("rows", RowWeights(None)), ("groups", RowWeights(None, groups))):
            found = mean_estimate(values, weights)
            covered[name] += found.low <= 0 <= found.high
    assert covered["groups"] >= 0.92 * 400
    assert covered["rows"] < 0.8 * 400


def test_columns_that_tell_groups_apart_are_no_better_than_chance():
    random = np.random.default_rng(3)
    groups = np.repeat(np.arange(40), 8)
    X = random.normal(size=(40, 3))[groups] + 0.05 * random.normal(size=(320, 3))
    y = random.integers(0, 2, 40)[groups]
    gain = [[1.0, -1.0], [-1.0, 1.0]]
    learners = {"lda": LinearDiscriminantAnalysis()}
    aware, unaware = (compare(X, y, learners=learners, gain=gain, groups=g, random_state=0) for g in (groups, None))
    again = compare(X, y, learners=learners, gain=gain, cv=aware.cv, random_state=0)
    assert again.accuracy == aware.accuracy  # folds know their groups
    for name in ("accuracy", "auc", "gain"):
        one, other = getattr(aware, name)["lda"], getattr(unaware, name)["lda"]
        assert one.high - one.low > 1.8 * (other.high - other.low), name
    assert aware.auc["lda"].low < 0.5
    model = GainClassifier(LinearDiscriminantAnalysis(), gain=gain, random_state=0)
    reach = [np.ptp(model.fit(X, y, groups=g).expected_gain_interval_) for g in (groups, None)]
    assert reach[0] > 1.8 * reach[1]


def test_the_error_of_enormous_losses_is_finite():
    values = np.array([1.0, 2.0, 4.0, 1.0])
    for weights in (RowWeights(None), RowWeights(np.array([1.0, 2.0, 1.0, 3.0]))):
        assert weights.standard_error(values * 1e219) == pytest.approx(
            weights.standard_error(values) * 1e219, rel=1e-14
        )
