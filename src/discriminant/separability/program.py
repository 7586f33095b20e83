"""A plane between two classes, or weights that prove there is none: a linear program on a few of the rows.

With v_i = c_i(x_i, 1), columns scaled, two programs are each other's dual:

    max t                 s.t.  u·v_i ≥ t,  |w_j| ≤ 1           (u = (w, −θ))
    min ‖Σ α_i c_i x_i‖₁  s.t.  α ≥ 0,  Σ α_i = ½ over each class

so solving one answers both. A positive optimum is a plane with every row strictly on its side; an optimum of zero makes
2α convex weights that give both classes the same mean. One of the two always exists, and never both (Gordan 1873).

Few rows decide. The program starts with the rows furthest on the wrong side of a cheap plane and takes in those its own
plane is wrong about, until it is wrong about none or weights on those few prove that no plane is right.
Some rows may be held on the plane, u·v_i = 0.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.optimize import linprog

from discriminant.rows.matrix import Matrix
from discriminant.separability.slab import slab_planes
from discriminant.separability.vectors import Array, Mask, Places, Vectors

_TOLERANCE = 1e-9
SECONDS = 60.0  # for one question, whatever its size
_ALL_AT_ONCE = 40  # rows; so few are no trouble together

Accept = Callable[[Array], bool]


class UndecidedError(ArithmeticError, ValueError):
    """Neither a plane nor a proof was found."""


@dataclass(frozen=True)
class Optimum:
    """The last program: its rows, u and t, and the multipliers of its rows."""

    places: Places
    u: Array
    t: float
    alpha: Array


def cheap_plane(vectors: Vectors, among: Places, held: Places, accept: Accept) -> tuple[Array, bool]:
    """The margins u·v_i of the rows ``among`` for a plane found by least squares, and whether it was accepted."""
    V = vectors.V if among.size == vectors.V.shape[0] else vectors.V[among]
    margins = np.zeros(among.size)
    for u, margins in slab_planes(V, vectors.V[held]):
        if margins.min() > 0 and accept(u):
            return margins, True
    return margins, False


def searched(
    vectors: Vectors,
    among: Places,
    held: Places,
    margins: Array,
    accept: Accept | None = None,
    *,
    sparsest: bool = False,
) -> Optimum:
    """The optimum over the rows ``among``, or the first u that is accepted where ``accept`` is given.

    A plane is offered for acceptance when in floats every row is on its side. The margins of a cheap plane say which
    rows to begin with. With ``sparsest`` the programs minimise ‖w‖₁ s.t. u·v_i ≥ 1 instead, which leaves most columns
    out.
    """
    V = vectors.V if among.size == vectors.V.shape[0] else vectors.V[among]
    solve = _sparsest if sparsest else _widest
    working = _start(margins, vectors.positive[among], V.shape[1])
    until = time.monotonic() + SECONDS
    while True:
        optimum = solve(V[working], vectors.V[held], until)
        margins = np.asarray(V @ optimum.u)
        if optimum.t > 0 and accept is not None and margins.min() > 0 and accept(optimum.u):
            break
        grown = _grown(working, margins, optimum.t, _portion(V.shape[1]))
        if optimum.t <= _TOLERANCE or grown.size == working.size:
            break
        working = grown
    return Optimum(among[working], optimum.u, optimum.t, optimum.alpha)


def _start(margins: Array, positive: Mask, m: int) -> Places:
    """Rows to begin with, of both classes, by the margins of a cheap plane."""
    if margins.size <= _ALL_AT_ONCE:
        return np.arange(margins.size)
    sides = (np.flatnonzero(positive), np.flatnonzero(~positive))
    furthest = [side[_least(margins[side], 4)] for side in sides]
    return np.unique(np.concatenate([*furthest, _by_slack(margins, _portion(m))]))


def _by_slack(margins: Array, most: int) -> Places:
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


def _least(values: Array, most: int) -> Places:
    """Where the smallest are."""
    return np.arange(values.size) if values.size <= most else np.argpartition(values, most)[:most]


def _grown(working: Places, margins: Array, t: float, most: int) -> Places:
    """The working rows, and those the plane is most wrong about."""
    wrong = np.flatnonzero(margins < t - _TOLERANCE)
    return np.union1d(working, wrong[_least(margins[wrong], most)])


# --- the programs ---------------------------------------------------------------------------------------


def _widest(V: Matrix, on_plane: Matrix, until: float) -> Optimum:
    """max t s.t. V u ≥ t, u·v = 0 for rows on the plane, |w_j| ≤ 1."""
    n, m = V.shape
    bounds = np.full((m + 1, 2), [-1.0, 1.0])
    bounds[-2:] = -np.inf, np.inf
    costs = np.append(np.zeros(m), -1.0)
    x, alpha = _solved(costs, _beside(-V, np.ones((n, 1))), np.zeros(n), _padded(on_plane), bounds, until)
    return Optimum(np.arange(n), x[:m], float(x[-1]), alpha)


def magnified(V: Matrix, on_plane: Matrix, margins: Array, held: Array, until: float) -> Optimum:
    """The step δ from a plane with these margins: max t s.t. margins + V δ ≥ t, held + u·δ = 0, |δ_j| ≤ 1024."""
    n, m = V.shape
    bounds = np.full((m + 1, 2), [-1024.0, 1024.0])
    bounds[-1] = -np.inf, np.inf
    costs = np.append(np.zeros(m), -1.0)
    x, alpha = _solved(costs, _beside(-V, np.ones((n, 1))), margins, _padded(on_plane), bounds, until, -held)
    return Optimum(np.arange(n), x[:m], float(x[-1]), alpha)


def _sparsest(V: Matrix, on_plane: Matrix, until: float) -> Optimum:
    """min Σ|w_j| s.t. V u ≥ 1, u·v = 0 for rows on the plane; u = (w⁺ − w⁻, −θ)."""
    n, m = V.shape
    bounds = np.full((2 * m - 1, 2), [0.0, np.inf])
    bounds[m - 1] = -np.inf, np.inf
    costs = np.append(np.ones(m - 1), np.append(0.0, np.ones(m - 1)))
    x, alpha = _solved(costs, -_beside(V, -V[:, :-1]), -np.ones(n), _beside(on_plane, -on_plane[:, :-1]), bounds, until)
    return Optimum(np.arange(n), np.append(x[: m - 1] - x[m:], x[m - 1]), 1.0, alpha)


def evened(V: Array) -> Array:
    """The weights with Σ α_i v_i = 0 and Σα = 1 whose smallest is largest: max s s.t. α ≥ s, by α = s + β."""
    k, m = V.shape
    equations = np.vstack([np.column_stack([V.T, V.sum(axis=0)]), np.append(np.ones(k), k)])
    bounds = np.full((k + 1, 2), [0.0, np.inf])
    found = linprog(
        np.append(np.zeros(k), -1.0), A_eq=equations, b_eq=np.append(np.zeros(m), 1.0), bounds=bounds, method="highs-ds"
    )
    return np.zeros(k) if found.x is None else np.asarray(found.x[:k] + found.x[-1])


def _solved(
    costs: Array, A: Matrix, b: Array, equal: Matrix, bounds: Array, until: float, right: Array | None = None
) -> tuple[Array, Array]:
    """x of min costs·x s.t. A x ≤ b, equal x = right (0 unless given), and the multipliers of the inequalities."""
    held = equal.shape[0] > 0
    found = linprog(
        costs,
        A_ub=A,
        b_ub=b,
        A_eq=equal if held else None,
        b_eq=(np.zeros(equal.shape[0]) if right is None else right) if held else None,
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


def _padded(on_plane: Matrix) -> Matrix:
    return _beside(on_plane, np.zeros((on_plane.shape[0], 1)))
