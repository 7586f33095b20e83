"""Many rows held on every plane without mistakes, found by one program.

A corner of the program of `discriminant.separability.program` holds few rows, so that faces grow row by row. Of some
rows T,

    max Σ t_i             s.t.  u·v_i ≥ t_i,  0 ≤ t_i ≤ 1
    min Σ max(0, 1 − α_i) s.t.  α ≥ 0,  Σ α_i v_i = 0

are each other's dual. Planes without mistakes add up to such planes, so the best of them has t = 1 wherever any has
t > 0; and the other rows, all that T holds, have α ≥ 1 at once (Konis 2007). Rows on the wrong side of u join T. At
last weights are wanted on no more of the held rows than it takes: on a basis of them, and what balances it.
"""

import time

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from discriminant.rows.matrix import Matrix
from discriminant.separability.certificates import independent
from discriminant.separability.program import Optimum
from discriminant.separability.vectors import Array, Mask, Places, Vectors

_EACH = 2  # rows of each class and column
_ROUNDS, _AT_ONCE = 10, 300
_MOST_ROWS, _MOST_ENTRIES = 6000, 2_000_000
_SECONDS = 20.0
_ROUNDING = 1e-7


def spread(vectors: Vectors, among: Places, known: Places) -> Optimum | None:
    """Weights on rows that span all those held by some of the rows ``among`` and known ones; None if that is long."""
    until = time.monotonic() + _SECONDS
    held = _held(vectors, among, known, until)
    if not held.size:
        return None
    basis = np.isin(held, held[independent(vectors, held).rows])
    alpha = _balanced(_uncentred(vectors, held), basis, until)
    return None if alpha is None else Optimum(held, np.zeros(0), 0.0, alpha)


def _held(vectors: Vectors, among: Places, known: Places, until: float) -> Places:
    """Rows held by one another: of known ones, unusual ones, and those that planes without them are wrong about."""
    chosen, held = np.union1d(known, _unusual(vectors, among)), known[:0]
    for _ in range(_ROUNDS):
        V = _uncentred(vectors, chosen)
        solved = None if chosen.size > _MOST_ROWS or V.nnz > _MOST_ENTRIES else _evenly(V, until)
        if solved is None:
            break
        alpha, u = solved
        held = chosen[alpha >= 1.0 - _ROUNDING]
        centred = np.append(u[:-1], u[-1] + _shift(vectors) @ u[:-1])
        wrong = among[np.asarray(vectors.V @ centred)[among] < -_ROUNDING]
        if not wrong.size:
            break
        chosen = np.union1d(chosen, wrong[np.unique(np.linspace(0, wrong.size - 1, _AT_ONCE).astype(np.intp))])
    return held


def _unusual(vectors: Vectors, among: Places) -> Places:
    """A few rows of each class for each column, where it is farthest from its mean: the rare ones of rare levels."""
    parts = [among[vectors.positive[among]], among[~vectors.positive[among]]]
    return np.unique(np.concatenate([_farthest(vectors.V[part][:, :-1], part) for part in parts if part.size]))


def _farthest(V: Matrix, places: Places) -> Places:
    if sparse.issparse(V):
        columns = V.tocsc()
        spans = zip(columns.indptr[:-1], columns.indptr[1:], strict=True)
        few = [columns.indices[a:b][_largest(np.abs(columns.data[a:b]))] for a, b in spans]
    else:
        means = V.mean(axis=0)
        few = [_largest(np.abs(V[:, j] - means[j])) for j in range(means.size)]
    return np.asarray(places[np.concatenate(few)])


def _largest(values: Array) -> Places:
    """Where the largest few are."""
    return np.arange(values.size) if values.size <= _EACH else np.argpartition(-values, _EACH)[:_EACH]


def _uncentred(vectors: Vectors, places: Places) -> Matrix:
    """The rows with columns that begin or end at zero left there: of indicators most numbers are then 0."""
    V = vectors.V[places]
    return V if sparse.issparse(V) else sparse.csr_array(V + V[:, -1:] * np.append(_shift(vectors), 0.0))


def _shift(vectors: Vectors) -> Array:
    return np.where(np.abs(vectors.middle) == vectors.scale, vectors.middle / vectors.scale, 0.0)


def _evenly(V: Matrix, until: float) -> tuple[Array, Array] | None:
    """α and u, by α = 1 + δ − β with δ ≥ 0, 0 ≤ β ≤ 1 and the least Σβ."""
    n = V.shape[0]
    bounds = np.vstack([np.full((n, 2), [0.0, np.inf]), np.full((n, 2), [0.0, 1.0])])
    right = -np.asarray(V.sum(axis=0)).ravel()
    found = _program(np.append(np.zeros(n), np.ones(n)), sparse.hstack([V.T, -V.T], format="csc"), right, bounds, until)
    return None if found is None else (1.0 + found[0][:n] - found[0][n:], -found[1])


def _balanced(V: Matrix, basis: Mask, until: float) -> Array | None:
    """The least Σα with Σ α_i v_i = 0, α ≥ 1 on the basis and α ≥ 0 elsewhere."""
    bounds = np.column_stack([np.where(basis, 1.0, 0.0), np.full(basis.size, np.inf)])
    found = _program(np.ones(basis.size), V.T.tocsc(), np.zeros(V.shape[1]), bounds, until)
    return None if found is None else found[0]


def _program(costs: Array, A: Matrix, b: Array, bounds: Array, until: float) -> tuple[Array, Array] | None:
    """x of min costs·x s.t. A x = b within bounds, and the multipliers of the equations; None if not found in time."""
    left = {"time_limit": max(until - time.monotonic(), 0.01)}
    found = linprog(costs, A_eq=A, b_eq=b, bounds=bounds, method="highs-ds", options=left)
    return None if found.status or found.x is None else (np.asarray(found.x), np.asarray(found.eqlin.marginals))
