"""Novikoff's bound on the mistakes of a perceptron that starts at zero.

    updates ≤ (R/γ)²,   R = max ‖(x, 1)‖,   γ = max over ‖u‖ = 1 of min c u·(x, 1)

(without an intercept with (x, 0) in the place of (x, 1)).

γ is found exactly: u/γ is the shortest v with c v·(x, 1) ≥ 1 for every row, a least-distance problem, which Lawson and
Hanson turn into non-negative least squares; rows that its answer violates are added until none is left.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import nnls

from discriminant.rows import read_rows
from discriminant.rows.matrix import Matrix, dense_block

Array = NDArray[np.float64]

_VIOLATED = 1e-9
_INSEPARABLE = 1e-10
_MOST_AT_ONCE = 200  # rows added in a round


@dataclass(frozen=True)
class NovikoffBound:
    """R, γ and (R/γ)², beside the ``updates`` a perceptron really made (None where none is looked at)."""

    radius: float
    margin: float
    updates: int | None = None

    @property
    def bound(self) -> float:
        """(R/γ)²."""
        return (self.radius / self.margin) ** 2

    def __str__(self) -> str:
        made = "" if self.updates is None else f"{self.updates} updates made; "
        return f"{made}at most (R/γ)² = ({self.radius:.4g}/{self.margin:.4g})² = {self.bound:.4g}"


def novikoff_bound(X: Any, y: Any = None, *, intercept: bool = True) -> NovikoffBound:
    """The bound for two separable classes; ValueError where they are not.

    >>> str(novikoff_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]))
    'at most (R/γ)² = (1.732/0.2425)² = 51'
    """
    rows = read_rows(X, y)
    rows.refuse_extremes()
    if rows.classes.size != 2:
        raise ValueError(f"Novikoff's bound is for two classes, got {rows.classes.tolist()}")
    c = rows.signs(1).astype(np.float64)
    squares = rows.matrix.power(2) if sparse.issparse(rows.matrix) else rows.matrix.astype(np.float64) ** 2
    constant = 1.0 if intercept else 0.0
    radius = float(np.sqrt(constant + np.asarray(squares.sum(axis=1)).max()))
    return NovikoffBound(radius, radius / float(np.linalg.norm(_shortest(rows.matrix, c, radius, constant))))


def _shortest(matrix: Matrix, c: Array, radius: float, constant: float) -> Array:
    """The shortest v with c v·(x, constant)/R ≥ 1 for every row."""
    at_once = min(4 * (matrix.shape[1] + 1), _MOST_AT_ONCE)
    chosen = np.arange(min(len(c), at_once))
    while True:
        few = np.column_stack([dense_block(matrix[chosen], 0, len(chosen)), np.full(len(chosen), constant)])
        v = _shortest_of_few(c[chosen, None] * few / radius)
        margins = c * (matrix @ v[:-1] + constant * v[-1]) / radius
        violated = np.flatnonzero(margins < 1 - _VIOLATED)
        new = np.setdiff1d(violated[np.argsort(margins[violated])][:at_once], chosen)
        if not new.size:
            return v
        chosen = np.concatenate([chosen, new])


def _shortest_of_few(Z: Array) -> Array:
    E = np.vstack([Z.T, np.ones(len(Z))])
    f = np.append(np.zeros(Z.shape[1]), 1.0)
    turned, R = np.linalg.qr(E)  # ‖Eu − f‖ without the many rows of E: nnls goes over all of them at each step
    u, _ = nnls(R, turned.T @ f, maxiter=50 * len(Z))
    r = E @ u - f
    if np.linalg.norm(r) < _INSEPARABLE:
        raise ValueError(
            "the classes are not separable by a plane (or by less than 1e-10 of the longest row), so the perceptron's "
            "updates have no bound"
        )
    return np.asarray(-r[:-1] / r[-1])
