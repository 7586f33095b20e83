"""Numbers that enter clipped, in pieces or by their logarithm: the forms as they are defined, cell by cell."""

import math
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.encoding import Column, Encoding, Feature

FINITE = st.floats(-1e12, 1e12)


def encoded(column: Column, values) -> np.ndarray:
    return Encoding((column,)).encode({column.name: values}).matrix


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_a_clipped_column_is_the_column_of_clipped_values(values):
    clipped = Column("x", "number", (Feature("x", "value", 3.0, 7.0, low=-10.0, high=50.0),))
    plain = Column("x", "number", (Feature("x", "value", 3.0, 7.0),))
    np.testing.assert_array_equal(encoded(clipped, values), encoded(plain, np.clip(values, -10.0, 50.0)))


@given(st.lists(FINITE, min_size=1, max_size=20), st.floats(1e-3, 1e6))
def test_a_unit_is_the_logarithm_of_both_signs(values, unit):
    column = Column("x", "number", (Feature("x", "value", 0.5, 2.0, unit=unit),))
    wanted = [(math.copysign(math.log1p(abs(x) / unit), x) - 0.5) / 2.0 for x in values]
    np.testing.assert_allclose(encoded(column, values)[:, 0], wanted, rtol=1e-14, atol=1e-15)


@given(st.lists(st.floats(-100, 100), min_size=1, max_size=20))
def test_pieces_of_one_slope_add_to_the_clipped_column(values):
    cuts = [-20.0, -1.5, 0.0, 3.25, 40.0]
    pieces = tuple(Feature(f"x{i}", "value", 0.0, 1.0, low=a, high=b) for i, (a, b) in enumerate(pairwise(cuts)))
    total = encoded(Column("x", "number", pieces), values).sum(axis=1)
    ends = sum(cuts[1:-1])  # each inner end is counted by the piece below and by the piece above it
    np.testing.assert_allclose(total - ends, np.clip(values, cuts[0], cuts[-1]), atol=1e-12)


def test_ends_may_be_open_and_blanks_are_average():
    low = Feature("x up to 5", "value", 1.0, 2.0, high=5.0)
    high = Feature("x from 5", "value", 6.0, 2.0, low=5.0)
    X = encoded(Column("x", "number", (low, high)), pa.array([None, 3.0, 5.0, 9.0]))
    np.testing.assert_array_equal(X, [[0, 0], [1, -0.5], [2, -0.5], [2, 1.5]])


def test_a_huge_number_is_lost_only_where_nothing_clips_it():
    open_end = Column("x", "number", (Feature("x", "value", 0.0, 1e-10),))
    clipped = Column("x", "number", (Feature("x", "value", 0.0, 1e-10, low=-1.0, high=1.0),))
    assert Encoding((open_end,)).encode({"x": [1e308]}).bad[0].wanted == "of a size this column can have"
    kept = Encoding((clipped,)).encode({"x": [1e308]})
    assert kept.bad == []
    assert kept.matrix[0, 0] == pytest.approx(1e10)


def test_dates_may_have_forms_too():
    column = Column("d", "date", (Feature("d", "value", 0.0, 1.0, low=10.0, high=20.0),))
    days = encoded(column, ["1970-01-02", "1970-01-15", "1971-01-01"])
    np.testing.assert_array_equal(days[:, 0], [10.0, 14.0, 20.0])
