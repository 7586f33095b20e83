"""Tables that every source of rows must give the same answers for."""

import numpy as np
import pyarrow as pa
from scipy import sparse

COLUMNS = ("height", 'the "long" one', "count")
N = 900


def _numbers(K, seed, separable=False):
    """Two correlated floats and an integer, texts as classes, whole weights with zeros among them, ids."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, N)
    X = rng.normal(size=(N, 2)) @ [[1.0, 0.6], [0.0, 0.8]] + codes[:, None] * [0.7, -0.4]
    if separable:
        X[:, 0] = np.abs(X[:, 0]) * np.where(codes == 1, 1.0, -1.0) + np.where(codes == 1, 0.1, -0.1)
    return pa.table(
        {
            COLUMNS[0]: X[:, 0],
            COLUMNS[1]: 1e3 + 1e-2 * X[:, 1],
            COLUMNS[2]: rng.poisson(3 + codes),
            "kind": np.array(["gamma", "alpha", "beta", "delta"])[codes],
            "w": rng.integers(0, 3, N).astype(np.float64),
            "key": rng.permutation(N),
        }
    )


def _mixed(K=2, seed=3):
    """A number with blanks, a category with blanks and rare levels, a flag, and a constant."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, N)
    amount = rng.gamma(2.0, 10.0, N) * (1 + codes)
    region = rng.choice(["north", "south", "east", "west", "nowhere"], N, p=[0.4, 0.3, 0.2, 0.098, 0.002])
    return pa.table(
        {
            "amount": pa.array([None if blank else a for a, blank in zip(amount, rng.random(N) < 0.1, strict=True)]),
            "region": pa.array([None if blank else r for r, blank in zip(region, rng.random(N) < 0.05, strict=True)]),
            "member": rng.random(N) < 0.3 + 0.3 * codes / (K - 1),
            "one": np.ones(N),
            "kind": np.array(["bad", "good", "better", "best"])[codes],
            "w": rng.integers(0, 3, N).astype(np.float64),
            "key": rng.permutation(N),
        }
    )


MIXED = ("amount", "region", "member", "one")
TABLES = {
    "two": _numbers(2, 0),
    "four": _numbers(4, 1),
    "apart": _numbers(2, 2, separable=True),
    "mixed": _mixed(),
    "mixed_four": _mixed(4, 4),
}


def arrays_of(name, *, weight=None, **_):
    """(X, y, weight) as `fit` takes them."""
    table = TABLES[name]
    X = np.column_stack([table.column(column).to_numpy().astype(np.float64) for column in COLUMNS])
    return X, np.array(table.column("kind").to_pylist()), None if weight is None else table.column(weight).to_numpy()


def sparse_rows(K=3, n=600, d=40, seed=7):
    """Rows of about five entries each, and their classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    X = (rng.random((n, d)) < 0.08 + 0.12 * (np.arange(d) % K == y[:, None])) * rng.integers(1, 5, (n, d))
    return sparse.csr_array(X.astype(np.float64)), y


def sparse_weights(n=600, seed=8):
    """Whole weights with zeros among them."""
    return np.random.default_rng(seed).integers(0, 3, n).astype(np.float64)


def sparse_parts(K=3, weighted=False, size=130):
    """The same in batches."""
    columns = (*sparse_rows(K), *([sparse_weights()] if weighted else []))
    return [tuple(column[a : a + size] for column in columns) for a in range(0, columns[1].size, size)]
