"""The criterion of a plane between two classes, for any smooth loss of the margin.

    F(w, b) = ½α‖w‖² + Σ ω ℓ(m),   m = c(w·x + b + o)

with offsets o that are given. Value, gradient, Hessian and its products with vectors are sums over rows, taken in
blocks over threads, by weights (u, b) of the rows' `Frame`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.kernels import margins as kernels
from discriminant.losses import Loss
from discriminant.rows import ArrayRows
from discriminant.statistics.scaling import Frame, FramedRows

Array = NDArray[np.float64]
Signs = NDArray[np.int8]

_FUSED = {"logistic": kernels.LOGISTIC, "squared hinge": kernels.SQUARED_HINGE}
_NONE = np.empty(0)


@dataclass
class _Sums:
    gradient: Array
    value: float = 0.0


@dataclass(frozen=True)
class MarginRisk:
    """F as a function of weights (u, b) in the frame of its rows; ``penalty`` is α."""

    rows: ArrayRows
    sign: Signs
    loss: Loss
    penalty: float = 0.0
    offset: Array | None = None
    given_frame: Frame | None = None

    def __post_init__(self) -> None:
        self.loss.require(by="this solver", convex=True, smooth=True)

    @cached_property
    def frame(self) -> Frame:
        """The coordinates of the weights."""
        return self.given_frame or Frame.of(self.rows, self.penalty)

    @cached_property
    def _framed(self) -> FramedRows:
        return FramedRows(self.rows, self.frame)

    @property
    def n_weights(self) -> int:
        """d + 1."""
        return self.rows.n_columns + 1

    @property
    def total_weight(self) -> float:
        """Σω."""
        return self.rows.total_weight

    @cached_property
    def ridge(self) -> Array:
        """α/s², the penalty's curvature by each weight; none by the intercept."""
        return np.append(self.penalty / self.frame.scale**2, 0.0) if self.penalty else np.zeros(self.n_weights)

    def to_user(self, u: Array) -> Array:
        """Weights in the units of the columns."""
        return self.frame.to_user(u)

    def from_user(self, v: Array) -> Array:
        """Weights of the frame."""
        return self.frame.from_user(v)

    # --- sums -------------------------------------------------------------------------------------------

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        v = self.frame.for_blocks(u)

        def add(sums: _Sums, a: int, b: int, block: Any) -> None:
            sums.value += self._add_risk(block, a, b, v, sums.gradient, _NONE)

        with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees what is not finite
            spans = self._framed.fold(lambda: _Sums(np.zeros(self.n_weights)), add)
            value = sum(s.value for s in spans) + 0.5 * float(self.ridge @ (u * u))
            gradient = self.frame.of_blocks(np.sum([s.gradient for s in spans], axis=0))
            return value, gradient + self.ridge * u

    def hessian(self, u: Array) -> Array:
        """∇²F."""
        root, n_weights = np.sqrt(self.curvatures(u)), self.n_weights

        def add(total: Array, a: int, b: int, X: Array) -> None:
            Z = np.empty((b - a, n_weights))
            np.subtract(X, self.frame.shift, out=Z[:, :-1])
            Z[:, :-1] /= self.frame.scale
            Z[:, -1] = 1.0
            Z *= root[a:b, None]
            total += Z.T @ Z  # NumPy recognises z′z and calls syrk

        total = np.sum(self._framed.fold_dense(lambda: np.zeros((n_weights, n_weights)), add), axis=0)
        return np.asarray(total + np.diag(self.ridge))

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        h = self.curvatures(u)

        def product(direction: Array) -> Array:
            v = self.frame.for_blocks(direction)

            def add(total: Array, a: int, b: int, block: Any) -> None:
                kernels.add_product(block, h[a:b], v, total)

            total = np.sum(self._framed.fold(lambda: np.zeros(self.n_weights), add), axis=0)
            return np.asarray(self.frame.of_blocks(total) + self.ridge * direction)

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F, without the rest of it."""
        h, X, frame = self.curvatures(u), self.rows.matrix, self.frame
        if sparse.issparse(X):
            entries = np.repeat(h, np.diff(X.indptr)) * (X.data / frame.scale[X.indices]) ** 2
            return np.append(np.bincount(X.indices, entries, minlength=self.rows.n_columns), h.sum()) + self.ridge

        def add(total: Array, a: int, b: int, X: Array) -> None:
            total += h[a:b] @ ((X - frame.shift) / frame.scale) ** 2

        spans = self._framed.fold_dense(lambda: np.zeros(self.rows.n_columns), add)
        return np.append(np.sum(spans, axis=0), h.sum()) + self.ridge

    def scores(self, u: Array) -> Array:
        """w·x + b + o of every row."""
        v, scores = self.frame.for_blocks(u), np.empty(self.rows.n_rows)
        self._framed.fold(lambda: None, lambda _, a, b, block: kernels.score_rows(block, v, scores[a:b]))
        return scores if self.offset is None else scores + self.offset

    def curvatures(self, u: Array) -> Array:
        """ωℓ″ of every row."""
        v, h = self.frame.for_blocks(u), np.empty(self.rows.n_rows)

        def add(_: None, a: int, b: int, block: Any) -> None:
            self._add_risk(block, a, b, v, _NONE, h[a:b])

        self._framed.fold(lambda: None, add)
        return h

    def _add_risk(self, block: Any, a: int, b: int, v: Array, gradient: Array, curvature: Array) -> float:
        weight = _NONE if self.rows.weight is None else self.rows.weight[a:b]
        offset = _NONE if self.offset is None else self.offset[a:b]
        if self.loss.name in _FUSED:
            code = _FUSED[self.loss.name]
            return float(kernels.add_risk(block, self.sign[a:b], weight, offset, v, code, gradient, curvature))
        return self._add_risk_of_any_loss(block, a, b, v, gradient, curvature)

    def _add_risk_of_any_loss(self, block: Any, a: int, b: int, v: Array, gradient: Array, curvature: Array) -> float:
        omega = 1.0 if self.rows.weight is None else self.rows.weight[a:b]
        margins = np.empty(b - a)
        kernels.score_rows(block, v, margins)
        margins = self.sign[a:b] * (margins if self.offset is None else margins + self.offset[a:b])
        if gradient.size:
            kernels.add_rows(block, omega * self.sign[a:b] * self.loss.slope(margins), gradient)
        if curvature.size:
            curvature[:] = omega * self.loss.curvature(margins)
        return float((omega * self.loss.value(margins)).sum())

    # --- a part of it -----------------------------------------------------------------------------------

    def of_sample(self, n_rows: int) -> "MarginRisk":
        """The same criterion estimated from some rows of each class, in the same frame."""
        chosen, factor = stratified(self.rows.codes, self.rows.classes.size, n_rows)
        weight = factor if self.rows.weight is None else factor * self.rows.weight[chosen]
        few = ArrayRows(self.rows.matrix[chosen], self.rows.classes, self.rows.codes[chosen], weight)
        offset = None if self.offset is None else self.offset[chosen]
        return replace(self, rows=few, sign=self.sign[chosen], offset=offset, given_frame=self.frame)


def stratified(codes: NDArray[np.int32], n_classes: int, n_rows: int) -> tuple[NDArray[np.intp], Array]:
    """About so many rows, spread over the table, a rare class with up to its equal share; and how many each stands for.

    >>> chosen, factor = stratified(np.array([0, 1, 0, 0, 0, 0, 0, 0]), 2, 4)
    >>> chosen.tolist(), factor.tolist()
    ([0, 1, 4, 7], [2.3333333333333335, 1.0, 2.3333333333333335, 2.3333333333333335])
    """
    counts = np.bincount(codes, minlength=n_classes)
    share = np.minimum(counts, np.maximum(n_rows * counts // codes.size, n_rows // (2 * n_classes)))
    chosen, factors = [], []
    for k in np.flatnonzero(counts):
        places = np.flatnonzero(codes == k)
        taken = places[np.linspace(0, counts[k] - 1, max(int(share[k]), 1)).astype(np.intp)]
        chosen.append(taken)
        factors.append(np.full(taken.size, counts[k] / taken.size))
    rows, factor = np.concatenate(chosen), np.concatenate(factors)
    order = np.argsort(rows)
    return rows[order], factor[order]
