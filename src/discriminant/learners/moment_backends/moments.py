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
    shrink_scatter,
    spreads_of_scatter,
)
from discriminant.learners.moment_backends.shaped_moments import ShapedMoments
from discriminant.linalg.discriminant_directions import ClassContrasts, discriminate_classes, with_solutions
from discriminant.linalg.metric import (
    EPS,
    CholeskyMetric,
    Metric,
    SpectralMetric,
    metric_of_factor,
    metric_of_scatter,
)
from discriminant.linalg.refinement import refined_within
from discriminant.linalg.regression import RegressionPlanes, polished_planes, refined_class_planes
from discriminant.linalg.ridge import ridge_metric_of_scatter
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import constant_columns
from discriminant.rows.views import ChangedRows, ReweightedClasses
from discriminant.statistics.entry_sums import whole_columns
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.residuals import CentredResiduals, SquaresAlong
from discriminant.statistics.shifted_sums import rounding_scatter
from discriminant.statistics.triangular import TriangularFactor

Array = NDArray[np.float64]

# Correlations with a worse reciprocal condition than this are not trusted: a triangular factor of the rows is asked
# for. A solution from squares is right to ε over this. Where the rows are few, the factor costs next to nothing.
_POOR, _POOR_OF_FEW_ROWS = 1e-8, 1e-6
_FEW_NUMBERS = 1 << 18
# Variances of standardised columns, beside the largest, from which on directions are plainly no rounding: a solution
# from squares is right to ε over this.
_PLAINLY_SPREAD = 1e-4
_NOT_TOUCHED = 1e-9  # by a direction of unit length
_LEFT_BEHIND = 1e-14  # of the largest deviation: what rows that were added and forgotten may leave
# Columns with this condition number cost a solution from squares four digits; passes in working precision bring them
# back. Those of the second cost a solution from an orthogonal factor three and more, which takes twice the precision.
_WORTH_POLISHING, _WORTH_REFINING = 100.0, 1000.0


