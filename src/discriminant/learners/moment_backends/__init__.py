"""What the closed-form learners ask the rows, in four forms, and what a fitted model keeps of them.

MomentEvidence     class moments, d×d              tall tables; adds, merges and forgets rows
RowSpaceEvidence   class moments in the row space  more columns than rows; n×n and n×d, never d×d
DenseRowsEvidence  the dense rows themselves       many uncorrelated columns, for regressions; d×d once asked for
SparseEvidence     the sparse rows themselves      50,000 columns; products with X alone
ClassMeans         counts and means                kept of the last two, which never formed a scatter

discriminate(shrinkage, divisor)   S⁻¹δ_k for the covariance (1 − s)S_W/ν + s(tr S_W/νd)I
regress(targets, alpha)            least squares of class targets on the rows
"""

from discriminant.learners.moment_backends.answers import (
    ClassRegression,
    Discrimination,
    Evidence,
    refuse_wide_scatter,
    shrink_scatter,
)
from discriminant.learners.moment_backends.class_means import ClassMeans, ScatterNotKept
from discriminant.learners.moment_backends.dense_rows import DenseRowsEvidence
from discriminant.learners.moment_backends.matrix_free import SparseEvidence
from discriminant.learners.moment_backends.moments import MomentEvidence
from discriminant.learners.moment_backends.row_space import RowSpaceEvidence
from discriminant.linalg.cg_regression import hardly_correlated
from discriminant.rows import ArrayRows, Rows, in_memory
from discriminant.rows.memory import DENSE_COLUMNS

__all__ = [
    "ClassMeans",
    "ClassRegression",
    "DenseRowsEvidence",
    "Discrimination",
    "Evidence",
    "MomentEvidence",
    "ScatterNotKept",
    "SparseEvidence",
    "gather_evidence",
    "gather_evidence_of_source",
    "shrink_scatter",
]


def gather_evidence(rows: ArrayRows, *, per_class: bool | None = None) -> Evidence:
    """The form of evidence that suits the rows; ``per_class`` as for `ClassMoments.of`, False for regressions alone."""
    if rows.stays_sparse:
        return SparseEvidence.of(rows)
    if rows.n_rows < rows.n_columns:
        return RowSpaceEvidence.of(rows)
    if per_class is False and rows.classes.size == 2 and hardly_correlated(rows):
        return DenseRowsEvidence.of(rows)
    return MomentEvidence.of(rows, per_class=per_class)


def gather_evidence_of_source(rows: Rows, method: str, *, per_class: bool | None = None) -> Evidence:
    """The evidence of rows that are not in memory: class moments in one pass.

    Rows that moments do not suit, because they are sparse and wide or fewer than their columns, are asked for in memory
    on behalf of ``method``.
    """
    d = rows.schema.n_columns
    if d > DENSE_COLUMNS and next(iter(rows.batches())).stays_sparse:
        return gather_evidence(in_memory(rows, f"{method} of {d} sparse columns"), per_class=per_class)
    if rows.schema.n_rows is None or rows.schema.n_rows >= d:
        refuse_wide_scatter(d)
        evidence = MomentEvidence.of_source(rows, per_class=per_class)
        if evidence.shape.n_rows >= d:
            return evidence
    return gather_evidence(in_memory(rows, f"{method} of more columns than rows"), per_class=per_class)
