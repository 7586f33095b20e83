"""The order of visits: ranked by content in small tables, in lanes in large ones."""

import numpy as np
import pytest
from hypothesis import given
from scipy import sparse

from discriminant.optimise.sequential import row_order as module
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.rows import from_arrays
from tests.tables import seeds


def epoch(visits):
    return np.concatenate([order.copy() for order, _ in visits.epoch()])


def test_kept_order():
    rows = from_arrays(np.arange(10.0)[:, None], [0, 1] * 5)
    visits = RowOrder.of(rows, shuffled=False, seed=1)
    assert epoch(visits).tolist() == epoch(visits).tolist() == list(range(10))


@given(seed=seeds)
def test_ranked_rows_do_not_depend_on_their_order(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 3, (30, 2)).astype(float), rng.integers(0, 2, 30)
    moved = rng.permutation(30)
    one = RowOrder.of(from_arrays(X, y), shuffled=True, seed=5)
    other = RowOrder.of(from_arrays(sparse.csr_array(X[moved]), y[moved]), shuffled=True, seed=5)
    for _ in range(3):
        a, b = epoch(one), moved[epoch(other)]
        assert np.array_equal(np.column_stack([X, y])[a], np.column_stack([X, y])[b])
    assert one.n_visits == 30


@pytest.mark.parametrize("values", [1000, 1 << 40])  # rows that come again and again, and rows that do not
@pytest.mark.parametrize("n", [1, 2, 3, 2000])
def test_ranked_as_a_stable_sort_of_the_fingerprints_ranks(n, values):
    rng = np.random.default_rng(n)
    rows = from_arrays(rng.integers(0, values, (n, 1)).astype(float), np.zeros(n, int))
    order = RowOrder.of(rows, shuffled=True, seed=0).order
    prints = np.empty(n, np.uint64)
    module.fingerprints(rows.matrix, rows.codes, prints)
    assert order.tolist() == np.argsort(prints, kind="stable").tolist()


def test_a_weight_is_as_many_visits():
    weight = [3.0, 0.5, 2.5, 1.0]
    visits = RowOrder.of(from_arrays([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1], weight), shuffled=True, seed=0)
    times = np.bincount(epoch(visits))
    assert times.tolist() == [3, 1, 3, 1]
    assert np.allclose(times * visits.step_weight, weight)
    assert visits.weight.tolist() == weight
    kept = RowOrder.of(from_arrays([[1.0], [2.0]], [0, 1], [3.0, 1.0]), shuffled=False, seed=0)
    assert kept.step_weight.tolist() == [3.0, 1.0]
    assert kept.n_visits == 2


def test_huge_weights_multiply_the_step():
    rows = from_arrays([[1.0], [2.0]], [0, 1], [1e12, 1.0])
    visits = RowOrder.of(rows, shuffled=True, seed=0)
    assert visits.n_visits == 2
    assert visits.step_weight.tolist() == [1e12, 1.0]


def test_large_tables_are_shuffled_where_they_lie(monkeypatch):
    monkeypatch.setattr(module, "_RANKED_NUMBERS", 1000)
    monkeypatch.setattr(module, "_UNTIL_INTERRUPTIBLE", 3000)
    rng = np.random.default_rng(0)
    rows = from_arrays(rng.standard_normal((5000, 3)), rng.integers(0, 2, 5000))
    visits = RowOrder.of(rows, shuffled=True, seed=2)
    first, second = epoch(visits), epoch(visits)
    assert np.array_equal(np.sort(first), np.arange(5000))
    assert not np.array_equal(first, second)
    assert abs(np.corrcoef(first, np.arange(5000))[0, 1]) < 0.3
    assert all(order.size == ahead.size <= 1000 for order, ahead in visits.epoch())


@pytest.mark.parametrize("weighted", [True, False])
def test_signs_and_weights(weighted):
    rows = from_arrays([[1.0], [2.0], [3.0]], ["a", "b", "c"], [1.0, 2.0, 3.0] if weighted else None)
    visits = RowOrder.of(rows, shuffled=True, seed=0)
    assert visits.signs(1).tolist() == [-1, 1, -1]
    assert visits.weight.tolist() == ([1.0, 2.0, 3.0] if weighted else [])
