"""A change of several columns, with whole values for the columns that have no others.

The least change gives every column a little, which a whole number cannot take. So each such column takes the nearest of
its values, the others make up for what is then missing or too much, and if they cannot, columns go on to their next
value one after the other, those first that had to give up most. Then each goes back a step if the answer stays the
other one. This is a short way, but not always the shortest.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from discriminant.model.changes import Row, Step, away_from, least_step, step_to
from discriminant.model.movable import Movable

_MOST_BACK = 50  # columns that are tried to go back


def with_whole_values(row: Row, movables: Sequence[Movable], step: Step) -> Step | None:
    """A step whose values all can be had; None where none was found."""
    if all(m.step is None or x == m.value for m, x in zip(movables, step.values, strict=True)):
        return step
    found = [each for each in _tried(row, movables, step) if each is not None]
    best = min(found, key=lambda each: each.size, default=None)
    return None if best is None else _gone_back(row, movables, best)


def _tried(row: Row, movables: Sequence[Movable], step: Step) -> Iterator[Step | None]:
    nearest = [_nearest(m, x) for m, x in zip(movables, step.values, strict=True)]
    kept = step_to(row, movables, nearest)
    yield kept
    yield _made_up(row, movables, nearest)
    if kept is None:
        yield _rounded_away(row, movables, step.values, nearest)


def _nearest(movable: Movable, value: float) -> float:
    """The nearest value that can be had; its own rather than one on the other side."""
    if movable.step is None or value == movable.value:
        return value
    whole = float(np.round(value / movable.step) * movable.step)
    return whole if (whole - movable.value) * (value - movable.value) > 0 else movable.value


def _made_up(row: Row, movables: Sequence[Movable], values: Sequence[float]) -> Step | None:
    """With the columns of any value changed as they must be beside whole values of the others."""
    free = [j for j, movable in enumerate(movables) if movable.step is None]
    if not free:
        return None
    whole = [movable.value if j in free else x for j, (movable, x) in enumerate(zip(movables, values, strict=True))]
    moved = row.with_values(movables, whole)
    if moved.answer != row.answer:
        return step_to(row, movables, whole)
    rest = least_step(moved, [movables[j] for j in free])
    if rest is None:
        return None
    for j, x in zip(free, rest.values, strict=True):
        whole[j] = x
    return step_to(row, movables, whole)


def _rounded_away(
    row: Row, movables: Sequence[Movable], wanted: Sequence[float], values: Sequence[float]
) -> Step | None:
    taken = list(values)
    short = [abs(x - y) / m.deviation for m, x, y in zip(movables, wanted, values, strict=True)]
    for j in np.argsort(short)[::-1].tolist():
        if movables[j].step is None or wanted[j] == movables[j].value:
            continue
        taken[j] = away_from(movables[j], wanted[j])
        step = step_to(row, movables, taken)
        if step is not None:
            return step
    return None


def _gone_back(row: Row, movables: Sequence[Movable], step: Step) -> Step:
    """Without what is not needed, the largest parts first."""
    sizes = [m.size(x) for m, x in zip(movables, step.values, strict=True)]
    for j in np.argsort(sizes)[::-1][:_MOST_BACK].tolist():
        own = movables[j]
        if own.step is None or step.values[j] == own.value:
            continue
        back = step.values[j] - np.sign(step.values[j] - own.value) * own.step
        values = [*step.values[:j], _nearest(own, back), *step.values[j + 1 :]]
        shorter = step_to(row, movables, values)
        step = shorter if shorter is not None and shorter.size < step.size else step
    return step
