"""The soft slab by dual coordinate descent: for many rows of many columns with few entries each.

    max Σ α − ½‖Σ α c x‖² − ½Σ δα²   s.t.  0 ≤ α ≤ cap,   and Σ α c = 0, because the intercept b is free

Without the last condition each α has its best value at once (`discriminant.kernels.dual_descent`). It is brought about
by proximal points: b is held near a centre b₀ by (b − b₀)²/(2ρ), which in the dual is a constant column √ρ
and b = b₀ + ρΣ α c; then b becomes the next centre. At the end Σ α c = 0.
"""

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.dual_descent import descend, row_squares
from discriminant.kernels.ordering import shuffle
from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.margins.slab import SlabLoss, SlabOptimum, certify
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import kernel_form

Array = NDArray[np.float64]

_FIRST_SPREAD = 0.3  # of the slopes, at which to look at the gap
_LONGEST_STAGE, _EARLY_LOOK = 100, 20  # epochs without a look; the first, where descent may have to give up


def dual_descent(
    rows: ArrayRows,
    sign: NDArray[np.int8],
    loss: SlabLoss,
    *,
    tolerance: float,
    max_epochs: int,
    most_visits: float = np.inf,
    seed: int = 0,
    intercept: bool = True,
) -> SlabOptimum:
    """Until the gap is below the tolerance, or for so many epochs; without ``intercept`` b = 0.

    It gives up where more than ``most_visits`` of rows are foreseen, if the gap goes on to fall as it did last.
    """
    centred = CentredRows.about_origin(rows.matrix)
    descent = _Descent(centred, sign, loss, seed, intercept)
    spread, longest = _FIRST_SPREAD, _LONGEST_STAGE if np.isinf(most_visits) else _EARLY_LOOK
    visits, gap = 0, 1.0  # with α = 0 the dual value is zero
    while True:
        descent.stage(spread, min(max_epochs, descent.epochs + longest))
        reached = descent.certify()
        if reached.gap <= tolerance or descent.epochs >= max_epochs:
            return reached
        if _visits_in_all(visits, descent.visits, reached.gap / gap, tolerance / reached.gap) > most_visits:
            return reached
        visits, gap, longest = descent.visits, reached.gap, _LONGEST_STAGE
        spread = descent.spread * min(max(0.1, tolerance / reached.gap), 0.5)
        descent.recentre()


def _visits_in_all(before: int, now: int, share: float, wanted: float) -> float:
    """Visits until the gap is the ``wanted`` share of itself, if as many as since ``before`` leave ``share`` of it."""
    return now + (now - before) * float(np.log(wanted) / np.log(share)) if share < 1.0 else np.inf


class _Descent:
    """The state between epochs, from α = 0 on; w has b last."""

    def __init__(
        self, centred: CentredRows, sign: NDArray[np.int8], loss: SlabLoss, seed: int, intercept: bool
    ) -> None:
        n, d = centred.matrix.shape
        self.centred, self.sign, self.loss, self.intercept = centred, sign, loss, intercept
        self.table = kernel_form(centred.matrix)
        # the constant column is as large as the largest column: a larger one would couple all rows and slow the descent
        self.rho = (float(centred.diagonal(np.ones(n))[:-1].max()) / n or 1.0) if intercept else 0.0
        squares = np.empty(n)
        row_squares(self.table, squares)
        self.softening = loss.softening
        self.steepness = squares + self.rho + self.softening
        self.order, self.state = np.arange(n), np.array([seed], np.uint64)
        # the margin of a row of zeros is zero whatever w is, so that its multiplier is at its cap
        self.alpha = np.where(self.steepness > 0.0, 0.0, loss.cap)
        self.w, self.slopes = np.zeros(d + 1), _unbounded()
        self.n_active, self.epochs, self.visits, self.spread = n, 0, 0, np.inf
        self.combined = self.w  # Σ α c (x, 1) when the gap was last looked at

    def stage(self, spread: float, max_epochs: int) -> None:
        """Epochs until the slopes of the active rows lie within a spread."""
        cap = self.loss.cap
        while self.epochs < max_epochs:
            self.visits += self.n_active
            shuffle(self.order, 0, self.n_active, self.state)
            self.n_active = descend(
                self.table,
                self.sign,
                cap,
                self.softening,
                self.steepness,
                self.rho,
                self.order,
                self.n_active,
                self.alpha,
                self.w,
                self.slopes,
            )
            self.epochs += 1
            self.spread = float(self.slopes[0] - self.slopes[1]) if self.n_active else 0.0
            if self.spread <= spread:
                return
            if self.slopes[0] <= 0.0:
                self.slopes[0] = np.inf
            if self.slopes[1] >= 0.0:
                self.slopes[1] = -np.inf

    def recentre(self) -> None:
        """b becomes the centre, w is what it was summed anew to for the gap, and every row is looked at again."""
        self.w[:-1] = self.combined[:-1]
        self.w[-1] = self.w[-1] + self.rho * self.combined[-1]
        self.n_active = self.order.size
        self.slopes[:] = _unbounded()

    def certify(self) -> SlabOptimum:
        """The plane of the present α with its best intercept."""
        c = self.sign.astype(np.float64)
        self.combined = self.centred.combination(self.alpha * c)
        w = self.combined[:-1]
        b = self.loss.intercept(self.centred.scores(np.append(w, 0.0)), c) if self.intercept else 0.0
        return certify(
            self.centred, c, self.loss, np.append(w, b), self.alpha, self.epochs, self.intercept, self.combined
        )


def _unbounded() -> Array:
    return np.array([np.inf, -np.inf])
