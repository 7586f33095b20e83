"""Many random tables of many shapes, against the formulas written out with dense linear algebra."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis
from discriminant.rows import memory
from tests.tables import relative

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")]


def random_table(rng):
    K = int(rng.integers(2, 6))
    n, d = int(rng.integers(3 * K, 120)), int(rng.integers(1, 90))
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    X = (
        rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 1, d)
        + rng.uniform(-5, 5, d)
        + rng.standard_normal((K, d))[y]
    )
    return X, y, rng.uniform(0.2, 3, n)


def written_out(X, y, w, s):
    """Scores of LDA with shrinkage s, up to a term common to all classes."""
    n = np.array([w[y == k].sum() for k in np.unique(y)])
    means = np.array([w[y == k] @ X[y == k] / n[k] for k in np.unique(y)])
    Z = X - means[y]
    cov = (w[:, None] * Z).T @ Z / w.sum()
    cov = (1 - s) * cov + s * np.trace(cov) / len(cov) * np.eye(len(cov))
    solved = np.linalg.solve(cov, means.T).T
    return X @ solved.T - 0.5 * (solved * means).sum(axis=1) + np.log(n / n.sum())


@pytest.mark.parametrize("seed", range(300))
def test_lda_on_every_path(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X, y, w = random_table(rng)
    s = float(rng.uniform(0.01, 0.99))
    expected = written_out(X, y, w, s)
    expected = expected[:, 1] - expected[:, 0] if y.max() == 1 else expected - expected[:, :1]
    models = [
        LinearDiscriminantAnalysis(shrinkage=s).fit(X, y, sample_weight=w),
        LinearDiscriminantAnalysis(shrinkage=s).partial_fit(X, y, sample_weight=w),
    ]
    monkeypatch.setattr(memory, "DENSE_COLUMNS", 0)
    models.append(LinearDiscriminantAnalysis(shrinkage=s).fit(sparse.csr_array(X), y, sample_weight=w))
    for model in models:
        scores = model.decision_function(X)
        assert relative(scores if y.max() == 1 else scores - scores[:, :1], expected) < 1e-7


@pytest.mark.parametrize("seed", range(300))
def test_least_squares_on_every_path(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    X, y, w = random_table(rng)
    alpha = float(10 ** rng.uniform(-2, 2))
    targets = 2.0 * (y[:, None] == np.arange(y.max() + 1)) - 1
    targets = targets[:, 1:] if y.max() == 1 else targets
    mean, target_mean = w @ X / w.sum(), w @ targets / w.sum()
    Z = X - mean
    gram = (w[:, None] * Z).T @ Z + alpha * np.eye(X.shape[1])
    expected = np.linalg.solve(gram, (w[:, None] * Z).T @ (targets - target_mean)).T
    models = [
        LeastSquaresClassifier(alpha=alpha).fit(X, y, sample_weight=w),
        LeastSquaresClassifier(alpha=alpha).partial_fit(X, y, sample_weight=w),
    ]
    monkeypatch.setattr(memory, "DENSE_COLUMNS", 0)
    models.append(LeastSquaresClassifier(alpha=alpha).fit(sparse.csr_array(X), y, sample_weight=w))
    for model in models:
        assert relative(model.coef_, expected) < 1e-7
