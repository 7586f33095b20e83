"""The criterion of a plane between two classes, for any smooth loss of the margin.

    F(w, b) = ½α‖w‖² + Σ ω ℓ(m),   m = c(w·x + b + o)

with offsets o that are given, as a function of weights (u, b) in the scaled coordinates of the rows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.kernels import margins as kernels
from discriminant.kernels.compiled import PASSES
from discriminant.losses import LOGISTIC, SQUARED_HINGE, Loss
from discriminant.rows import ArrayRows
from discriminant.statistics.penalised_risk import Array, PenalisedRisk, RiskAndGradient
from discriminant.statistics.scaling import ColumnScaling

Signs = NDArray[np.int8]

_COMPILED = {LOGISTIC.name: kernels.add_logistic_risk, SQUARED_HINGE.name: kernels.add_squared_hinge_risk}
_NONE = np.empty(0)
_FEW_NUMBERS = 1 << 18  # which stay in the cache, so that products of matrices are as quick as a kernel
_SQUARED_AT_ONCE = 1 << 15  # numbers
_WITHOUT_SIGN = ("few", "scaling", "scaled_rows", "ridge")
_WORTH_PICKING = 0.75  # the share of rows below which picking them out takes less time than squaring the others


@dataclass(frozen=True)
class MarginRisk(PenalisedRisk):
    """F of rows with signs c; ``penalty`` is α."""

    rows: ArrayRows
    sign: Signs
    loss: Loss
    penalty: float = 0.0
    offset: Array | None = None
    given_scaling: ColumnScaling | None = None

    def __post_init__(self) -> None:
        self.loss.require(by="this solver", convex=True, smooth=True)

    def with_signs(self, sign: Signs) -> "MarginRisk":
        """The same rows between other classes; what has been made of them and knows no sign is taken over."""
        other = replace(self, sign=sign)
        other.__dict__.update({name: self.__dict__[name] for name in _WITHOUT_SIGN if name in self.__dict__})
        return other

    @property
    def shape(self) -> tuple[int, ...]:
        """d + 1."""
        return (self.rows.n_columns + 1,)

    @cached_property
    def few(self) -> Array | None:
        """(z, 1) of all rows, where they are dense and so few that going through them block by block costs more."""
        X = self.rows.matrix
        if self.loss.name not in _COMPILED or sparse.issparse(X) or X.size > _FEW_NUMBERS:
            return None
        Z = np.empty((X.shape[0], X.shape[1] + 1))
        Z[:, -1] = 1.0
        np.subtract(X, self.scaling.centre, out=Z[:, :-1])
        Z[:, :-1] /= self.scaling.scale
        return Z

    def _at(self, Z: Array, u: Array, gradient: Array, curvature: Array) -> float:
        """`_of_block` of few rows, in the coordinates of u themselves."""
        weight = self.rows.weight_of(slice(None))
        offset = _NONE if self.offset is None else self.offset
        add_risk = _COMPILED[self.loss.name].plain
        return float(add_risk(Z, self.sign, weight, offset, u, gradient, curvature, augmented=True))

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        Z = self.few
        if Z is None:
            return super().value_and_gradient(u)
        pull = self.ridge * u
        half = 0.5 * float(pull @ u)
        with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees what is not finite
            return self._at(Z, u, pull, _NONE) + half, pull

    def _add_risk(self, v: Array) -> RiskAndGradient:
        def add(sums: Any, a: int, b: int, block: Any) -> None:
            sums.value += self._of_block(block, a, b, v, sums.gradient, _NONE)

        return self.scaled_rows.fold(self._zero, add)

    def hessian(self, u: Array) -> Array:
        """∇²F."""
        H = self._squares(self.curvatures(u))
        H.flat[:: len(H) + 1] += self.ridge
        return H

    def _squares(self, h: Array) -> Array:
        """Σ h (z, 1)(z, 1)′."""
        if self.few is None:
            return self.scaled_rows.squares(h)
        Z, bent = self.few, np.flatnonzero(h)
        if bent.size < _WORTH_PICKING * h.size:  # of the squared hinge most rows have no curvature
            Z, h = Z[bent], h[bent]
        root, total = np.sqrt(h)[:, None], np.zeros((Z.shape[1], Z.shape[1]))
        step = max(_SQUARED_AT_ONCE // Z.shape[1], 1)
        for a in range(0, len(Z), step):  # memory that is new to the process costs more than the multiplications
            weighed = root[a : a + step] * Z[a : a + step]
            total += weighed.T @ weighed  # NumPy recognises z′z and calls syrk
        return total

    def value_gradient_and_hessian(self, u: Array) -> tuple[float, Array, Array]:
        """F, ∇F and ∇²F, the rows being scored once."""
        if self.few is not None:
            return *self.value_and_gradient(u), self.hessian(u)
        v, h = self.scaling.for_blocks(u), np.empty(self.rows.n_rows)

        def add(sums: Any, a: int, b: int, block: Any) -> None:
            sums.value += self._of_block(block, a, b, v, sums.gradient, h[a:b])

        spans = self.scaled_rows.fold(self._zero, add)
        return *self._penalised(spans, u), self.scaled_rows.squares(h) + np.diag(self.ridge)

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v."""
        h = self.curvatures(u)
        add_product = kernels.add_product.suited_to(PASSES * self.rows.matrix.size)

        def product(direction: Array) -> Array:
            v = self.scaling.for_blocks(direction)

            def add(total: Array, a: int, b: int, block: Any) -> None:
                add_product(block, h[a:b], v, total)

            total = np.sum(self.scaled_rows.fold(lambda: np.zeros(self.n_weights), add), axis=0)
            return np.asarray(self.scaling.of_blocks(total) + self.ridge * direction)

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F, without the rest of it."""
        return self.scaled_rows.diagonal(self.curvatures(u)) + self.ridge

    def curvatures(self, u: Array) -> Array:
        """ωℓ″ of every row."""
        if self.few is not None:
            h = np.empty(self.rows.n_rows)
            self._at(self.few, u, _NONE, h)
            return h
        v, h = self.scaling.for_blocks(u), np.empty(self.rows.n_rows)

        def add(_: None, a: int, b: int, block: Any) -> None:
            self._of_block(block, a, b, v, _NONE, h[a:b])

        self.scaled_rows.fold(lambda: None, add)
        return h

    def _of_block(self, block: Any, a: int, b: int, v: Array, gradient: Array, curvature: Array) -> float:
        """Σωℓ of a block; adds its gradient, or fills its curvatures, where there is room for them."""
        weight = self.rows.weight_of(slice(a, b))
        offset = _NONE if self.offset is None else self.offset[a:b]
        add_risk, numbers = _COMPILED.get(self.loss.name), PASSES * self.rows.matrix.size
        if add_risk:
            return float(add_risk.suited_to(numbers)(block, self.sign[a:b], weight, offset, v, gradient, curvature))
        margins = np.empty(b - a)
        kernels.score_rows.suited_to(numbers)(block, v, margins)
        margins = self.sign[a:b] * (margins + offset if offset.size else margins)
        omega = weight if weight.size else 1.0
        if gradient.size:
            kernels.add_rows.suited_to(numbers)(block, omega * self.sign[a:b] * self.loss.slope(margins), gradient)
        if curvature.size:
            curvature[:] = omega * self.loss.curvature(margins)
        return float((omega * self.loss.value(margins)).sum())

    def _of_rows(self, chosen: NDArray[np.intp]) -> dict[str, Any]:
        return {"sign": self.sign[chosen]}
