"""Evidence of tables with more columns than rows: class moments in the space the rows span."""

from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from discriminant.learners import diagnosis
from discriminant.learners.moment_backends.answers import (
    ClassRegression,
    Discrimination,
    class_cross_products,
    intensity,
    refuse_wide_scatter,
    shrink_scatter,
    spreads_of_scatter,
)
from discriminant.linalg.discriminant_directions import ClassContrasts, discriminate_classes
from discriminant.linalg.metric import EPS, metric_of_scatter
from discriminant.linalg.ridge import ridge_metric_of_scatter
from discriminant.linalg.row_space import LiftedMetric, RowSpace
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block
from discriminant.statistics.moments import LARGEST_SUM, ClassMoments
from discriminant.statistics.shifted_sums import centre_matrix

Array = NDArray[np.float64]

_ULPS = 4  # by which rounding alone may have moved a number of the table


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
            Z, centre = centre_matrix(X)
            Z[:, np.abs(Z).max(axis=0) <= _ULPS * EPS * np.abs(centre)] = 0.0  # constant but for rounding
            squares = np.einsum("ij,ij->j", Z, Z)
            if not squares.sum() <= LARGEST_SUM:
                rows.refuse_overflow()
        deviations = np.sqrt(squares / len(Z))
        space = RowSpace.of(Z)
        inner = ClassMoments.of_rows(replace(rows, matrix=space.coordinates, names=None), per_class=True)
        return cls(space, inner, centre, diagnosis.Shape.of(rows, inner.counts), deviations)

    classes = property(attrgetter("inner.classes"), doc="Labels in order.")
    counts = property(attrgetter("inner.counts"), doc="n_k.")

    @property
    def means(self) -> Array:
        """m_k, lifted."""
        return self.centre + self.space.lift(self.inner.means.T).T

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return self.centre + self.space.lift(self.inner.mean)

    def class_spreads(self, w: Array) -> Array:
        """The spread of each class, from its scatter inside the row space."""
        return spreads_of_scatter(self.inner.scatter, self.counts, self.space.lower(w))[0]

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, d×d, where d allows it."""
        d = self.centre.size
        refuse_wide_scatter(d)
        scatter = np.stack([self.space.lift(self.space.lift(S).T) for S in self.inner.scatter])
        cubic = None if self.inner.cubic is None else self.space.lift(self.inner.cubic.T).T
        return ClassMoments(self.classes, self.counts, self.means, scatter, True, cubic, self.inner.quartic)

    def without_rows(self) -> "RowSpaceEvidence":
        """The space that the rows span and their moments in it, without the rows."""
        return replace(self, space=self.space.without_rows())

    def reweighted(self, priors: Array) -> "RowSpaceEvidence":
        """The population form."""
        return replace(self, inner=self.inner.reweighted(priors))

    def noise(self) -> Array:
        """The scatter that rounding, of the numbers or of the rotation, could give each coordinate."""
        return self.space.errors(np.sqrt(self.inner.n) * _ULPS * EPS * np.abs(self.centre)) ** 2

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """Solve as in the tall case, inside the row space; d still divides the trace."""
        m, d = self.inner, self.centre.size
        s = intensity(m, d) if shrinkage == "auto" else float(shrinkage or 0.0)
        within = m.within / divisor
        inner = metric_of_scatter(shrink_scatter(within, s, d) if s > 0 else within, self.noise() / divisor)
        size = float(np.sqrt(np.trace(m.total) / m.n))
        offset = np.where(self.deviations > 0, np.abs(self.centre), 0.0)  # a constant column takes no part
        unsure = self.space.errors(64 * EPS * offset) + 8 * inner.resolution * size
        far = np.full(len(within), float(np.linalg.norm(offset)))
        found = discriminate_classes(inner, m.means - m.mean, m.counts, unsure, far)
        lifted = ClassContrasts(
            self.space.lift(found.solved.T).T,
            self.space.lift(found.directions),
            found.ratios,
            self.space.lift(found.separating),
            found.separated,
        )
        metric = LiftedMetric.of(self.space, inner)
        findings = diagnosis.wide_rows_findings(metric, lifted, m, self.shape, shrunk=s > 0)
        if s > 0:
            findings += diagnosis.scale_findings(self.deviations, self.shape.names, "shrinkage")
        return Discrimination(lifted, s, metric, findings)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """The shortest least-squares planes, inside the row space."""
        m = self.inner
        inner = ridge_metric_of_scatter(m.total, alpha, self.noise())
        cross, target_mean = class_cross_products(m, targets)
        coef = self.space.lift(inner.solve(cross)).T
        intercept = target_mean - coef @ self.mean
        findings = diagnosis.class_findings(m.classes, self.shape)
        if alpha > 0:
            findings += diagnosis.scale_findings(self.deviations, self.shape.names, "alpha")
        return ClassRegression(coef, intercept, inner.rank, findings)
