"""Which weights a learner may give: sparse ones, by column or by group, weights within bounds, weights of one sign.

    min over w, b:  f(Xw + b) + λ(ρ‖w‖₁ + ½(1 − ρ)‖w‖²)    s.t.  low ≤ w ≤ high

``l1_ratio`` is ρ; ``bounds`` and ``monotone`` give low and high in the units of the columns, of one plane or by class.
A group G of ``column_groups`` has √|G|·‖w_G‖ in the place of its part of ‖w‖₁.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding, NotConverged
from discriminant.hyperplane import Planes
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit
from discriminant.optimise.composite.groups import GroupedPenalty
from discriminant.optimise.composite.hinge import HingeFit, minimise_hinge
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum, minimise_composite
from discriminant.parameters import read_ratio
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]
Pair = tuple[float | None, float | None] | None
# by the name or the place of a column, or one for each column
ColumnBounds = Mapping[Any, Pair] | Sequence[Pair]
ColumnSigns = Mapping[Any, int] | Sequence[int]
# of more than two classes by the class whose plane they are of
Bounds = ColumnBounds | Mapping[Any, ColumnBounds] | None
Signs = ColumnSigns | Mapping[Any, ColumnSigns] | None
# columns by name or place
ColumnGroups = Sequence[Sequence[Any]] | None

# Attributes that a fit with limits sets, and one without has not.
LIMITED = ("gap_", "primal_", "dual_", "proved_zero_", "multipliers_", "kkt_")


@dataclass(frozen=True)
class WeightLimits:
    """The limits as a person gives them: ρ, groups of columns, and bounds and signs by column."""

    l1_ratio: Any = 0.0
    bounds: Any = None
    monotone: Any = None
    column_groups: Any = None

    @classmethod
    def of(cls, learner: Any) -> "WeightLimits":
        """The limits that the parameters of a learner state."""
        return cls(learner.l1_ratio, learner.bounds, learner.monotone, learner.column_groups)

    def check(self) -> None:
        """Refuse what makes no sense before any row is touched."""
        read_ratio(self.l1_ratio, "l1_ratio")
        for name, given in (("bounds", self.bounds), ("monotone", self.monotone)):
            if given is not None and not isinstance(given, Mapping | list | tuple | np.ndarray):
                raise TypeError(
                    f"{name} must be a mapping of columns or a sequence with an entry for each, got {given!r}"
                )
        if self.column_groups is None:
            return
        if not isinstance(self.column_groups, list | tuple) or any(
            not isinstance(group, list | tuple | np.ndarray) for group in self.column_groups
        ):
            raise TypeError(f"column_groups must be a list of lists of columns, got {self.column_groups!r}")
        if not float(self.l1_ratio) > 0.0:
            raise ValueError("column_groups needs an l1_ratio above 0, for l1_ratio=0 leaves no column out; 1 is usual")

    @property
    def bounded(self) -> bool:
        """Whether some weights have bounds or signs."""
        return self.bounds is not None or self.monotone is not None

    def apply(self, penalty: float) -> bool:
        """Whether weights are limited beyond a ridge, under a penalty λ."""
        return self.bounded or (float(self.l1_ratio) > 0.0 and penalty > 0.0)

    def penalty(self, strength: float, names: tuple[str, ...] | None, n_columns: int, classes: Any) -> WeightPenalty:
        """λ₁, λ₂ and the bounds of each column, or of more than two classes of each plane; groups if there are any."""
        low, high = self._ends(names, n_columns, classes)
        ratio = float(self.l1_ratio)
        penalty = WeightPenalty.of(n_columns, ratio * strength, (1.0 - ratio) * strength, (low, high))
        if self.column_groups is None or not strength > 0.0:
            return penalty
        groups = read_column_groups(self.column_groups, n_columns, names)
        for group in groups:
            held = group[(np.isfinite(low) | np.isfinite(high)).reshape(-1, n_columns)[:, group].any(axis=0)]
            if held.size:
                name = _column_name(int(held[0]), names)
                raise ValueError(
                    f"column {name!r} is in a group and has bounds or a sign; take it out of column_groups, or give it "
                    "no bounds"
                )
        return GroupedPenalty.together(penalty, groups, ratio * strength)

    def _ends(self, names: tuple[str, ...] | None, n_columns: int, classes: Any) -> tuple[Array, Array]:
        """Low and high of each column, or of each plane and column where there are more than two classes."""
        if not self.bounded:
            return np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
        if len(classes) == 2:
            return _ends_of_plane(self.bounds, self.monotone, n_columns, names)
        by_class = [_by_class(given, classes, what) for given, what in _named(self)]
        ends = [_ends_of_plane(bounds, signs, n_columns, names) for bounds, signs in zip(*by_class, strict=True)]
        return np.array([low for low, _ in ends]), np.array([high for _, high in ends])


def _named(limits: WeightLimits) -> tuple[tuple[Any, str], tuple[Any, str]]:
    return (limits.bounds, "bounds"), (limits.monotone, "monotone")


def _by_class(given: Any, classes: Any, what: str) -> list[Any]:
    """What is given of each class, in their order."""
    if given is None:
        return [None] * len(classes)
    labels = list(classes.tolist())
    if not isinstance(given, Mapping) or not all(_is_of_columns(of, what) for of in given.values()):
        raise ValueError(_by_class_hint(what, labels))
    unknown = [label for label in given if label not in labels]
    if unknown:
        raise ValueError(f"{what} names class {unknown[0]!r}, which y does not have; {_by_class_hint(what, labels)}")
    return [given.get(label) for label in labels]


def _is_of_columns(given: Any, what: str) -> bool:
    """Whether entries are of columns: not the (low, high) of one column, whose number may be a label too."""
    pair = what == "bounds" and isinstance(given, list | tuple) and any(isinstance(end, Real) for end in given)
    return isinstance(given, Mapping | list | tuple) and not pair


def _by_class_hint(what: str, labels: list[Any]) -> str:
    entry = "{column: 1}" if what == "monotone" else "{column: (low, high)}"
    return (
        f"y has {len(labels)} classes, each with a plane of its own; give {what} by class, "
        f"{{{labels[0]!r}: {entry}, ...}}"
    )


def _ends_of_plane(bounds: Any, monotone: Any, n_columns: int, names: tuple[str, ...] | None) -> tuple[Array, Array]:
    """Low and high of each weight of a plane."""
    low, high = np.full(n_columns, -np.inf), np.full(n_columns, np.inf)
    for j, pair in _by_column(bounds, n_columns, names, "bounds"):
        low[j], high[j] = _read_pair(pair, _column_name(j, names))
    for j, sign in _by_column(monotone, n_columns, names, "monotone"):
        if sign is None or isinstance(sign, bool) or sign not in (-1, 0, 1):
            raise ValueError(f"monotone of column {_column_name(j, names)!r} must be 1, -1 or 0, got {sign!r}")
        low[j] = max(low[j], 0.0) if sign > 0 else low[j]
        high[j] = min(high[j], 0.0) if sign < 0 else high[j]
    crossed = np.flatnonzero(low > high)
    if crossed.size:
        j = int(crossed[0])
        raise ValueError(
            f"the weight of column {_column_name(j, names)!r} must be at least {low[j]:g} and at most "
            f"{high[j]:g}, which no number is; mend bounds or monotone"
        )
    return low, high


def _column_name(j: int, names: tuple[str, ...] | None) -> Any:
    return names[j] if names else j


def read_column_groups(given: Any, n_columns: int, names: tuple[str, ...] | None) -> list[NDArray[np.intp]]:
    """The places of the columns of each group; no column is in two."""
    groups, taken = [], np.zeros(n_columns, dtype=bool)
    for columns in given:
        places = np.array([_place(column, n_columns, names, "column_groups") for column in columns], dtype=np.intp)
        again = [j for j in places.tolist() if taken[j]] or [j for j in places if (places == j).sum() > 1]
        if again:
            raise ValueError(f"column_groups has column {_column_name(int(again[0]), names)!r} twice; name it once")
        taken[places] = True
        if places.size:
            groups.append(places)
    return groups


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
    told = f"bounds of column {column!r} must be a pair (low, high) of numbers or None, got {pair!r}"
    if len(entries) != 2 or not all(isinstance(end, Real) for end in ends):
        raise ValueError(told)
    try:
        low, high = map(float, ends)
    except OverflowError:
        raise ValueError(told) from None
    if not (low < np.inf and high > -np.inf):  # so it is for NaN
        raise ValueError(told)
    return low, high


def limited_optima(
    rows: ArrayRows,
    fits: list[Fit],
    penalty: WeightPenalty,
    *,
    tol: float,
    max_iter: int,
    intercept: bool = True,
    starts: list[Planes | None] | None = None,
) -> list[CompositeOptimum]:
    """The optimum of each fit to the same rows, under the penalty of its plane."""
    columns = ScaledColumns.of(rows.matrix, intercept)
    columns = columns.rescaled(penalty.shared_scale(columns.scale))
    given = starts or [None] * len(fits)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        return [
            least_of_fit(fit, columns, one, tolerance=tol, max_iterations=max_iter, start=start)
            for fit, one, start in zip(fits, penalties_of(penalty, fits), given, strict=True)
        ]


def penalties_of(penalty: WeightPenalty, fits: list[Fit]) -> list[WeightPenalty]:
    """The penalty of each fit: of all planes where one fit has them all, else of its own."""
    return [penalty] if len(fits) == 1 else [penalty.of_plane(k) for k in range(len(fits))]


def least_of_fit(fit: Fit, columns: ScaledColumns, penalty: WeightPenalty, **options: Any) -> CompositeOptimum:
    """The optimum of a smooth fit, or of the hinge."""
    if isinstance(fit, HingeFit):
        return finite_optimum(minimise_hinge(fit, columns, penalty, **options))
    return finite_optimum(minimise_composite(fit, columns, penalty, **options))


def finite_optimum(found: CompositeOptimum) -> CompositeOptimum:
    """The same, or a refusal where the criterion overflows at all weights within bounds, or underflows."""
    if np.isfinite(found.primal) and not np.isnan(found.gap):
        return found
    raise ValueError(
        "the criterion is beyond the numbers there are; take bounds, a penalty (or C) and weights of rows nearer to 1"
    )


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
    """The finding that a gap was left, if so."""
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
