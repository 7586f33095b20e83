"""A kernel is its own Python function; extended arithmetic is exact."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.kernels import centring, counting, extended
from tests.tables import seeds

numbers = st.floats(-1e100, 1e100, allow_subnormal=False)


@given(numbers, numbers)
def test_sums_are_exact(a, b):
    high, low = extended.two_sum(a, b)
    assert Fraction(high) + Fraction(low) == Fraction(a) + Fraction(b)


@given(st.floats(-1e60, 1e60, allow_subnormal=False), st.floats(-1e60, 1e60, allow_subnormal=False))
def test_products_are_exact(a, b):
    if 0 < abs(a) < 1e-60 or 0 < abs(b) < 1e-60:
        return  # the low half would be subnormal
    high, low = extended.two_product(a, b)
    assert Fraction(high) + Fraction(low) == Fraction(a) * Fraction(b)


def sweep(kernel, X, y, w):
    K, d = 3, X.shape[1]
    pilot = np.arange(K * d, dtype=float).reshape(K, d) / 10
    out = [np.zeros((len(X), d + 2)), np.zeros(K + 1, np.int64)]
    finite = kernel(X, y, w, pilot, *out)
    sums, squares = np.zeros((K, d + 2)), np.zeros((K, d))
    pick = (lambda f: f) if kernel is centring.centre_by_class else (lambda f: getattr(f, "py_func", f))
    pick(centring.add_class_sums)(*out, sums, squares)
    return [finite, *out, sums, squares]


@pytest.mark.parametrize("weighted", [True, False])
@given(seeds)
def test_centring_is_its_python_function(weighted, seed):
    rng = np.random.default_rng(seed)
    X, y = rng.standard_normal((17, 4)), rng.integers(0, 3, 17).astype(np.int32)
    w = rng.uniform(0, 2, 17) if weighted else np.empty(0)
    for ours, plain in zip(
        sweep(centring.centre_by_class, X, y, w),
        sweep(getattr(centring.centre_by_class, "py_func", centring.centre_by_class), X, y, w),
        strict=True,
    ):
        np.testing.assert_allclose(ours, plain, rtol=1e-12, atol=1e-12)
    X[3, 2] = np.nan
    assert not sweep(centring.centre_by_class, X, y, w)[0]


@given(seeds)
def test_counting_is_its_python_function(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 4, (15, 3)).astype(float), rng.integers(0, 2, 15).astype(np.int32)
    w = rng.uniform(0, 2, 15)
    starts, lows = np.array([0, 4, 8, 12]), np.zeros(3, np.int64)
    results = []
    for pick in (lambda f: f, lambda f: getattr(f, "py_func", f)):
        counts, sums, tables, scores = np.zeros(2), np.zeros((2, 3)), np.zeros((2, 12)), np.zeros((15, 2))
        told = pick(counting.sum_by_class)(X - 1, y, w, True, counts, sums)
        pick(counting.count_categories)(X, y, w, lows, starts, tables)
        present = np.zeros((15, 2))
        ranges = np.full(3, np.inf), np.full(3, -np.inf)
        cells, unseen, intercept = X - 0.5 * (X == 3), np.ones((2, 3)), np.array([0.5, -2.0])
        flags = [
            pick(counting.add_lookups)(cells, lows, starts, tables, unseen, intercept, scores),
            pick(counting.score_present)(X - 1, unseen + tables[:, :3], intercept, present),
            *pick(counting.widen_ranges)(cells, *ranges),
        ]
        results.append([*told, counts, sums, tables, *flags, scores, present, *ranges])
    for ours, plain in zip(*results, strict=True):
        np.testing.assert_allclose(ours, plain, rtol=1e-12)
