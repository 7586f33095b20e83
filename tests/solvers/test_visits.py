"""The order of visits: ranked by content in small tables, in chunks in large ones."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from discriminant.rows import from_arrays
from discriminant.solvers import visits as module
from discriminant.solvers.visits import Visits
from tests.tables import seeds


def epoch(visits):
    return np.concatenate([order.copy() for order, _ in visits.epoch()])


def test_kept_order():
    rows = from_arrays(np.arange(10.0)[:, None], [0, 1] * 5)
    visits = Visits.of(rows, shuffled=False, seed=1)
    assert epoch(visits).tolist() == epoch(visits).tolist() == list(range(10))


@given(seed=seeds)
def test_ranked_rows_do_not_depend_on_their_order(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 2, 30)
    moved = rng.permutation(30)
    one = Visits.of(from_arrays(X, y), shuffled=True, seed=5)
    other = Visits.of(from_arrays(sparse.csr_array(X[moved]), y[moved]), shuffled=True, seed=5)
    for _ in range(3):
        a, b = epoch(one), moved[epoch(other)]
        assert np.array_equal(np.column_stack([X, y])[a], np.column_stack([X, y])[b])
    distinct, counts = np.unique(np.column_stack([X, y]), axis=0, return_counts=True)
    assert one.n_visits == len(distinct)
    if one.weight.size:
        assert one.weight.sum() == 30
        assert sorted(one.weight[one.weight > 0]) == sorted(counts)


def test_colliding_fingerprints_are_not_taken_for_equal_rows(monkeypatch):
    monkeypatch.setattr(module, "fingerprints", lambda table, codes, prints: prints.fill(7))
    rows = from_arrays([[1.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1])
    assert Visits.of(rows, shuffled=True, seed=0).n_visits == 3


def test_large_tables_are_shuffled_where_they_lie(monkeypatch):
    monkeypatch.setattr(module, "_RANKED_NUMBERS", 1000)
    monkeypatch.setattr(module, "_WINDOW_NUMBERS", 2000)
    monkeypatch.setattr(module, "_PIECE_NUMBERS", 3000)
    rng = np.random.default_rng(0)
    rows = from_arrays(rng.standard_normal((5000, 3)), rng.integers(0, 2, 5000))
    visits = Visits.of(rows, shuffled=True, seed=2)
    first, second = epoch(visits), epoch(visits)
    assert np.array_equal(np.sort(first), np.arange(5000))
    assert not np.array_equal(first, second)
    assert abs(np.corrcoef(first, np.arange(5000))[0, 1]) < 0.3
    for order, ahead in visits.epoch():
        assert order.size == ahead.size <= 1000


@pytest.mark.parametrize("weighted", [True, False])
def test_signs_and_weights(weighted):
    rows = from_arrays([[1.0], [2.0], [3.0]], ["a", "b", "c"], [1.0, 2.0, 3.0] if weighted else None)
    visits = Visits.of(rows, shuffled=True, seed=0)
    assert visits.signs(1).tolist() == [-1, 1, -1]
    assert visits.weight.tolist() == ([1.0, 2.0, 3.0] if weighted else [])
