"""The criterion of planes over rows that stay where they are: every sum is a fold over their blocks.

A pass gives the criterion and its gradient at several points at once, and its Hessian at the first of them; what the
last pass gave is remembered, so that whoever iterates asks point by point and pays pass by pass.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.losses import LOGISTIC, loss_named
from discriminant.rows import ArrayRows, Rows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.one_vs_rest_risk import OneVsRestRisk
from discriminant.statistics.overview import Overview
from discriminant.statistics.penalised_risk import Array, PenalisedRisk
from discriminant.statistics.scaling import ColumnScaling
from discriminant.statistics.softmax_risk import SoftmaxRisk

_LENGTHS = (1.0, 0.5, 0.25, 0.125)  # of a step, tried in one pass
_SURE = 0.1  # a step that changes a typical score by less needs no shorter ones beside it


@dataclass(frozen=True)
class BlockCriterion:
    """Which criterion rows have: of a loss, in given coordinates, with the classes of all rows and their weights.

    Two classes have one plane. More have a plane each: together for the logistic loss, one against the rest for others.
    """

    classes: NDArray[np.generic]
    class_factor: Array | None  # by which the weight of a row is multiplied, for its class
    loss: str
    scaling: ColumnScaling

    @property
    def n_planes(self) -> int:
        """One for two classes, K for more."""
        return 1 if self.classes.size == 2 else int(self.classes.size)

    @property
    def is_multinomial(self) -> bool:
        """Whether all planes are of one likelihood."""
        return self.n_planes > 1 and self.loss == LOGISTIC.name

    def rows_of(self, block: ArrayRows) -> ArrayRows:
        """A block with the codes of all classes and the weights of the fit."""
        block = block.recoded(self.classes)
        return block if self.class_factor is None else block.reweighed(self.class_factor[block.codes])

    def of(self, block: ArrayRows, penalty: float = 0.0) -> PenalisedRisk:
        """The criterion of some rows."""
        rows, loss = self.rows_of(block), loss_named(self.loss)
        if self.n_planes == 1:
            return MarginRisk(rows, rows.signs(1), loss, penalty, None, self.scaling)
        if self.is_multinomial:
            return SoftmaxRisk(rows, penalty, None, self.scaling)
        return OneVsRestRisk(rows, loss, penalty, None, self.scaling)


@dataclass(frozen=True)
class RiskTerms:
    """Σωℓ and its gradient at some points, its Hessian at the first if that is wanted, of some rows."""

    values: Array
    gradients: Array
    hessian: Array | None

    def __add__(self, other: "RiskTerms") -> "RiskTerms":
        hessian = None if self.hessian is None or other.hessian is None else self.hessian + other.hessian
        return RiskTerms(self.values + other.values, self.gradients + other.gradients, hessian)


@dataclass(frozen=True)
class TermsAt:
    """The terms of a block: what a fold takes."""

    criterion: BlockCriterion
    points: tuple[Array, ...]
    with_hessian: bool

    def __call__(self, block: ArrayRows) -> RiskTerms:
        """Sums over the rows of the block, without a penalty."""
        risk = self.criterion.of(block)
        found, hessian = [], None
        if self.with_hessian:
            value, gradient, hessian = risk.value_gradient_and_hessian(self.points[0])
            found.append((value, gradient))
        found += [risk.value_and_gradient(u) for u in self.points[len(found) :]]
        return RiskTerms(np.array([value for value, _ in found]), np.array([g for _, g in found]), hessian)


@dataclass(frozen=True)
class DiagonalAt:
    """The diagonal of the Hessian of a block."""

    criterion: BlockCriterion
    u: Array

    def __call__(self, block: ArrayRows) -> Array:
        """The sums of a block, without a penalty."""
        return self.criterion.of(block).diagonal(self.u)


@dataclass(frozen=True)
class ProductAt:
    """The Hessian of a block times a direction."""

    criterion: BlockCriterion
    u: Array
    direction: Array

    def __call__(self, block: ArrayRows) -> Array:
        """The sums of a block, without a penalty."""
        return self.criterion.of(block).products(self.u)(self.direction)


@dataclass
class _Memory:
    """What the last pass gave at each of its points, by the bytes of the point."""

    terms: dict[bytes, tuple[float, Array]] = field(default_factory=dict)
    hessians: dict[bytes, Array] = field(default_factory=dict)
    settled: dict[bytes, Array] = field(default_factory=dict)  # the Hessian where the iteration ended


@dataclass(frozen=True)
class SourceRisk(PenalisedRisk):
    """F of all rows of a source; ``sample`` are rows of it to start from, each with the weight of those it stands for.

    ``newton`` says whether passes give the Hessian too.
    """

    source: Rows
    overview: Overview
    criterion: BlockCriterion
    sample: ArrayRows
    penalty: float = 0.0
    newton: bool = True
    offset: None = None
    memory: _Memory = field(default_factory=_Memory)

    several_lengths = True

    @property
    def shape(self) -> tuple[int, ...]:
        """(d+1), or K×(d+1)."""
        size, planes = self.overview.n_columns + 1, self.criterion.n_planes
        return (size,) if planes == 1 else (planes, size)

    @property
    def scaling(self) -> ColumnScaling:
        """The coordinates of the weights."""
        return self.criterion.scaling

    @property
    def n_rows(self) -> int:
        """The number of rows that count."""
        return self.overview.n_rows

    @property
    def classes(self) -> NDArray[Any]:
        """The classes of all rows."""
        return self.overview.classes

    @cached_property
    def class_weights(self) -> Array:
        """Σω of each class."""
        factor = self.criterion.class_factor
        return self.overview.class_weights if factor is None else factor * self.overview.class_weights

    @property
    def total_weight(self) -> float:
        """Σω."""
        return float(self.class_weights.sum())

    def to_user(self, u: Array) -> Array:
        """Weights in the units of the columns; of the multinomial criterion those that sum to zero over the classes."""
        planes = super().to_user(u)
        return planes - planes.mean(axis=0) if self.criterion.is_multinomial else planes

    # --- sums -------------------------------------------------------------------------------------------

    def value_and_gradient(self, u: Array) -> tuple[float, Array]:
        """F and ∇F."""
        if u.tobytes() not in self.memory.terms:
            self._look_at([u])
        return self.memory.terms[u.tobytes()]

    def hessian(self, u: Array) -> Array:
        """∇²F; where all weights are zero, from the moments of the first pass."""
        if not u.any() and (at_zero := self.hessian_at_zero()) is not None:
            return at_zero
        if u.tobytes() in self.memory.settled:
            return self.memory.settled[u.tobytes()]
        if u.tobytes() not in self.memory.hessians:
            self._look_at([u], with_hessian=True)
        return self.memory.hessians[u.tobytes()]

    def products(self, u: Array) -> Callable[[Array], Array]:
        """v ↦ ∇²F·v: a pass each."""

        def product(direction: Array) -> Array:
            return self.source.fold(ProductAt(self.criterion, u, direction)) + self.ridge * direction

        return product

    def diagonal(self, u: Array) -> Array:
        """The diagonal of ∇²F."""
        return self.source.fold(DiagonalAt(self.criterion, u)) + self.ridge

    def along(self, u: Array, step: Array, size: float) -> Callable[[float], tuple[float, Array]]:
        """F and ∇F at u + t·step, for t and its halves in one pass unless the step is surely not too long."""
        lengths = _LENGTHS[:1] if size < _SURE else _LENGTHS

        def at(t: float) -> tuple[float, Array]:
            nonlocal lengths
            if (u + t * step).tobytes() not in self.memory.terms:
                self._look_at([u + (t * length) * step for length in lengths])
                lengths = _LENGTHS
            return self.memory.terms[(u + t * step).tobytes()]

        return at

    def _look_at(self, points: Sequence[Array], with_hessian: bool | None = None) -> None:
        """One pass: F and ∇F at some points, ∇²F at the first."""
        wanted = self.newton if with_hessian is None else with_hessian
        with np.errstate(over="ignore", invalid="ignore"):  # whoever iterates sees what is not finite
            terms = self.source.fold(TermsAt(self.criterion, tuple(points), wanted))
        self.memory.terms = {
            u.tobytes(): (float(value) + 0.5 * float(self.ridge @ (u * u)), gradient + self.ridge * u)
            for u, value, gradient in zip(points, terms.values, terms.gradients, strict=True)
        }
        if terms.hessian is not None:
            self.memory.hessians = {points[0].tobytes(): terms.hessian + np.diag(self.ridge)}

    def settle(self, u: Array) -> None:
        """Take the Hessian of the last pass as that of u, which the last step (too small to be seen in F) led to."""
        self.memory.settled = {u.tobytes(): hessian for hessian in self.memory.hessians.values()}

    # --- without a pass ---------------------------------------------------------------------------------

    def of_sample(self, n_rows: int) -> PenalisedRisk:  # type: ignore[override]
        """The same criterion estimated from (some of) the sample, in the same coordinates."""
        sampled = self.criterion.of(self.sample, self.penalty)
        return sampled if n_rows >= self.sample.n_rows else sampled.of_sample(n_rows)

    def hessian_at_zero(self) -> Array | None:
        """∇²F where every row has the same probabilities; None where that takes a pass."""
        squares = self.overview.squares_about(self.scaling)
        if squares is None or self.criterion.class_factor is not None or self.criterion.loss != LOGISTIC.name:
            return None
        K = self.criterion.n_planes
        if K == 1:
            return 0.25 * squares + np.diag(self.ridge)
        share = np.eye(K) / K - 1.0 / K**2 + (1.0 - 1.0 / K) / K**2  # the last term is the one that makes it regular
        return np.asarray(np.kron(share, squares) + np.diag(self.ridge))
