"""Smooth fits of scores to labels, and their conjugates: what a duality gap is made of.

    f(z) = Σ ω ℓ(z + o),    θ = −∂f/∂z,    dual value −f*(−θ)           z: scores (K×n), o: offsets that are given

Of two classes K = 1 and ℓ is a loss of the margin m = c(z + o); the softmax fit has a score for each class. The
curvature of a row's loss is diag(a) − cc′ (a, c: K×n; of one plane c is empty), and at most ``steepest`` times ω.
"""

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp, softmax, xlogy

Array = NDArray[np.float64]

_NONE = np.empty((0, 0))
_MOST_STEPS = 60
_LEAST_SHARE = 1e-14  # of Σ|θ| that Σθ may be of
_NO_STEP = 1e-6  # of a score
_SHORT_STEP = 0.1  # of a score: Newton's step is then as good as its model
_LEAST_CURVATURE = 1e-300


class Fit(Protocol):
    """A smooth fit of scores to labels, as a solver needs it."""

    @property
    def weight(self) -> Array:
        """ω of each row."""
        ...

    @property
    def n_planes(self) -> int:
        """The number of planes, K."""
        ...

    @property
    def steepest(self) -> float:
        """The largest curvature of ℓ."""
        ...

    def value(self, z: Array) -> float:
        """The fit f of scores z."""
        ...

    def dual(self, z: Array) -> Array:
        """θ = −∂f/∂z."""
        ...

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """The curvature of each row, as a and c."""
        ...

    def dual_value(self, theta: Array) -> float:
        """−f*(−θ)."""
        ...


@dataclass(frozen=True)
class MarginFit:
    """Rows with signs c = ±1 and weights ω."""

    sign: Array
    weight: Array
    offset: Array | float = 0.0

    @property
    def n_planes(self) -> int:
        """The number of planes: one."""
        return 1

    def _margins(self, z: Array) -> Array:
        return np.asarray(self.sign * (z + self.offset))

    def _lifted(self, entropy: Array, theta: Array) -> float:
        """Σ ω·(−ℓ*) less what the offsets carry."""
        return float(entropy.sum() - np.sum(theta * self.offset))


class LogisticFit(MarginFit):
    """ℓ(m) = log(1 + e^−m)."""

    steepest = 0.25

    def value(self, z: Array) -> float:
        """Σ ω log(1 + e^−m)."""
        m = self._margins(z)[0]
        return float(self.weight @ (np.log1p(np.exp(-np.abs(m))) + np.maximum(-m, 0.0)))

    def dual(self, z: Array) -> Array:
        """θ = ωc/(1 + e^m)."""
        return np.asarray(self.weight * self.sign * expit(-self._margins(z)))

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """Curvatures ω p(1 − p)."""
        p = expit(-self._margins(z))
        return self.weight * p * (1.0 - p), _NONE

    def dual_value(self, theta: Array) -> float:
        """Entropies of p = cθ/ω."""
        p = np.clip(self.sign * theta / self.weight, 0.0, 1.0)
        return self._lifted(-self.weight * (xlogy(p, p) + xlogy(1.0 - p, 1.0 - p)), theta)


class SquaredHingeFit(MarginFit):
    """ℓ(m) = max(0, 1 − m)²."""

    steepest = 2.0

    def value(self, z: Array) -> float:
        """Σ ω max(0, 1 − m)²."""
        return float(self.weight @ np.maximum(1.0 - self._margins(z)[0], 0.0) ** 2)

    def dual(self, z: Array) -> Array:
        """θ = 2ωc max(0, 1 − m)."""
        return np.asarray(2.0 * self.weight * self.sign * np.maximum(1.0 - self._margins(z), 0.0))

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """Curvatures 2ω of the rows that are inside."""
        return 2.0 * self.weight * (self._margins(z) < 1.0), _NONE

    def dual_value(self, theta: Array) -> float:
        """Sums of ω(p − p²/4), p = cθ/ω."""
        p = np.maximum(self.sign * theta / self.weight, 0.0)
        return self._lifted(self.weight * (p - 0.25 * p**2), theta)


