"""The descent kernel equals its own Python function, and each step is the best for its α."""

import numpy as np
import pytest
from scipy import sparse

from discriminant.kernels.dual_descent import descend, row_squares
from discriminant.rows.matrix import kernel_form


def problem(seed, squared):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (25, 4)).astype(float) * (rng.random((25, 4)) < 0.7)
    sign = np.where(np.arange(25) % 2, 1, -1).astype(np.int8)
    cap = np.full(25, np.inf if squared else 0.5)
    return X, sign, cap, np.full(25, 0.5 if squared else 0.0)


def run(function, X, sign, cap, softening, epochs):
    squares = np.empty(len(sign))
    row_squares(kernel_form(X), squares)
    order, alpha, w = np.arange(len(sign)), np.zeros(len(sign)), np.zeros(X.shape[1] + 1)
    slopes, n_active = np.array([np.inf, -np.inf]), len(sign)
    steepness = squares + 2.0 + softening
    for _ in range(epochs):
        n_active = function(kernel_form(X), sign, cap, softening, steepness, 2.0, order, n_active, alpha, w, slopes)
    return n_active, alpha, w, slopes, order


@pytest.mark.parametrize("squared", [False, True])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_kernel_equals_its_python_function(squared, form):
    X, *rest = problem(0, squared)
    ours, plain = (run(f, form(X), *rest, 3) for f in (descend, getattr(descend, "py_func", descend)))
    assert ours[0] == plain[0]
    for a, b in zip(ours[1:], plain[1:], strict=True):
        assert np.allclose(a, b, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("squared", [False, True])
def test_each_step_is_the_best_for_its_alpha(squared):
    """After a visit the slope by that α is zero, or points out of its bounds."""
    X, sign, cap, softening = problem(1, squared)
    rows = kernel_form(X)
    alpha, w, slopes = np.zeros(25), np.zeros(5), np.array([np.inf, -np.inf])
    squares = np.empty(25)
    row_squares(rows, squares)
    assert np.allclose(squares, (X**2).sum(axis=1))
    for i in range(25):
        slopes[:] = np.inf, -np.inf
        descend(rows, sign, cap, softening, squares + 2.0 + softening, 2.0, np.array([i]), 1, alpha, w, slopes)
        slope = sign[i] * (X[i] @ w[:-1] + w[-1]) - 1 + softening[i] * alpha[i]
        assert abs(slope) < 1e-12 or (alpha[i] == 0 and slope > 0) or (alpha[i] == cap[i] and slope < 0)
    assert np.allclose(w, [*((alpha * sign) @ X), 2.0 * (alpha @ sign)])


def test_rows_beyond_the_bounds_of_the_last_pass_are_put_aside():
    X, sign, cap, softening = problem(2, False)
    n_active, alpha, _, _, order = run(descend, X, sign, cap, softening, 30)
    assert n_active < 25
    assert sorted(order) == list(range(25))
    assert set(alpha[order[n_active:]]) <= {0.0, 0.5}
