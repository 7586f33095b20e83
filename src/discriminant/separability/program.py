"""A plane between two classes, or weights that prove there is none: a linear program on a few of the rows.

With v_i = c_i(x_i, 1), columns scaled, two programs are each other's dual:

    max t                 s.t.  u·v_i ≥ t,  |w_j| ≤ 1           (u = (w, −θ))
    min ‖Σ α_i c_i x_i‖₁  s.t.  α ≥ 0,  Σ α_i = ½ over each class

so solving one answers both. A positive optimum is a plane with every row strictly on its side; an optimum of zero makes
2α convex weights that give both classes the same mean. One of the two always exists, and never both (Gordan 1873).

Few rows decide. The program starts with the rows furthest on the wrong side of a plane found by least squares and takes
in those its own plane is wrong about, until it is wrong about none or weights on those few prove that no plane is
right. The plane may have to contain some rows exactly, u·v_i = 0: those of the ``basis``.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from discriminant.rows.matrix import Matrix
from discriminant.separability.signed_rows import Array, Indices, Mask, SignedRows
from discriminant.separability.slab import slab_planes

SECONDS = 60.0  # for one question, whatever its size
_TOLERANCE = 1e-9
_ALL_AT_ONCE = 40  # rows: so few need no choice among them
_STEP = 1024.0  # the longest step of a magnified program

Accept = Callable[[Array], bool]


class UndecidedError(ArithmeticError, ValueError):
    """Neither a plane nor a proof was found; ``bounds`` of the largest t, where floats gave them."""

    def __init__(self, message: str, bounds: tuple[float, float] | None = None) -> None:
        super().__init__(message)
        self.bounds = bounds


@dataclass(frozen=True)
class Optimum:
    """The last program: its rows, u and t, and the multipliers of its rows."""

    indices: Indices
    u: Array
    t: float
    alpha: Array


def try_least_squares(signed: SignedRows, candidates: Indices, basis: Indices, accept: Accept) -> Array:
    """The margins u·v_i of the candidates for the last plane of a few steps of least squares: the first accepted."""
    margins = np.zeros(candidates.size)
    for u, margins in slab_planes(signed.V_of(candidates), signed.V[basis]):
        if margins.min() > 0 and accept(u):
            break
    return margins


def search(
    signed: SignedRows,
    candidates: Indices,
    basis: Indices,
    margins: Array,
    accept: Accept | None = None,
    *,
    sparsest: bool = False,
) -> Optimum:
    """The optimum over the candidates, or the first u that is accepted where ``accept`` is given.

    A plane is offered for acceptance when in floats every row is on its side. The margins of another plane say which
    rows to begin with. With ``sparsest`` the programs minimise ‖w‖₁ s.t. u·v_i ≥ 1 instead, which leaves most columns
    out.
    """
    V = signed.V_of(candidates)
    solve = _sparsest if sparsest else widest
    working = _first_rows(margins, signed.positive[candidates], V.shape[1])
    until = time.monotonic() + SECONDS
    while True:
        optimum = solve(V[working], signed.V[basis], until)
        margins = np.asarray(V @ optimum.u)
        if optimum.t > 0 and accept is not None and margins.min() > 0 and accept(optimum.u):
            break
        wrong = np.flatnonzero(margins < optimum.t - _TOLERANCE)
        grown = np.union1d(working, wrong[_smallest(margins[wrong], _portion(V.shape[1]))])
        if optimum.t <= _TOLERANCE or grown.size == working.size:
            break
        working = grown
    return Optimum(candidates[working], optimum.u, optimum.t, optimum.alpha)


def _first_rows(margins: Array, positive: Mask, m: int) -> Indices:
    """Rows of both classes to begin with, by the margins of another plane."""
    if margins.size <= _ALL_AT_ONCE:
        return np.arange(margins.size)
    sides = (np.flatnonzero(positive), np.flatnonzero(~positive))
    furthest = [side[_smallest(margins[side], 4)] for side in sides]
    return np.unique(np.concatenate([*furthest, _sample_by_slack(margins, _portion(m))]))


def _sample_by_slack(margins: Array, most: int) -> Indices:
    """Rows in proportion to their slack 1 − u·v_i.

    At the least of Σ max(0, 1 − u·v_i)² the slacks are weights with Σ slack·v_i = 0: where no plane separates, a
    sample of three times as many rows as columns nearly always proves it (Wendel 1962).
    """
    inside = np.flatnonzero(margins < 1.0)
    if inside.size <= most:
        return inside
    inside = inside[np.argsort(margins[inside])]
    reached = np.cumsum(1.0 - margins[inside])
    wanted = reached[-1] * (np.arange(most) + 0.5) / most
    return np.asarray(inside[np.searchsorted(reached, wanted).clip(max=inside.size - 1)])


def _portion(m: int) -> int:
    return 3 * min(m, 400)


def _smallest(values: Array, most: int) -> Indices:
    """Where the smallest few are."""
    return np.arange(values.size) if values.size <= most else np.argpartition(values, most)[:most]


# --- the programs ---------------------------------------------------------------------------------------


def widest(
    V: Matrix, on_plane: Matrix, until: float, margins: Array | None = None, basis_margins: Array | None = None
) -> Optimum:
    """max t s.t. V u ≥ t, u·v = 0 for rows on the plane, |w_j| ≤ 1.

    With margins, those of a plane that is to be moved by a step u: max t s.t. margins + V u ≥ t, basis margins + u·v =
    0, |u_j| ≤ 1024.
    """
    n, m = V.shape
    bounds = np.full((m + 1, 2), [-_STEP, _STEP])
    if margins is None:
        bounds[: m - 1], bounds[m - 1] = (-1.0, 1.0), (-np.inf, np.inf)
    bounds[m] = -np.inf, np.inf
    right = np.zeros(n) if margins is None else margins
    equal = np.zeros(on_plane.shape[0]) if basis_margins is None else -basis_margins
    columns = _beside(-V, np.ones((n, 1))), _beside(on_plane, np.zeros((on_plane.shape[0], 1)))
    x, alpha = _solve(np.append(np.zeros(m), -1.0), columns[0], right, columns[1], equal, bounds, until)
    return Optimum(np.arange(n), x[:m], float(x[-1]), alpha)


def _sparsest(V: Matrix, on_plane: Matrix, until: float) -> Optimum:
    """min Σ|w_j| s.t. V u ≥ 1, u·v = 0 for rows on the plane; u = (w⁺ − w⁻, −θ)."""
    n, m = V.shape
    bounds = np.full((2 * m - 1, 2), [0.0, np.inf])
    bounds[m - 1] = -np.inf, np.inf
    costs = np.append(np.ones(m - 1), np.append(0.0, np.ones(m - 1)))
    rows, equal = (_beside(A, -A[:, :-1]) for A in (V, on_plane))
    x, alpha = _solve(costs, -rows, -np.ones(n), equal, np.zeros(equal.shape[0]), bounds, until)
    return Optimum(np.arange(n), np.append(x[: m - 1] - x[m:], x[m - 1]), 1.0, alpha)


def even_weights(V: Array) -> Array:
    """The weights with Σ α_i v_i = 0 and Σα = 1 whose smallest is largest: max s s.t. α ≥ s, by α = s + β."""
    k, m = V.shape
    equations = np.vstack([np.column_stack([V.T, V.sum(axis=0)]), np.append(np.ones(k), k)])
    found = linprog(np.append(np.zeros(k), -1.0), A_eq=equations, b_eq=np.append(np.zeros(m), 1.0), method="highs-ds")
    return np.zeros(k) if found.x is None else np.asarray(found.x[:k] + found.x[-1])


def _solve(
    costs: Array, A: Matrix, b: Array, equal: Matrix, right: Array, bounds: Array, until: float
) -> tuple[Array, Array]:
    """x of min costs·x s.t. A x ≤ b, equal x = right, and the multipliers of the inequalities."""
    found = linprog(
        costs,
        A_ub=A,
        b_ub=b,
        A_eq=equal if right.size else None,
        b_eq=right if right.size else None,
        bounds=bounds,
        method="highs-ds",  # a simplex ends in a corner, where few rows have weight
        options={
            "primal_feasibility_tolerance": _TOLERANCE,
            "dual_feasibility_tolerance": _TOLERANCE,
            "time_limit": max(until - time.monotonic(), 0.01),
        },
    )
    if found.status == 1:
        raise UndecidedError(
            f"whether a plane separates the classes was not decided in {SECONDS:.0f} seconds; ask it of fewer "
            "columns, or fit what does not need to know (LinearSVM with a finite C, LogisticRegression with alpha > 0)"
        )
    if found.x is None:
        raise UndecidedError(
            "whether a plane separates the classes was not decided: the numbers differ too much in size (the linear "
            f"program says: {found.message}); subtract an offset from the columns, or divide them by powers of ten"
        )
    return np.asarray(found.x), -np.asarray(found.ineqlin.marginals)


def _beside(left: Matrix, right: Matrix) -> Matrix:
    if sparse.issparse(left):
        return sparse.hstack([left, sparse.csr_array(right)], format="csr")
    return np.hstack([left, right])
