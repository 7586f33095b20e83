"""Residuals in twice the working precision, against rational numbers."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.statistics.sliced_products import add_residual_sums, two_product
from tests.tables import seeds


@given(st.floats(-1e60, 1e60, allow_subnormal=False), st.floats(-1e60, 1e60, allow_subnormal=False))
def test_products_are_exact(a, b):
    if 0 < abs(a) < 1e-60 or 0 < abs(b) < 1e-60:
        return  # the low half would be subnormal
    high, low = two_product(np.array([a]), np.array([b]))
    assert Fraction(high[0]) + Fraction(low[0]) == Fraction(a) * Fraction(b)


@pytest.mark.parametrize("units", [1.0, 1e8])
@given(seeds)
def test_residual_sums_have_twice_the_digits(units, seed):
    rng = np.random.default_rng(seed)
    n, d, q = 9, 3, 2
    scale = np.array([1.0, units, 1 / units])
    X, w = rng.standard_normal((n, d)) * scale, rng.uniform(0.5, 2, n)
    coef = rng.standard_normal((q, d)) / scale
    low, level, level_low = coef * 1e-17, rng.standard_normal((n, q)), np.full(q, 1e-18)
    for weight in (w, np.empty(0)):
        sums, rests = np.zeros((q, d + 1)), np.zeros((q, d + 1))
        add_residual_sums(X, level, level_low, weight, coef, low, sums, rests)
        for t in range(q):
            exact = [Fraction(0)] * (d + 1)
            for i in range(n):
                r = Fraction(level[i, t]) + Fraction(level_low[t])
                r -= sum(Fraction(X[i, j]) * (Fraction(coef[t, j]) + Fraction(low[t, j])) for j in range(d))
                r *= Fraction(weight[i]) if weight.size else 1
                for j, x in enumerate([1.0, *X[i]]):
                    exact[j] += Fraction(x) * r
            for j, unit in enumerate([1.0, *scale]):
                assert abs(Fraction(sums[t, j]) + Fraction(rests[t, j]) - exact[j]) < Fraction(unit) / 10**27


def test_sums_are_added_to_what_was_there():
    X, level = np.array([[1.0], [2.0]]), np.array([3.0])
    sums, rests = np.ones((1, 2)), np.zeros((1, 2))
    add_residual_sums(X, level, np.zeros(1), np.empty(0), np.array([[1.0]]), np.zeros((1, 1)), sums, rests)
    assert sums.tolist() == [[4.0, 5.0]]
