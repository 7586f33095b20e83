"""Rows that are copies of one another."""

import numpy as np
import pyarrow as pa
import pytest
from scipy import sparse

from discriminant.rows import ArrayRows
from discriminant.study.alternatives import TREES
from discriminant.study.design import design_of_table
from discriminant.study.duplicates import copies_of, kept_together
from discriminant.study.holding_out import HoldingOut
from discriminant.study.study import study
from discriminant.validation.dealing import deal_folds


def measured(n=200, d=4, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    return X, (X[:, 0] + random.standard_normal(n) > 0).astype(np.int32)


def folds_of(X, codes, n_folds, seed):
    return HoldingOut().folds(ArrayRows(X, np.arange(2), codes), n_folds, seed).of_row


def test_measurements_have_no_copies():
    X, y = measured()
    assert copies_of(X, y) is None
    assert copies_of(sparse.csr_array(X), y) is None


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_copies_are_those_of_all_cells_and_the_class(form):
    X, y = measured()
    X[:, 1] = 0.0
    rows = np.r_[np.arange(200), [3, 3, 7]]
    Z, classes = X[rows], y[rows]
    Z[-1, 1] = -0.0  # the same number
    classes[-2] = 1 - classes[-2]  # another class: no copy
    found = copies_of(form(Z), classes)
    assert (found.extra, found.largest, found.by_chance) == (2, 2, False)
    assert found.groups[3] == found.groups[200] != found.groups[201]
    assert found.groups[7] == found.groups[202]


def test_sparse_rows_with_stored_zeros_are_copies_of_those_without():
    stored = sparse.csr_array((np.array([1.0, 0.0, 1.0]), np.array([0, 2, 0]), np.array([0, 2, 3])), shape=(2, 3))
    assert copies_of(stored, np.zeros(2, dtype=np.int32)).extra == 1


def test_few_values_have_copies_by_chance():
    random = np.random.default_rng(0)
    X, y = random.integers(0, 3, (500, 4)).astype(float), random.integers(0, 2, 500).astype(np.int32)
    groups = (found := copies_of(X, y)).groups
    assert found.by_chance
    folds = folds_of(X, y, 5, 0)
    assert any(np.unique(folds[groups == g]).size > 1 for g in np.unique(groups))


def test_rows_that_agree_but_for_their_class_are_different_rows():
    """Pieces of a bent column agree together, so that a product of shares finds such copies unlikely."""
    random = np.random.default_rng(0)
    age, deck = np.where(random.random(1000) < 0.3, 0, random.integers(1, 60, 1000)), random.integers(0, 3, 1000)
    pieces = [np.clip(age, low, low + 5) for low in range(0, 60, 5)]
    X = np.column_stack([*pieces, deck == 1, deck == 2]).astype(float)
    y = (random.random(1000) < 0.2 + 0.2 * deck).astype(np.int32)
    assert copies_of(X, y).by_chance
    assert copies_of(sparse.csr_array(X), y).by_chance
    rows = np.repeat(np.arange(1000), 3)
    wrong = y[rows].copy()
    wrong[:6] = 1 - wrong[:6]
    unlike = np.column_stack([X, random.standard_normal(1000)])[rows]
    assert not copies_of(unlike, wrong).by_chance  # a few wrong classes make no chance


def test_claims_of_few_values_are_those_of_fresh_rows():
    """Passengers of a ship: many of one deck, sex and age. What is held out is what fresh rows would give."""
    random = np.random.default_rng(3)

    def drawn(n):
        deck, sex = random.choice(3, n, p=[0.25, 0.2, 0.55]), random.choice(2, n, p=[0.35, 0.65])
        age = np.where(random.random(n) < 0.3, np.nan, random.integers(1, 60, n))
        kin = np.minimum(random.geometric(0.65, (2, n)) - 1, 6)
        few = np.where(kin.sum(axis=0) > 3, -2.5, np.where(kin.sum(axis=0) > 0, 0.7, 0.0))
        log_odds = 2.2 - 0.7 * deck - 2.4 * sex + few + np.where(age < 12, 0.25 * (12 - age), 0.0)
        alive = np.where(random.random(n) < 1 / (1 + np.exp(-log_odds)), "yes", "no")
        columns = {"deck": np.array(["1st", "2nd", "3rd"])[deck], "sex": np.array(["f", "m"])[sex], "age": age}
        return pa.table({**columns, "brothers": kin[0], "children": kin[1], "alive": alive})

    found = study(design_of_table(drawn(1200), "alive", forms="auto"), learners=["logistic-ridge", "lda"])
    fresh = drawn(20_000)
    right = (found.model.predict(fresh) == np.array(fresh.column("alive").to_pylist())).mean()
    claimed = found.comparison.accuracy[found.best]
    assert claimed.low < right < claimed.high
    assert claimed.high - claimed.low < 0.06
    assert found.trees.gain[TREES].value > right - 0.05


def test_a_repeated_table_has_copies_that_are_no_chance():
    X, y = measured()
    found = copies_of(np.vstack([X, X, X]), np.r_[y, y, y])
    assert (found.extra, found.by_chance) == (400, False)


@pytest.mark.parametrize("seed", range(20))
def test_folds_keep_copies_together_and_classes_even(seed):
    random = np.random.default_rng(seed)
    X, y = measured(120, seed=seed)
    rows = np.r_[np.arange(120), random.integers(0, 120, 60)]
    groups = copies_of(X[rows], y[rows]).groups
    folds = deal_folds(y[rows], 5, np.random.default_rng(seed), groups)
    assert all(np.unique(folds[groups == g]).size == 1 for g in np.unique(groups))
    for k in (0, 1):
        counts = np.bincount(folds[y[rows] == k], minlength=5)
        assert counts.max() - counts.min() <= 1


@pytest.mark.parametrize("seed", range(5))
def test_folds_know_neither_names_of_classes_nor_repetitions(seed):
    X, y = measured(120, seed=seed)
    X[60:70], y[60:70] = X[:10], y[:10]
    folds = folds_of(X, y, 5, seed)
    assert np.array_equal(folds, folds_of(X, 1 - y, 5, seed))
    assert np.array_equal(np.tile(folds, 3), folds_of(np.tile(X, (3, 1)), np.tile(y, 3), 5, seed))
    by_class, turned = (deal_folds(codes, 5, np.random.default_rng(seed)) for codes in (y, 1 - y))
    assert np.array_equal(by_class, turned)


def test_a_class_of_few_different_rows_is_still_in_every_fold():
    codes = np.array([0] * 30 + [1] * 10, dtype=np.int32)
    X = np.r_[np.arange(30.0), np.full(10, 30.0)][:, None]
    folds = deal_folds(codes, 5, np.random.default_rng(0), kept_together(codes, copies_of(X, codes), 5))
    assert np.bincount(folds[codes == 1]).tolist() == [2] * 5


def test_copies_are_told_and_do_not_flatter():
    """Rows of noise, each three times: what is tried on copies of rows it has learnt seems to know something."""
    X, _ = measured(40, 30)
    y = np.random.default_rng(1).integers(0, 2, 40)
    columns = {f"x{j}": np.tile(X[:, j], 3) for j in range(30)}
    table = pa.table({**columns, "y": np.tile(np.where(y, "yes", "no"), 3)})
    found = study(design_of_table(table, "y"), learners=["logistic-ridge"])
    assert found.comparison.accuracy["logistic-ridge"].value < 0.75
    told = [f for _, f in found.findings if type(f).__name__ == "DuplicatedRows"]
    assert "80 of 120 rows are copies of another" in told[0].fact
