"""Scores -> probabilities, learnt from scores of rows the learner had not seen.

``OwnProbabilities`` the scores are log-odds (two classes) or log posteriors already.
``Platt``     p(k | s) ∝ exp(a s_k + b_k) with one slope a ≥ 0 and an offset for each class, by maximum likelihood on
              Platt's targets: (N_k + 1)/(N_k + K) for the class of a row, 1/(N_k + K) for the others, so that a
              maximum exists even where the scores separate the classes. For two classes, s = (0, score), it is Platt's
              sigmoid. For more it is fitted jointly: K sigmoids, one against the rest each, would have to be divided by
              their sum afterwards and are then no longer of largest likelihood; K slopes would let classes change
              places between scores.
``Isotonic``  p(k | s) a rising step function of the score of class k, against the rest, divided by the sum.

Platt needs few rows and is right where log-odds are straight in the score; isotonic regression bends with the data
and needs many.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.isotonic import IsotonicRegression

from discriminant.learners.base import log_posteriors
from discriminant.losses import log_softmax
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

ISOTONIC_ROWS = 1000  # of the smallest class; below, isotonic regression follows single rows
_LARGEST_LOG_ODDS = 100.0
_STEPS = 100
_FEW = 10_000  # rows
_BLOCK = 1 << 13
_ROUNDING = 4e-16  # of a loss; a step that promises no more can only be searched along rounding errors


class Calibration(Protocol):
    """What turns scores (n×1 of two classes, n×K of more) into log posteriors (n×K)."""

    @property
    def priors(self) -> Array:
        """The class probabilities under which the posteriors hold."""
        ...

    def log_posteriors(self, scores: Array) -> Array:
        """log p(k | score)."""
        ...

    def score_at(self, log_odds: float) -> float | None:
        """The score of two classes whose log-odds are these; None where only a search can tell."""
        ...


@dataclass(frozen=True)
class OwnProbabilities:
    """The learner's own probabilities, under its own priors."""

    priors: Array

    def log_posteriors(self, scores: Array) -> Array:
        """log p(k | score)."""
        return log_posteriors(scores)

    def score_at(self, log_odds: float) -> float | None:
        """The score whose log-odds are these: they are the score."""
        return log_odds


@dataclass(frozen=True)
class Platt:
    """exp(slope·s_k + offset_k), divided by its sum."""

    priors: Array
    slope: float
    offsets: Array

    def log_posteriors(self, scores: Array) -> Array:
        """log p(k | score)."""
        return log_softmax(_of_each_class(scores), self.slope, self.offsets)

    def score_at(self, log_odds: float) -> float | None:
        """Where the straight line a·s + b has this height."""
        rise = log_odds - float(self.offsets[1] - self.offsets[0])
        if self.slope == 0.0:
            return np.inf if rise >= 0 else -np.inf
        return rise / self.slope


@dataclass(frozen=True)
class Isotonic:
    """A step function for each class (for two, of the second)."""

    priors: Array
    steps: tuple[IsotonicRegression, ...]
    least: float  # of a probability: no number of rows proves that something cannot be

    def log_posteriors(self, scores: Array) -> Array:
        """log p(k | score)."""
        columns = [step.predict(column) for step, column in zip(self.steps, _finite(scores).T, strict=True)]
        p = np.column_stack(columns if len(columns) > 1 else [1.0 - columns[0], columns[0]])
        p = np.clip(p, self.least, 1.0 - self.least)
        return np.asarray(np.log(p / p.sum(axis=1, keepdims=True)))

    def score_at(self, log_odds: float) -> float | None:
        """A step function has no inverse; but θ of largest gain is one of its steps."""
        return None


def platt(scores: Array, codes: Codes, weight: Array) -> Platt:
    """Slope and offsets of largest likelihood, by Newton's method."""
    s = np.ascontiguousarray(_of_each_class(scores).T)
    K, n = s.shape
    counts = np.bincount(codes, weights=weight, minlength=K)
    targets = np.repeat((1.0 / (counts + K))[None, codes], K, axis=0)
    targets[codes, np.arange(n)] *= counts[codes] + 1.0
    shares = counts / counts.sum()
    s -= s.mean(axis=0)  # of each row: the posteriors do not see it
    largest = float(np.abs(s).max())
    scale = largest * float(np.sqrt(((s / largest) ** 2).mean())) if largest else 0.0  # no square overflows
    # where nothing is known of a row: the mean of the targets
    start = np.concatenate([[0.0], np.log(targets @ weight / weight.sum())])
    if scale == 0.0:
        return Platt(shares, 0.0, start[1:])
    with single_threaded_blas():
        found = _newton_from_few(s / scale, targets, weight, start)
    if found[0] <= 0.0:
        return Platt(shares, 0.0, start[1:])
    return Platt(shares, float(found[0] / scale), found[1:])


