"""Evidence of two classes and many hardly correlated columns: the rows themselves, and moments once they are asked for.

Least squares needs products with such rows alone, which takes less time than their scatter. A fitted model keeps no
row: the moments if the fit came to need them, else the means of the classes.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.learners import diagnosis
from discriminant.learners.moment_backends.answers import (
    ClassRegression,
    Discrimination,
    Evidence,
    SummedClasses,
    class_cross_products,
)
from discriminant.learners.moment_backends.class_means import ClassMeans
from discriminant.learners.moment_backends.moments import MomentEvidence
from discriminant.linalg.cg_regression import conjugate_weights
from discriminant.rows import ArrayRows
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]


@dataclass(frozen=True)
class DenseRowsEvidence(SummedClasses):
    """Counts, means and variances of the classes, and the rows they were taken from."""

    rows: ArrayRows

    @classmethod
    def of(cls, rows: ArrayRows) -> "DenseRowsEvidence":
        """Gather the evidence in one pass; the rows are kept."""
        return cls(ClassMoments.of_rows(rows, full=False, per_class=False), rows)

    @cached_property
    def whole(self) -> MomentEvidence:
        """The moments of the rows, d×d."""
        return MomentEvidence.of(self.rows, per_class=False)

    def without_rows(self) -> Evidence:
        """The moments, if they were needed, or else the means."""
        if "whole" in self.__dict__:
            return self.whole.without_rows()
        return ClassMeans(self.classes, self.counts, self.means)

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, from the rows."""
        return self.whole.of_classes

    def class_spreads(self, w: Array) -> Array:
        """As the moments say."""
        return self.whole.class_spreads(w)

    def reweighted(self, priors: Array) -> Evidence:
        """The population form, from the moments."""
        return self.whole.reweighted(priors)

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """As the moments say."""
        return self.whole.discriminate(shrinkage, divisor)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Least squares by conjugate gradients, or from the moments where those would take longer."""
        m = self.of_classes
        cross, target_mean = class_cross_products(m, targets)
        found = [conjugate_weights(self.rows, m.mean, m.total, c, alpha) for c in cross.T]
        weights = [w for w in found if w is not None]
        if len(weights) < len(found):
            return self.whole.regress(targets, alpha)
        coef = np.vstack(weights)
        shape = diagnosis.Shape.of(self.rows, m.counts)
        findings = diagnosis.class_findings(m.classes, shape)
        if alpha > 0:
            findings += diagnosis.scale_findings(np.sqrt(m.total / m.n), shape.names, "alpha")
        return ClassRegression(coef, target_mean - coef @ m.mean, m.n_columns, findings)
