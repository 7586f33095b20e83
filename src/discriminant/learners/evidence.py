"""What the closed-form learners keep of the rows, in three forms, and the two questions they ask of it.

MomentEvidence     class moments, d×d              tall tables; adds, merges and forgets rows
RowSpaceEvidence   class moments in the row space  more columns than rows; n×n and n×d, never d×d
SparseEvidence     the sparse rows themselves      50,000 columns; products with X alone

discriminate(shrinkage, divisor)   S⁻¹δ_k for the covariance (1 − s)S_W/ν + s(tr S_W/νd)I
regress(targets, alpha)            least squares of class targets on the rows
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import EstimatedShrinkage, Finding, NotConverged
from discriminant.learners import diagnosis
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.solvers.contrast import Contrast, contrast
from discriminant.solvers.matrix_free import SparseClasses, matrix_free_contrast
from discriminant.solvers.metric import (
    EPS,
    CholeskyMetric,
    LiftedMetric,
    Metric,
    RowSpace,
    metric_of_factor,
    metric_of_scatter,
)
from discriminant.solvers.regression import Planes, matrix_free_planes, polished_planes, refined_planes
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.shrinkage import ledoit_wolf_intensity
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]

# Correlations with a worse reciprocal condition than this are not trusted: a triangular factor of the rows is asked
# for. A solution from squares is right to ε over this. Where the rows are few, the factor costs next to nothing.
_POOR, _POOR_OF_FEW_ROWS = 1e-8, 1e-4
_FEW_NUMBERS = 1 << 18
# Columns with this condition number cost a solution from squares four digits; two more passes bring them back.
_WORTH_POLISHING = 100.0
# The widest table whose d×d statistics are kept on request (2 GB).
_WIDEST_SCATTER = 1 << 14


@dataclass(frozen=True)
class Discrimination:
    """The contrast of the classes under a covariance, the intensity used, and what was found on the way."""

    contrast: Contrast
    shrinkage: float
    metric: Metric | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class ClassRegression:
    """coef (q×d) and intercept (q) of the least-squares planes, and what was found on the way."""

    coef: Array
    intercept: Array
    rank: int | None
    findings: tuple[Finding, ...]


class Evidence(Protocol):
    """What was kept of the rows."""

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in order."""

    @property
    def counts(self) -> Array:
        """n_k."""

    @property
    def means(self) -> Array:
        """m_k (K×d)."""

    @property
    def mean(self) -> Array:
        """The mean of all rows."""

    def moments(self) -> ClassMoments:
        """The class moments, d×d; an error where d forbids it."""

    def reweighted(self, priors: Array) -> "Evidence":
        """The same classes with counts n·p_k."""

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """S⁻¹δ_k and the discriminant directions."""

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Least squares of targets[class] (K×q) on the rows."""


def gather(rows: ArrayRows, *, per_class: bool | None = None) -> Evidence:
    """The form of evidence that suits the shape of the rows; ``per_class`` as for `ClassMoments.of`."""
    if rows.stays_sparse:
        with np.errstate(over="ignore"):
            if not (rows.matrix.data**2).sum() <= 1e280:
                rows.refuse_overflow()
        return SparseEvidence(SparseClasses.of(rows))
    if rows.n_rows < rows.n_columns:
        return RowSpaceEvidence.of(rows)
    return MomentEvidence.of(rows, per_class=per_class)


def _class_cross_products(counts: Array, means: Array, mean: Array, targets: Array) -> tuple[Array, Array]:
    """(Σ_k n_k(m_k − m)(t_k − t̄)′, t̄): all that targets constant on classes need of the rows beside S."""
    shares = counts / counts.sum()
    target_mean = shares @ targets
    return (means - mean).T @ (counts[:, None] * (targets - target_mean)), target_mean


# --- tall tables ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MomentEvidence:
    """Class moments; ``rows`` while a fit is under way, so that a poor scatter can be factored from them."""

    of_classes: ClassMoments
    shape: diagnosis.Shape
    rows: ArrayRows | None = None

    @classmethod
    def of(cls, rows: ArrayRows, *, per_class: bool | None = None) -> "MomentEvidence":
        """In one pass."""
        moments = ClassMoments.of_rows(rows, per_class=per_class)
        return cls(moments, diagnosis.Shape.of(rows, moments.counts), rows)

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in order."""
        return self.of_classes.classes

    @property
    def counts(self) -> Array:
        """n_k."""
        return self.of_classes.counts

    @property
    def means(self) -> Array:
        """m_k."""
        return self.of_classes.means

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return self.of_classes.mean

    def moments(self) -> ClassMoments:
        """The class moments."""
        return self.of_classes

    def kept(self) -> "MomentEvidence":
        """Without the rows."""
        return replace(self, rows=None)

    def reweighted(self, priors: Array) -> "MomentEvidence":
        """The population form."""
        rows = self.rows
        if rows is not None:
            factor = (priors * self.of_classes.n / self.counts)[rows.codes]
            rows = replace(rows, weight=factor if rows.weight is None else factor * rows.weight)
        return MomentEvidence(self.of_classes.reweighted(priors), self.shape, rows)

    def _noise(self) -> Array:
        """The scatter that rounding of the numbers themselves could give each column."""
        return self.of_classes.n * (4 * EPS * np.abs(self.means).max(axis=0)) ** 2

    def _trusted_condition(self) -> float:
        """The least reciprocal condition for which a solution from squares is taken."""
        if self.rows is None:
            return 64 * EPS
        return _POOR_OF_FEW_ROWS if self.rows.n_rows * self.rows.n_columns < _FEW_NUMBERS else _POOR

    def ledoit_wolf(self) -> float:
        """The shrinkage intensity."""
        m = self.of_classes
        if m.quartic is None:
            raise ValueError(
                "shrinkage='auto' needs the scatter of each class, which this model did not keep (there are many "
                "classes or columns); fit with shrinkage='auto' from the start"
            )
        return _intensity(m, m.n_columns)

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """By Cholesky on correlations; by a triangular factor of the rows where those are nearly dependent."""
        m = self.of_classes
        s = self.ledoit_wolf() if shrinkage == "auto" else float(shrinkage or 0.0)
        noise = self._noise()
        metric = self._metric(s, divisor, noise)
        deviations = np.sqrt(np.diagonal(m.within) / m.n)
        unsure = 64 * EPS * np.abs(m.means).max(axis=0) + 8 * metric.resolution * deviations
        found = contrast(metric, m.means - m.mean, m.counts, unsure)
        findings = diagnosis.of_columns(m, self.shape, noise)
        findings += diagnosis.of_metric(metric, found, m, self.shape, shrunk=s > 0)
        if s > 0:
            findings += diagnosis.of_scales(deviations, self.shape.names, "shrinkage")
        return Discrimination(found, s, metric, findings)

    def _metric(self, s: float, divisor: float, noise: Array) -> Metric:
        within = self.of_classes.within / divisor
        if s > 0:
            return metric_of_scatter(shrunk(within, s, self.of_classes.n_columns))
        metric = metric_of_scatter(within, noise / divisor, self._trusted_condition())
        if isinstance(metric, CholeskyMetric) or self.rows is None:
            return metric
        factor = TriangularFactor.of_rows(self.rows, self.means)
        return metric_of_factor(factor.R / np.sqrt(divisor), noise / divisor)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """From the moments where they are well conditioned; refined to the last digit where they are not."""
        m = self.of_classes
        noise = self._noise()
        total = m.total
        total[np.diag_indices(m.n_columns)] += alpha
        metric = metric_of_scatter(total, noise, self._trusted_condition())
        cross, target_mean = _class_cross_products(m.counts, m.means, m.mean, targets)
        coef = metric.solve(cross).T
        planes = Planes(coef, target_mean - coef @ m.mean, metric)
        if self.rows is not None and not isinstance(metric, CholeskyMetric):
            planes = refined_planes(self.rows, targets[self.rows.codes], m.mean, alpha)
        elif self.rows is not None and metric.condition > _WORTH_POLISHING:
            planes = polished_planes(self.rows, targets, metric, planes, m.mean, alpha)
        metric = planes.metric or metric
        findings = diagnosis.of_columns(m, self.shape, noise) + diagnosis.of_regression(metric, m, self.shape)
        if alpha > 0:
            findings += diagnosis.of_scales(np.sqrt(np.diagonal(m.total) / m.n), self.shape.names, "alpha")
        return ClassRegression(planes.coef, planes.intercept, metric.rank, findings)


