"""The least value of a smooth fit plus a penalty of each weight, with the proof.

    min over w, b:  f(Xw + b) + Σ g(w)        max over θ:  −f*(−θ) − Σ g*(X′θ)   s.t.  Σθ = 0 in each plane

Each step chooses the columns that could matter, minimises a quadratic model of f on them with the penalty as it is (a
proximal Newton step), and looks at all columns again. θ = −f′(scores), shrunk until g* is finite, bounds the optimum
from below. With the gap it also proves weights to be zero: |θ*·x| is at most |θ·x| + √(2 gap) times the norm of x in
the largest curvature of the rows.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.hyperplane import Planes
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit, best_intercept
from discriminant.optimise.composite.newton import model_step, step_length
from discriminant.optimise.composite.penalty import WeightPenalty

Array = NDArray[np.float64]

_ALL_COLUMNS = 200  # so few are worked on together
_FIRST_COLUMNS = 64
_GROWTH = 2  # the most columns that are worked on, for each that has a weight
_NOTHING_LEFT = 1e-10  # of the criterion of no weights
_STEPS_JUDGED, _WORTH_STEPS = 10, 1e-3  # steps together win a share of the gap, or the end is out of reach
_NEAR = 0.1  # of λ₁: a slope as near to it may cross it in the next step


@dataclass(frozen=True)
class CompositeOptimum:
    """Planes (K×d, and intercepts K) in the user's units, both criteria, and what proves them.

    ``theta`` (K×n) is the dual point, ``correlations`` (K×d) θ·x in the user's units, ``gap`` (primal − dual)/primal.
    """

    coef: Array
    intercept: Array
    primal: float
    dual: float
    gap: float
    theta: Array
    correlations: Array
    violations: Array
    multipliers: Array
    proved_zero: NDArray[np.bool_]
    n_iterations: int

    @property
    def kkt(self) -> float:
        """The largest violation of the conditions of optimality, in units of the penalty or else of the slopes."""
        return float(self.violations.max(initial=0.0))


def minimise_composite(
    fit: Fit,
    columns: ScaledColumns,
    penalty: WeightPenalty,
    *,
    tolerance: float,
    max_iterations: int,
    start: Planes | None = None,
) -> CompositeOptimum:
    """The optimum to a relative gap, from planes in the user's units if there are any; penalties are in these too."""
    columns = columns.rescaled(penalty.shared_scale(columns.scale))
    search = _Search(fit, columns, penalty.scaled(columns.scale), start)
    nothing = _NOTHING_LEFT * fit.value(np.zeros_like(search.scores))
    before = np.inf
    while search.gap > tolerance * abs(search.primal) and search.n_iterations < max_iterations:
        if search.n_iterations % _STEPS_JUDGED == 0:
            if before - search.primal < _WORTH_STEPS * search.gap:
                break  # at this pace the rest would take thousands of steps
            before = search.primal
        if search.primal < nothing:
            break  # without a penalty the weights of classes that a plane separates grow for ever
        if not search.step():
            break  # rounding hides what is left to be won
    return search.optimum(penalty)


class _Search:
    """A plane in scaled coordinates, with its certificate over all columns."""

    def __init__(self, fit: Fit, columns: ScaledColumns, penalty: WeightPenalty, start: Planes | None) -> None:
        self.fit, self.columns, self.penalty = fit, columns, penalty
        shape = fit.n_planes, columns.n_columns
        v, b = (np.zeros(shape), np.zeros(shape[0])) if start is None else columns.from_user(*start)
        self.v, self.b, self.n_iterations = penalty.nearest(v), b, 0
        self._certify()

    def _certify(self) -> None:
        z = self.columns.scores(self.v, self.b)
        if self.columns.intercept:
            shift = best_intercept(self.fit, z)
            self.b, z = self.b + shift, z + shift[:, None]
        self.scores, self.theta = z, self.fit.dual(z)
        self.correlations = self.columns.correlations(self.theta)
        self.primal = self.fit.value(z) + self.penalty.value(self.v)
        self.dual, self.factor = best_dual(self.fit, self.penalty, self.theta, self.correlations)
        self.gap = self.primal - self.dual

    def choose(self) -> NDArray[np.intp]:
        """The columns with weights, and those whose slopes ask for one or come near to it."""
        d = self.columns.n_columns
        if d <= _ALL_COLUMNS:
            return np.arange(d)
        used = np.asarray(self.v.any(axis=0))
        asking = np.flatnonzero(used | self.penalty.is_near(self.correlations, 1.0 - _NEAR))
        room = self.penalty.take(asking).room(self.v[:, asking], self.correlations[:, asking]).min(axis=0)
        room[used[asking]] = -np.inf
        asking, room = asking[room < np.inf], room[room < np.inf]
        wanted = max(_FIRST_COLUMNS, _GROWTH * int(used.sum()))
        chosen = asking if asking.size <= wanted else np.sort(asking[np.argpartition(room, wanted)[:wanted]])
        return self.penalty.whole(chosen)

    def step(self) -> bool:
        """One Newton step on some columns, and the certificate of all; whether anything was won."""
        working = self.choose()
        columns, penalty, v = self.columns.take(working), self.penalty.take(working), self.v[:, working]
        step = model_step(
            self.fit,
            columns,
            penalty,
            v,
            self.scores,
            self.theta,
            self.correlations[:, working],
            self.gap / max(abs(self.primal), 1e-300),
        )
        value = self.fit.value(self.scores) + penalty.value(v)
        length = step_length(self.fit, penalty, value, v, self.scores, self.theta, step)
        self.n_iterations += 1
        if length == 0.0:
            return False
        before = self.__dict__.copy()
        self.v = self.v.copy()
        self.v[:, working] = step.v if length == 1.0 else v + length * (step.v - v)
        self.b = self.b + length * step.intercept
        self._certify()
        won = self.primal < before["primal"] or self.gap < before["gap"]
        if not won:
            self.__dict__.update(before, n_iterations=self.n_iterations)
        return bool(won)

    def optimum(self, penalty: WeightPenalty) -> CompositeOptimum:
        """The optimum in the user's units."""
        scale = self.columns.scale
        coef = penalty.unscaled_weights(self.v, scale)
        intercept = self.b - coef @ self.columns.shift
        if intercept.size > 1:
            intercept = intercept - intercept.mean()  # a constant for all classes changes nothing
        raw = self.correlations * scale
        reach = np.sqrt(2.0 * max(self.gap, 0.0) * self.columns.squares(self.fit.steepest * self.fit.weight))
        zero = self.penalty.keeps_zero(self.factor * self.correlations, reach)
        return CompositeOptimum(
            coef, intercept, self.primal, self.dual, self.gap / max(abs(self.primal), 1e-300),
            self.factor * self.theta, self.factor * raw, penalty.violations(coef, raw),
            penalty.multipliers(coef, raw), zero & (coef == 0), self.n_iterations,
        )  # fmt: skip


def best_dual(fit: Fit, penalty: WeightPenalty, theta: Array, correlations: Array) -> tuple[float, float]:
    """The larger of the dual values of θ and of θ shrunk until no weight could grow for ever, and the factor."""
    found = []
    for factor in {1.0, penalty.greatest_factor(correlations)}:
        cost = penalty.conjugate(factor * correlations)
        found.append((fit.dual_value(factor * theta) - cost if np.isfinite(cost) else -np.inf, factor))
    return max(found)
