"""The pocket: of all weights the perceptron passes through, those that classify most rows right.

    after every update t: h(t) = Σ ω [c (w(t)·x − θ(t)) > 0];  keep w(t) if h(t) is larger than that of the kept

What is in the pocket does not change what is learnt, so updates are counted many at a time, a block of rows as one
matrix product. It is of cosines in single precision, and where those leave a sign open the row is scored anew in
double. Rows that weights often get wrong, those farthest on the wrong side of their mean, come first, and a count is
given up as soon as it has as many errors as the pocket. What is kept is what the plain rule keeps; where weights are
not whole numbers, a gain below 10⁻¹² of their sum is none.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.kernels.counting_errors import add_errors, count_errors
from discriminant.kernels.perceptron import KEPT, LONGEST, MISTAKES, RUN, STANDING, Log
from discriminant.optimise.sequential.perceptron import Observer
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]
Singles = NDArray[np.float32]

_LOG_NUMBERS = 1 << 20
_BLOCK_SCORES = 1 << 18
_WORTH_DROPPING = 0.75  # a count of all is quicker than picking out fewer of them
_REORDER_FACTOR = 8  # rows are put in a new order after so many times as many updates as the last time


class BestSoFar(Observer):
    """The weights with the fewest errors, among the start (if it is ``counted``) and those it is shown.

    ``errors``: the weight of the rows they get wrong; ``found_after``: the updates made until then. ``checks`` and
    ``rows_touched`` say what it cost (rows times weights they were scored with).
    """

    def __init__(self, row_order: RowOrder, sign: NDArray[np.int8], start: Array, *, counted: bool = True) -> None:
        self._row_order, self._sign = row_order, sign
        self._order = np.arange(row_order.codes.size, dtype=row_order.order.dtype)
        total = float(row_order.weight.sum()) if row_order.weight.size else float(self._order.size)
        self._least_gain = 1e-12 * total  # a smaller difference between two sums of weights is rounding
        self.w, self.errors, self.found_after = start.copy(), total, 0
        self.checks = self.rows_touched = 0
        if counted and start.any():  # zero weights get every row wrong
            self.errors, self.rows_touched = self._errors_of(start)

    def _errors_of(self, w: Array) -> tuple[float, int]:
        """The errors of one weight vector, given up at as many as the pocket's; and the rows it took."""
        row_order = self._row_order
        errors, touched = count_errors(row_order.table, self._sign, row_order.weight, self._order, w, self.errors)
        return float(errors), int(touched)

    def _offer(self, w: Array, errors: float, found_after: int) -> bool:
        """Keep what is strictly better; whether it was."""
        better = errors < self.errors - self._least_gain
        if better:
            self.w, self.errors, self.found_after = w.copy(), errors, found_after
        return better


