"""The soft slab: optimality conditions, weak duality, and that samples and bands change nothing."""

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins import hinge as module
from discriminant.optimise.margins.active_set import solve_active_set
from discriminant.optimise.margins.hinge import fit_hinge
from discriminant.optimise.margins.interior_point import AugmentedRows, SlabProgram, follow_path, starting_point
from discriminant.optimise.margins.slab import SlabLoss, balance, best_intercept, certify
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.rows import from_arrays
from tests.tables import gaussian_table, seeds

costs = st.sampled_from([1e-4, 0.1, 1.0, 100.0])


def solved(X, y, u):
    rows = from_arrays(X, y, np.broadcast_to(np.asarray(u, float), len(X)).copy())
    return fit_hinge(SoftSlab(rows, 1.0), rows.signs(1))


def value(w, b, X, c, u):
    return 0.5 * w @ w + np.sum(u * np.maximum(0, 1 - c * (X @ w + b)))


@given(seed=seeds, C=costs, d=st.integers(1, 6), integers=st.booleans())
def test_optimality_conditions(seed, C, d, integers):
    """α = 0 outside the slab, α = u inside, w = Σ α c x, Σ α c = 0: nothing else is an optimum."""
    X, y = gaussian_table(seed, n=60, d=d)
    X = X.round() if integers else X  # many rows alike, and on the edge together
    c, u = 2.0 * y - 1, C * np.random.default_rng(seed).integers(1, 4, len(y))
    found = solved(X, y, u)
    margin = c * (X @ found.w + found.b)
    assert ((found.alpha >= 0) & (found.alpha <= u)).all()
    assert abs(found.alpha @ c) <= 1e-11 * u.sum()
    assert np.allclose((found.alpha * c) @ X, found.w, atol=1e-8 * (1 + np.abs(found.w).max()))
    assert (found.alpha[margin > 1 + 1e-7] <= 1e-7 * C).all()
    assert (found.alpha[margin < 1 - 1e-7] >= u[margin < 1 - 1e-7] * (1 - 1e-7)).all()
    assert abs(found.gap) <= 1e-9
    assert found.primal == pytest.approx(value(found.w, found.b, X, c, u), rel=1e-12)


@given(seed=seeds, C=costs)
def test_no_neighbour_is_better(seed, C):
    X, y = gaussian_table(seed, n=50, d=3)
    c, found = 2.0 * y - 1, solved(X, y, C)
    rng = np.random.default_rng(seed)
    for size in (1e-1, 1e-3, 1e-5):
        w, b = found.w + size * rng.standard_normal(3), found.b + size * rng.standard_normal()
        assert value(w, b, X, c, C) >= found.primal * (1 - 1e-12)


@given(seed=seeds, C=costs, squared=st.booleans())
def test_weak_duality(seed, C, squared):
    """Any plane and any feasible α enclose the optimum."""
    X, y = gaussian_table(seed, n=40, d=3)
    rows = from_arrays(X, y)
    rng = np.random.default_rng(seed)
    c, u = 2.0 * y - 1, np.full(40, C)
    some = certify(
        CentredRows.of(rows), c, SlabLoss(u, squared), rng.standard_normal(4), C * rng.uniform(0, 2, len(y)), 0
    )
    assert some.dual <= some.primal
    assert abs(some.alpha @ c) <= 1e-12 * some.alpha.sum()
    if not squared:
        assert (some.alpha <= u).all()
        optimum = solved(X, y, C)
        assert some.dual <= optimum.primal * (1 + 1e-9)
        assert optimum.dual <= some.primal * (1 + 1e-9)


@pytest.mark.parametrize("C", [1e-5, 0.01, 1.0])
@pytest.mark.parametrize("share", [0.5, 0.02])
def test_samples_and_bands_change_nothing(monkeypatch, C, share):
    rng = np.random.default_rng(0)
    y = (rng.random(12_000) < share).astype(int)
    X = rng.standard_normal((12_000, 4)) + 0.7 * y[:, None]
    in_parts = solved(X, y, C)
    monkeypatch.setattr(module, "_SOLVED_AT_ONCE", 20_000)
    at_once = solved(X, y, C)
    assert in_parts.primal == pytest.approx(at_once.primal, rel=1e-12)
    assert np.allclose(in_parts.w, at_once.w, rtol=1e-7, atol=1e-9)
    assert abs(in_parts.gap) < 1e-9


def test_a_band_that_is_too_narrow_widens(monkeypatch):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 9000)
    X = rng.standard_normal((9000, 5)) + 0.5 * y[:, None]
    right = solved(X, y, 1.0)
    monkeypatch.setattr(module, "_BAND", 0.02)
    narrow = solved(X, y, 1.0)
    assert narrow.primal == pytest.approx(right.primal, rel=1e-12)
    assert np.allclose(narrow.w, right.w, rtol=1e-8)


