"""Cover's count against whole numbers and mpmath; Ripley's curve; what a table has room for."""

from fractions import Fraction
from math import comb

import mpmath
import numpy as np
import pytest
from scipy import sparse, stats

from discriminant import capacity, cover_probability, ripley_probability, separate
from discriminant.rows import from_arrays

SMALL = [(n, N) for n in (*range(1, 40), 100, 333, 1000, 3000) for N in {1, 2, 5, n // 4, n // 2, n // 2 + 1, n - 2, n}]


def exact(n, N):
    return Fraction(2 * sum(comb(n - 1, k) for k in range(min(N, n))), 2**n)


@pytest.mark.parametrize(("n", "N"), [(n, N) for n, N in sorted(SMALL) if N >= 1])
def test_against_whole_numbers(n, N):
    true = exact(n, N)
    if true > Fraction(10) ** -300:
        assert abs(Fraction(cover_probability(n, N, homogeneous=True)) / true - 1) < Fraction(1, 10**12)
    with mpmath.workdps(60):
        rest = mpmath.mpf((1 - true).numerator) / (1 - true).denominator
        logarithm = mpmath.log1p(-rest) if rest < 0.5 else mpmath.log(mpmath.mpf(true.numerator) / true.denominator)
        assert abs(cover_probability(n, N, homogeneous=True, log=True) - logarithm) <= 1e-12 * abs(logarithm) + 1e-300


@pytest.mark.parametrize(
    ("n", "N"),
    [
        (10**6, 10**5),
        (10**6, 499_000),
        (10**6, 485_000),
        (10**6, 500_001),
        (10**6, 510_000),
        (10**6, 3),
        (200_000, 99_990),
        (200_100, 10**5),
        (2 * 10**6, 10**5),
    ],
)
def test_against_mpmath(n, N):
    """The terms of the smaller tail, from the largest down until they no longer count."""
    small = n >= 2 * N
    k = N - 1 if small else n - 1 - N
    with mpmath.workdps(50):
        total = term = mpmath.mpf(1)
        for j in range(k):
            term *= mpmath.mpf(k - j) / (n - k + j)
            total += term
            if term < 1e-40:
                break
        tail = mpmath.binomial(n - 1, k) / mpmath.mpf(2) ** (n - 1) * total
        true = mpmath.log(tail) if small else mpmath.log1p(-tail)
        assert abs(cover_probability(n, N, homogeneous=True, log=True) / true - 1) < 1e-13
        if true > -700:
            assert abs(cover_probability(n, N, homogeneous=True) / mpmath.exp(true) - 1) < 1e-12


def test_half_at_twice_the_weights_and_certain_up_to_them():
    for N in (1, 2, 7, 100, 12_345):
        assert cover_probability(2 * N, N, homogeneous=True) == 0.5
        assert cover_probability(N, N, homogeneous=True) == 1.0
        assert cover_probability(N, N, homogeneous=True, log=True) == 0.0
        assert ripley_probability(2 * N, N, homogeneous=True) == 0.5
    assert cover_probability(6, 2) == cover_probability(6, 3, homogeneous=True) == 0.5


def test_the_count_is_that_of_labels_a_plane_can_give():
    """All labels of seven points in the plane, each put to the linear program."""
    X = np.random.default_rng(0).standard_normal((7, 2))
    labels = (np.arange(1, 64)[:, None] >> np.arange(7)) & 1  # one of each pair of opposite labels, but the constant
    separable = 2 * (1 + sum(separate(X, y).kind == "complete" for y in labels))
    assert separable / 2**7 == cover_probability(7, 2)


def test_ripley_is_near_cover_for_many_weights():
    n = np.arange(1600, 2401, 50)
    cover, ripley = cover_probability(n, 1000, homogeneous=True), ripley_probability(n, 1000, homogeneous=True)
    assert np.abs(cover - ripley).max() < 0.01
    assert ripley == pytest.approx(stats.norm.cdf((2000 - n) / np.sqrt(n)), rel=1e-12)
    assert ripley_probability(10**6, 10, log=True) == pytest.approx(stats.norm.logcdf((22 - 1e6) / 1e3), rel=1e-12)


def test_arrays_are_broadcast():
    table = cover_probability([[4], [6]], [1, 2, 3])
    assert table.shape == (2, 3)
    assert table[1, 1] == cover_probability(6, 2)
    assert cover_probability(np.int64(6), 2.0) == 0.5


@pytest.mark.parametrize(("n", "d", "error"), [(0, 1, ValueError), (5, -1, ValueError), (5, 1.5, TypeError)])
def test_numbers_that_make_no_sense_are_refused(n, d, error):
    with pytest.raises(error, match=r"must be a whole number"):
        cover_probability(n, d)
    with pytest.raises(error, match=r"must be a whole number"):
        capacity(n, d)


def test_columns_that_give_no_freedom_do_not_count():
    rng = np.random.default_rng(0)
    X = rng.integers(-9, 10, (50, 3))
    X = np.column_stack([X, X[:, 0], X @ [1, -2, 1], np.full(50, 7)])
    for form in (X, sparse.csr_array(X), from_arrays(X, rng.integers(0, 2, 50))):
        found = capacity(form)
        assert (found.n, found.d, found.rank, found.half) == (50, 6, 3, 8)
        assert found.probability == cover_probability(50, 3)
        assert found.ripley == ripley_probability(50, 3)
        assert "50 rows in 6 columns, of which 3 count: random labels are separable" in str(found)
    assert capacity(X[:, :3] / 7).rank == 3


def test_rows_that_differ_late_are_seen():
    X = np.zeros((5000, 4))
    X[4321, 2], X[17, 3] = 1.0, 1.0
    assert capacity(X).rank == 2


@pytest.mark.parametrize(
    ("n", "d", "words"),
    [
        (60, 60, "whatever their labels, so it means nothing that one does"),
        (100, 60, "is to be expected"),
        (125, 60, "may well be luck"),
        (208, 60, "6.5e-10 (½ at 122 rows), so a plane that parts the classes is hardly luck"),
        (10**6, 20, "probability 10^-300928"),
        (70, 60, "probability 1 − 1.6e-11"),
    ],
)
def test_a_capacity_reads_as_a_sentence(n, d, words):
    assert words in str(capacity(n, d))
    assert capacity((n, d)) == capacity(n, d)


def test_tables_that_are_none_are_refused():
    with pytest.raises(ValueError, match="NaN"):
        capacity([[0.0, np.nan]])
    with pytest.raises(ValueError, match="0 sample"):
        capacity(np.empty((0, 2)))
