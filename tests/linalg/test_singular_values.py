"""Singular values where the fast method gives up."""

import gzip

import numpy as np
import pytest
from sklearn.model_selection import StratifiedKFold

from discriminant import LinearDiscriminantAnalysis
from discriminant.linalg.metric import svd


@pytest.mark.parametrize("full_matrices", [False, True])
@pytest.mark.parametrize("shape", [(7, 4), (4, 7)])
def test_the_older_method_takes_over(monkeypatch, full_matrices, shape):
    A = np.random.default_rng(0).standard_normal(shape)
    expected = svd(A, full_matrices=full_matrices)

    def gives_up(*_, **__):
        raise np.linalg.LinAlgError("SVD did not converge")

    monkeypatch.setattr(np.linalg, "svd", gives_up)
    U, singular, V = svd(A, full_matrices=full_matrices)
    assert np.allclose(singular, expected[1])
    assert U.shape == expected[0].shape
    assert V.shape == expected[2].shape
    assert np.allclose(U[:, :4] * singular @ V[:4], A)


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
def test_digits_on_which_the_fast_method_gives_up(shared):
    """Pixels in units of their own deviations: these rows were refused with "SVD did not converge"."""
    X, y = four_or_nine(shared / "mnist")
    train = _rows_of_split(X, y, StratifiedKFold(5, shuffle=True, random_state=7), 1)
    X, y = X[train] / X[train].std(axis=0).clip(1e-300), y[train]
    X[~np.isfinite(X)] = 0.0
    rest = _rows_of_split(X, y, StratifiedKFold(5), 1)
    model = LinearDiscriminantAnalysis().fit(X[rest], y[rest])
    assert model.score(X[rest], y[rest]) > 0.95


def _rows_of_split(X, y, splitter, place):
    return list(splitter.split(X, y))[place][0]


def four_or_nine(folder):
    with gzip.open(folder / "train10k-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(folder / "train10k-labels-idx1-ubyte.gz") as file:
        digit = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    kept = (digit == 4) | (digit == 9)
    X, y = X[kept], (digit[kept] == 4).astype(int)
    return X[:, X.std(axis=0) > 0], y if y.mean() <= 0.5 else 1 - y
