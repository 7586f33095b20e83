"""Class statistics with classes merged into the two sides of a problem.

A problem gives each class a side: 1, 0, or −1 for a class that takes no part. Sums of counts simply add. Scatter is
kept about class means, so each class is first displaced to the mean of its side:

    n = Σ_j n_j,    m = Σ_j (n_j/n) m_j,    W = Σ_j [W_j + n_j(m_j − m)(m_j − m)′]        over the classes j of a side.
"""

from functools import singledispatch
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.statistics.counts import CategoryCounts, ClassSums
from discriminant.statistics.moments import ClassMoments, displaced_sums

Array = NDArray[np.float64]
Side = NDArray[np.int32]

SIDES = np.array([0, 1])


def can_merge_sides(statistics: Any) -> bool:
    """Whether the classes of these statistics can be merged."""
    return merge_sides.dispatch(type(statistics)) is not merge_sides.dispatch(object)


@singledispatch
def merge_sides(statistics: Any, side: Side) -> Any:
    """The statistics of the rows on each side."""
    raise TypeError(f"classes of {type(statistics).__name__} cannot be merged")


@merge_sides.register
def _(statistics: ClassSums, side: Side) -> ClassSums:
    adding = _merging_matrix(side)
    return ClassSums(SIDES, adding @ statistics.counts, adding @ statistics.sums, statistics.any_negative)


@merge_sides.register
def _(statistics: CategoryCounts, side: Side) -> CategoryCounts:
    adding = _merging_matrix(side)
    tables = [adding @ table for table in statistics.tables]
    seen = [np.flatnonzero(table.sum(axis=0) > 0) for table in tables]
    return CategoryCounts(
        SIDES,
        adding @ statistics.counts,
        tuple(values[s] for values, s in zip(statistics.values, seen, strict=True)),
        tuple(table[:, s] for table, s in zip(tables, seen, strict=True)),
    )


@merge_sides.register
def _(statistics: ClassMoments, side: Side) -> ClassMoments:
    m = _taking_part(statistics, side)
    side = side[side >= 0]
    adding = _merging_matrix(side)
    counts = adding @ m.counts
    # measured from the mean of one class, so that a common offset of the columns costs no digits
    reference = m.means[[int(np.flatnonzero(side == s)[0]) for s in SIDES]]
    shares = adding * m.counts / counts[:, None]
    means = reference + np.einsum("sk,skj->sj", shares, m.means - reference[:, None])
    scatter, cubic, quartic = displaced_sums(m, m.means - means[side])
    if m.per_class:
        scatter = np.tensordot(adding, scatter, axes=1)
    if cubic is None or quartic is None:
        return ClassMoments(SIDES, counts, means, scatter, m.per_class)
    with np.errstate(invalid="ignore"):  # third and fourth powers may have overflowed where squares did not
        return ClassMoments(SIDES, counts, means, scatter, m.per_class, adding @ cubic, adding @ quartic)


def _taking_part(m: ClassMoments, side: Side) -> ClassMoments:
    """The statistics without the classes that are on neither side."""
    inside = side >= 0
    if inside.all():
        return m
    if not m.per_class:
        raise ValueError("leaving classes out needs the scatter of each class; take moments with per_class=True")
    cubic, quartic = (None if part is None else part[inside] for part in (m.cubic, m.quartic))
    return ClassMoments(m.classes[inside], m.counts[inside], m.means[inside], m.scatter[inside], True, cubic, quartic)


def _merging_matrix(side: Side) -> Array:
    """(2×K): which classes each side adds up."""
    return np.asarray(side == SIDES[:, None], dtype=np.float64)
