"""Evidence of sparse rows with very many columns: the rows themselves, which are only ever multiplied."""

from dataclasses import dataclass, replace
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import EstimatedShrinkage, Finding, NotConverged
from discriminant.learners import diagnosis
from discriminant.learners.moment_backends.answers import ClassRegression, Discrimination, refuse_wide_scatter
from discriminant.learners.moment_backends.class_means import ClassMeans
from discriminant.linalg.matrix_free import SparseClasses, discriminate_matrix_free
from discriminant.linalg.metric import EPS
from discriminant.linalg.regression import matrix_free_planes
from discriminant.linalg.row_products import MOST_ROWS, RowProducts
from discriminant.rows import ArrayRows
from discriminant.statistics.moments import LARGEST_SUM, ClassMoments

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SparseEvidence:
    """The sparse rows themselves, and their products where many parts of them are to be looked at."""

    sums: SparseClasses
    products: RowProducts | None = None

    @classmethod
    def of(cls, rows: ArrayRows) -> "SparseEvidence":
        """Counts and means; the rows are kept."""
        with np.errstate(over="ignore"):
            if not (rows.matrix.data**2).sum() <= LARGEST_SUM:
                rows.refuse_overflow()
        return cls(SparseClasses.of(rows))

    @classmethod
    def for_parts(cls, rows: ArrayRows) -> "SparseEvidence":
        """Evidence to take parts of, which share the products of the rows if these are few enough."""
        products = RowProducts.of(rows.matrix) if rows.n_rows <= MOST_ROWS else None
        return replace(cls.of(rows), products=products)

    def take(self, rows: NDArray[np.intp]) -> "SparseEvidence":
        """The evidence of some of the rows."""
        products = None if self.products is None else self.products.take(rows)
        return SparseEvidence(SparseClasses.of(self.sums.rows.take(rows)), products)

    classes = property(attrgetter("sums.rows.classes"), doc="Labels in order.")
    counts = property(attrgetter("sums.counts"), doc="n_k.")
    means = property(attrgetter("sums.means"), doc="m_k.")
    mean = property(attrgetter("sums.mean"), doc="The mean of all rows.")

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, d×d, where d allows it."""
        refuse_wide_scatter(self.sums.rows.n_columns)
        return ClassMoments.of_rows(self.sums.rows, per_class=per_class)

    def class_spreads(self, w: Array) -> Array:
        """The spread of each class, from the scores of the rows."""
        rows = self.sums.rows
        scores = rows.matrix @ w - (self.means @ w)[rows.codes]
        size = abs(rows.matrix) @ np.abs(w) + (np.abs(self.means) @ np.abs(w))[rows.codes]
        scores[np.abs(scores) <= 64 * EPS * size] = 0.0
        squares = np.bincount(rows.codes, weights=self.sums.root_weight**2 * scores**2, minlength=self.counts.size)
        return np.asarray(np.sqrt(squares / self.counts))

    def without_rows(self) -> ClassMeans:
        """Counts and means, without the rows."""
        return ClassMeans(self.classes, self.counts, self.means)

    def reweighted(self, priors: Array) -> "SparseEvidence":
        """The population form."""
        rows = self.sums.rows
        return SparseEvidence(SparseClasses.of(rows.reweighed((priors * self.sums.n / self.counts)[rows.codes])))

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """(1 − s)S_W/ν + sμI = (S_W + λI)(1 − s)/ν with λ = s tr S_W/((1 − s)d): a ridge regression."""
        s, exact = self.sums.ledoit_wolf() if shrinkage == "auto" else (float(shrinkage or 0.0), True)
        level = self.sums.within_trace() / self.sums.rows.n_columns
        if s == 1.0 and level > 0:
            found, regression = discriminate_matrix_free(self.sums, level / divisor, None)
        else:
            s_inside = s if level > 0 else 0.0  # no scatter at all: nothing to shrink towards
            ridge = s_inside * level / (1.0 - s_inside)
            found, regression = discriminate_matrix_free(self.sums, (1.0 - s_inside) / divisor, ridge, self.products)
        findings = diagnosis.few_rows_findings(self.sums.rows, self.counts, shrunk=s > 0)
        if regression is not None and not regression.converged:
            findings += (NotConverged.of_gradient(regression.gradient_left),)
        if not exact:
            findings += (_estimated(s),)
        findings += diagnosis.null_space_findings(found, self.classes, ())
        return Discrimination(found, s, None, findings)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Least squares by products with X alone."""
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
