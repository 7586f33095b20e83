"""Points of operating curves in compiled loops: by definition, and as their own Python does it."""

import numpy as np
import pytest

from discriminant.kernels.operating_points import merge_points, split, upper_hull
from tests.gain.samples import scored_rows

NONE = np.empty(0)


def plain(kernel):
    return getattr(kernel, "py_func", kernel)


@pytest.mark.parametrize("pick", [lambda kernel: kernel, plain], ids=["compiled", "python"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(20))
def test_split_and_merge(seed, dtype, pick):
    y, score, weight = scored_rows(seed, weighted=seed % 2 == 1)
    codes, score = y.astype(np.int32), score.astype(dtype)
    chosen, others = np.empty_like(score), np.empty_like(score)
    n = pick(split)(score, codes, 1, chosen, others)
    np.testing.assert_array_equal(chosen[:n], score[y == 1])
    np.testing.assert_array_equal(others[: len(y) - n], score[y == 0])
    orders = [np.flatnonzero(y == k)[np.argsort(score[y == k])] for k in (1, 0)]
    weights = [NONE, NONE] if weight is None else [weight[order] for order in orders]
    points = np.empty((3, len(y) + 1))
    m = pick(merge_points)(score[orders[0]], score[orders[1]], *weights, *points)
    omega = np.ones(len(y)) if weight is None else weight
    assert m == np.unique(score).size + 1
    for theta, detected, alarms in points[:, 1:m].T:
        assert detected == pytest.approx(omega[(y == 1) & (score >= theta)].sum())
        assert alarms == pytest.approx(omega[(y == 0) & (score >= theta)].sum())
    assert points[:, 0].tolist() == [np.inf, 0.0, 0.0]


@pytest.mark.parametrize("pick", [lambda kernel: kernel, plain], ids=["compiled", "python"])
def test_hull_leaves_out_what_is_never_best(pick):
    x, y = np.array([0.0, 0.0, 1.0, 2.0, 3.0, 4.0]), np.array([0.0, 3.0, 3.0, 5.0, 5.5, 6.0])
    kept = np.empty(6, dtype=np.intp)
    assert kept[: pick(upper_hull)(x, y, kept)].tolist() == [0, 1, 3, 5]
