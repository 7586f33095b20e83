"""Which weights a learner may give: sparse ones, weights within bounds, weights of one sign.

    min over w, b:  f(Xw + b) + λ(ρ‖w‖₁ + ½(1 − ρ)‖w‖²)    s.t.  low ≤ w ≤ high

``l1_ratio`` is ρ; ``bounds`` and ``monotone`` give low and high in the units of the columns.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding, NotConverged
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum, minimise_composite
from discriminant.parameters import read_ratio
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Pair = tuple[float | None, float | None] | None
# by the name or the place of a column, or one for each column
Bounds = Mapping[Any, Pair] | Sequence[Pair] | None
Signs = Mapping[Any, int] | Sequence[int] | None

# Attributes that a fit with limits sets, and one without has not.
LIMITED = ("gap_", "primal_", "dual_", "proved_zero_", "multipliers_", "kkt_")


@dataclass(frozen=True)
class WeightLimits:
    """The limits as a person gives them: ρ, and bounds and signs by column."""

    l1_ratio: Any = 0.0
    bounds: Any = None
    monotone: Any = None

    @classmethod
    def of(cls, learner: Any) -> "WeightLimits":
        """From the parameters of a learner."""
        return cls(learner.l1_ratio, learner.bounds, learner.monotone)

    def check(self) -> None:
        """Refuse what makes no sense before any row is touched."""
        read_ratio(self.l1_ratio, "l1_ratio")
        for name, given in (("bounds", self.bounds), ("monotone", self.monotone)):
            if given is not None and not isinstance(given, Mapping | list | tuple | np.ndarray):
                raise TypeError(
                    f"{name} must be a mapping of columns or a sequence with an entry for each, got {given!r}"
                )

    @property
    def bounded(self) -> bool:
        """Whether some weights have bounds or signs."""
        return self.bounds is not None or self.monotone is not None

    def apply(self, penalty: float) -> bool:
        """Whether weights are limited beyond a ridge, under a penalty λ."""
        return self.bounded or (float(self.l1_ratio) > 0.0 and penalty > 0.0)

    def refusal(self, n_classes: int) -> ValueError:
        """Of more than two classes: which plane would the bounds be of?"""
        return ValueError(
            f"bounds and monotone are for two classes, and y has {n_classes}; fit one class against the others "
            "(OneVsAll), or pairs of them"
        )

    def penalty(self, strength: float, n_columns: int, names: tuple[str, ...] | None) -> WeightPenalty:
        """λ₁, λ₂ and the bounds of each column."""
        ratio = float(self.l1_ratio)
        low, high = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
        for j, pair in _by_column(self.bounds, n_columns, names, "bounds"):
            low[j], high[j] = _read_pair(pair, names[j] if names else j)
        for j, sign in _by_column(self.monotone, n_columns, names, "monotone"):
            if sign is None or isinstance(sign, bool) or sign not in (-1, 0, 1):
                raise ValueError(f"monotone of column {names[j] if names else j!r} must be 1, -1 or 0, got {sign!r}")
            low[j] = max(low[j], 0.0) if sign > 0 else low[j]
            high[j] = min(high[j], 0.0) if sign < 0 else high[j]
        crossed = np.flatnonzero(low > high)
        if crossed.size:
            j = int(crossed[0])
            raise ValueError(
                f"the weight of column {names[j] if names else j!r} must be at least {low[j]:g} and at most "
                f"{high[j]:g}, which no number is; mend bounds or monotone"
            )
        return WeightPenalty.of(n_columns, ratio * strength, (1.0 - ratio) * strength, (low, high))


def _by_column(given: Any, n_columns: int, names: tuple[str, ...] | None, what: str) -> list[tuple[int, Any]]:
    """(place, entry) of each column that is named or counted."""
    if given is None:
        return []
    if not isinstance(given, Mapping):
        if len(given) != n_columns:
            raise ValueError(f"{what} has {len(given)} entries, and there are {n_columns} columns; name those you mean")
        return list(enumerate(given))
    return [(_place(column, n_columns, names, what), entry) for column, entry in given.items()]


def _place(column: Any, n_columns: int, names: tuple[str, ...] | None, what: str) -> int:
    if isinstance(column, str):
        if names is None:
            raise ValueError(
                f"{what} names column {column!r}, but X has no column names; give its place, or a data frame"
            )
        if column not in names:
            raise ValueError(f"{what} names column {column!r}, which X does not have")
        return names.index(column)
    if isinstance(column, bool) or not isinstance(column, int | np.integer) or not 0 <= column < n_columns:
        raise ValueError(f"{what} has an entry for column {column!r}; the places of columns are 0 to {n_columns - 1}")
    return int(column)


def _read_pair(pair: Any, column: Any) -> tuple[float, float]:
    if pair is None:
        return -np.inf, np.inf
    entries = list(pair) if isinstance(pair, list | tuple | np.ndarray) else []
    ends = [missing if end is None else end for end, missing in zip(entries, (-np.inf, np.inf), strict=False)]
    if len(entries) != 2 or not all(isinstance(end, Real) and not np.isnan(float(end)) for end in ends):
        raise ValueError(f"bounds of column {column!r} must be a pair (low, high) of numbers or None, got {pair!r}")
    return float(ends[0]), float(ends[1])


def limited_optima(
    rows: ArrayRows,
    fits: list[Fit],
    penalty: WeightPenalty,
    *,
    tol: float,
    max_iter: int,
    intercept: bool = True,
    starts: list[tuple[Array, Array]] | None = None,
) -> list[CompositeOptimum]:
    """The optimum of each fit to the same rows, all under one penalty."""  # fmt: skip
    columns = ScaledColumns.of(rows.matrix, intercept)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return [
            minimise_composite(
                fit, columns, penalty, tolerance=tol, max_iterations=max_iter, start=None if starts is None else start
            )
            for fit, start in zip(fits, starts or [None] * len(fits), strict=True)  # type: ignore[list-item]
        ]


def keep_optima(learner: Any, found: list[CompositeOptimum]) -> None:
    """Set the planes, both criteria and what proves them; numbers for one problem, arrays for several."""
    learner.coef_ = np.vstack([one.coef for one in found])
    learner.intercept_ = np.concatenate([one.intercept for one in found])
    learner.n_iter_ = sum(one.n_iterations for one in found)
    for name in ("primal", "dual", "gap", "kkt"):
        values = np.array([getattr(one, name) for one in found])
        setattr(learner, f"{name}_", float(values[0]) if len(found) == 1 else values)
    learner.proved_zero_ = np.vstack([one.proved_zero for one in found])
    learner.multipliers_ = np.vstack([one.multipliers for one in found])


def gap_findings(learner: Any, tol: float) -> tuple[Finding, ...]:
    """That a gap was left, if so."""
    gap = float(np.max(learner.gap_))
    if gap <= tol:
        return ()
    return (
        NotConverged(
            f"The iteration stopped after {learner.n_iter_} steps",
            f"The criterion is up to {gap:.1e} of itself above the optimum, more than tol={tol:g}",
            "Raise max_iter (or tol), or the penalty",
        ),
    )
