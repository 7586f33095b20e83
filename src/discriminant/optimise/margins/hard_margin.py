"""The maximal margin: the plane farthest from the rows of two classes.

    primal   min ½‖w‖²   s.t.  c(w·x + b) ≥ 1 for every row;      the margin is 1/‖w‖
    dual     max Σ α − ½‖Σ α c x‖²   s.t.  α ≥ 0,  Σ α c = 0

A small working set of rows is solved exactly, by an interior-point method and then the equations of the rows on the
edge; the rows its plane violates most join it, until none is left. Weights of rows do not matter.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.optimise.centred_rows import RowFrame
from discriminant.optimise.margins.active_set import settle
from discriminant.optimise.margins.interior_point import SlabProgram, follow, hard_departure
from discriminant.optimise.margins.slab import balanced
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


@dataclass(frozen=True)
class HardMargin:
    """The plane w·x + b = 0 farthest from both classes, and the α that prove it.

    ``support`` holds the rows with α > 0; ``gap`` is (primal − dual)/primal.
    """

    w: Array
    b: float
    margin: float
    alpha: Array
    support: Places
    primal: float
    dual: float
    gap: float
    n_iterations: int


def hard_margin(rows: ArrayRows, sign: NDArray[np.int8], start: Array | None = None) -> HardMargin:
    """The maximal margin between rows of sign +1 and −1; `InseparableError` where there is none.

    ``start`` (d + 1, intercept last) is a plane that separates: its lowest margins say which rows to begin with, and
    it leads to margins so small beside the numbers that without it they are taken for none.
    """
    frame, c = RowFrame.of(rows), sign.astype(np.float64)
    with single_threaded_blas():
        return _grown(frame, c, None if start is None else _of_unit_margin(frame, c, start))


def _of_unit_margin(frame: RowFrame, c: Array, start: Array) -> Array | None:
    """The multiple of a plane with margins from 1 on; None where rounding leaves rows on the wrong side."""
    along = 0.0 if frame.centre is None else float(frame.centre @ start[:-1])
    plane = np.append(start[:-1], start[-1] + along)
    least = float((c * frame.scores(plane)).min())
    return plane / least if least > 0.0 else None


def _grown(frame: RowFrame, c: Array, start: Array | None) -> HardMargin:
    """From a few rows to as many as it takes."""
    chosen = _first(frame, c, start)
    at_once = max(_FIRST_ROWS, 0 if frame.centre is None else 2 * (frame.matrix.shape[1] + 1))
    n_iterations = 0
    while True:
        plane, alpha, steps = _solved(frame, c, chosen, start)
        n_iterations += steps
        margin = c * frame.scores(plane)
        violated = np.flatnonzero(margin < 1.0 - _VIOLATED * (1.0 + margin.max()))
        new = np.setdiff1d(violated[np.argsort(margin[violated])][:at_once], chosen)
        if not new.size:
            full = np.zeros(c.size)
            full[chosen] = alpha
            return _certified(frame, c, plane / min(margin.min(), 1.0), full, n_iterations)
        chosen = np.concatenate([chosen, new])
        if frame.centre is None and chosen.size > _MOST_WIDE:
            raise ValueError(
                f"more than {_MOST_WIDE} of these wide sparse rows bear on the hard margin, too many for their inner "
                "products to be factored; pass a large finite C"
            )


def _first(frame: RowFrame, c: Array, start: Array | None) -> Places:
    """Rows to begin with: those with the lowest margins from the start, or from a rough plane."""
    if c.size <= 2 * _FIRST_ROWS:
        return np.arange(c.size)
    if start is not None:
        scores = frame.scores(start)
    elif frame.centre is None:
        towards = c / np.where(c > 0, np.count_nonzero(c > 0), np.count_nonzero(c < 0))
        scores = frame.scores(np.append(frame.combination(towards)[:-1], 0.0))
    else:
        sample = np.unique(np.linspace(0, c.size - 1, _SAMPLE_ROWS).astype(np.intp))
        few = frame.few(sample)
        plane = np.asarray(np.linalg.lstsq(few.augmented, c[sample], rcond=None)[0], np.float64)
        scores = frame.scores(few.plane(plane))
    order = np.argsort(c * scores, kind="stable")
    half = _FIRST_ROWS // 2
    return np.concatenate([order[c[order] > 0][:half], order[c[order] < 0][:half]])


def _solved(frame: RowFrame, c: Array, chosen: Places, start: Array | None) -> tuple[Array, Array, int]:
    """The plane and α of the chosen rows alone."""
    few = frame.few(chosen)
    unit = _power_of_two(np.abs(few.augmented[:, :-1]).max())
    if unit < _SMALLEST_UNIT:
        raise ValueError(
            f"no two rows differ by more than about {unit:.3g}, and ‖w‖² overflows; "
            "multiply the columns by a power of ten"
        )
    scale = np.append(np.full(few.augmented.shape[1] - 1, 1.0 / unit), 1.0)
    program = SlabProgram(few.augmented * scale, c[chosen], np.full(chosen.size, np.inf), np.zeros(scale.size))
    near = np.zeros(scale.size) if start is None else few.own(start) / scale
    path = follow(program, hard_departure(program, near), 1e-10)
    settled = settle(program, path) if program.margins(path.plane).min() > 0.0 else None
    plane, alpha = (path.plane, path.alpha) if settled is None else (settled.plane, np.maximum(settled.alpha, 0.0))
    least = program.margins(plane).min()
    if not (least > 0.5 and np.linalg.norm(plane[:-1]) * _LEAST_MARGIN < 1.0):
        raise InseparableError(chosen)
    return few.plane(plane * scale), alpha / unit / unit, path.n_iterations


def _certified(frame: RowFrame, c: Array, plane: Array, alpha: Array, n_iterations: int) -> HardMargin:
    """Of a plane that satisfies every row, and the best multiple of a feasible α: (Σα)²/(2‖Σαcx‖²)."""
    alpha = balanced(alpha, c)
    support = np.flatnonzero(alpha)
    direction = frame.combination_of(support, (alpha * c)[support])[:-1]
    multiple = float(alpha.sum()) / float(direction @ direction)
    w, b = frame.uncentred(plane)
    length = float(np.linalg.norm(w))
    primal, dual = 0.5 * length**2, 0.5 * multiple * float(alpha.sum())
    return HardMargin(
        w, b, 1.0 / length, multiple * alpha, support, primal, dual, (primal - dual) / primal, n_iterations
    )


def _power_of_two(size: float) -> float:
    return float(2.0 ** np.floor(np.log2(size))) if size > 0 else 1.0
