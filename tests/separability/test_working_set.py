"""Rows that stay where they are: the verdict and the proof of the table, from a few rows and passes over all."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant import rows, separate
from discriminant.separability import working_set
from discriminant.separability.program import UndecidedError
from discriminant.statistics import overview
from tests.tables import seeds

law = settings(deadline=None, derandomize=True, max_examples=25)


@pytest.fixture(autouse=True)
def _small_sample(monkeypatch):
    """So that most rows must be fetched."""
    monkeypatch.setattr(overview, "_SAMPLE_ROWS", 10)
    monkeypatch.setattr(overview, "_SAMPLE_NUMBERS", 10)


def batches(X, y, size=17):
    return rows.from_batches([(X[a : a + size], y[a : a + size]) for a in range(0, len(y), size)])


def whole_numbers(seed, n=60, d=3, reach=3, K=2):
    random = np.random.default_rng(seed)
    X = random.integers(-reach, reach + 1, (n, d)).astype(float)
    y = random.integers(0, K, n)
    y[:K] = np.arange(K)
    return X, y, random


@law
@given(seed=seeds, kind=st.sampled_from(["any", "plane", "touching", "flat"]))
def test_every_verdict_is_that_of_the_table(seed, kind):
    X, y, random = whole_numbers(seed)
    w = random.integers(-2, 3, 3)
    w[0] = w[0] or 1
    if kind == "plane":
        y = (X @ w > 0).astype(int)
    elif kind == "touching":
        y = np.where(X @ w == 0, y, X @ w > 0).astype(int)
    elif kind == "flat":
        X[:, 2] = X[:, 0] - X[:, 1]
    if np.unique(y).size < 2:
        return
    source = batches(X, y)
    found, expected = separate(source), separate(X, y)
    assert found.kind == expected.kind
    assert found.on_plane == expected.on_plane
    assert found.verify(X, y)
    assert source.passes > 1 or found.kind == "none"


def test_three_classes_with_all_their_pairs():
    X, y, _ = whole_numbers(3, n=90, K=3)
    X[:, 0] += 10 * (y == 2)
    found, expected = separate(batches(X, y)), separate(X, y)
    assert str(found) == str(expected)
    assert found.verify(X, y)


def test_what_is_asked_of_the_rows_can_be_pickled():
    X, y, _ = whole_numbers(4)
    verdict = working_set.decide_at_any_size(rows.from_arrays(X, y))
    asked = working_set.FindObjections(working_set.TwoClasses(np.array([0, 1]), 1, 0), verdict)
    assert pickle.loads(pickle.dumps(asked))(rows.from_arrays(X, y)).rows is None


def test_a_search_without_end_says_so(monkeypatch):
    monkeypatch.setattr(working_set, "_MOST_PASSES", 1)
    monkeypatch.setattr(working_set, "_MOST_JOINED", 1)
    random = np.random.default_rng(0)
    X = random.normal(size=(400, 3))
    with pytest.raises(UndecidedError, match=r"not decided in 1 passes.*rows\.collect\(\)"):
        separate(batches(X, (X.sum(axis=1) > 0).astype(int)))


def test_the_widest_margin_goes_back_to_rows():
    X, y, _ = whole_numbers(5)
    source = batches(X, y)
    assert separate(source, margin=True).kind == separate(X, y).kind
    source.spool = False
    with pytest.raises(rows.NeedsRowsInMemory):
        separate(source, margin=True)