class Pocket(BestSoFar):
    """Counts after every update."""

    def __init__(
        self, rows: ArrayRows, row_order: RowOrder, sign: NDArray[np.int8], start: Array, *, counted: bool = True
    ) -> None:
        super().__init__(row_order, sign, start, counted=counted)
        self.capacity = int(np.clip(_LOG_NUMBERS // start.size, 1, 512))
        self._directions = _directions(rows.matrix, sign, self._order)
        self._room = np.empty(_BLOCK_SCORES, np.float32)  # used again and again, for new memory takes time
        # roundings of both factors and of every sum, in units of 2⁻²⁴
        self._doubt = np.float32((start.size + 4) * 2.0**-24)
        few = not row_order.weight.size and self._order.size < 1 << 24  # numbers that singles hold, and add faster
        self._counted_as: Any = np.float32 if few else np.float64
        self._mean = np.zeros(start.size, np.float32)
        self._updates = 0
        self._next_order = 1

    def see(self, log: Log, n_visits: int) -> None:
        """Offer the weights after each update, in their order, where they have fewer errors."""
        weights = log.weights
        units = _units(weights)
        errors = self._count(weights, units)
        for k in np.flatnonzero(errors < self.errors):
            self._offer(weights[k], float(errors[k]), self._updates + int(k) + 1)
        self._updates += len(errors)
        self._mean += units.sum(axis=1)
        if self._updates >= self._next_order:
            self._next_order = _REORDER_FACTOR * self._updates
            self._put_hardest_first()

    def _count(self, weights: Array, units: Singles) -> Array:
        """The errors of each, where fewer than the pocket's; else any number not smaller."""
        self.checks += len(weights)
        found = np.empty(len(weights))
        errors = np.zeros(len(weights), self._counted_as)
        alive, start = np.arange(len(weights)), 0
        while start < self._order.size:
            stop = min(start + _BLOCK_SCORES // alive.size, self._order.size)
            cosines = self._cosines(start, stop, units)
            table, weight = self._row_order.table, self._row_order.weight
            add_errors(cosines, self._doubt, table, self._sign, weight, self._order, start, weights, errors)
            self.rows_touched += (stop - start) * alive.size
            start = stop
            going_on = errors < self.errors
            n_going_on = np.count_nonzero(going_on)
            if n_going_on == 0:
                break
            if n_going_on < _WORTH_DROPPING * alive.size:
                found[alive] = errors
                alive, errors, weights = alive[going_on], errors[going_on], weights[going_on]
                units = units.compress(going_on, axis=1)
        found[alive] = errors
        return found

    def _cosines(self, start: int, stop: int, units: Singles) -> Singles:
        """The cosines of rows start..stop with each direction."""
        part = self._directions[start:stop]
        if sparse.issparse(part):
            return np.ascontiguousarray(part @ units)
        return np.matmul(part, units, out=self._room[: len(part) * units.shape[1]].reshape(len(part), -1))

    def _put_hardest_first(self) -> None:
        places = np.argsort(self._directions @ self._mean)
        self._directions, self._order = self._directions[places], self._order[places]


class Ratchet(BestSoFar):
    """Gallant's short cut: count only when a run of right rows is longer than that of the pocket."""

    capacity = 0

    def begin(self, tally: NDArray[np.int64]) -> None:
        """Begin without a run of right rows."""
        tally[LONGEST] = 0

    def look(self, w: Array, tally: NDArray[np.int64]) -> None:
        """Count once for these weights; the pocket takes them, and their run, if they are better."""
        errors, touched = self._errors_of(w)
        self.checks += 1
        self.rows_touched += touched
        if self._offer(w, errors, int(tally[MISTAKES])):
            tally[LONGEST], tally[STANDING] = tally[RUN], KEPT


def _units(weights: Array) -> Singles:
    """Directions of weights in single precision, one a column; zeros stay zeros."""
    lengths = np.linalg.norm(weights, axis=1)
    return (weights.T / np.where(lengths > 0, lengths, 1.0)).astype(np.float32, order="C")


def _directions(matrix: Any, sign: NDArray[np.int8], order: NDArray[Any]) -> Any:
    """c(x, 1)/‖(x, 1)‖ of rows in order, in single precision, dense or sparse as they are."""
    c = sign[order].astype(np.float64)
    if sparse.issparse(matrix):
        rows = matrix[order]
        scale = c / np.sqrt(1.0 + rows.multiply(rows).sum(axis=1))
        signed = sparse.hstack([sparse.diags_array(scale) @ rows, sparse.csr_array(scale[:, None])], format="csr")
        return sparse.csr_array(signed, dtype=np.float32)
    directions = np.empty((order.size, matrix.shape[1] + 1), np.float32)
    for a in range(0, order.size, 4096):
        part = matrix[order[a : a + 4096]].astype(np.float64, copy=False)
        scale = c[a : a + 4096] / np.sqrt(1.0 + np.einsum("ij,ij->i", part, part))
        directions[a : a + 4096, :-1] = scale[:, None] * part
        directions[a : a + 4096, -1] = scale
    return directions
