"""Which solver finds the plane of a support vector machine, by the loss and the shape of the rows."""

from typing import Literal

import numpy as np
from scipy import sparse

from discriminant.optimise.centred_rows import squared_by_entries
from discriminant.rows import ArrayRows

SlabLossName = Literal["hinge", "squared_hinge"]
Solver = Literal["auto", "interior-point", "dual-descent", "newton", "truncated-newton"]

SOLVERS: dict[str, tuple[Solver, ...]] = {
    "hinge": ("interior-point", "dual-descent"),
    "squared_hinge": ("newton", "truncated-newton", "dual-descent"),
}
# Up to so many rows or columns, whichever are fewer, a Newton step is cheap (for rows of few entries, cheaper than
# epochs of descent), and possible at all. All steps by the entries of sparse rows take as long as a hundred epochs that
# visit every row, and their factors as long as those of some more: where fewer will do, descent is quicker.
MOST_WEIGHTS, _MOST_SPARSE = 3000, 300
_FEW_ENTRIES = 1 / 8  # of those of a full row
_EPOCHS_OF_STEPS, _ENTRIES_OF_FACTORS = 100, 2.0
STEPS, _MOST_EPOCHS, _MOST_VISITS = 1000, 50_000, 4e10


def solver_for(rows: ArrayRows, loss: str) -> Solver:
    """The smooth loss by steps of Newton's kind; the hinge exactly wherever the matrices are small."""
    if loss == "squared_hinge":
        return "newton"
    most = _MOST_SPARSE if _has_few_entries(rows) else MOST_WEIGHTS
    by_steps = n_factored(rows) < most and not squared_by_entries(rows)
    return "interior-point" if by_steps else "dual-descent"


def most_epochs(rows: ArrayRows, max_iter: int | None) -> int:
    """Epochs of descent: as many as asked for, or as rows of few entries take in some minutes."""
    if max_iter is not None:
        return int(max_iter)
    if not _has_few_entries(rows):
        return STEPS
    return int(np.clip(_MOST_VISITS / max(rows.matrix.nnz, 1), STEPS, _MOST_EPOCHS))


def most_visits(rows: ArrayRows) -> float:
    """Visits of rows by descent with the hinge that take as long as the steps of another solver."""
    if not squared_by_entries(rows):
        return np.inf
    of_factors = _ENTRIES_OF_FACTORS * float(n_factored(rows)) ** 3 / max(rows.matrix.nnz, 1)
    return rows.n_rows * (_EPOCHS_OF_STEPS + of_factors)


def n_factored(rows: ArrayRows) -> int:
    """The size of the matrix of a Newton step: columns, or rows where they are fewer or sparse and wide."""
    return rows.n_rows if rows.stays_sparse else min(rows.n_rows, rows.n_columns)


def _has_few_entries(rows: ArrayRows) -> bool:
    matrix = rows.matrix
    return rows.stays_sparse or (sparse.issparse(matrix) and matrix.nnz < _FEW_ENTRIES * rows.n_rows * rows.n_columns)
