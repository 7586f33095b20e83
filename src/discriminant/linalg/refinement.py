"""Solutions to the last digit: any rough solver, and residuals in twice the working precision.

    given    rows x_i, targets y_i, weights ω_i, a metric of Σω(x − m)(x − m)′ + αI
    repeat   r_i = y_i − b − x_i·β                          (twice the working precision)
             g = Σω r(x − m) − αβ,   s = Σω r               (twice the working precision)
             β += metric.solve(g),   b += s/n − m·(the same step)

Each round multiplies the error by about ε·cond, so the limit is the exact solution of the given rows, rounded. The same
holds for S_W v = d, the equations of Fisher and LDA, with a level for each class in place of b.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.extended import centre_gradient, extended_products, within_gradient
from discriminant.linalg.metric import EPS, Metric
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import blocks
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.residuals import ClassResiduals, ExtendedSums
from discriminant.statistics.shifted_sums import two_sum
from discriminant.statistics.sliced_products import add_residual_sums

Array = NDArray[np.float64]
Places = NDArray[np.intp]  # which of the planes

_MOST_ROUNDS = 40
_BLOCK_ROWS = 1024  # slices of so many stay in the cache


@dataclass
class Trial:
    """Planes under way: coefficients (q×d) and intercepts (q)."""

    coef: ExtendedSums
    intercept: ExtendedSums

    def take(self, planes: Places) -> "Trial":
        """The same for some of the planes."""
        parts = (ExtendedSums(x.high[planes], x.low[planes]) for x in (self.coef, self.intercept))
        return Trial(*parts)


# Σω r(1, x) of the planes of a trial (q×(d+1)), whose numbers among all planes are given
ResidualPass = Callable[[Trial, Places], ExtendedSums]


def class_residuals(rows: Rows, classes: NDArray[np.generic], targets: Array) -> ResidualPass:
    """The residuals of targets that are constant on classes (K×q), of rows wherever they are."""

    def of_trial(trial: Trial, planes: Places) -> ExtendedSums:
        level, low = two_sum(targets[:, planes], -trial.intercept.high)
        levels = ExtendedSums(level, low - trial.intercept.low)
        return rows.fold(ClassResiduals(classes, levels, trial.coef, together=True)).over_first()

    return of_trial


def target_residuals(rows: ArrayRows, targets: Array) -> ResidualPass:
    """The residuals of any targets (n×q), of rows in memory."""

    def of_trial(trial: Trial, planes: Places) -> ExtendedSums:
        sums = ExtendedSums.zero((planes.size, rows.n_columns + 1))
        for part, block in blocks(rows.matrix, _BLOCK_ROWS):
            level, low = two_sum(targets[part][:, planes], -trial.intercept.high)
            low = low - trial.intercept.low
            add_residual_sums(
                block, level, low, rows.weight_of(part), trial.coef.high, trial.coef.low, sums.high, sums.low
            )
        return sums

    return of_trial


def refined_least_squares(
    residuals: ResidualPass, shape: tuple[int, int], total: float, metric: Metric, centre: Array | None, ridge: float
) -> tuple[Array, Array]:
    """(β, b) of least Σω(y − b − x·β)² + ridge‖β‖² for each of ``shape`` = (q, d) planes.

    ``centre`` is the mean of the rows, or None for no intercept.
    """
    q, d = shape
    trial = Trial(ExtendedSums.zero(shape), ExtendedSums.zero((q,)))
    m = np.zeros(d) if centre is None else centre
    steps = _DigitsGained(q)
    while steps.active.size:
        planes, now = steps.active, trial.take(steps.active)
        sums = residuals(now, planes)
        step = metric.solve((_centre_sums(sums, m) - ridge * now.coef.high - ridge * now.coef.low).T).T
        shift = np.zeros(planes.size) if centre is None else (sums.high + sums.low)[:, 0] / total - step @ m
        kept = steps.accept(step, now.coef.high)
        now = Trial(now.coef + _exactly(step), now.intercept + _exactly(shift))
        _put_planes(trial.coef, planes, kept, now.coef)
        _put_planes(trial.intercept, planes, kept, now.intercept)
        steps.finish(np.abs(shift) <= EPS / 4 * np.abs(now.intercept.high))
    return trial.coef.high, trial.intercept.high


def refined_within(rows: Rows, m: ClassMoments, metric: Metric, divisor: float, solved: Array) -> Array:
    """S_W⁻¹(m_k − m_0)·divisor for all classes but the first ((K−1)×d), from ``solved`` of the same shape.

    ``metric`` is that of S_W/divisor. The class means, too, are summed in twice the working precision.
    """
    means = _extended_means(rows, m)
    high, low = two_sum(m.means[1:], -m.means[:1])
    right = ExtendedSums(*two_sum(high, low + (means.low[1:] - means.low[:1])))
    coef = _exactly(solved / divisor)
    levels = ExtendedSums.zero((m.classes.size, len(solved)))
    extended_products.suited_to(m.means.size)(coef.high, means.high, means.low, levels.high, levels.low)
    steps = _DigitsGained(len(solved))
    while steps.active.size:
        planes = steps.active
        own = ExtendedSums(coef.high[planes], coef.low[planes])
        level = ExtendedSums(levels.high[:, planes], levels.low[:, planes])
        sums = rows.fold(ClassResiduals(m.classes, level, own))
        gradient = np.empty(own.high.shape)
        within_gradient.suited_to(m.means.size)(
            sums.high, sums.low, m.means, right.high[planes], right.low[planes], gradient
        )
        gradient = gradient.T - metric.null @ (metric.null.T @ gradient.T)
        step = metric.solve(gradient).T / divisor
        kept = steps.accept(step, own.high)
        off = (sums.high + sums.low)[:, :, 0] / m.counts[:, None]
        level = level + _exactly(m.means @ step.T - off)
        _put_planes(coef, planes, kept, own + _exactly(step))
        levels.high[:, planes[kept]], levels.low[:, planes[kept]] = level.high[:, kept], level.low[:, kept]
        steps.finish(np.ones(planes.size, dtype=np.bool_))
    return coef.high * divisor


def _extended_means(rows: Rows, m: ClassMoments) -> ExtendedSums:
    """The class means, summed over the rows themselves."""
    K, d = m.means.shape
    ones = ExtendedSums(np.ones((K, 1)), np.zeros((K, 1)))
    sums = rows.fold(ClassResiduals(m.classes, ones, ExtendedSums.zero((1, d))))
    low = np.empty((K, d))
    for k in range(K):
        centre_gradient.suited_to(m.means.size)(sums.high[k, 0], sums.low[k, 0], m.means[k], low[k])
    return ExtendedSums(m.means, low / m.counts[:, None])


def _exactly(values: Array) -> ExtendedSums:
    return ExtendedSums(values, np.zeros_like(values))


def _put_planes(whole: ExtendedSums, planes: Places, kept: NDArray[np.bool_], part: ExtendedSums) -> None:
    whole.high[planes[kept]], whole.low[planes[kept]] = part.high[kept], part.low[kept]


def _centre_sums(sums: ExtendedSums, m: Array) -> Array:
    """Σωr(x − m) of each plane, rounded once."""
    gradient = np.empty((len(sums.high), m.size))
    for t in range(len(gradient)):
        centre_gradient.suited_to(m.size)(sums.high[t], sums.low[t], m, gradient[t])
    return gradient


class _DigitsGained:
    """Which planes still gain digits: a step that is not half of the one before is rounding, and is not taken."""

    def __init__(self, n_planes: int) -> None:
        self.active = np.arange(n_planes)
        self._best = np.full(n_planes, np.inf)
        self._rounds = 0
        self._left: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    def accept(self, step: Array, coef: Array) -> NDArray[np.bool_]:
        """Whether the step of each active plane is to be taken."""
        size = _relative(step, coef)
        with np.errstate(invalid="ignore"):
            kept = np.isfinite(size) & (size < self._best[self.active] / 2)
        if self._rounds == 0:
            kept[:] = True
        self._best[self.active] = size
        self._rounds += 1
        self._left = kept, size >= EPS / 4
        return kept

    def finish(self, settled: NDArray[np.bool_]) -> None:
        """Leave out planes without digits to gain; ``settled`` says so of what stands beside the coefficients."""
        kept, moving = self._left
        going = kept & (moving | ~settled)
        self.active = self.active[going] if self._rounds < _MOST_ROUNDS else self.active[:0]


def _relative(step: Array, coef: Array) -> Array:
    """The largest step of each plane beside its own coefficient."""
    size = np.maximum(np.abs(coef), np.abs(coef + step))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(size > 0, np.abs(step) / size, 0.0).max(axis=1, initial=0.0))
