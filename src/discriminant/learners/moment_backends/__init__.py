"""What the closed-form learners keep of the rows, in four forms, and the two questions they ask of it.

MomentEvidence     class moments, d×d              tall tables; adds, merges and forgets rows
RowSpaceEvidence   class moments in the row space  more columns than rows; n×n and n×d, never d×d
DenseRowsEvidence  the dense rows themselves       many uncorrelated columns, for regressions; d×d once asked for
SparseEvidence     the sparse rows themselves      50,000 columns; products with X alone

discriminate(shrinkage, divisor)   S⁻¹δ_k for the covariance (1 − s)S_W/ν + s(tr S_W/νd)I
regress(targets, alpha)            least squares of class targets on the rows
"""

from discriminant.learners.moment_backends.answers import ClassRegression, Discrimination, Evidence, shrunk
from discriminant.learners.moment_backends.dense_rows import DenseRowsEvidence
from discriminant.learners.moment_backends.matrix_free import SparseEvidence
from discriminant.learners.moment_backends.moments import MomentEvidence
from discriminant.learners.moment_backends.row_space import RowSpaceEvidence
from discriminant.linalg.cg_regression import hardly_correlated
from discriminant.rows import ArrayRows

__all__ = [
    "ClassRegression",
    "DenseRowsEvidence",
    "Discrimination",
    "Evidence",
    "MomentEvidence",
    "SparseEvidence",
    "gather",
    "shrunk",
]


def gather(rows: ArrayRows, *, per_class: bool | None = None) -> Evidence:
    """The form of evidence that suits the rows; ``per_class`` as for `ClassMoments.of`, False for regressions alone."""
    if rows.stays_sparse:
        return SparseEvidence.of(rows)
    if rows.n_rows < rows.n_columns:
        return RowSpaceEvidence.of(rows)
    if per_class is False and rows.classes.size == 2 and hardly_correlated(rows):
        return DenseRowsEvidence.of(rows)
    return MomentEvidence.of(rows, per_class=per_class)