@dataclass(frozen=True)
class MomentEvidence(SummedClasses):
    """Class moments; ``rows`` while a fit is under way, so that a poor scatter can be factored from them.

    Rows are asked by `fold` alone, so that they may be anywhere.
    """

    shape: diagnosis.Shape
    rows: Rows | None = None
    summed: bool = False  # of sums that rows may have been taken from, which leaves rounding behind

    @classmethod
    def of(cls, rows: ArrayRows, *, per_class: bool | None = None) -> "MomentEvidence":
        """Sum the moments in one pass."""
        moments = ClassMoments.of_rows(rows, per_class=per_class)
        return cls(moments, diagnosis.Shape.of(rows, moments.counts), rows)

    @classmethod
    def of_source(cls, rows: Rows, *, per_class: bool | None = None) -> "MomentEvidence":
        """The evidence of rows wherever they are."""
        found = ShapedMoments.of_source(rows, per_class=per_class)
        return cls(found.moments, found.shape(rows.schema.names), rows)

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, as they were kept."""
        return self.of_classes

    def class_spreads(self, w: Array) -> Array:
        """The spread of each class, from its scatter, or from the rows where the terms of that cancel."""
        spreads, cancelled = spreads_of_scatter(self.of_classes.scatter, self.counts, w)
        if self.rows is None or not cancelled:
            return spreads
        return np.asarray(np.sqrt(self.rows.fold(SquaresAlong(self.classes, self.means, w)) / self.counts))

    def without_rows(self) -> "MomentEvidence":
        """The moments, without the rows."""
        return MomentEvidence(self.of_classes, self.shape, summed=self.summed)

    def reweighted(self, priors: Array) -> "MomentEvidence":
        """The population form."""
        rows, factors = self.rows, priors * self.of_classes.n / self.counts
        if isinstance(rows, ArrayRows):
            rows = rows.reweighed(factors[rows.codes])
        elif rows is not None:
            rows = ChangedRows(rows, ReweightedClasses(self.classes, factors))
        return MomentEvidence(self.of_classes.reweighted(priors), self.shape, rows)

    def _trusted_condition(self) -> float:
        """The least reciprocal condition for which a solution from squares is taken."""
        if self.rows is None:
            return 64 * EPS
        few = self.shape.n_rows * self.means.shape[1] < _FEW_NUMBERS
        return _POOR_OF_FEW_ROWS if few else _POOR

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
        """Solve by Cholesky on correlations, or by a triangular factor of the rows near dependence."""
        m = self.of_classes
        s = self.ledoit_wolf() if shrinkage == "auto" else float(shrinkage or 0.0)
        noise = rounding_scatter(m.n, m.means, 4)  # of the numbers themselves
        metric = self._metric(s, divisor, noise)
        deviations = np.sqrt(np.diagonal(m.within) / m.n)
        unsure = 64 * EPS * np.abs(m.means).max(axis=0) + 8 * metric.resolution * deviations
        found = discriminate_classes(metric, m.displacements, m.counts, unsure, np.abs(m.mean))
        worth_it = metric.condition > (_WORTH_POLISHING if isinstance(metric, CholeskyMetric) else _WORTH_REFINING)
        if worth_it and s == 0 and self.rows is not None and not found.separated.any():
            found = self._improved(self.rows, metric, found, divisor)
        findings = diagnosis.column_findings(m, self.shape, noise)
        findings += diagnosis.metric_findings(metric, found, m, self.shape, noise, shrunk=s > 0)
        if s > 0:
            findings += diagnosis.scale_findings(self._varying(m.within, noise), self.shape.names, "shrinkage")
        return Discrimination(found, s, metric, findings)

    def _improved(self, rows: Rows, metric: Metric, found: ClassContrasts, divisor: float) -> ClassContrasts:
        """The solution with the digits that columns near dependence cost, regained from residuals of the rows."""
        m = self.of_classes
        apart = found.solved[1:] - found.solved[0]
        if isinstance(metric, CholeskyMetric):
            levels, displacements = np.zeros((m.classes.size, len(apart))), m.displacements
            sums = rows.fold(CentredResiduals(m.classes, levels, apart, m.means))[:-1]  # −S_W v
            apart = apart + metric.solve((displacements[1:] - displacements[0]).T + sums / divisor).T
        else:
            apart = refined_within(rows, m, metric, divisor, apart)
        solved = np.vstack([np.zeros_like(apart[:1]), apart])
        solved -= (m.counts / m.n) @ solved
        return with_solutions(found, solved, np.sqrt(np.diagonal(m.within)))

    def _varying(self, scatter: Array, noise: Array) -> Array:
        """Deviations of columns, 0 where they are rounding: of the numbers, or of rows that were taken away again."""
        squares = np.diagonal(scatter)
        if self.summed:
            noise = np.maximum(noise, (_LEFT_BEHIND**2) * squares.max(initial=0.0))
        return np.sqrt(np.where(squares > noise, squares, 0.0) / self.of_classes.n)

    def _metric(self, s: float, divisor: float, noise: Array) -> Metric:
        within = self.of_classes.within / divisor
        if s > 0:
            return metric_of_scatter(shrink_scatter(within, s, self.of_classes.n_columns))
        metric = metric_of_scatter(within, noise / divisor, self._trusted_condition())
        if isinstance(metric, CholeskyMetric) or self.rows is None:
            return metric
        if self._is_plain(metric):
            return replace(metric, resolution=metric.resolution**2)
        factor = TriangularFactor.of_source(self.rows, self.classes, self.means)
        return metric_of_factor(factor.R / np.sqrt(divisor), noise / divisor)

    def _is_plain(self, metric: Metric) -> bool:
        """Whether singular squares say all of the rows.

        Directions are far from dependence, or among columns whose squares were not rounded: those of whole numbers, and
        constant ones.
        """
        if not (isinstance(metric, SpectralMetric) and isinstance(self.rows, ArrayRows) and metric.values.size):
            return False
        if float(metric.values.min()) <= _PLAINLY_SPREAD * float(metric.values.max()):
            return False
        of_null = np.abs(metric.null).max(axis=1, initial=0.0) > _NOT_TOUCHED
        touched = np.flatnonzero(of_null & ~whole_columns(self.rows))
        return not touched.size or constant_columns(self.rows.matrix[:, touched]).size == touched.size

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Least squares from the moments, refined to the last digit where these are badly conditioned."""
        m = self.of_classes
        noise = rounding_scatter(m.n, m.means, 4)  # of the numbers themselves
        metric = ridge_metric_of_scatter(m.total, alpha, noise, self._trusted_condition())
        cross, target_mean = class_cross_products(m, targets)
        coef = metric.solve(cross).T
        planes = RegressionPlanes(coef, target_mean - coef @ m.mean, metric)
        if self.rows is not None and not isinstance(metric, CholeskyMetric) and not self._is_plain(metric):
            planes = refined_class_planes(self.rows, m, targets, alpha)
        elif self.rows is not None and metric.condition > _WORTH_POLISHING:
            planes = polished_planes(self.rows, m, targets, metric, planes, alpha)
        metric = planes.metric or metric
        findings = diagnosis.column_findings(m, self.shape, noise) + diagnosis.regression_findings(
            metric, m, self.shape, noise
        )
        if alpha > 0:
            findings += diagnosis.scale_findings(self._varying(m.total, noise), self.shape.names, "alpha")
        return ClassRegression(planes.coef, planes.intercept, metric.rank, findings)
