"""The soft margin with the hinge loss, exactly, for many rows of few columns.

    primal   min over w, b:  ½‖w‖² + Σ u max(0, 1 − m),      m = c(w·x + b),   u = C ω
    dual     max over α:     Σ α − ½‖Σ α c x‖²   s.t.  Σ α c = 0,  0 ≤ α ≤ u

Most rows lie far outside the slab, where α = 0, or far inside, where α = u, and only which of the two matters. So a
sample of the rows is solved first (itself in this way); its plane says for all rows but a band about the slab's edge
where they lie; the band is solved with the others held fixed; rows that turn out to lie on the other side than they
were held join the band, until there are none. That is the optimum of all rows.
"""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins.active_set import solve_active_set
from discriminant.optimise.margins.interior_point import (
    AugmentedRows,
    SlabProgram,
    follow_path,
    hard_starting_point,
    starting_point,
)
from discriminant.optimise.margins.parabolas import least_of_parabolas
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum, certify
from discriminant.optimise.margins.soft_slab import SoftSlab
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_SOLVED_AT_ONCE = 4000
_ROWS_A_COLUMN = 20  # at least, in what is solved at once
_SAMPLED = 8  # one of so many
_BAND = 3.0  # in units of the uncertainty √((d + 1)/m) of a plane learnt from m rows
_MOST_ROUNDS = 30
_MOST_WIDE = 2500  # rows of more columns than that, whose inner products are factored
_ROUNDING = 1e-11
# Gaps at which to stop: for a sample; and to look which rows lie on the edge, sooner or later, with how many changes
# of the sets: far from the optimum many of them would come to no rest.
_ROUGH = 1e-5
_EVER_NEARER = {1e-4: 3, 1e-7: 3, 1e-10: 40, 1e-12: 40, 1e-14: 40}
# Steps of the squared hinge to where the path begins: they take half as long as those along it, and of three of them
# it is as short as of ten. Rows of more numbers than that leave the cache.
_FIRST_PARABOLAS, _FEW_NUMBERS = 3, 1 << 18


def fit_hinge(slab: SoftSlab, sign: NDArray[np.int8]) -> SlabOptimum:
    """The optimum of rows with signs c."""
    centred, u, c = slab.centred, slab.u, sign.astype(np.float64)
    with single_threaded_blas():
        solved = _solve_all(centred, c, u)
        return certify(centred, c, SlabLoss(u), solved.plane, solved.alpha, solved.n_iterations)


