"""Folds by row id: the same wherever the rows are, and computable in SQL."""

import numpy as np
import pytest

from discriminant import GainClassifier, LinearDiscriminantAnalysis, compare, rows
from discriminant.validation import IdFolds, TimeOrder
from discriminant.validation.source_folds import read_source_folds

FOLD_IN_DUCKDB = """
WITH start AS (SELECT id, ((id::UHUGEINT + 1 + ({seed}::UHUGEINT * 11400714819323198485) % 18446744073709551616)
                  % 18446744073709551616 * 11400714819323198485) % 18446744073709551616 AS z FROM range({n}) t(id)),
once AS (SELECT id, (xor(z, z // 1073741824) * 13787848793156543929) % 18446744073709551616 AS z FROM start),
twice AS (SELECT id, (xor(z, z // 134217728) * 10723151780598845931) % 18446744073709551616 AS z FROM once)
SELECT ((xor(z, z // 2147483648) // 4294967296) * {folds} // 4294967296)::INTEGER FROM twice ORDER BY id
"""


@pytest.mark.parametrize(("n_folds", "seed"), [(5, 0), (3, 12), (10, 2**31 - 1)])
def test_a_database_deals_the_same_folds(n_folds, seed):
    duckdb = pytest.importorskip("duckdb")
    found = duckdb.sql(FOLD_IN_DUCKDB.format(n=2000, folds=n_folds, seed=seed)).fetchall()
    folds = IdFolds(n_folds, seed).of_ids(np.arange(2000))
    assert [row[0] for row in found] == folds.tolist()
    assert np.bincount(folds) == pytest.approx(2000 / n_folds, rel=0.2)


def test_rows_of_one_id_stay_together():
    ids = np.array([7, 7, -3, -3, 2**62, 7])
    folds = IdFolds(4).of_ids(ids)
    assert folds[0] == folds[1] == folds[5]
    assert folds[2] == folds[3]


def table(n=400, K=2, d=3, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, K, n)
    return random.normal(size=(n, d)) + random.normal(size=(K, d))[codes], np.array(list("cabd"))[codes]


def test_memory_and_sources_have_the_same_folds():
    X, y = table()
    weight = np.arange(400) % 3.0
    source = rows.from_batches([(X[a : a + 70], y[a : a + 70], weight[a : a + 70]) for a in range(0, 400, 70)])
    folds = IdFolds(4, 9)
    model = GainClassifier(LinearDiscriminantAnalysis(), cv=folds).fit(X, y, weight)
    expected = np.where(weight > 0, folds.of_ids(np.arange(400)), -1)
    assert model.folds_.tolist() == expected.tolist()
    assert source.fold(lambda block: folds(block).tolist()) == [int(f) for f in expected if f >= 0]


@pytest.mark.parametrize(
    ("cv", "seed", "kind", "message"),
    [
        ("loo", None, TypeError, "number of folds"),
        (1, None, ValueError, "at least 2"),
        ([0, 1], None, TypeError, r"id= name"),
        (5, np.random.RandomState(0), TypeError, "whole number"),
        (5, -1, TypeError, "whole number"),
    ],
    ids=str,
)
def test_other_folds_of_a_source_are_refused(cv, seed, kind, message):
    with pytest.raises(kind, match=message):
        read_source_folds(cv, seed, rows.from_batches([([[0.0]], [0])]))


@pytest.mark.parametrize("K", [2, 3])
def test_rows_in_the_order_of_time(K):
    X, y = table(K=K)
    weight = np.arange(400) % 4.0
    source = rows.from_batches([(X[a : a + 70], y[a : a + 70], weight[a : a + 70]) for a in range(0, 400, 70)])
    model = GainClassifier(LinearDiscriminantAnalysis(), reject=0.2, cv=TimeOrder(None, 4)).fit(source)
    memory = GainClassifier(LinearDiscriminantAnalysis(), reject=0.2, cv=TimeOrder(np.arange(400), 4)).fit(X, y, weight)
    assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-12)
    assert model.expected_gain_interval_ == pytest.approx(memory.expected_gain_interval_, rel=1e-9)
    same = GainClassifier(LinearDiscriminantAnalysis(), reject=0.2, cv=TimeOrder(None, 4)).fit(X, y, weight)
    assert same.folds_.tolist() == memory.folds_.tolist()
    found = compare(source, learners=["lda", "naive-bayes"], cv=TimeOrder(None, 4))
    theirs = compare(X, y, learners=["lda", "naive-bayes"], cv=TimeOrder(None, 4), sample_weight=weight)
    assert found.accuracy == theirs.accuracy


def test_a_table_and_a_source_are_compared_on_the_same_folds():
    X, y = table()
    source = rows.from_batches([(X[:100], y[:100]), (X[100:], y[100:])])
    memory = compare(X, y, learners=["lda"], cv=IdFolds(5, 1))
    found = compare(source, learners=["lda"], cv=5, random_state=1)
    assert found.accuracy["lda"] == memory.accuracy["lda"]
