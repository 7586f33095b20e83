"""A penalised criterion of wide sparse rows, minimised over coefficients of the rows: w = X′a.

    F(a, b) = ½α a′Ka + Σ ω ℓ(c(Ka + b + o)),    K = XX′

Where the gradient αw + X′s is zero, w is a combination of the rows. So n + 1 numbers stand for the d + 1 weights, every
score is linear in them, and a line search reads no row. Newton's equations for a step w = X′v, with curvatures h of the
rows and q = αa + s,

    αv + h(Kv + β) = −q,    Σ h(Kv + β) = −Σ s,

are solved roughly by conjugate gradients in the metric of w, one product with K each. Where these need more work than a
Cholesky factor of the rows that have curvature (of the squared hinge those inside the slab), the factor is taken.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve

from discriminant.kernels.margins import add_rows, score_rows
from discriminant.linalg.gram import GramWork, gram
from discriminant.losses import SQUARED_HINGE
from discriminant.optimise.line_search import flat_point
from discriminant.rows.matrix import kernel_form
from discriminant.statistics.margin_risk import MarginRisk

Array = NDArray[np.float64]

_ENTRY_WORK = 2.0  # nanoseconds for an entry of the rows in a product with K, which reads each twice
_ROUGHEST = (
    1.0  # how much of the fall by a step its last part, times the number of parts, may bring (Nash and Sofer 1990)
)
_MOST_RISES = 4  # full steps that bring no fall, before each is made as long as is best
_FAR_TOO_HIGH = 2.0  # times F before a full step, beyond which another parabola is no way back
_STALLED = 3  # steps that bring no fall that could be seen
_ROUNDING = 1e-10  # of the score of a typical row
_SEEN = 1e-15


@dataclass
class RowCoefficients:
    """A point (a, b) of the criterion, with what is known there."""

    risk: MarginRisk
    tolerance: float
    max_iterations: int
    gap: float  # between F and the dual value, relative, at which there is nothing left to do
    intercept: bool = True  # whether b is free, or held at zero
    a: Array = field(init=False)
    b: float = 0.0
    scores: Array = field(init=False)  # Ka, without b
    step_left: float = np.inf
    n_iterations: int = 0

    def __post_init__(self) -> None:
        rows = self.risk.rows
        self.a, self.scores = np.zeros(rows.n_rows), np.zeros(rows.n_rows)
        self._table, self._sums = kernel_form(rows.matrix), np.zeros(rows.n_columns + 1)
        self._entries = np.diff(rows.matrix.indptr)
        self._n_entries, self._gram_work = max(int(rows.matrix.nnz), 1), GramWork.of(rows.matrix)
        self._factors, self._rises, self.lost = False, 0, False
        self._in_parabolas = self.risk.loss is SQUARED_HINGE
        self._look(self.scores, 0.0)

    def descend(self) -> None:
        """Newton steps until the gap is reached, or one changes the score of a typical row by less than the tolerance.

        ``lost`` where the penalty, and with it a step downhill, is lost in the rounding of the products of large rows.

        F exceeds the dual value at the slopes s by q′Kq/2α, and its minimum by no more.
        """
        stalled = 0
        while stalled < _STALLED and self.n_iterations < self.max_iterations:
            q = self.risk.penalty * self.a + self._slopes
            Kq = self._product(q)
            if self._left(q, Kq, float(self._slopes.sum())) <= 2.0 * self.gap * self._value:
                self.step_left = 0.0
            if self.step_left <= self.tolerance:
                return
            step = self._newton_step(q, Kq)
            if step is None or self._uphill(step):
                self.lost = True
                return
            self.step_left = float(np.sqrt(max(-step.slope, 0.0) / self.risk.total_weight))
            before = self._value
            self._move(step)
            if self.step_left <= self.tolerance:
                return
            stalled = stalled + 1 if abs(before - self._value) <= _SEEN * before else 0

    def _left(self, r: Array, Kr: Array, rb: float) -> float:
        """The square of X′r and of what pulls at b, in the metric of the penalty and of the curvature by b."""
        return float(r @ Kr) / self.risk.penalty + rb * rb / self._stiffness

    @property
    def weights(self) -> Array:
        """(w, b) in the units of the columns."""
        return np.append(self._combined(self.a)[:-1], self.b)

    # --- the criterion ----------------------------------------------------------------------------------

    def _combined(self, v: Array) -> Array:
        """X′v, and a number that means nothing."""
        self._sums[:] = 0.0
        add_rows(self._table, v, self._sums)
        return self._sums

    def _product(self, v: Array) -> Array:
        """The product Kv."""
        sums, scores = self._combined(v), np.empty(v.size)
        sums[-1] = 0.0
        score_rows(self._table, sums, scores)
        return scores

    def _losses(self, scores: Array) -> tuple[float, Array, Array]:
        """Σωℓ, s = cωℓ′ and h = ωℓ″ at scores that include b."""
        risk = self.risk
        margins = risk.sign * (scores if risk.offset is None else scores + risk.offset)
        weigh = risk.rows.weigh
        loss = risk.loss
        value = float(np.sum(weigh(loss.value(margins))))
        return value, risk.sign * weigh(loss.slope(margins)), weigh(loss.curvature(margins))

    def _look(self, scores: Array, half_square: float) -> None:
        value, self._slopes, self._curvatures = self._losses(scores + self.b)
        self._value = value + half_square
        self._stiffness = (float(self._curvatures.sum()) or 1.0) if self.intercept else np.inf  # of b

    # --- steps ------------------------------------------------------------------------------------------

    def _uphill(self, step: "_Step") -> bool:
        return step.slope > max(self.tolerance, _ROUNDING) ** 2 * self.risk.total_weight

    def _newton_step(self, q: Array, Kq: Array) -> "_Step | None":
        if not self._factors:
            step, self._factors = self._conjugate_gradients(q, Kq)
            return step
        return self._direct_step(q, Kq)

    def _conjugate_gradients(self, q: Array, Kq: Array) -> tuple["_Step", bool]:
        """A rough step, and whether a factor would have been had for as much work."""
        alpha, h = self.risk.penalty, self._curvatures
        stiffness, most = self._stiffness, self._products_of_a_factor()
        step = _Step(np.zeros_like(q), 0.0, np.zeros_like(q))
        r, rb, Kr = -q, -float(self._slopes.sum()), -Kq
        size = self._left(r, Kr, rb)
        v, vb, Kv = r / alpha, rb / stiffness, Kr / alpha
        made, dearer = 0, False
        while size > self.gap * self._value:
            moved = Kv + vb
            pull = h * moved
            bend = alpha * float(v @ Kv) + float(pull @ moved)
            if not bend > 0:
                break
            length = size / bend
            step.add(length, v, vb, Kv, length * size)
            made += 1
            rough = min(_ROUGHEST, float(np.sqrt(-step.slope / self.risk.total_weight)))
            dearer = made >= most
            if made * length * size <= -rough * step.slope or dearer:
                break
            r = r - length * (alpha * v + pull)
            rb -= length * float(pull.sum())
            Kr = self._product(r)
            size, before = self._left(r, Kr, rb), size
            share = size / before
            v, vb, Kv = r / alpha + share * v, rb / stiffness + share * vb, Kr / alpha + share * Kv
        return step, dearer

    def _products_of_a_factor(self) -> float:
        """How many products with K take as long as the factor of the rows with curvature."""
        active = self._curvatures > 0
        share = float(self._entries[active].sum()) / self._n_entries
        return self._gram_work.with_factor(int(active.sum()), share) / (_ENTRY_WORK * self._n_entries)

    def _direct_step(self, q: Array, Kq: Array) -> "_Step | None":
        """The step v = −q/α + √h t by a Cholesky factor: (α + √h K √h) t + √h β = √h Kq/α and √h·t = Σs/α.

        None where α is lost beside K, so that there is no factor.
        """
        alpha, total = self.risk.penalty, float(self._slopes.sum())
        active = np.flatnonzero(self._curvatures > 0)
        root = np.sqrt(self._curvatures[active])
        rows = self.risk.rows.matrix[active]
        rows.data *= np.repeat(root, np.diff(rows.indptr))
        A = gram(rows)
        A[np.diag_indices_from(A)] += alpha
        try:
            factor = cho_factor(A.T, lower=False, overwrite_a=True, check_finite=False)
        except np.linalg.LinAlgError:
            return None
        wanted = np.column_stack([root * Kq[active] / alpha, root])
        own, level = cho_solve(factor, wanted, check_finite=False).T
        b = float((root @ own - total / alpha) / (root @ level)) if self.intercept else 0.0
        v = -q / alpha
        v[active] += root * (own - b * level)
        Kv = self._product(v)
        return _Step(v, b, Kv, float(v @ Kq) + b * total, exact=True)

    def _move(self, step: "_Step") -> None:
        """Go along the step until the slope is all but gone.

        Full steps to the bottom of one parabola after another end at the right one sooner than steps that fall each
        time. Where they do not, the line search takes over.
        """
        value, active = self._value, self._curvatures > 0
        self.n_iterations += 1
        if not (self._factors and self._in_parabolas and self._rises < _MOST_RISES):
            self._go(step, self._length(step))
            return
        before = self.a, self.b, self.scores
        self._go(step, 1.0)
        if self._value > value:
            self._rises += 1
            if self._rises == _MOST_RISES or self._value > _FAR_TOO_HIGH * value:
                self.a, self.b, self.scores = before
                self._go(step, self._length(step))
        elif step.exact and np.array_equal(active, self._curvatures > 0):
            self.step_left = 0.0  # the criterion is a parabola from there to here

    def _go(self, step: "_Step", t: float) -> None:
        self.a, self.b, self.scores = self.a + t * step.v, self.b + t * step.b, self.scores + t * step.Kv
        self._look(self.scores, 0.5 * self.risk.penalty * float(self.a @ self.scores))

    def _length(self, step: "_Step") -> float:
        """How far to go along a step."""
        alpha, start = self.risk.penalty, self.scores + self.b
        change = step.Kv + step.b
        across, along = alpha * float(self.a @ step.Kv), alpha * float(step.v @ step.Kv)

        def at(t: float) -> tuple[float, float]:
            """F′ and F″ along the step."""
            _, slopes, curvatures = self._losses(start + t * change)
            return float(slopes @ change) + across + t * along, float(curvatures @ (change * change)) + along

        return flat_point(at, step.slope)


@dataclass
class _Step:
    """v and β, what they do to the scores, and the slope of F along them."""

    v: Array
    b: float
    Kv: Array
    slope: float = 0.0
    exact: bool = False

    def add(self, length: float, v: Array, b: float, Kv: Array, fall: float) -> None:
        """Another direction, along which the slope falls by so much."""
        self.slope -= fall
        self.v += length * v
        self.b += length * b
        self.Kv += length * Kv
