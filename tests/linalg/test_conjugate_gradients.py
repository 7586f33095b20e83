"""Conjugate gradients solve, stop where they are asked to, and notice what is not positive."""

import numpy as np
from hypothesis import given

from discriminant.linalg.conjugate_gradients import conjugate_gradients
from tests.tables import seeds


@given(seeds)
def test_as_many_products_as_columns_solve(seed):
    rng = np.random.default_rng(seed)
    B = rng.standard_normal((12, 5))
    A, c = B.T @ B + np.eye(5), rng.standard_normal(5)
    diagonal = np.diagonal(A)
    found = conjugate_gradients(lambda p: A @ p, c, lambda r: r / diagonal, 1e-9, 20)
    assert found.reached
    np.testing.assert_allclose(found.x + found.step_left, np.linalg.solve(A, c), rtol=1e-6, atol=1e-9)
    left = c - A @ conjugate_gradients(lambda p: A @ p, c, lambda r: r / diagonal, 0.1, 20).x
    assert left @ (left / diagonal) <= 0.01 * c @ (c / diagonal) * (1 + 1e-9)


def test_what_is_not_solved_is_told():
    A, c = np.diag([1.0, 10.0, 100.0]), np.ones(3)
    few = conjugate_gradients(lambda p: A @ p, c, lambda r: r, 1e-9, 2)
    assert (few.reached, few.n_products) == (False, 2)
    negative = conjugate_gradients(lambda p: -p, c, lambda r: r, 1e-9, 10)
    assert (negative.reached, negative.n_products) == (False, 1)
    assert not negative.x.any()
    nothing = conjugate_gradients(lambda p: A @ p, 0 * c, lambda r: r, 1e-9, 10)
    assert (nothing.reached, nothing.n_products) == (True, 0)
