"""Classes named before any of their rows have come: scores have a place for them, and no row is assigned to one."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.hyperplane import Planes
from discriminant.rows.labels import places_of

Array = NDArray[np.float64]

_NEVER = -1e300  # the score of a class without rows: finite, and of probability 0


def declared_with(known: NDArray[Any] | None, classes: Any) -> NDArray[Any] | None:
    """All classes that were ever named, in order; None where none were."""
    if classes is None:
        return known
    named = np.unique(np.asarray(classes))
    return named if known is None else np.union1d(known, named)


def refuse_undeclared(classes: NDArray[Any], declared: NDArray[Any] | None) -> None:
    """Once classes were named, rows are of these alone."""
    if declared is None:
        return
    allowed = declared.tolist()
    unknown = [label for label in classes.tolist() if label not in allowed]
    if unknown:
        raise ValueError(f"y holds class {unknown[0]!r}, which is not among classes={allowed}")


def scores_over(coef: Array, intercept: Array, seen: NDArray[Any], declared: NDArray[Any]) -> Planes:
    """Scores of every declared class from those of the classes seen so far."""
    return Planes(over_classes(coef, 0.0, seen, declared), over_classes(intercept, _NEVER, seen, declared))


def include_classes(model: Any, every: NDArray[Any]) -> None:
    """Give a fitted model places for classes whose rows did not count: it has them, and never assigns a row to them."""
    seen = model.classes_
    if every.size == seen.size:
        return
    planes = Planes(model.coef_, model.intercept_).by_class(seen.size)
    model.coef_, model.intercept_ = scores_over(*planes, seen, every)
    model.classes_ = every


def over_classes(values: Array, absent: float, seen: NDArray[Any], declared: NDArray[Any]) -> Array:
    """An entry for each declared class, from one for each class seen."""
    whole = np.full((declared.size, *values.shape[1:]), absent)
    whole[places_of(seen, declared)] = values
    return whole
