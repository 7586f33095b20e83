"""Equations in whole numbers, and ranks modulo primes, against fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from discriminant.exact import whole_numbers
from discriminant.exact.residues import PRIMES, Echelon, augmented_residues, outside_span, residues, times
from discriminant.exact.whole_numbers import solved
from discriminant.separability.vectors import whole_columns
from tests.separability.extreme_rays import reduced
from tests.tables import seeds


def whole(array):
    return np.array([[int(v) for v in row] for row in array], dtype=object)


@pytest.mark.parametrize("few", [0, 100])
@pytest.mark.parametrize(("n", "size"), [(1, 9), (4, 9), (7, 10**6), (12, 2**70), (30, 2**40)])
def test_equations_are_solved_exactly(monkeypatch, few, n, size):
    monkeypatch.setattr(whole_numbers, "_FEW", few)  # by digits, and by elimination
    rng = np.random.default_rng(n)
    for _ in range(5):
        A = whole(np.round(rng.uniform(-1, 1, (n, n)) * float(size)))
        b = whole(np.round(rng.uniform(-1, 1, (n, 1)) * float(size)))[:, 0]
        answer = solved(A, b)
        if answer is None:
            assert len(reduced([[Fraction(v) for v in row] for row in A])[0]) < n
            continue
        x, q = answer
        assert q > 0
        assert (A @ x == q * b).all()


@pytest.mark.parametrize("few", [0, 100])
def test_singular_equations_have_no_answer(monkeypatch, few):
    monkeypatch.setattr(whole_numbers, "_FEW", few)
    assert solved(whole([[1, 2], [2, 4]]), np.array([1, 1], dtype=object)) is None
    x, q = solved(whole([[0, 2], [3, 0]]), np.array([1, 0], dtype=object))
    assert (x.tolist(), q) == ([0, 1], 2)


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
    assert Echelon.of(augmented_residues(points, PRIMES[0]), PRIMES[0]).rank == rank
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
        assert times(X, normal, p).tolist() == expected
