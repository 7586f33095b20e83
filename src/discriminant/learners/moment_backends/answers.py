"""What the closed-form learners ask of the evidence, the answers, and sums that every form of it needs."""

from dataclasses import dataclass
from operator import attrgetter
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding
from discriminant.linalg.discriminant_directions import ClassContrasts
from discriminant.linalg.metric import EPS, Metric
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.shrinkage import ledoit_wolf_intensity

Array = NDArray[np.float64]

# A sum this small beside its terms has lost digits that the rows still have.
_CANCELLED = 1e-4
# The widest table whose d×d statistics are kept on request (2 GB a class).
_WIDEST_SCATTER = 1 << 14


@dataclass(frozen=True)
class Discrimination:
    """The contrast of the classes under a covariance, the intensity used, and what was found on the way."""

    contrast: ClassContrasts
    shrinkage: float
    metric: Metric | None
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class ClassRegression:
    """coef (q×d) and intercept (q) of the least-squares planes, and what was found on the way."""

    coef: Array
    intercept: Array
    rank: int | None
    findings: tuple[Finding, ...]


class Evidence(Protocol):
    """What was kept of the rows."""

    @property
    def classes(self) -> NDArray[Any]:
        """Labels in order."""

    @property
    def counts(self) -> Array:
        """n_k."""

    @property
    def means(self) -> Array:
        """m_k (K×d)."""

    @property
    def mean(self) -> Array:
        """The mean of all rows."""

    def moments(self, per_class: bool | None = None) -> ClassMoments:
        """The class moments, d×d; an error where d forbids it. ``per_class`` as for `ClassMoments.of`, if possible."""

    def without_rows(self) -> "Evidence":
        """What a fitted model keeps of it."""

    def class_spreads(self, w: Array) -> Array:
        """The deviation of each class along w, zero where it is no more than rounding."""

    def reweighted(self, priors: Array) -> "Evidence":
        """The same classes with counts n·p_k."""

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """S⁻¹δ_k and the discriminant directions."""

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """Least squares of targets[class] (K×q) on the rows."""


@dataclass(frozen=True)
class SummedClasses:
    """What class moments say of the classes at once."""

    of_classes: ClassMoments

    classes = property(attrgetter("of_classes.classes"), doc="Labels in order.")
    counts = property(attrgetter("of_classes.counts"), doc="n_k.")
    means = property(attrgetter("of_classes.means"), doc="m_k.")
    mean = property(attrgetter("of_classes.mean"), doc="The mean of all rows.")


def spreads_of_scatter(scatter: Array, counts: Array, w: Array) -> tuple[Array, bool]:
    """√(w·S_k w/n_k) of each class, zero where that is no more than rounding of its terms; whether terms cancelled."""
    terms = np.einsum("i,kij,j->k", np.abs(w), np.abs(scatter), np.abs(w))
    squares = np.einsum("i,kij,j->k", w, scatter, w)
    spreads = np.sqrt(np.where(squares > 64 * w.size * EPS * terms, squares, 0.0) / counts)
    return spreads, bool((squares < _CANCELLED * terms).any())


def class_cross_products(m: ClassMoments, targets: Array) -> tuple[Array, Array]:
    """(Σ_k n_k(m_k − m)(t_k − t̄)′, t̄): all that targets constant on classes need of the rows beside S."""
    target_mean = (m.counts / m.n) @ targets
    return m.displacements.T @ (m.counts[:, None] * (targets - target_mean)), target_mean


def shrink_scatter(within: Array, s: float, n_columns: int) -> Array:
    """The shrunk matrix (1 − s)C + s(tr C/d)I."""
    covariance = (1.0 - s) * within
    covariance[np.diag_indices(len(within))] += s * np.trace(within) / n_columns
    return covariance


def intensity(m: ClassMoments, n_columns: int) -> float:
    """Ledoit and Wolf's intensity for rows centred on their class means; d is ``n_columns`` even in a row space."""
    within = m.within
    assert m.quartic is not None
    quartic = float(m.quartic.sum())
    if not np.isfinite(quartic):
        raise ValueError("fourth powers overflow in Ledoit–Wolf shrinkage; rescale the columns first")
    return float(ledoit_wolf_intensity(m.n, n_columns, np.trace(within), float((within * within).sum()), quartic))


def refuse_wide_scatter(n_columns: int) -> None:
    """A d×d matrix of very many columns is not formed behind the user's back."""
    if n_columns > _WIDEST_SCATTER:
        raise ValueError(
            f"adding, merging and forgetting rows keeps a d×d matrix, and d = {n_columns} is too many columns "
            f"(at most {_WIDEST_SCATTER}); fit all rows at once"
        )