def shrunk(within: Array, s: float, n_columns: int) -> Array:
    """(1 − s)C + s(tr C/d)I."""
    covariance = (1.0 - s) * within
    covariance[np.diag_indices(len(within))] += s * np.trace(within) / n_columns
    return covariance


def _intensity(m: ClassMoments, n_columns: int) -> float:
    within = m.within
    assert m.quartic is not None
    quartic = float(m.quartic.sum())
    if not np.isfinite(quartic):
        raise ValueError("fourth powers overflow in Ledoit–Wolf shrinkage; rescale the columns first")
    return float(ledoit_wolf_intensity(m.n, n_columns, np.trace(within), float((within * within).sum()), quartic))


# --- more columns than rows -----------------------------------------------------------------------------


@dataclass(frozen=True)
class RowSpaceEvidence:
    """Class moments of the rows' coordinates in their own space of n ≤ d dimensions."""

    space: RowSpace
    inner: ClassMoments
    centre: Array
    shape: diagnosis.Shape
    deviations: Array

    @classmethod
    def of(cls, rows: ArrayRows) -> "RowSpaceEvidence":
        """Rotate the centred rows into their own space."""
        X = dense_block(rows.matrix, 0, rows.n_rows)
        with np.errstate(over="ignore", invalid="ignore"):
            centre = X.mean(axis=0)
            Z = X - centre
            squares = np.einsum("ij,ij->j", Z, Z)
            if not squares.sum() <= 1e280:
                rows.refuse_overflow()
        deviations = np.sqrt(squares / len(Z))
        space = RowSpace.of(Z)
        inner = ClassMoments.of_rows(replace(rows, matrix=space.coordinates, names=None), per_class=True)
        return cls(space, inner, centre, diagnosis.Shape.of(rows, inner.counts), deviations)

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in order."""
        return self.inner.classes

    @property
    def counts(self) -> Array:
        """n_k."""
        return self.inner.counts

    @property
    def means(self) -> Array:
        """m_k, lifted."""
        return self.centre + self.space.lift(self.inner.means.T).T

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return self.centre + self.space.lift(self.inner.mean)

    def moments(self) -> ClassMoments:
        """The class moments, d×d, where d allows it."""
        d = self.centre.size
        _refuse_wide_scatter(d)
        scatter = np.stack([self.space.lift(self.space.lift(S).T) for S in self.inner.scatter])
        cubic = None if self.inner.cubic is None else self.space.lift(self.inner.cubic.T).T
        return ClassMoments(self.classes, self.counts, self.means, scatter, True, cubic, self.inner.quartic)

    def reweighted(self, priors: Array) -> "RowSpaceEvidence":
        """The population form."""
        return replace(self, inner=self.inner.reweighted(priors))

    def _noise(self) -> Array:
        """The scatter that rounding, of the numbers or of the rotation, could give each coordinate."""
        m = self.inner
        of_numbers = m.n * (4 * EPS * float(np.abs(self.centre).max())) ** 2
        of_rotation = (16 * m.n_columns * EPS) ** 2 * float(np.trace(m.total))
        return np.full(m.n_columns, max(of_numbers, of_rotation))

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """As in the tall case, inside the row space; d still divides the trace."""
        m, d = self.inner, self.centre.size
        s = _intensity(m, d) if shrinkage == "auto" else float(shrinkage or 0.0)
        within = m.within / divisor
        inner = metric_of_scatter(shrunk(within, s, d) if s > 0 else within, self._noise() / divisor)
        size = float(np.sqrt(np.trace(m.total) / m.n))
        offset = float(np.abs(self.centre).max())
        unsure = np.full(len(within), 64 * EPS * offset + 8 * inner.resolution * size)
        found = contrast(inner, m.means - m.mean, m.counts, unsure)
        lifted = Contrast(
            self.space.lift(found.solved.T).T,
            self.space.lift(found.directions),
            found.ratios,
            self.space.lift(found.separating),
            found.separated,
        )
        metric = LiftedMetric(self.space, inner)
        findings = diagnosis.of_wide_rows(metric, lifted, m, self.shape, shrunk=s > 0)
        if s > 0:
            findings += diagnosis.of_scales(self.deviations, self.shape.names, "shrinkage")
        return Discrimination(lifted, s, metric, findings)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """The shortest least-squares planes, inside the row space."""
        m = self.inner
        total = m.total
        total[np.diag_indices(m.n_columns)] += alpha
        inner = metric_of_scatter(total, self._noise())
        cross, target_mean = _class_cross_products(m.counts, m.means, m.mean, targets)
        coef = self.space.lift(inner.solve(cross)).T
        intercept = target_mean - coef @ self.mean
        return ClassRegression(coef, intercept, inner.rank, ())


def _refuse_wide_scatter(n_columns: int) -> None:
    if n_columns > _WIDEST_SCATTER:
        raise ValueError(
            f"adding, merging and forgetting rows keeps a d×d matrix, and d = {n_columns} is too many columns "
            f"(at most {_WIDEST_SCATTER}); fit all rows at once"
        )


# --- sparse rows of very many columns -------------------------------------------------------------------


@dataclass(frozen=True)
class SparseEvidence:
    """The sparse rows themselves."""

    sums: SparseClasses

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in order."""
        return self.sums.rows.classes

    @property
    def counts(self) -> Array:
        """n_k."""
        return self.sums.counts

    @property
    def means(self) -> Array:
        """m_k."""
        return self.sums.means

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return self.sums.mean

    def moments(self) -> ClassMoments:
        """The class moments, d×d, where d allows it."""
        _refuse_wide_scatter(self.sums.rows.n_columns)
        return ClassMoments.of_rows(self.sums.rows)

    def reweighted(self, priors: Array) -> "SparseEvidence":
        """The population form."""
        rows = self.sums.rows
        factor = (priors * self.sums.n / self.counts)[rows.codes]
        weight = factor if rows.weight is None else factor * rows.weight
        return SparseEvidence(SparseClasses.of(replace(rows, weight=weight)))

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """(1 − s)S_W/ν + sμI = (S_W + λI)(1 − s)/ν with λ = s tr S_W/((1 − s)d): a ridge regression."""
        s, exact = self.sums.ledoit_wolf() if shrinkage == "auto" else (float(shrinkage or 0.0), True)
        level = self.sums.within_trace() / self.sums.rows.n_columns
        if s == 1.0:
            found, regression = matrix_free_contrast(self.sums, level / divisor, None)
        else:
            found, regression = matrix_free_contrast(self.sums, (1.0 - s) / divisor, s * level / (1.0 - s))
        findings: tuple[Finding, ...] = ()
        if regression is not None and not regression.converged:
            findings += (NotConverged.of_gradient(regression.gradient_left),)
        if not exact:
            findings += (_estimated(s),)
        findings += diagnosis.of_separation(found, self.classes, ())
        return Discrimination(found, s, None, findings)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """By products with X alone."""
        planes = matrix_free_planes(self.sums, targets[self.sums.rows.codes], alpha)
        left = planes.gradient_left
        findings = () if left is None else (NotConverged.of_gradient(left),)
        return ClassRegression(planes.coef, planes.intercept, None, findings)


def _estimated(s: float) -> Finding:
    return EstimatedShrinkage(
        f"The Ledoit–Wolf intensity {s:.4g} is an estimate",
        "It was taken from random probes, because the exact sum needs every pair of rows",
        "Give a number for shrinkage to have it fixed",
    )