def finish_from(slab: SoftSlab, sign: NDArray[np.int8], near: SlabOptimum) -> SlabOptimum:
    """The optimum, found from one that is near, or that one where too many rows of too many columns are in doubt."""
    centred, u, c = slab.centred, slab.u, sign.astype(np.float64)
    free = int(np.count_nonzero((near.alpha > 0) & (near.alpha < u)))
    plane = centred.centred_plane(near.w, near.b)
    begun = _Solution(plane, near.alpha, near.n_iterations)
    with single_threaded_blas():
        solved = _widen_band(centred, c, u, begun, free + free // 5 + 50, rough=False)
        exact = certify(centred, c, SlabLoss(u), solved.plane, solved.alpha, solved.n_iterations)
    return min(near, exact, key=lambda one: abs(one.gap))


@dataclass(frozen=True)
class _Solution:
    """(w, b), α of every row, and the Newton steps it took."""

    plane: Array
    alpha: Array
    n_iterations: int


def _solve_all(centred: CentredRows, c: Array, cap: Array, rough: bool = False) -> _Solution:
    """Solve for all rows at once where they are few, else from a sample of them, whose optimum may be ``rough``."""
    n, d = centred.matrix.shape
    at_once = max(_SOLVED_AT_ONCE, _ROWS_A_COLUMN * (d + 1))
    if n <= at_once:
        few, rows = _program_rows(centred, slice(None))
        program = SlabProgram(rows, c, cap, np.zeros(few.coordinates.shape[1] + 1))
        own, alpha, n_iterations = _solution(program, _first_plane(program), rough)
        return _Solution(few.to_user(own), np.clip(alpha, 0.0, cap), n_iterations)
    sample, share = _sample(c, cap, max(n // _SAMPLED, at_once))
    near = _solve_all(centred.take(sample), c[sample], share, rough=True)
    uncertain = int(_BAND * n * np.sqrt((d + 1) / sample.size))
    return _widen_band(centred, c, cap, near, uncertain, rough)


def _program_rows(centred: CentredRows, chosen: Places | slice) -> tuple[SubspaceRows, AugmentedRows | CentredRows]:
    """Some rows as a program takes them, and the coordinates in which it does: as entries where that is less work."""
    if centred.by_entries:
        part = centred.take(chosen)
        return SubspaceRows(part.matrix), part
    few = centred.in_full(chosen)
    return few, AugmentedRows(few.augmented)


def _first_plane(program: SlabProgram) -> Array:
    """A plane to begin at, near that of the squared hinge, where it is had for a few products of small matrices."""
    nothing = np.zeros_like(program.pull)
    if not isinstance(program.rows, AugmentedRows) or program.rows.Z.size > _FEW_NUMBERS:
        return nothing
    ridge = np.ones_like(nothing)
    ridge[-1] = 0.0
    bottom = least_of_parabolas(program.rows.Z, program.sign, program.cap, ridge, _FIRST_PARABOLAS)
    return nothing if bottom is None or not np.isfinite(bottom.u).all() else bottom.u


def _sample(c: Array, cap: Array, m: int) -> tuple[Places, Array]:
    """About m random rows, of each class its share but some at least, with caps that add up to those of the class."""
    random = np.random.default_rng(0)
    parts, shares = [], []
    for side in (-1.0, 1.0):
        own = np.flatnonzero(c == side)
        wanted = min(own.size, max(m * own.size // c.size, _SOLVED_AT_ONCE // 4))
        chosen = own if wanted == own.size else own[np.unique(random.integers(0, own.size, wanted))]
        parts.append(chosen)
        shares.append(cap[chosen] * (cap[own].sum() / cap[chosen].sum()))
    return np.concatenate(parts), np.concatenate(shares)


def _widen_band(centred: CentredRows, c: Array, cap: Array, near: _Solution, uncertain: int, rough: bool) -> _Solution:
    """Go to the optimum from a plane near it, and from the number of rows that may be in question."""
    solved, n_iterations = near, near.n_iterations
    wide = centred.wide_sparse or centred.matrix.shape[1] > _MOST_WIDE
    beyond = c * centred.scores(near.plane) - 1.0
    band = _nearest(beyond, uncertain)
    for k in range(_MOST_ROUNDS):
        if wide and band.size > _MOST_WIDE:
            break
        inside = beyond < 0.0
        inside[band] = False
        if not _can_balance(c, cap, band, inside):
            band = _nearest(beyond, 4 * band.size)
            continue
        solved = _solve_band(centred, c, cap, near.plane, band, inside, rough)
        n_iterations += solved.n_iterations
        moved = c * centred.scores(solved.plane) - 1.0
        slack = _ROUNDING * (1.0 + float(np.abs(moved).max()))
        astray = np.where(inside, moved > slack, moved < -slack)
        astray[band] = False
        n_astray = int(np.count_nonzero(astray))
        if n_astray <= (band.size // 10 if rough else 0):
            break
        if n_astray > band.size:  # the band was too narrow to hold the plane
            band = _nearest(beyond, 4 * band.size)
            continue
        near, beyond = solved, moved
        band = _band_with(astray, beyond, band, solved.alpha, cap, keep=k > 2)
    return replace(solved, n_iterations=n_iterations)


def _band_with(astray: NDArray[np.bool_], beyond: Array, band: Places, alpha: Array, cap: Array, keep: bool) -> Places:
    """The rows astray, all nearer to the edge than half of these, and of the old band what is at no bound (or all)."""
    near = np.abs(beyond) <= float(np.median(np.abs(beyond[astray])))
    near[astray] = True
    near[band] |= keep | ((alpha[band] > 0) & (alpha[band] < cap[band]))
    return np.flatnonzero(near)


def _can_balance(c: Array, cap: Array, band: Places, inside: NDArray[np.bool_]) -> bool:
    """Whether the band can bring Σ α c to zero."""
    h, own, signs = float((c * cap)[inside].sum()), cap[band], c[band]
    return bool(-own[signs > 0].sum() <= h <= own[signs < 0].sum())


def _nearest(beyond: Array, count: int) -> Places:
    if count >= beyond.size:
        return np.arange(beyond.size)
    return np.argpartition(np.abs(beyond), count)[:count]


def _solve_band(
    centred: CentredRows, c: Array, cap: Array, plane: Array, band: Places, inside: NDArray[np.bool_], rough: bool
) -> _Solution:
    """The band solved with the rows inside at α = u and the others at α = 0."""
    few, rows = _program_rows(centred, band)
    held = np.where(inside, cap, 0.0)
    fixed = centred.combination(held * c) if inside.any() else np.zeros(plane.size)
    pull = few.from_user(fixed)
    unseen = fixed - few.to_user(pull) if few.space is not None else np.zeros(plane.size)
    program = SlabProgram(rows, c[band], cap[band], pull, float(held.sum() - 0.5 * unseen @ unseen))
    own, alpha, n_iterations = _solution(program, few.from_user(plane), rough)
    held[band] = np.clip(alpha, 0.0, cap[band])
    # the part of g perpendicular to the band's rows is a part of w all the same
    return _Solution(few.to_user(own) + unseen, held, n_iterations)


def _solution(program: SlabProgram, plane: Array, rough: bool) -> tuple[Array, Array, int]:
    """Near the optimum, or at it."""
    paths = []
    for begin in (starting_point, hard_starting_point):  # the second for caps far above any α
        path = begin(program, plane)
        for tolerance, changes in ((_ROUGH, 0),) if rough else _EVER_NEARER.items():
            path = follow_path(program, path, tolerance)
            solution = None if rough else solve_active_set(program, path, changes)
            if solution is not None:
                return solution.plane, solution.alpha, path.n_iterations
        paths.append(path)
        if path.converged or rough:
            break
    best = min(paths, key=lambda path: program.primal(path.plane, program.margins(path.plane)))
    return best.plane, best.alpha, best.n_iterations
