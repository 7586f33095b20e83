"""Many rows that are on every plane without mistakes, found by one program.

A corner of the program of `discriminant.separability.program` has few rows, so that faces grow row by row. Of some
rows T,

    max Σ t_i             s.t.  u·v_i ≥ t_i,  0 ≤ t_i ≤ 1
    min Σ max(0, 1 − α_i) s.t.  α ≥ 0,  Σ α_i v_i = 0

are each other's dual. Planes without mistakes add up to such planes, so the best of them has t = 1 wherever any has
t > 0; and the other rows, the whole face of T, have α ≥ 1 at once (Konis 2007). Rows on the wrong side of u join T. At
last weights are wanted on no more rows of the face than it takes: on a basis of them, and what balances it.
"""

import time

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from discriminant.rows.matrix import Matrix
from discriminant.separability.certificates import echelon_of
from discriminant.separability.program import Optimum
from discriminant.separability.signed_rows import Array, Indices, Mask, SignedRows

_EACH = 2  # rows of each class and column
_ROUNDS, _AT_ONCE = 10, 300
_MOST_ROWS, _MOST_ENTRIES = 6000, 2_000_000
_SECONDS = 20.0
_ROUNDING = 1e-7


def maximal_face(signed: SignedRows, candidates: Indices, known: Indices) -> Optimum | None:
    """Weights on rows that span the face of some of the candidates and of known rows; None if that is long."""
    until = time.monotonic() + _SECONDS
    face = _rows_of_face(signed, candidates, known, until)
    if not face.size:
        return None
    basis = np.isin(face, face[echelon_of(signed, face).rows])
    alpha = _balance(_rows_without_centring(signed, face), basis, until)
    return None if alpha is None else Optimum(face, np.zeros(0), 0.0, alpha)


def _rows_of_face(signed: SignedRows, candidates: Indices, known: Indices, until: float) -> Indices:
    """The face of known rows, unusual ones, and those that planes without them are wrong about."""
    chosen, face = np.union1d(known, _unusual_rows(signed, candidates)), known[:0]
    for _ in range(_ROUNDS):
        V = _rows_without_centring(signed, chosen)
        solution = None if chosen.size > _MOST_ROWS or V.nnz > _MOST_ENTRIES else _weigh_evenly(V, until)
        if solution is None:
            break
        alpha, u = solution
        face = chosen[alpha >= 1.0 - _ROUNDING]
        centred = np.append(u[:-1], u[-1] + _shift(signed) @ u[:-1])
        wrong = candidates[np.asarray(signed.V @ centred)[candidates] < -_ROUNDING]
        if not wrong.size:
            break
        chosen = np.union1d(chosen, wrong[np.unique(np.linspace(0, wrong.size - 1, _AT_ONCE).astype(np.intp))])
    return face


def _unusual_rows(signed: SignedRows, candidates: Indices) -> Indices:
    """A few rows of each class for each column, where it is farthest from its mean: the rare ones of rare levels."""
    positive = signed.positive[candidates]
    few = [_farthest(signed.V[part][:, :-1], part) for part in (candidates[positive], candidates[~positive])]
    return np.unique(np.concatenate(few))


def _farthest(V: Matrix, indices: Indices) -> Indices:
    if not indices.size:
        return indices
    if sparse.issparse(V):
        columns = V.tocsc()
        spans = zip(columns.indptr[:-1], columns.indptr[1:], strict=True)
        few = [columns.indices[a:b][_largest(np.abs(columns.data[a:b]))] for a, b in spans]
    else:
        few = [_largest(np.abs(column - column.mean())) for column in V.T]
    return np.asarray(indices[np.concatenate(few)])


def _largest(values: Array) -> Indices:
    """Where the largest few are."""
    return np.arange(values.size) if values.size <= _EACH else np.argpartition(-values, _EACH)[:_EACH]


def _rows_without_centring(signed: SignedRows, indices: Indices) -> Matrix:
    """The rows with columns that begin or end at zero left there: of indicators most numbers are then 0."""
    V = signed.V[indices]
    return V if sparse.issparse(V) else sparse.csr_array(V + V[:, -1:] * np.append(_shift(signed), 0.0))


def _shift(signed: SignedRows) -> Array:
    return np.where(np.abs(signed.middle) == signed.scale, signed.middle / signed.scale, 0.0)


def _weigh_evenly(V: Matrix, until: float) -> tuple[Array, Array] | None:
    """α and u, by α = 1 + δ − β with δ ≥ 0, 0 ≤ β ≤ 1 and the least Σβ."""
    n = V.shape[0]
    upper = np.append(np.full(n, np.inf), np.ones(n))
    costs, A = np.append(np.zeros(n), np.ones(n)), sparse.hstack([V.T, -V.T], format="csc")
    found = _solve(costs, A, -np.asarray(V.sum(axis=0)).ravel(), np.zeros(2 * n), upper, until)
    return None if found is None else (1.0 + found[0][:n] - found[0][n:], -found[1])


def _balance(V: Matrix, basis: Mask, until: float) -> Array | None:
    """The least Σα with Σ α_i v_i = 0, α ≥ 1 on the basis and α ≥ 0 elsewhere."""
    n, m = V.shape
    found = _solve(np.ones(n), V.T.tocsc(), np.zeros(m), basis.astype(float), np.full(n, np.inf), until)
    return None if found is None else found[0]


def _solve(costs: Array, A: Matrix, b: Array, lower: Array, upper: Array, until: float) -> tuple[Array, Array] | None:
    """x of min costs·x s.t. A x = b within bounds, and the multipliers of the equations; None if not found in time."""
    left = {"time_limit": max(until - time.monotonic(), 0.01)}
    bounds = np.column_stack([lower, upper])
    found = linprog(costs, A_eq=A, b_eq=b, bounds=bounds, method="highs-ds", options=left)
    return None if found.status or found.x is None else (np.asarray(found.x), np.asarray(found.eqlin.marginals))
