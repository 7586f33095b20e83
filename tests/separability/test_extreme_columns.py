"""Tables at the ends of what floats hold: the answer of the same table in small whole numbers, or a clear refusal."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import linprog

from discriminant import separate

POWERS = (-1074, -1060, -1022, -1000, -500, 0, 500, 1000, 1020, 1021)


def by_linear_program(X, y):
    """Of small whole numbers, which floats decide without doubt."""
    Z = np.hstack([X, np.ones((len(X), 1))]) * (2 * y - 1)[:, None]
    free = [(None, None)] * Z.shape[1]
    if linprog(np.zeros(Z.shape[1]), A_ub=-Z, b_ub=-np.ones(len(Z)), bounds=free).status == 0:
        return "complete"
    weak = linprog(-Z.sum(axis=0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=[(-1, 1)] * Z.shape[1])
    return "quasi" if -weak.fun > 1e-9 else "none"


@pytest.mark.parametrize("seed", range(60))
def test_powers_of_two_change_no_answer(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(3, 9)), int(rng.integers(1, 4))
    X, y = rng.integers(-3, 4, (n, d)).astype(float), np.append(rng.integers(0, 2, n - 2), [0, 1])
    powers = np.full(d, rng.choice(POWERS)) if seed % 2 else rng.choice(POWERS, d)
    table = np.ldexp(X, powers.astype(int))
    for rows in (table, sparse.csr_array(table)):
        try:
            found = separate(rows, y)
        except ValueError as error:
            assert "no plane in floats says so" in str(error)  # noqa: PT017
            assert np.ptp(powers) > 1900
            continue
        assert found.kind == by_linear_program(X, y)
        assert found.verify(rows, y)


def test_the_least_numbers_there_are():
    found = separate([[5e-324], [-5e-324], [0.0]], [1, 0, 0])
    assert found.kind == "complete"
    assert separate([[5e-324], [-5e-324], [5e-324]], [1, 0, 0]).kind == "quasi"
    assert separate([[1.7e308], [-1.7e308], [0.0]], [1, 1, 0]).kind == "none"
