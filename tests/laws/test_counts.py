"""Counts by class add, subtract and do not care about the representation of zeros."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.rows import from_arrays
from discriminant.statistics.counts import CategoryCounts, ClassSums
from tests.tables import seeds


def table(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    return rng.poisson(0.8, (n, 3)).astype(float), rng.integers(0, 3, n), rng.integers(1, 4, n).astype(float)


@pytest.mark.parametrize("presence", [True, False])
@given(seeds, st.integers(1, 3))
def test_sums_by_class(presence, seed, cut):
    X, y, w = table(seed)

    def of(part, form=np.asarray):
        return ClassSums.of_rows(from_arrays(form(X[part]), y[part], w[part]), presence=presence)

    whole, a, b = of(slice(None)), of(slice(0, cut)), of(slice(cut, None))
    values = (X > 0) if presence else X
    for i, k in enumerate(whole.classes):
        assert np.isclose(whole.counts[i], w[y == k].sum())
        np.testing.assert_allclose(whole.sums[i], w[y == k] @ values[y == k])
    np.testing.assert_allclose((a + b).sums, whole.sums)
    np.testing.assert_allclose((whole - b).sums, a.sums, atol=1e-9)
    np.testing.assert_allclose(of(slice(None), sparse.csr_array).sums, whole.sums)
    np.testing.assert_allclose((ClassSums.zero() + whole).sums, whole.sums)


@pytest.mark.parametrize("scale", [1.0, 0.1, -3.0, 1e7], ids=["codes", "fractions", "negative", "far apart"])
@given(seeds, st.integers(1, 3))
def test_categories_by_class(scale, seed, cut):
    X, y, w = table(seed)
    X = X * scale

    def of(part):
        return CategoryCounts.of_rows(from_arrays(X[part], y[part], w[part]))

    whole, a, b = of(slice(None)), of(slice(0, cut)), of(slice(cut, None))
    for j, (values, counts) in enumerate(zip(whole.values, whole.tables, strict=True)):
        np.testing.assert_array_equal(values, np.unique(X[:, j]))
        for i, k in enumerate(whole.classes):
            np.testing.assert_allclose(counts[i], [w[(y == k) & (X[:, j] == v)].sum() for v in values])
    for one, other in ((a + b, whole), (whole - b, a)):
        for mine, theirs, table_, their_table in zip(one.values, other.values, one.tables, other.tables, strict=True):
            np.testing.assert_array_equal(mine, theirs)
            np.testing.assert_allclose(table_, their_table, atol=1e-9)


def test_taking_too_much_is_refused():
    X, y, w = table(5)
    for make in (lambda r: ClassSums.of_rows(r, presence=False), CategoryCounts.of_rows):
        part, whole = make(from_arrays(X[:2], y[:2], w[:2])), make(from_arrays(X, y, w))
        with pytest.raises(ValueError, match="taken away"):
            part - whole
