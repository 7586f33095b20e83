"""The squared hinge of few rows: the minimum, and when there is none to be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.optimise.margins.parabolas import least_of_parabolas
from tests.tables import gaussian_table, seeds


def criterion(u, Z, sign, weight, ridge):
    """F and its gradient."""
    lack = np.maximum(0.0, 1.0 - sign * (Z @ u))
    omega = np.ones(len(Z)) if weight is None else weight
    return 0.5 * (ridge * u) @ u + omega @ lack**2, ridge * u - 2.0 * Z.T @ (omega * sign * lack)


@given(seed=seeds, C=st.sampled_from([1e-3, 1.0, 1e4]), d=st.integers(1, 8), weighed=st.booleans())
def test_the_gradient_is_zero_at_the_end(seed, C, d, weighed):
    X, y = gaussian_table(seed, n=40, d=d)
    Z, sign = np.column_stack([X, np.ones(40)]), np.where(y == 1, 1, -1).astype(np.int8)
    weight = np.random.default_rng(seed).random(40) + 0.1 if weighed else None
    ridge = np.append(np.full(d, 1.0 / C), 0.0)
    found = least_of_parabolas(Z, sign, weight, ridge, 100)
    value, gradient = criterion(found.u, Z, sign, weight, ridge)
    assert np.abs(gradient).max() <= 1e-8 * (1.0 + value)
    assert found.n_iterations <= 100


def test_steps_are_as_many_as_allowed():
    X, y = gaussian_table(3, n=200, d=5)
    Z, sign = np.column_stack([X, np.ones(200)]), np.where(y == 1, 1, -1).astype(np.int8)
    ridge = np.append(np.full(5, 1.0), 0.0)
    found = least_of_parabolas(Z, sign, None, ridge, 1)
    whole = least_of_parabolas(Z, sign, None, ridge, 50)
    assert found.n_iterations == 1
    assert criterion(found.u, Z, sign, None, ridge)[0] > criterion(whole.u, Z, sign, None, ridge)[0]


@pytest.mark.parametrize("column", [0.0, np.nan])
def test_singular_equations_are_left_to_others(column):
    Z = np.column_stack([np.full(4, column), np.ones(4)])
    assert least_of_parabolas(Z, np.array([1, -1, 1, -1], np.int8), None, np.zeros(2), 10) is None
