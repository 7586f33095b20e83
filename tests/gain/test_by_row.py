"""Gains that are a function of the table."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from discriminant import Gain, expected_gain

AMOUNTS = [10.0, 2000.0, 300.0]
ENTRIES = {
    ("fraud", "ok"): lambda t: -np.asarray(t["amount"]),
    ("fraud", "fraud"): 0,
    ("ok", "fraud"): "cost",
    ("ok", "ok"): 0.0,
}
TABLES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "pyarrow": pa.table}


@pytest.mark.parametrize("kind", TABLES)
def test_columns_functions_and_numbers(kind):
    table = TABLES[kind]({"amount": AMOUNTS, "cost": [-5, -5, -1]})
    gain = Gain.by_row(ENTRIES, unit="EUR").for_table(table)
    assert gain.classes == ("fraud", "ok")
    assert gain.unit == "EUR"
    assert gain.per_row
    assert gain.matrix[1].tolist() == [[0.0, -2000.0], [-5.0, 0.0]]
    assert gain.decide([[0.01, 0.99]] * 3).tolist() == [1, 0, 0]
    assert gain.aligned(["ok", "fraud"]).decide([[0.99, 0.01]] * 3).tolist() == [0, 1, 1]
    assert gain.for_table(pd.DataFrame({"a": AMOUNTS})) is gain


def test_a_function_of_the_whole_table():
    def stakes(X):
        return np.stack([np.eye(2) * x for x in X[:, 0]])

    gain = Gain.by_row(stakes, classes=["a", "b"]).for_table(np.array(AMOUNTS)[:, None])
    np.testing.assert_array_equal(gain.matrix[2], 300 * np.eye(2))
    costs = Gain.by_row(stakes, costs=True).for_table(np.array(AMOUNTS)[:, None])
    np.testing.assert_array_equal(costs.matrix, -gain.matrix)


def test_left_out_pairs_and_rejecting():
    entries = {("fraud", "ok"): lambda X: -X[:, 0], ("ok", "fraud"): -5, ("fraud", "ask"): -2, ("ok", "ask"): -2}
    gain = Gain.by_row(entries, default=0).for_table(np.array(AMOUNTS)[:, None])
    assert gain.assigned_labels == ("fraud", "ok", "ask")
    assert gain.decide([[0.4, 0.6]] * 3).tolist() == [2, 2, 2]
    few = Gain.by_row({("fraud", "ok"): -1}, classes=["fraud", "ok"], default=0).for_table(np.ones((2, 1)))
    assert few.matrix.tolist() == [[[0.0, -1.0], [0.0, 0.0]]] * 2


def raises(table):
    raise KeyError("amount")


@pytest.mark.parametrize(
    ("gains", "options", "message"),
    [
        (raises, {}, "raises, raised KeyError"),
        ({**ENTRIES, ("ok", "ok"): raises}, {}, r"gain of \('ok', 'ok'\), raises, raised KeyError"),
        (lambda t: np.eye(2), {}, r"returned shape \(2, 2\); it must return 3×K×K"),
        (lambda t: np.full((3, 2, 2), np.nan), {}, "nan at row 0"),
        (lambda t: np.ones((3, 2, 5)), {}, "got shape"),
        ({**ENTRIES, ("ok", "ok"): lambda t: [1, 2]}, {}, "one number for each of 3 rows"),
        ({**ENTRIES, ("ok", "ok"): lambda t: [1, np.nan, 2]}, {}, "nan at row 1"),
        ({**ENTRIES, ("ok", "ok"): lambda t: "text"}, {}, "real numbers"),
        ({**ENTRIES, ("ok", "ok"): "price"}, {}, "column 'price', which the table does not have"),
        ({("fraud", "ok"): 1, ("ok", "fraud"): 1}, {}, "is missing; add it, or give default"),
        ({("fraud", "ok"): 1}, {}, "one true class only"),
        ({**ENTRIES, ("x", "ok"): 1}, {"classes": ["fraud", "ok"]}, "true class 'x'"),
        ({**ENTRIES, ("ok", "x"): 1, ("ok", "z"): 1}, {}, "may stand for rejecting"),
        ({}, {}, "empty"),
        ({"ok": 1}, {}, "keys"),
        (3, {}, "function of the table"),
    ],
)
def test_bad_functions(gains, options, message):
    table = pd.DataFrame({"amount": AMOUNTS, "cost": [-5, -5, -1]})
    with pytest.raises((ValueError, TypeError), match=message):
        Gain.by_row(gains, **options).for_table(table)


def test_columns_need_names():
    with pytest.raises(TypeError, match="no column names"):
        Gain.by_row({**ENTRIES, ("fraud", "ok"): 1}).for_table(np.ones((3, 2)))
    with pytest.raises(TypeError, match="for_table"):
        expected_gain((0.1, 0.2), Gain.by_row(ENTRIES), [0.5, 0.5])
    assert repr(Gain.by_row(raises)).startswith("Gain.by_row(<function raises")