@given(seed=seeds)
def test_best_intercept(seed):
    """No b is better, and where several are as good it is their middle."""
    rng = np.random.default_rng(seed)
    scores, c, u = rng.standard_normal(15), np.where(np.arange(15) % 2, 1.0, -1.0), rng.integers(1, 4, 15).astype(float)
    b = best_intercept(scores, c, u)

    def loss(b):
        return np.sum(u * np.maximum(0, 1 - c * (scores + b)))

    every = np.array([loss(v) for v in c - scores])
    assert loss(b) <= every.min() * (1 + 1e-12)
    best = (c - scores)[every <= every.min() * (1 + 1e-12)]
    assert b == pytest.approx((best.min() + best.max()) / 2, abs=1e-12)


def test_balanced_shrinks_the_larger_side():
    alpha = balance(np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0, -1.0]))
    assert alpha.tolist() == pytest.approx([1.0, 0.4, 0.6])
    assert balance(np.array([0.0, 2.0]), np.array([1.0, -1.0])).tolist() == [0.0, 0.0]


@given(seed=seeds, C=st.sampled_from([0.05, 1.0, 30.0]))
def test_multipliers_of_rows_inside_are_their_caps(seed, C):
    """To the last digit, whatever the order in which the two sides are summed."""
    X, y = gaussian_table(seed, n=60, d=3)
    c, u = 2.0 * y - 1, C * np.random.default_rng(seed).uniform(0.2, 3.0, 60)
    found = solved(X, y, u)
    inside = c * (X @ found.w + found.b) < 1 - 1e-6
    assert found.alpha[inside].tolist() == u[inside].tolist()


def test_rounding_of_a_sum_takes_no_multiplier_from_its_cap():
    caps, c = np.full(30, 0.1), np.tile([1.0, -1.0], 15)
    caps[::2] *= 1 + 4e-16
    assert balance(caps, c).tolist() == caps.tolist()


@given(seed=seeds, C=costs)
@example(seed=920291, C=0.1)  # w = Σ α c x holds best before the gap is small enough
def test_path_and_settling_agree(seed, C):
    X, y = gaussian_table(seed, n=40, d=3)
    rows = np.column_stack([X, np.ones(len(X))])
    program = SlabProgram(AugmentedRows(rows), 2.0 * y - 1, np.full(len(X), C), np.zeros(4))
    path = follow_path(program, starting_point(program, np.zeros(4)), 1e-12)
    solution = solve_active_set(program, path)
    assert path.converged
    assert solution is not None
    assert np.allclose(solution.plane[:-1], path.plane[:-1], atol=1e-4 * (1 + np.abs(path.plane).max()))
    assert np.abs(program.combined(solution.alpha) - np.append(solution.plane[:-1], 0)).max() <= 1e-9 * (1 + C)


def test_rows_held_inside_enter_by_their_sum():
    """Solving for some rows with the rest held at α = u is the same problem where they do lie inside."""
    X, y = gaussian_table(5, n=80, d=3)
    whole = solved(X, y, 0.5)
    c = 2.0 * y - 1
    inside = c * (X @ whole.w + whole.b) < 0.5
    rows = np.column_stack([X, np.ones(len(X))])
    pull = (0.5 * c[inside]) @ rows[inside]
    program = SlabProgram(
        AugmentedRows(rows[~inside]), c[~inside], np.full((~inside).sum(), 0.5), pull, 0.5 * inside.sum()
    )
    solution = solve_active_set(program, follow_path(program, starting_point(program, np.zeros(4))))
    assert np.allclose(solution.plane, [*whole.w, whole.b], rtol=1e-9)
    assert program.primal(solution.plane, program.margins(solution.plane)) == pytest.approx(whole.primal, rel=1e-12)


def test_rows_of_few_entries_have_the_optimum_of_the_same_rows_in_full():
    random = np.random.default_rng(4)
    X = sparse.random_array((5000, 60), density=0.05, format="csr", rng=random, data_sampler=random.standard_normal)
    y = (X @ random.standard_normal(60) + random.standard_normal(5000) > 0).astype(int)
    rows, dense = from_arrays(X, y), from_arrays(X.toarray(), y)
    assert SoftSlab(rows, 1.0).centred.by_entries
    found, exact = fit_hinge(SoftSlab(rows, 1.0), rows.signs(1)), fit_hinge(SoftSlab(dense, 1.0), dense.signs(1))
    assert abs(found.gap) <= 1e-12
    assert found.primal == pytest.approx(exact.primal, rel=1e-12)
    np.testing.assert_allclose(found.w, exact.w, atol=1e-9)


def test_a_column_far_from_zero_among_rows_of_few_entries_costs_no_gap():
    random = np.random.default_rng(4)
    X = sparse.random_array((5000, 60), density=0.04, format="csr", rng=random, data_sampler=random.standard_normal)
    year = 2000.0 + random.integers(0, 20, 5000)
    y = (X @ random.standard_normal(60) + 0.1 * (year - 2010) + random.standard_normal(5000) > 0).astype(int)
    rows = from_arrays(sparse.csr_array(sparse.hstack([X, year[:, None]])), y)
    assert SoftSlab(rows, 1.0).centred.by_entries
    dense = from_arrays(rows.matrix.toarray(), y)
    found, exact = fit_hinge(SoftSlab(rows, 1.0), rows.signs(1)), fit_hinge(SoftSlab(dense, 1.0), dense.signs(1))
    assert abs(found.gap) <= 1e-10
    assert found.primal == pytest.approx(exact.primal, rel=1e-10)
