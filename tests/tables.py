"""Random labelled tables, and how close two arrays are."""

import numpy as np
from hypothesis import strategies as st


def gaussian_table(seed, n=120, d=4, K=2, correlated=True):
    """Gaussian classes with correlated columns; every class has at least d + 2 rows."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat(np.arange(K), d + 2), rng.integers(0, K, max(n - K * (d + 2), 0))])
    rng.shuffle(y)
    mixing = rng.standard_normal((d, d)) + 2 * np.eye(d) if correlated else np.eye(d)
    X = rng.standard_normal((y.size, d)) @ mixing + 0.7 * rng.standard_normal((K, d))[y]
    return X, y


def well_conditioned(seed, d):
    """A random matrix with condition number at most 10."""
    rng = np.random.default_rng(seed)
    u, _ = np.linalg.qr(rng.standard_normal((d, d)))
    v, _ = np.linalg.qr(rng.standard_normal((d, d)))
    return u * rng.uniform(1, 10, d) @ v


def relative(a, b):
    """The largest difference beside the largest value."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    return float(np.abs(a - b).max() / max(np.abs(b).max(), 1e-300))


seeds = st.integers(0, 2**32 - 1)
