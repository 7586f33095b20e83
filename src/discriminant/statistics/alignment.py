"""Statistics of different classes, laid side by side so that they can be added or taken away; and sums of many."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Spread = Callable[[Array], Array]


def align_classes(a: NDArray[Any], b: NDArray[Any]) -> tuple[NDArray[Any], Spread, Spread]:
    """The union of two sets of classes, and for each side the way to spread its first axis over it."""
    if a.size and b.size and _kind(a) != _kind(b):
        raise TypeError(
            f"classes {a.tolist()[0]!r} and {b.tolist()[0]!r} are of different types; use one for all labels"
        )
    classes = np.union1d(a, b)
    return classes, _spreader(classes, a), _spreader(classes, b)


def _kind(classes: NDArray[Any]) -> str:
    if classes.dtype.kind in "iufb":
        return "number"
    if classes.dtype.kind == "O":
        return "text" if isinstance(classes[0], str) else type(classes[0]).__name__
    return "text" if classes.dtype.kind in "U" else classes.dtype.kind


def _spreader(classes: NDArray[Any], own: NDArray[Any]) -> Spread:
    place = np.searchsorted(classes, own)

    def spread(values: Array) -> Array:
        wide = np.zeros((classes.size, *values.shape[1:]))
        wide[place] = values
        return wide

    return spread


def refuse_absent_classes(have: NDArray[Any], taken: NDArray[Any]) -> None:
    """Rows of a class that has none cannot be taken away."""
    known = set(have.tolist())
    absent = [c for c in taken.tolist() if c not in known]
    if absent:
        raise ValueError(f"rows of class {absent[0]!r} cannot be taken away: there are none")


def remaining_classes(classes: NDArray[Any], counts: Array, before: Array) -> NDArray[np.bool_]:
    """Which classes are left after a subtraction; an error where more was taken than there was."""
    slack = 1e-9 * before
    short = np.flatnonzero(counts < -slack)
    if short.size:
        k = short[0]
        raise ValueError(
            f"more rows of class {classes.tolist()[k]!r} were taken away than there are "
            f"({before[k] - counts[k]:g} of {before[k]:g})"
        )
    return counts > slack


def common_names(mine: tuple[str, ...] | None, theirs: tuple[str, ...] | None) -> tuple[str, ...] | None:
    """The names of the columns of two sets of moments, which must agree where both have them."""
    if mine is not None and theirs is not None and mine != theirs:
        here, there = next((a, b) for a, b in zip(mine, theirs, strict=True) if a != b)
        raise ValueError(f"moments of different columns cannot be combined: {here!r} here is {there!r} there")
    return theirs if mine is None else mine


def sums_of_others(parts: Sequence[Any]) -> list[Any]:
    """The sum of all parts but each, added from both ends, so that no digit is lost to cancellation."""
    left, right = list(accumulate(parts, add)), list(accumulate(parts[::-1], lambda a, b: b + a))[::-1]
    return [right[1], *(a + b for a, b in zip(left, right[2:], strict=False)), left[-2]]
