"""The maximal margin: the plane farthest from the rows of two classes.

    primal   min ½‖w‖²   s.t.  c(w·x + b) ≥ 1 for every row;      the margin is 1/‖w‖
    dual     max Σ α − ½‖Σ α c x‖²   s.t.  α ≥ 0,  Σ α c = 0

A small working set of rows is solved exactly, by an interior-point method and then the equations of the rows on the
edge; the rows its plane violates most join it, until none is left. Weights of rows do not matter.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins.active_set import solve_active_set
from discriminant.optimise.margins.interior_point import (
    AugmentedRows,
    SlabProgram,
    follow_path,
    hard_starting_point,
)
from discriminant.optimise.margins.slab import SlabOptimum, balance
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Places = NDArray[np.intp]

_VIOLATED = 1e-11
_FIRST_ROWS = 400  # also the least that join in a round
_SAMPLE_ROWS = 2000
_MOST_WIDE = 4000  # wide sparse rows in the working set
# A margin below this part of the largest number is lost in the rounding of that number.
_LEAST_MARGIN = 1e-13
# Below it ‖w‖² might overflow.
_SMALLEST_UNIT = 1e-130


class InseparableError(ValueError):
    """No plane separates these ``rows`` of the table, or only by less than rounding."""

    def __init__(self, rows: Places) -> None:
        super().__init__("no plane separates the two classes by more than rounding")
        self.rows = rows


def hard_margin(rows: ArrayRows, sign: NDArray[np.int8], start: Array | None = None) -> SlabOptimum:
    """The maximal margin between rows of sign +1 and −1; `InseparableError` where there is none.

    ``start`` (d + 1, intercept last) is a plane that separates: its lowest margins say which rows to begin with, and
    it leads to margins so small beside the numbers that without it they are taken for none.
    """
    centred, c = CentredRows.of(rows), sign.astype(np.float64)
    with single_threaded_blas():
        return _grow_working_set(centred, c, None if start is None else _of_unit_margin(centred, c, start))


def _of_unit_margin(centred: CentredRows, c: Array, start: Array) -> Array | None:
    """The multiple of a plane with margins from 1 on; None where rounding leaves rows on the wrong side."""
    plane = centred.centred_plane(start[:-1], start[-1])
    least = float((c * centred.scores(plane)).min())
    return plane / least if least > 0.0 else None


def _grow_working_set(centred: CentredRows, c: Array, start: Array | None) -> SlabOptimum:
    """Solve for a few rows, then for as many as it takes."""
    chosen = _first(centred, c, start)
    at_once = max(_FIRST_ROWS, 0 if centred.wide_sparse else 2 * (centred.matrix.shape[1] + 1))
    n_iterations = 0
    while True:
        plane, alpha, steps = _solve(centred, c, chosen, start)
        n_iterations += steps
        margin = c * centred.scores(plane)
        violated = np.flatnonzero(margin < 1.0 - _VIOLATED * (1.0 + margin.max()))
        new = np.setdiff1d(violated[np.argsort(margin[violated])][:at_once], chosen)
        if not new.size:
            full = np.zeros(c.size)
            full[chosen] = alpha
            return _certify(centred, c, plane / min(margin.min(), 1.0), full, n_iterations)
        chosen = np.concatenate([chosen, new])
        if centred.wide_sparse and chosen.size > _MOST_WIDE:
            raise ValueError(
                f"more than {_MOST_WIDE} of these wide sparse rows bear on the hard margin, too many for their inner "
                "products to be factored; pass a large finite C"
            )


def _first(centred: CentredRows, c: Array, start: Array | None) -> Places:
    """Rows to begin with: those with the lowest margins from the start, or from a rough plane."""
    if c.size <= 2 * _FIRST_ROWS:
        return np.arange(c.size)
    if start is not None:
        scores = centred.scores(start)
    elif centred.wide_sparse:
        towards = c / np.where(c > 0, np.count_nonzero(c > 0), np.count_nonzero(c < 0))
        scores = centred.scores(np.append(centred.combination(towards)[:-1], 0.0))
    else:
        sample = np.unique(np.linspace(0, c.size - 1, _SAMPLE_ROWS).astype(np.intp))
        few = centred.in_full(sample)
        plane = np.asarray(np.linalg.lstsq(few.augmented, c[sample], rcond=None)[0], np.float64)
        scores = centred.scores(few.to_user(plane))
    order = np.argsort(c * scores, kind="stable")
    half = _FIRST_ROWS // 2
    return np.concatenate([order[c[order] > 0][:half], order[c[order] < 0][:half]])


def _solve(centred: CentredRows, c: Array, chosen: Places, start: Array | None) -> tuple[Array, Array, int]:
    """The plane and α of the chosen rows alone."""
    few = centred.in_full(chosen)
    unit = _power_of_two(np.abs(few.augmented[:, :-1]).max())
    if unit < _SMALLEST_UNIT:
        raise ValueError(
            f"no two rows differ by more than about {unit:.3g}, and ‖w‖² overflows; "
            "multiply the columns by a power of ten"
        )
    scale = np.append(np.full(few.augmented.shape[1] - 1, 1.0 / unit), 1.0)
    rows = AugmentedRows(few.augmented * scale)
    program = SlabProgram(rows, c[chosen], np.full(chosen.size, np.inf), np.zeros(scale.size))
    near = np.zeros(scale.size) if start is None else few.from_user(start) / scale
    path = follow_path(program, hard_starting_point(program, near), 1e-10)
    solution = solve_active_set(program, path) if program.margins(path.plane).min() > 0.0 else None
    plane, alpha = (path.plane, path.alpha) if solution is None else (solution.plane, np.maximum(solution.alpha, 0.0))
    least = program.margins(plane).min()
    if not (least > 0.5 and np.linalg.norm(plane[:-1]) * _LEAST_MARGIN < 1.0):
        raise InseparableError(chosen)
    return few.to_user(plane * scale), alpha / unit / unit, path.n_iterations


def _certify(centred: CentredRows, c: Array, plane: Array, alpha: Array, n_iterations: int) -> SlabOptimum:
    """The optimum of a plane that satisfies every row, and the best multiple of a feasible α: (Σα)²/(2‖Σαcx‖²)."""
    alpha = balance(alpha, c)
    support = np.flatnonzero(alpha)
    direction = centred.take(support).combination((alpha * c)[support])[:-1]
    multiple = float(alpha.sum()) / float(direction @ direction)
    w, b = centred.user_plane(plane)
    primal, dual = 0.5 * float(w @ w), 0.5 * multiple * float(alpha.sum())
    return SlabOptimum(w, b, multiple * alpha, primal, dual, n_iterations)


def _power_of_two(size: float) -> float:
    return float(2.0 ** np.floor(np.log2(size))) if size > 0 else 1.0