@dataclass(frozen=True)
class SquaresFit:
    """½Σ ω(y − z)² of targets y."""

    target: Array
    weight: Array
    n_planes = 1
    steepest = 1.0

    def value(self, z: Array) -> float:
        """½Σ ω(y − z)²."""
        return 0.5 * float(self.weight @ (self.target - z[0]) ** 2)

    def dual(self, z: Array) -> Array:
        """θ = ω(y − z)."""
        return np.asarray(self.weight * (self.target - z))

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """Curvatures ω."""
        return np.broadcast_to(self.weight, z.shape).copy(), _NONE

    def dual_value(self, theta: Array) -> float:
        """θ·y − Σ θ²/2ω."""
        return float((theta * self.target - 0.5 * theta**2 / self.weight).sum())


@dataclass(frozen=True)
class SoftmaxFit:
    """−Σ ω log p(own class), p ∝ exp(z + o)."""

    own: Array  # K×n, one in the row of the own class
    weight: Array
    offset: Array | float = 0.0
    steepest = 0.5

    @property
    def n_planes(self) -> int:
        """The number of planes, K."""
        return len(self.own)

    def value(self, z: Array) -> float:
        """−Σ ω log p(own class)."""
        s = z + self.offset
        return float(self.weight @ (logsumexp(s, axis=0) - (self.own * s).sum(axis=0)))

    def _posteriors(self, z: Array) -> Array:
        return np.asarray(softmax(z + self.offset, axis=0))

    def dual(self, z: Array) -> Array:
        """θ = ω(y − p)."""
        return np.asarray(self.weight * (self.own - self._posteriors(z)))

    def curvature(self, z: Array) -> tuple[Array, Array]:
        """Curvatures ω(diag(p) − pp′)."""
        p = self._posteriors(z)
        return self.weight * p, np.sqrt(self.weight) * p

    def dual_value(self, theta: Array) -> float:
        """Entropies of y − θ/ω."""
        q = np.clip(self.own - theta / self.weight, 0.0, 1.0)
        return float(-(self.weight * xlogy(q, q)).sum() - np.sum(theta * self.offset))


def best_intercept(fit: Fit, z: Array) -> Array:
    """The constants (K) that added to the scores make the fit least, so that Σθ = 0 in each plane."""
    b = np.zeros((fit.n_planes, 1))
    for _ in range(_MOST_STEPS):
        theta = fit.dual(z + b)
        slope = theta.sum(axis=1)
        if (np.abs(slope) <= _LEAST_SHARE * np.abs(theta).sum()).all():
            break
        newton = _newton(fit, z + b, slope)
        short = float(np.abs(newton).max()) < _SHORT_STEP
        step = newton if short else _shorten(fit, z + b, newton)
        if step is None:
            break
        b = b + step
    return b[:, 0]


def _newton(fit: Fit, z: Array, slope: Array) -> Array:
    """H⁻¹·slope; of K planes H takes no notice of a constant for all, which is left at zero."""
    a, c = fit.curvature(z)
    totals = np.maximum(a.sum(axis=1), _LEAST_CURVATURE)
    if not c.size:
        return np.asarray(slope / totals)[:, None]
    H = np.diag(totals) - c @ c.T + totals.sum() / len(totals) ** 2
    return np.asarray(np.linalg.lstsq(H, slope, rcond=None)[0])[:, None]


def _shorten(fit: Fit, z: Array, step: Array) -> Array | None:
    """The longest of the step and its halves that does not raise the fit; None where only short ones do not.

    Then the slope is rounding, and further steps would not get anywhere either.
    """
    value = fit.value(z)
    while _NO_STEP <= float(np.abs(step).max()) < np.inf:
        if fit.value(z + step) <= value:
            return step
        step = 0.5 * step
    return None
