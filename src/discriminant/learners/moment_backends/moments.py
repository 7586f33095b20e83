"""Evidence of tall tables: class moments, which add, merge and forget rows."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discriminant.learners import diagnosis
from discriminant.learners.moment_backends.answers import (
    ClassRegression,
    Discrimination,
    SummedClasses,
    class_cross_products,
    intensity,
    shrunk,
    spreads_of_scatter,
)
from discriminant.linalg.discriminant_directions import contrast
from discriminant.linalg.metric import EPS, CholeskyMetric, Metric, metric_of_factor, metric_of_scatter
from discriminant.linalg.regression import Planes, polished_planes, refined_planes
from discriminant.rows import ArrayRows
from discriminant.statistics.moments import ClassMoments, rounding_scatter
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]

# Correlations with a worse reciprocal condition than this are not trusted: a triangular factor of the rows is asked
# for. A solution from squares is right to ε over this. Where the rows are few, the factor costs next to nothing.
_POOR, _POOR_OF_FEW_ROWS = 1e-8, 1e-4
_FEW_NUMBERS = 1 << 18
# Columns with this condition number cost a solution from squares four digits; two more passes bring them back.
_LEFT_BEHIND = 1e-14  # of the largest deviation: what rows that were added and forgotten may leave
_WORTH_POLISHING = 100.0


@dataclass(frozen=True)
class MomentEvidence(SummedClasses):
    """Class moments; ``rows`` while a fit is under way, so that a poor scatter can be factored from them."""

    shape: diagnosis.Shape
    rows: ArrayRows | None = None
    summed: bool = False  # of sums that rows may have been taken from, which leaves rounding behind

    @classmethod
    def of(cls, rows: ArrayRows, *, per_class: bool | None = None) -> "MomentEvidence":
        """In one pass."""
        moments = ClassMoments.of_rows(rows, per_class=per_class)
        return cls(moments, diagnosis.Shape.of(rows, moments.counts), rows)

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, as they were kept."""
        return self.of_classes

    def class_spreads(self, w: Array) -> Array:
        """From the scatter of each class."""
        return spreads_of_scatter(self.of_classes.scatter, self.counts, w)

    def kept(self) -> "MomentEvidence":
        """Without the rows."""
        return replace(self, rows=None)

    def reweighted(self, priors: Array) -> "MomentEvidence":
        """The population form."""
        rows = self.rows
        if rows is not None:
            rows = rows.weighed((priors * self.of_classes.n / self.counts)[rows.codes])
        return MomentEvidence(self.of_classes.reweighted(priors), self.shape, rows)

    def noise(self) -> Array:
        """The scatter that rounding of the numbers themselves could give each column."""
        return rounding_scatter(self.of_classes.n, self.means, 4)

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
        return intensity(m, m.n_columns)

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """By Cholesky on correlations; by a triangular factor of the rows where those are nearly dependent."""
        m = self.of_classes
        s = self.ledoit_wolf() if shrinkage == "auto" else float(shrinkage or 0.0)
        noise = self.noise()
        metric = self._metric(s, divisor, noise)
        deviations = np.sqrt(np.diagonal(m.within) / m.n)
        unsure = 64 * EPS * np.abs(m.means).max(axis=0) + 8 * metric.resolution * deviations
        found = contrast(metric, m.means - m.mean, m.counts, unsure, np.abs(m.mean))
        findings = diagnosis.of_columns(m, self.shape, noise)
        findings += diagnosis.of_metric(metric, found, m, self.shape, noise, shrunk=s > 0)
        if s > 0:
            findings += diagnosis.of_scales(self._varying(m.within, noise), self.shape.names, "shrinkage")
        return Discrimination(found, s, metric, findings)

    def _varying(self, scatter: Array, noise: Array) -> Array:
        """Deviations of columns, 0 where they are rounding: of the numbers, or of rows that were taken away again."""
        squares = np.diagonal(scatter)
        if self.summed:
            noise = np.maximum(noise, (_LEFT_BEHIND**2) * squares.max(initial=0.0))
        return np.sqrt(np.where(squares > noise, squares, 0.0) / self.of_classes.n)

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
        noise = self.noise()
        total = m.total
        total[np.diag_indices(m.n_columns)] += alpha
        metric = metric_of_scatter(total, noise, self._trusted_condition())
        cross, target_mean = class_cross_products(m.counts, m.means, m.mean, targets)
        coef = metric.solve(cross).T
        planes = Planes(coef, target_mean - coef @ m.mean, metric)
        if self.rows is not None and not isinstance(metric, CholeskyMetric):
            planes = refined_planes(self.rows, targets[self.rows.codes], m.mean, alpha)
        elif self.rows is not None and metric.condition > _WORTH_POLISHING:
            planes = polished_planes(self.rows, targets, metric, planes, m.mean, alpha)
        metric = planes.metric or metric
        findings = diagnosis.of_columns(m, self.shape, noise) + diagnosis.of_regression(metric, m, self.shape, noise)
        if alpha > 0:
            findings += diagnosis.of_scales(self._varying(m.total, noise), self.shape.names, "alpha")
        return ClassRegression(planes.coef, planes.intercept, metric.rank, findings)
