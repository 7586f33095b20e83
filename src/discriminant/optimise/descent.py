"""Gradient descent, shown for what it is: every step, its size, and what it brought.

    minimise  E(w) = Σ ω ℓ(c(w·x − θ))   by   w ← w − η g

with g the gradient of all rows, of a few, or of one; η fixed, halved until E falls enough ("backtracking"), or taken
from the curvature along g ("curvature": η = g·g / g·Hg, halved if even that is too long). Too large a step oscillates,
too small a one crawls.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from discriminant.hyperplane import Hyperplane
from discriminant.losses import SQUARED, Loss, loss_named
from discriminant.optimise.line_search import halve, line_search
from discriminant.optimise.traces import TraceStep
from discriminant.parameters import read_count, read_penalty, read_positive, real_array, renamed_keywords
from discriminant.rows import ArrayRows, read_rows
from discriminant.rows.matrix import take_rows
from discriminant.statistics.risk import RiskSums, curvature_product

Array = NDArray[np.float64]

StepName = Literal["backtracking", "curvature"]
Signs = NDArray[np.int8]

Measured = tuple[float, int]  # the risk, and the rows that are wrong

_KEPT_STEPS = 1000
_NO_CLASSES = -1


@dataclass(frozen=True)
class Descent:
    """The path: ``w`` (m×d) and ``theta`` (m) at ``at`` steps (m, from 0), with the risk E and the mistakes there.

    ``descent[k]`` is the k-th point kept, a `TraceStep` as in the traces of learners. ``mistakes`` are −1 where y is a
    number, which has no side to be wrong on.

    Of long descents every second, fourth, … step is kept, and always the last. ``converged``: the gradient came within
    tol of zero. ``diverged``: E ended higher than it began, or beyond all numbers.
    """

    loss: Loss
    at: NDArray[np.int64]
    w: Array
    theta: Array
    risk: Array
    step: Array
    converged: bool
    mistakes: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.at)

    def __iter__(self) -> Iterator[TraceStep]:
        return (self[k] for k in range(len(self)))

    def __getitem__(self, k: int) -> TraceStep:
        return TraceStep(-1, self.w[k], float(self.theta[k]), float(self.risk[k]), int(self.mistakes[k]))

    @property
    def n_steps(self) -> int:
        """The number of steps made."""
        return int(self.at[-1])

    @property
    def diverged(self) -> bool:
        """Whether the steps were too large to get anywhere."""
        return not np.isfinite(self.risk[-1]) or bool(self.risk[-1] > self.risk[0])

    @property
    def hyperplane(self) -> Hyperplane:
        """The plane at which the descent ended."""
        return Hyperplane(self.w[-1], float(self.theta[-1]))


@renamed_keywords(max_steps="max_iter")
def gradient_descent(
    X: Any,
    y: Any = None,
    *,
    loss: str | Loss = "logistic",
    step: float | StepName = "backtracking",
    batch_size: int | None = None,
    max_iter: int = 1000,
    tol: float = 1e-6,
    start: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = None,
) -> Descent:
    """Descend on Σωℓ of two classes, and keep the path.

    Parameters
    ----------
    X, y, sample_weight : a table with its labels and weights, or a rows source.
    loss : ℓ, a `Loss` or the name of one.
    step : a number, "backtracking" or "curvature".
    batch_size : the number of rows a gradient is summed over (None for all, 1 for the stochastic rule), drawn in a
        new random order each epoch.
    max_iter : the number of steps after which to give up.
    tol : stop where the gradient is this share of what it was at the start.
    start : d weights and the intercept; zeros if None.
    random_state : seed of the order of the rows.

    Returns
    -------
    Descent
        The planes passed through, with the size of every step and what it brought.

    Examples
    --------
    >>> path = gradient_descent([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1], loss="squared", step="curvature")
    >>> path.converged, path.w[-1].round(4).tolist(), round(float(path.theta[-1]), 4)
    (True, [0.6], 1.2)
    """
    chosen = loss_named(loss)
    rows = _two_classes(X, y, sample_weight)
    sign = rows.signs(1)
    w = _read_start(start, rows.n_columns)
    read_count(max_iter, "max_iter")
    read_penalty(tol, "tol")
    if batch_size is not None and read_count(batch_size, "batch_size") > rows.n_rows:
        raise ValueError(f"batch_size must be at most the {rows.n_rows} rows, got {batch_size!r}")
    chosen.require(by="gradient descent", convex=True)
    size = _read_step(step, chosen, batch_size)
    path = _Path(w)
    with np.errstate(over="ignore", invalid="ignore"):
        if batch_size is None or batch_size == rows.n_rows:
            converged = _all_rows(rows, sign, chosen, size, path, int(max_iter), float(tol))
        else:
            random = check_random_state(random_state)
            _some_rows(rows, sign, chosen, float(step), path, int(max_iter), int(batch_size), random)
            converged = False
        return path.as_descent(chosen, converged, lambda v: _measured(RiskSums.of(rows, sign, chosen, v)))


def regression_descent(
    X: Any,
    y: ArrayLike,
    *,
    step: float | StepName = "curvature",
    max_iter: int = 1000,
    tol: float = 1e-6,
    start: ArrayLike | None = None,
) -> Descent:
    """Descend on Σ(y − w·x + θ)² of numbers y, the way by steps to what `least_squares` gives at once.

    Parameters
    ----------
    X, y : a table of numbers and the number of each row.
    step : η, or "curvature": the step that is best along the gradient.
    max_iter, tol, start : as in `gradient_descent`.

    Returns
    -------
    Descent
        The path; the value at x is w·x − θ. Of c = ±1 it is the path of `gradient_descent` with the squared loss.

    Examples
    --------
    >>> path = regression_descent([[1.0], [2.0], [3.0]], [3.0, 5.0, 7.0], tol=1e-9)
    >>> path.w[-1].round(6).tolist(), round(-float(path.theta[-1]), 6)
    ([2.0], 1.0)
    """
    matrix, target = real_array(X, "X"), real_array(y, "y")
    if matrix.ndim != 2 or target.shape != matrix.shape[:1] or matrix.size == 0:
        raise ValueError(f"X must be a table with a number of y for each row, got {matrix.shape} and {target.shape}")
    if not (np.isfinite(matrix).all() and np.isfinite(target).all()):
        raise ValueError("X and y must be finite: NaN and infinity have no squares to descend on")
    read_count(max_iter, "max_iter")
    eta = None if isinstance(step, str) and step == "curvature" else read_positive(step, "step")
    A = np.column_stack([matrix, np.ones(len(matrix))])
    path = _Path(_read_start(start, matrix.shape[1]))
    residual = target - A @ path.w
    path.begin((float(residual @ residual), _NO_CLASSES))
    enough, converged = read_penalty(tol, "tol") * float(np.linalg.norm(A.T @ residual)), False
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(int(max_iter)):
            g = -2.0 * (A.T @ residual)
            converged = float(np.linalg.norm(g)) <= 2 * enough
            if converged or not np.isfinite(g).all():
                break
            along = A @ g
            size = float(g @ g) / (2.0 * float(along @ along)) if eta is None else eta
            residual = target - A @ (path.w - size * g)
            path.move(path.w - size * g, size, (float(residual @ residual), _NO_CLASSES))
        return path.as_descent(SQUARED, converged, lambda v: (float(np.sum((target - A @ v) ** 2)), _NO_CLASSES))


# the length of a step: from the rows, the weights and the sums there
StepRule = Callable[[ArrayRows, Signs, Array, RiskSums], float]


def _all_rows(
    rows: ArrayRows, sign: Signs, loss: Loss, size: StepRule, path: "_Path", max_steps: int, tol: float
) -> bool:
    sums = RiskSums.of(rows, sign, loss, path.w)
    enough = tol * float(np.linalg.norm(sums.gradient))
    path.begin(_measured(sums))
    for _ in range(max_steps):
        if not np.isfinite(sums.value):
            return False
        if float(np.linalg.norm(sums.gradient)) <= enough:
            return True
        eta = size(rows, sign, path.w, sums)
        after = path.w - eta * sums.gradient
        sums = RiskSums.of(rows, sign, loss, after)
        path.move(after, eta, _measured(sums))
    return float(np.linalg.norm(sums.gradient)) <= enough


def _some_rows(
    rows: ArrayRows,
    sign: Signs,
    loss: Loss,
    eta: float,
    path: "_Path",
    max_steps: int,
    batch_size: int,
    random: np.random.RandomState,
) -> None:
    order = np.empty(0, np.intp)
    for _ in range(max_steps):
        if order.size == 0:
            order = random.permutation(rows.n_rows)
        chosen, order = order[:batch_size], order[batch_size:]
        weight = None if rows.weight is None else rows.weight[chosen]
        few = ArrayRows(take_rows(rows.matrix, chosen), rows.classes, rows.codes[chosen], weight)
        path.move(path.w - eta * RiskSums.of(few, sign[chosen], loss, path.w).gradient, eta)
        if not np.isfinite(path.w).all():
            return


# --- step sizes -----------------------------------------------------------------------------------------


def _read_step(step: float | str, loss: Loss, batch_size: int | None) -> StepRule:
    if isinstance(step, str):
        if step not in ("backtracking", "curvature"):
            raise ValueError(f"step must be a number, 'backtracking' or 'curvature', got {step!r}")
        if batch_size is not None:
            raise ValueError(f"step={step!r} needs the gradient of all rows; give a number with batch_size")
        loss.require(by=f"step={step!r}", smooth=True)
        return _from_curvature(loss) if step == "curvature" else _backtracking(loss)
    size = read_positive(step, "step")
    return lambda rows, sign, w, sums: size


def _backtracking(loss: Loss) -> StepRule:
    """Halved until E falls by a fair share of what its slope promises; each search begins at twice the last step."""
    last = [1.0]

    def rule(rows: ArrayRows, sign: Signs, w: Array, sums: RiskSums) -> float:
        last[0] = _halve_step(rows, sign, loss, w, sums, 2 * last[0])
        return last[0]

    return rule


def _from_curvature(loss: Loss) -> StepRule:
    def rule(rows: ArrayRows, sign: Signs, w: Array, sums: RiskSums) -> float:
        g = sums.gradient
        margin = sign * (rows.matrix @ w[:-1] + w[-1])
        h = loss.curvature(np.asarray(margin, dtype=np.float64))
        bend = float(g @ curvature_product(rows, rows.weigh(h), g))
        eta = float(g @ g) / bend if bend > 0 else 1.0
        return _halve_step(rows, sign, loss, w, sums, eta)

    return rule


def _halve_step(rows: ArrayRows, sign: Signs, loss: Loss, w: Array, sums: RiskSums, eta: float) -> float:
    g = sums.gradient

    def at(length: float) -> tuple[float, None]:
        return RiskSums.of(rows, sign, loss, w - length * g).value, None

    found = line_search(at, sums.value, -float(g @ g), eta, halve)
    return 0.0 if found is None else found[0]


# --- the path -------------------------------------------------------------------------------------------


def _measured(sums: RiskSums) -> Measured:
    return sums.value, sums.n_mistakes


class _Path:
    """Where the weights have been: all steps, until there are too many, then every second of them, and so on."""

    def __init__(self, w: Array) -> None:
        self.w = w
        self._n_steps, self._stride = 0, 1
        self._kept: list[tuple[int, Array, float, Measured | None]] = [(0, w, np.nan, None)]
        self._last = self._kept[0]

    def begin(self, risk: Measured) -> None:
        """The risk and the mistakes at the start."""
        self._kept[0] = self._last = (0, self.w, np.nan, risk)

    def move(self, w: Array, eta: float, risk: Measured | None = None) -> None:
        """A step of length eta to w, where risk and mistakes are these (or not known yet)."""
        self.w = w
        self._n_steps += 1
        self._last = (self._n_steps, w, eta, risk)
        if self._n_steps % self._stride == 0:
            self._kept.append(self._last)
        if len(self._kept) > _KEPT_STEPS:
            self._kept = self._kept[::2]
            self._stride *= 2

    def as_descent(self, loss: Loss, converged: bool, risk: Callable[[Array], Measured]) -> Descent:
        """The descent as a value; risks not known yet are worked out now."""
        points = self._kept if self._kept[-1][0] == self._n_steps else [*self._kept, self._last]
        at, weights, steps, risks = zip(*points, strict=True)
        W = np.array(weights)
        known = [risk(w) if value is None else value for w, value in zip(weights, risks, strict=True)]
        values, mistakes = (np.array(part) for part in zip(*known, strict=True))
        theta = 0.0 - W[:, -1]
        return Descent(loss, np.array(at), W[:, :-1], theta, values, np.array(steps), converged, mistakes)


# --- reading --------------------------------------------------------------------------------------------


def _two_classes(X: Any, y: Any, sample_weight: Any) -> ArrayRows:
    rows = read_rows(X, y, sample_weight)
    rows.refuse_extremes()
    if rows.classes.size != 2:
        raise ValueError(f"gradient descent on margins is between two classes, got {rows.classes.tolist()}")
    return rows


def _read_start(start: Any, n_columns: int) -> Array:
    if start is None:
        return np.zeros(n_columns + 1)
    w = real_array(start, "start")
    if w.shape != (n_columns + 1,) or not np.isfinite(w).all():
        raise ValueError(f"start must hold {n_columns} weights and the intercept, all finite, got {start!r}")
    return w.copy()
