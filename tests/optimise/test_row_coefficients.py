"""Criteria of wide sparse rows over coefficients of the rows: the same minimum as over the weights."""

import warnings

import numpy as np
import pytest
from scipy import sparse

from discriminant import LinearSVM, LogisticRegression
from discriminant.findings import FindingWarning
from discriminant.linalg.gram import gram
from discriminant.losses import LOGISTIC, SQUARED_HINGE, Loss
from discriminant.optimise.smooth import minimise
from discriminant.rows import from_arrays
from discriminant.statistics.margin_risk import MarginRisk


def _risk(loss: Loss, size: float, penalty: float = 1.0, seed: int = 0, n: int = 120, d: int = 400) -> MarginRisk:
    random = np.random.default_rng(seed)
    share = 0.6 / np.arange(1, d + 1) ** 0.6  # a few columns that many rows share
    X = sparse.csr_array((random.random((n, d)) < share) * random.gamma(2.0, size, (n, d)))
    y = (X @ random.normal(size=d) + random.normal(size=n) > 0).astype(int)
    rows = from_arrays(X, y, random.integers(1, 4, n).astype(float))
    return MarginRisk(rows, rows.signs(1), loss, penalty, offset=random.normal(size=n))


@pytest.mark.parametrize("loss", [LOGISTIC, SQUARED_HINGE], ids=lambda loss: loss.name)
@pytest.mark.parametrize("size", [0.05, 1.0, 20.0])
def test_minimum_is_that_over_the_weights(loss: Loss, size: float) -> None:
    risk = _risk(loss, size)
    found = minimise(risk, tolerance=1e-9)
    assert found.method == "truncated-newton"
    assert found.converged
    newton = minimise(risk, method="newton", tolerance=1e-9)
    assert found.value == pytest.approx(newton.value, rel=1e-10)
    assert found.weights == pytest.approx(newton.weights, rel=1e-4, abs=1e-5 * np.abs(newton.weights).max())
    assert np.abs(found.gradient).max() < 1e-5 * np.abs(risk.value_and_gradient(np.zeros_like(found.u))[1]).max()


def test_rows_are_as_they_were() -> None:
    risk = _risk(SQUARED_HINGE, 20.0)
    before = risk.rows.matrix.copy()
    minimise(risk, tolerance=1e-9)
    assert (risk.rows.matrix != before).nnz == 0


def test_gram_is_that_of_the_dense_rows() -> None:
    X = _risk(LOGISTIC, 1.0).rows.matrix
    assert np.tril(gram(X)) == pytest.approx(np.tril(X.toarray() @ X.toarray().T), rel=1e-13)


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize(("C", "size"), [(1.0, 1e8), (1e3, 1e7), (1e16, 1.0)])
def test_a_penalty_lost_beside_large_rows_is_left_to_other_methods(C, size, fit_intercept):
    X = sparse.csr_array(sparse.random(20, 100, 0.2, format="csr", random_state=0) * size)
    y = np.arange(20) % 2
    side = np.where(y == 1, 1.0, -1.0)

    def loss(rows):
        fit = LogisticRegression(C=C, fit_intercept=fit_intercept)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)
            model = fit.fit(rows, y)
        return float(np.logaddexp(0.0, -side * model.decision_function(rows)).sum())

    assert loss(X) <= 10 * loss(X.toarray()) + 1e-12
    margins = LinearSVM(loss="squared_hinge", C=C, fit_intercept=fit_intercept).fit(X, y)
    assert margins.gap_ < 1e-3
    assert (margins.predict(X) == y).all()
