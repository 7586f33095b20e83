"""The maximal margin: exact on tables whose answer is known, proved by its dual, and refused where there is none."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.optimise.margins.hard_margin import InseparableError, hard_margin
from discriminant.rows import from_arrays
from tests.tables import seeds, well_conditioned


def separable(seed, n=60, d=4, gap=0.05):
    """Two classes on either side of a random plane through the origin, no nearer to it than the gap."""
    rng = np.random.default_rng(seed)
    c = np.where(np.arange(n) % 2, 1.0, -1.0)
    w = rng.standard_normal(d)
    w /= np.linalg.norm(w)
    X = rng.standard_normal((n, d))
    along = X @ w
    return X + np.outer(c * (np.abs(along) + gap) - along, w), c


def margin_of(X, c, **options):
    rows = from_arrays(X, c)
    return hard_margin(rows, rows.signs(1), **options)


def test_two_rows_are_parted_half_way():
    found = margin_of([[0.0, 0.0], [3.0, 4.0]], [-1, 1])
    assert found.margin == pytest.approx(2.5, rel=1e-15)
    assert np.allclose(found.w, [0.24, 0.32], rtol=1e-14)
    assert found.alpha.tolist() == pytest.approx([0.08, 0.08], rel=1e-14)


def test_logical_and():
    found = margin_of([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
    assert np.allclose([*found.w, found.b], [2, 2, -3], rtol=1e-14)
    assert found.margin == pytest.approx(1 / np.sqrt(8), rel=1e-14)
    assert found.support.tolist() == [1, 2, 3]


@given(seed=seeds, d=st.integers(1, 8), gap=st.sampled_from([1.0, 0.1, 1e-3]))
def test_optimality(seed, d, gap):
    """Feasible plane, feasible α, no gap between them, and α > 0 on the edge alone."""
    X, c = separable(seed, d=d, gap=gap)
    found = margin_of(X, c)
    margin = c * (X @ found.w + found.b)
    assert margin.min() >= 1 - 1e-10
    assert (found.alpha >= 0).all()
    assert abs(found.alpha @ c) <= 1e-12 * found.alpha.sum()
    assert abs(found.gap) <= 1e-10
    assert found.dual <= found.primal * (1 + 1e-12)
    assert np.abs(margin[found.support] - 1).max() <= 1e-9
    assert np.allclose((found.alpha * c) @ X, found.w, rtol=1e-8, atol=1e-8 * np.abs(found.w).max())
    assert found.margin >= gap * (1 - 1e-9)


@given(seed=seeds)
def test_rotation_rotates_and_shift_shifts(seed):
    X, c = separable(seed)
    Q, _ = np.linalg.qr(well_conditioned(seed, 4))
    plain, turned = margin_of(X, c), margin_of(X @ Q + 5.0, c)
    assert turned.margin == pytest.approx(plain.margin, rel=1e-9)
    assert np.allclose(turned.w, plain.w @ Q, rtol=1e-7, atol=1e-8 * np.abs(plain.w).max())


@given(seed=seeds, factor=st.sampled_from([1e-100, 1e-3, 7.0, 1e100]))
def test_units_scale_the_margin(seed, factor):
    X, c = separable(seed)
    assert margin_of(X * factor, c).margin == pytest.approx(factor * margin_of(X, c).margin, rel=1e-9)


def test_many_rows_by_a_working_set():
    """The rows far away do not matter, however many they are."""
    X, c = separable(0, n=20_000, d=10, gap=0.01)
    found = margin_of(X, c)
    assert abs(found.gap) < 1e-11
    assert (c * (X @ found.w + found.b)).min() >= 1 - 1e-11
    few = np.flatnonzero(np.abs(X @ found.w + found.b) < 3)
    assert margin_of(X[few], c[few]).margin == pytest.approx(found.margin, rel=1e-11)
    assert margin_of(X, c, start=np.append(found.w, found.b)).margin == pytest.approx(found.margin, rel=1e-11)


@pytest.mark.parametrize("form", [sparse.csr_array, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_forms_of_a_table(form):
    X, c = separable(3)
    X = X.astype(np.float32).astype(np.float64)
    assert margin_of(form(X), c).margin == pytest.approx(margin_of(X, c).margin, rel=1e-11)


def test_more_columns_than_rows():
    rng = np.random.default_rng(0)
    X, c = rng.standard_normal((30, 400)), np.where(np.arange(30) % 2, 1.0, -1.0)
    found = margin_of(X, c)
    assert abs(found.gap) < 1e-12
    wide = sparse.csr_array(np.column_stack([X, np.zeros((30, 3000))]))
    assert margin_of(wide, c).margin == pytest.approx(found.margin, rel=1e-11)


@given(seed=seeds, d=st.integers(1, 3))
def test_no_plane_is_found_where_hulls_meet(seed, d):
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, (12, d)).astype(float)
    c = np.where(np.arange(12) % 2, 1.0, -1.0)
    X[0], X[1] = X[2:].mean(axis=0).round(), X[2:].mean(axis=0).round()  # one row of each class in the same place
    with pytest.raises(InseparableError, match="no plane separates") as error:
        margin_of(X, c)
    assert set(error.value.rows) <= set(range(12))


@given(exponent=st.integers(1, 12))
def test_narrow_margins(exponent):
    """Down to 10⁻¹² of the largest number."""
    gap = 10.0**-exponent
    assert margin_of([[-1.0], [0.0], [gap], [1.0]], [-1, -1, 1, 1]).margin == pytest.approx(gap / 2, rel=1e-3)


def test_numbers_too_small_to_square():
    X, c = separable(0)
    with pytest.raises(ValueError, match="multiply the columns"):
        margin_of(X * 1e-200, c)


@given(seed=seeds)
def test_a_start_does_not_change_the_answer(seed):
    X, c = separable(seed, gap=0.02)
    found = margin_of(X, c)
    rough = np.linalg.lstsq(np.column_stack([X, np.ones(len(c))]), c, rcond=None)[0]
    assume(np.isfinite(rough).all())
    assert margin_of(X, c, start=rough).margin == pytest.approx(found.margin, rel=1e-10)