def _newton_from_few(s: Array, targets: Array, weight: Array, start: Array) -> Array:
    """The minimum for some of many rows is found sooner, and near that of all."""
    few = slice(None, None, max(weight.size // _FEW, 1))
    if weight.size > 2 * _FEW and weight[few].sum() > 0:
        start = _newton(s[:, few], targets[:, few], weight[few] / weight[few].sum(), start)
    return _newton(s, targets, weight / weight.sum(), start)


def _newton(s: Array, targets: Array, weight: Array, start: Array) -> Array:
    """(a, b_1, …, b_K) that minimise L = −Σ ω t·log p; s and the targets t are K×n.

    The last b stays where it is, for a common shift changes nothing. With g the gradient of L and p = H⁻¹g the step,
    g·p is twice what the step promises to take from L.
    """
    at, here = start, _loss_terms(s, targets, weight, start)
    for _ in range(_STEPS):
        step = np.zeros_like(at)
        step[:-1] = np.linalg.lstsq(here.hessian[:-1, :-1], here.gradient[:-1], rcond=None)[0]
        if here.gradient @ step <= _ROUNDING * (1.0 + here.loss):
            return np.asarray(at - step)
        size = 1.0
        while (there := _loss_terms(s, targets, weight, at - size * step)).loss > here.loss and size > 1e-10:
            size /= 2.0
        if size <= 1e-10:
            break
        at, here = at - size * step, there
        if np.abs(step).max() <= 1e-10 * (1.0 + np.abs(at).max()):
            break
    return at


class _LossTerms(NamedTuple):
    """The loss at some (a, b), its gradient and its curvature."""

    loss: float
    gradient: Array
    hessian: Array


def _loss_terms(s: Array, targets: Array, weight: Array, at: Array) -> _LossTerms:
    """The loss, its gradient and its curvature, summed over blocks of rows that stay in the cache."""
    blocks = [slice(a, a + _BLOCK) for a in range(0, weight.size, _BLOCK)]
    parts = [_terms_of_block(s[:, block], targets[:, block], weight[block], at) for block in blocks]
    loss, gradient, hessian = (sum(part[1:], start=part[0]) for part in zip(*parts, strict=True))
    return _LossTerms(loss, gradient, hessian)


def _terms_of_block(s: Array, targets: Array, weight: Array, at: Array) -> _LossTerms:
    z = at[0] * s + at[1:, None]
    z -= z.max(axis=0)
    p = np.exp(z)
    total = p.sum(axis=0)
    p /= total
    log_p = z - np.log(total)
    off = weight * (p - targets)
    weighted = weight * p
    apart = s - (p * s).sum(axis=0)
    pull = weighted * apart
    hessian = np.empty((at.size, at.size))
    hessian[0, 0] = np.vdot(pull, apart)
    hessian[0, 1:] = hessian[1:, 0] = pull.sum(axis=1)
    hessian[1:, 1:] = np.diag(weighted.sum(axis=1)) - weighted @ p.T
    gradient = np.concatenate([[np.vdot(off, s)], off.sum(axis=1)])
    return _LossTerms(-float((targets * log_p).sum(axis=0) @ weight), gradient, hessian)


def isotonic(scores: Array, codes: Codes, weight: Array) -> Isotonic:
    """Step functions of least weighted squares."""
    s = _finite(scores)
    K = max(s.shape[1], 2)
    counts = np.bincount(codes, weights=weight, minlength=K)
    own = [1] if s.shape[1] == 1 else list(range(K))
    steps = tuple(
        IsotonicRegression(y_min=0.0, y_max=1.0, out_of_bounds="clip").fit(column, codes == k, sample_weight=weight)
        for k, column in zip(own, s.T, strict=True)
    )
    return Isotonic(counts / counts.sum(), steps, 1.0 / (float(counts.sum()) + 2.0))


def _of_each_class(scores: Array) -> Array:
    s = _finite(scores)
    return np.column_stack([np.zeros(len(s)), s]) if s.shape[1] == 1 else s


def _finite(scores: Array) -> Array:
    """Log-odds of probabilities 0 and 1 are infinite; no more can be learnt from them than from very large ones."""
    if np.isfinite(scores).all():
        return scores
    return np.clip(scores, -_LARGEST_LOG_ODDS, _LARGEST_LOG_ODDS)
