"""Equations in whole numbers, and ranks modulo primes, against fractions."""

import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from discriminant.exact import equations
from discriminant.exact.equations import TooManyUnknownsError, import_flint, solve
from discriminant.exact.residues import PRIMES, Echelon, outside_span, residues, scores_modulo
from discriminant.exact.whole_numbers import whole_columns
from tests.separability.extreme_rays import reduced
from tests.tables import seeds


def whole(array):
    return np.array([[int(v) for v in row] for row in array], dtype=object)


@pytest.fixture(params=["python-flint", "elimination"])
def method(request, monkeypatch):
    """Equations of any number of unknowns solved in one of the two ways."""
    if request.param == "elimination":
        monkeypatch.setattr(equations, "import_flint", lambda: None)
    elif import_flint() is None:
        pytest.skip("python-flint is not installed")
    monkeypatch.setattr(equations, "_FEW", 0)


@pytest.mark.usefixtures("method")
@pytest.mark.parametrize(("n", "size"), [(1, 9), (4, 9), (7, 10**6), (12, 2**70), (30, 2**40)])
def test_equations_are_solved_exactly(n, size):
    rng = np.random.default_rng(n)
    for columns in (1, 1, 1, 3, 0):
        A, B = (whole(np.round(rng.uniform(-1, 1, (n, k)) * float(size))) for k in (n, columns))
        try:
            X, q = solve(A, B.reshape(n, columns))
        except ZeroDivisionError:
            assert len(reduced([[Fraction(v) for v in row] for row in A])[0]) < n
            continue
        assert q > 0
        assert not (A @ X - q * B.reshape(n, columns)).any()
        if columns == 1:
            x, same = solve(A, B[:, 0])
            assert same == q
            assert x.tolist() == X[:, 0].tolist()


@pytest.mark.usefixtures("method")
def test_singular_equations_have_no_answer():
    with pytest.raises(ZeroDivisionError):
        solve(whole([[1, 2], [2, 4]]), np.array([1, 1], dtype=object))
    x, q = solve(whole([[0, 2], [3, 0]]), np.array([1, 0], dtype=object))
    assert (x.tolist(), q) == ([0, 1], 2)


def test_many_equations_need_flint_and_are_refused_at_once_without(monkeypatch):
    rng = np.random.default_rng(0)
    A = whole(rng.integers(-(2**52), 2**52, (90, 90)))
    if import_flint() is not None:
        x, q = solve(A, A[:, 0])
        assert (q, x.tolist()) == (1, [1] + [0] * 89)
    monkeypatch.setattr(equations, "import_flint", lambda: None)
    with pytest.raises(TooManyUnknownsError, match=r"90 unknowns need python-flint: pip install discriminant\[exact\]"):
        solve(A, A[:, 0])


def test_no_flint_is_no_error(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)  # as if it were not installed
    import_flint.cache_clear()
    try:
        assert import_flint() is None
    finally:
        import_flint.cache_clear()


@settings(max_examples=60)
@given(seed=seeds)
def test_columns_become_whole(seed):
    rng = np.random.default_rng(seed)
    points = rng.standard_normal((5, 3)) * 10.0 ** rng.integers(-320, 300, (5, 3)) * rng.integers(0, 2, (5, 3))
    exact, powers = whole_columns(points)
    assert all(isinstance(v, int) for v in [*exact.ravel().tolist(), *powers.tolist()])
    for row, numbers in zip(exact, points.tolist(), strict=True):
        assert [Fraction(a, s) for a, s in zip(row, powers, strict=True)] == [Fraction(v) for v in numbers]


@settings(max_examples=60)
@given(seed=seeds)
def test_residues_are_those_of_fractions(seed):
    rng = np.random.default_rng(seed)
    numbers = rng.standard_normal(20) * 10.0 ** rng.integers(-320, 308, 20)
    for p in PRIMES:
        true = [Fraction(v).numerator * pow(Fraction(v).denominator, -1, p) % p for v in numbers.tolist()]
        assert residues(numbers, p).tolist() == true


@settings(max_examples=60)
@given(seed=seeds)
def test_ranks_and_spans_are_those_of_fractions(seed):
    rng = np.random.default_rng(seed)
    points = rng.integers(-3, 4, (int(rng.integers(1, 6)), int(rng.integers(1, 5)))) / 8
    table = np.vstack([rng.integers(-3, 4, (6, points.shape[1])) / 8, points[::-1], points.sum(axis=0)])
    rows = [[Fraction(v) for v in (*row, 1)] for row in points.tolist()]
    rank = len(reduced(rows)[0])
    assert Echelon.of(points).rank == rank
    more = [len(reduced([*rows, [Fraction(v) for v in (*row, 1)]])[0]) > rank for row in table.tolist()]
    assert outside_span(table, points).tolist() == more


@given(seeds)
def test_rows_times_a_vector_modulo_a_prime_in_floats_where_those_are_exact(seed):
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.integers(-65_000, 65_000, (20, 6)), rng.standard_normal((20, 2)), 2.0**40 * np.ones(20)])
    for p in PRIMES:
        normal = rng.integers(0, p, X.shape[1] + 1)
        expected = [
            sum(a * b for a, b in zip([*residues(x, p).tolist(), 1], normal.tolist(), strict=True)) % p for x in X
        ]
        assert scores_modulo(X, normal, p).tolist() == expected
