"""Least squares of many columns that are hardly correlated, by conjugate gradients.

    (S + αI)w = c,      S = Σω(x − m)(x − m)′,      c = Σω(t − t̄)(x − m)

S is never formed: a pass over the rows gives Sp. With D the diagonal of S + αI and correlations no larger than chance
makes them, D^-½(S + αI)D^-½ = I + E with ‖E‖ about 2√(d/n), so each step of conjugate gradients preconditioned by D
divides the error by about √(n/d). A dozen passes are then right to ten digits, while the scatter takes d/2
multiplications for each number of the table.
"""

from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.compiled import PASSES
from discriminant.kernels.margins import add_product
from discriminant.linalg.conjugate_gradients import conjugate_gradients
from discriminant.linalg.metric import metric_of_scatter
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block, kernel_form
from discriminant.rows.threads import over_spans
from discriminant.statistics.correlations import mostly_chance

Array = NDArray[np.float64]

_COLUMNS_A_PASS = 24  # a pass takes the time of so many columns of the scatter
_TOLERANCE = 1e-10
_SPARE = 1.2  # passes made for each that is expected, before the scatter is taken instead
_MORE_THAN_COLUMNS = 100  # rows by which dependent columns are told from independent ones
_FAR_OFFSET = 10.0  # deviations from zero: products of rows with their offsets lose a digit


def hardly_correlated(rows: ArrayRows) -> bool:
    """Whether conjugate gradients are the quicker way, by the shape of the table and a few of its rows.

    Columns that determine one another do so in any few rows as well, if all rows count.
    """
    X, n, d = rows.matrix, rows.n_rows, rows.n_columns
    if sparse.issparse(X) or X.dtype != np.float64 or not X.flags.c_contiguous:
        return False
    if _SPARE * _expected_passes(n, d) > d // _COLUMNS_A_PASS:
        return False
    if not (rows.weights > 0).all():
        return False
    few = dense_block(X[np.linspace(0, n - 1, d + _MORE_THAN_COLUMNS).astype(np.intp)], 0, d + _MORE_THAN_COLUMNS)
    with np.errstate(over="ignore", invalid="ignore"):
        mean = few.mean(axis=0)
        Z = few - mean
        deviations = np.sqrt(np.einsum("ij,ij->j", Z, Z) / len(Z))
        usual = (deviations > 0) & np.isfinite(deviations) & (np.abs(mean) <= _FAR_OFFSET * deviations)
    if not usual.all():
        return False
    Z /= deviations
    correlations = Z.T @ Z
    return mostly_chance(correlations, len(Z)) and not metric_of_scatter(correlations).null.shape[1]


def _expected_passes(n: int, d: int) -> float:
    """How many passes it takes to the tolerance, at a factor of √(n/d) a pass."""
    return 2 * np.log(1 / _TOLERANCE) / np.log(n / d) if n > d else np.inf


def conjugate_weights(rows: ArrayRows, mean: Array, diagonal: Array, cross: Array, alpha: float) -> Array | None:
    """w of (S + αI)w = cross, given the diagonal of S; None where so many passes are needed that S is quicker."""
    diagonal = diagonal + alpha
    product = partial(_product, kernel_form(rows.matrix), rows.weights, mean, alpha)
    most = rows.n_columns // _COLUMNS_A_PASS
    found = conjugate_gradients(product, cross, lambda r: r / diagonal, _TOLERANCE, most)
    return found.x + found.step_left if found.reached else None


def _product(table: Array, omega: Array, mean: Array, alpha: float, p: Array) -> Array:
    """(S + αI)p, the rows as kernels take them."""
    along = np.append(p, -float(mean @ p))

    def of_span(start: int, stop: int) -> Array:
        total = np.zeros(along.size)
        add_product.suited_to(PASSES * table.size)(table[start:stop], omega[start:stop], along, total)
        return total

    sums = np.sum(over_spans(of_span, *table.shape), axis=0)
    return np.asarray(sums[:-1] - sums[-1] * mean + alpha * p)
