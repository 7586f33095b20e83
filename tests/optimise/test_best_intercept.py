"""Intercepts of scores: Newton's steps end where only rounding is left of the slope."""

from dataclasses import dataclass, field

import numpy as np
import pytest

from discriminant import LogisticRegression
from discriminant.optimise.composite.fits import SoftmaxFit, best_intercept


@dataclass(frozen=True)
class Counted(SoftmaxFit):
    calls: list[None] = field(default_factory=list)

    def value(self, z):
        self.calls.append(None)
        return super().value(z)


def fit_of(weights, n=40, K=5):
    codes = np.arange(n) % K
    return Counted(np.eye(K)[:, codes], np.asarray(weights)[codes])


@pytest.mark.parametrize("weights", [[1e-300, 1e300, 1, 1, 1], [1e-200, 1, 1, 1, 1e200], [1, 1e16, 1, 1, 1]])
def test_weights_that_rounding_cannot_join_cost_few_evaluations(weights):
    fit = fit_of(weights)
    z = np.random.default_rng(0).integers(-3, 4, (5, 40)).astype(float)
    assert np.isfinite(best_intercept(fit, z)).all()
    assert len(fit.calls) < 400


@pytest.mark.parametrize("weights", [[1, 1, 1, 1, 1], [1, 10, 100, 1000, 1e4], [1e-3, 1, 1, 1, 1e3]])
def test_ordinary_weights_have_their_sums(weights):
    fit = fit_of(weights)
    z = 3.0 * np.random.default_rng(1).normal(size=(5, 40))
    theta = fit.dual(z + best_intercept(fit, z)[:, None])
    assert np.abs(theta.sum(axis=1)).max() <= 1e-9 * np.abs(theta).sum()


def test_steps_beyond_all_numbers_end():
    """Far offsets leave no curvature to divide by, so that a step may be infinite."""
    X, y = np.random.default_rng(0).normal(size=(30, 3)), np.arange(30) % 2
    for offset, weight in ((1000.0, 1e8), (-1000.0, 1e9)):
        given = {"offset": np.full(30, offset), "sample_weight": np.full(30, weight)}
        model = LogisticRegression(alpha=1.0, l1_ratio=1.0).fit(X, y, **given)
        np.testing.assert_allclose(model.intercept_, -offset, rtol=0.05)
