"""Intercepts of scores: Newton's steps end where only rounding is left of the slope."""

from dataclasses import dataclass, field

import numpy as np
import pytest

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
