"""A source that gives other rows in a later pass is noticed, whatever it is made of."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, rows
from discriminant.rows.pass_check import bits_of

N = 400


def made(seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, 2, N)
    return random.normal(size=(N, 3)) + y[:, None], y


def read_with(change):
    """A source whose passes after the first two (one looks at the columns) read what ``change`` makes of the rows."""
    passes = iter(range(10))

    def batches():
        X, y = made()
        if next(passes) > 1:
            X, y = change(X, y)
        for start in range(0, len(y), 150):
            yield X[start : start + 150], y[start : start + 150]

    return rows.from_batches(batches, spool=False)


CHANGES = {
    "a cell": (lambda X, y: (np.where(np.arange(3 * N).reshape(N, 3) == 7, X + 1e-9, X), y), "other values"),
    "a class": (lambda X, y: (X, np.where(np.arange(N) == 7, 1 - y, y)), "other values"),
    "classes exchanged": (lambda X, y: (X, 1 - y), "other values"),
    "a row more": (lambda X, y: (np.vstack([X, X[:1]]), np.append(y, y[0])), "400 rows in the first pass and 401"),
    "no rows": (lambda X, y: (X[:0], y[:0]), "400 rows in the first pass and 0"),
}


@pytest.mark.parametrize("what", CHANGES)
def test_batches_that_change(what):
    change, said = CHANGES[what]
    with pytest.raises(rows.SourceChanged, match=said):
        FisherDiscriminant(threshold="accuracy").fit(read_with(change))


def test_rows_in_another_order_are_the_same_rows():
    X, y = made()
    wanted = FisherDiscriminant(threshold="accuracy").fit(X, y)
    found = FisherDiscriminant(threshold="accuracy").fit(read_with(lambda X, y: (X[::-1], y[::-1])))
    assert np.allclose(found.coef_, wanted.coef_, rtol=1e-10)


@pytest.mark.parametrize("form", [np.asarray, lambda X: X.astype(np.float32), np.asfortranarray, sparse.csr_array])
def test_the_checksum_is_that_of_the_parts(form):
    X, y = made()
    X = np.round(X) * (np.abs(X) > 0.5)
    weight = np.arange(N) % 3 + 1.0
    whole = rows.from_arrays(form(X), y, weight)
    parts = [rows.from_arrays(form(X[part]), y[part], weight[part]) for part in (slice(150, N), slice(0, 150))]
    assert bits_of(whole) % 2**64 == sum(map(bits_of, parts)) % 2**64
    assert bits_of(whole) != bits_of(rows.from_arrays(form(X), y, weight + (np.arange(N) == 3)))
    columns = [1, 0, 2]
    if form is sparse.csr_array:
        assert bits_of(whole) != bits_of(rows.from_arrays(form(X[:, columns]), y, weight))


def test_blocks_of_dask_that_change():
    dask = pytest.importorskip("dask", reason="dask is not installed")
    shift = [0.0]

    @dask.delayed(pure=False)
    def block():
        X, y = made()
        return X + shift[0], y

    source = rows.from_dask([block(), block()])
    LinearDiscriminantAnalysis().fit(source)
    shift[0] = 1e-9
    with pytest.raises(rows.SourceChanged, match="the delayed blocks has other values"):
        LinearDiscriminantAnalysis().fit(source)
