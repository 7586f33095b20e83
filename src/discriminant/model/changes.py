"""The least change of a row that changes its answer.

With x the row, F the columns that may change and f the shortfall of another answer (see `boundary`),

    minimise ‖Δ‖  subject to  f(x + Δ) = 0,  Δ_j = 0 off F;        f straight:  Δ = −f(x) a/‖a‖²,  a = ∇f on F

in deviations of the columns, and the other answer is the one for which this is least: the nearest of several planes is
crossed before the others. Where columns are curved, one alone is searched piece by piece (see `movable`) and several
by `relaxation`; where f itself is bent, the nearest change is looked for along rays (see `rays`). A step that is found
is taken in the units of the table and stretched until the model itself, asked about the changed row, answers otherwise.

The least change gives every column a little, which a whole number cannot take. So each column of whole values takes the
nearest of these, the others make up for what is then missing or too much, and if they cannot, columns go on to their
next value one after the other, those first that had to give up most. Then each goes back a step if the answer stays the
other one. This is a short way, but not always the shortest.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.model.boundary import Rival, rivals
from discriminant.model.decision_model import DecisionModel
from discriminant.model.movable import Movable, nearest_value
from discriminant.model.rays import ColumnSteps, nearest_by_rays
from discriminant.model.relaxation import least_change
from discriminant.table.encoding import Column

Array = NDArray[np.float64]

_MOST_BY_RAYS = 40  # columns: with more, directions are too many to try
_MOST_BACK = 50  # columns that are tried to go back
_STRETCHES = 60  # doublings of what is added to a step, from rounding up
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Row:
    """One row as a model encodes it."""

    model: DecisionModel
    x: Array

    @property
    def scores(self) -> Array:
        """The P scores of the row."""
        return np.asarray(self.model.scores(self.x[None])[0])

    @property
    def answer(self) -> int:
        """The place of the answer among the model's."""
        return int(self.model.decide(self.x[None]).assigned[0])

    def with_values(self, movables: Sequence[Movable], values: Sequence[float]) -> "Row":
        """The row with other values of columns."""
        x = self.x.copy()
        for movable, value in zip(movables, values, strict=True):
            if value != movable.value:
                x[movable.places] = movable.encoded(np.array([value]))[0]
        return Row(self.model, x)


@dataclass(frozen=True)
class ValueStep:
    """New values of columns that change the answer, and how far they are in deviations."""

    values: tuple[float, ...]
    size: float
    answer: int


def step_to(row: Row, movables: Sequence[Movable], values: Sequence[float]) -> ValueStep | None:
    """The step to these values; None where it leaves the answer as it is."""
    if not np.isfinite(values).all():
        return None
    other = row.with_values(movables, values).answer
    size = float(np.linalg.norm([m.size(x) for m, x in zip(movables, values, strict=True)]))
    return None if other == row.answer else ValueStep(tuple(map(float, values)), size, other)


def least_alone(row: Row, movable: Movable) -> ValueStep | None:
    """The least change of one column that changes the answer, among values that it can have; None where none does."""
    if movable.straight:
        step = least_step(row, [movable])
        if step is None or movable.step is None:
            return step
        whole = step_to(row, [movable], [away_from(movable, step.values[0])])
        if whole is not None:
            return whole
    answer = row.answer

    def changed(values: Array) -> NDArray[np.bool_]:
        rows = np.repeat(row.x[None], len(values), axis=0)
        rows[:, movable.places] = movable.encoded(values)
        return np.asarray(row.model.decide(rows).assigned != answer)

    found = nearest_value(movable, changed)
    return None if found is None else _step_reaching(row, movable, found)


def _step_reaching(row: Row, movable: Movable, value: float) -> ValueStep | None:
    """The step to a value; rounding may ask for the next one."""
    away = 1.0 if value > movable.start else -1.0
    least = EPS * max(abs(value), movable.deviation)
    more = [movable.step * k for k in (1, 2)] if movable.step is not None else [least * 2.0**k for k in range(12)]
    steps = (step_to(row, [movable], [value + away * extra]) for extra in (0.0, *more))
    return next((step for step in steps if step is not None), None)


def away_from(movable: Movable, value: float) -> float:
    """A whole multiple of the column's step, from its own value beyond another one."""
    if movable.step is None:
        return value
    steps = value / movable.step
    return float((np.ceil(steps) if value > movable.value else np.floor(steps)) * movable.step)


# --- several columns together ---------------------------------------------------------------------------


def least_step(row: Row, movables: Sequence[Movable]) -> ValueStep | None:
    """The least change of columns that changes the answer, whatever values they can have; None where none does."""
    answer = row.answer
    others = rivals(row.model, answer, row.scores)
    straight = all(rival.straight for rival in others)
    if all(movable.straight for movable in movables):
        W = _weights(movables)
        steps = (
            [_projection(rival, W) for rival in others]
            if straight
            else [nearest_by_rays(row.model, answer, ColumnSteps(row.scores, tuple(movables)))]
        )
        found = [step for step in steps if step is not None]
        for delta in sorted(found, key=lambda step: float(np.linalg.norm(step))):
            taken = _apply_step(row, answer, movables, delta)
            if taken is not None:
                return taken
        return None
    relaxed = _by_relaxation(row, movables, others) if straight else None
    if straight and len(movables) > _MOST_BY_RAYS:
        return relaxed
    ray = _by_curved_rays(row, answer, movables, relaxed)
    return min((step for step in (relaxed, ray) if step is not None), key=lambda step: step.size, default=None)


def _by_relaxation(row: Row, movables: Sequence[Movable], others: Sequence[Rival]) -> ValueStep | None:
    def values_of(starts: Array) -> list[float]:
        """A column that stays where it is clipped stays where it is."""
        return [m.value if x == m.start else x for m, x in zip(movables, starts.tolist(), strict=True)]

    def changes(starts: Array) -> bool:
        return step_to(row, movables, values_of(starts)) is not None

    found = [least_change(movables, rival.slopes, rival.value, changes) for rival in others]
    steps = [step_to(row, movables, values_of(starts)) for starts in found if starts is not None]
    return min((step for step in steps if step is not None), key=lambda step: step.size, default=None)


def _by_curved_rays(row: Row, answer: int, movables: Sequence[Movable], known: ValueStep | None) -> ValueStep | None:
    """Nearer than the relaxation says where columns bend the wrong way."""
    starts, deviations = (np.array([getattr(m, name) for m in movables]) for name in ("start", "deviation"))
    lows, highs = (np.array([getattr(m, name) for m in movables]) for name in ("low", "high"))
    steps = [] if known is None else [(np.clip(known.values, lows, highs) - starts) / deviations]
    path = ColumnSteps(row.scores, tuple(movables))
    ray = nearest_by_rays(row.model, answer, path, steps)
    return None if ray is None else step_to(row, movables, path.values(ray[None])[0].tolist())


def _weights(movables: Sequence[Movable]) -> Array:
    """What a deviation more of each straight column adds to the scores, P×m."""
    return np.column_stack([m.weights[:, 0] * (m.deviation / m.features[0].scale) for m in movables])


def _projection(rival: Rival, W: Array) -> Array | None:
    """Δ on the plane f = 0, for a straight f."""
    a = rival.slopes @ W
    largest = float(np.abs(a).max(initial=0.0))
    if largest == 0.0:
        return None
    unit = a / largest  # so that no square underflows
    with np.errstate(over="ignore", invalid="ignore"):
        found = unit * ((-rival.value / largest) / (unit @ unit))
    return found if np.isfinite(found).all() else None


def _apply_step(row: Row, answer: int, movables: Sequence[Movable], delta: Array) -> ValueStep | None:
    """A step of straight columns in the units of the table, just as long as it must be."""
    deviation = np.array([m.deviation for m in movables])
    start = np.array([m.value for m in movables])
    length = float(np.linalg.norm(delta))
    direction = delta / length if length > 0 else _outward_direction(row, answer, movables)
    from_centre = max(abs(m.value - m.features[0].centre) / m.deviation for m in movables)
    least = EPS * (length + from_centre + float(np.abs(start / deviation).max(initial=0.0)))
    for extra in [0.0, *(least * 2.0**k for k in range(_STRETCHES))]:
        if extra > max(1e-3 * length, 1e-6 * (1.0 + from_centre)) and extra > 1e6 * least:
            break
        with np.errstate(over="ignore"):
            values = start + deviation * (direction * (length + extra))
        if not np.isfinite(values).all():
            return None
        step = step_to(row, movables, values.tolist())
        if step is not None:
            return step
    return None


def _outward_direction(row: Row, answer: int, movables: Sequence[Movable]) -> Array:
    """The direction across the boundary, for a row that lies on it."""
    nearest = max(rivals(row.model, answer, row.scores), key=lambda rival: rival.value)
    a = nearest.slopes @ _weights(movables)
    return np.asarray(a / np.linalg.norm(a))


# --- whole values -------------------------------------------------------------------------------------------


def with_whole_values(row: Row, movables: Sequence[Movable], step: ValueStep) -> ValueStep | None:
    """A step whose values all can be had; None where none was found."""
    if all(m.step is None or x == m.value for m, x in zip(movables, step.values, strict=True)):
        return step
    found = [each for each in _try_step(row, movables, step) if each is not None]
    best = min(found, key=lambda each: each.size, default=None)
    return None if best is None else _gone_back(row, movables, best)


def _try_step(row: Row, movables: Sequence[Movable], step: ValueStep) -> Iterator[ValueStep | None]:
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


def _made_up(row: Row, movables: Sequence[Movable], values: Sequence[float]) -> ValueStep | None:
    """The step with columns of any value changed as they must be beside whole values of the others."""
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
) -> ValueStep | None:
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


def _gone_back(row: Row, movables: Sequence[Movable], step: ValueStep) -> ValueStep:
    """The step without what is not needed, the largest parts first."""
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


# --- flags and categories -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Switch:
    """Another level of a category, or the other value of a flag, that changes the answer."""

    level: str | bool
    size: float
    answer: int


def least_switch(row: Row, column: Column, places: NDArray[np.intp]) -> Switch | None:
    """The nearest other cell that changes the answer; None where none does."""
    levels, raws = _cells(column)
    centre = np.array([f.centre for f in column.features])
    scale = np.array([f.scale for f in column.features])
    values = (raws - centre) / scale
    rows = np.repeat(row.x[None], len(levels), axis=0)
    rows[:, places] = values
    answers = row.model.decide(rows).assigned
    sizes = np.linalg.norm(values - row.x[places], axis=1)
    order = [i for i in np.argsort(sizes, kind="stable") if answers[i] != row.answer]
    return Switch(levels[order[0]], float(sizes[order[0]]), int(answers[order[0]])) if order else None


def _cells(column: Column) -> tuple[list[str | bool], Array]:
    """The cells that a flag or category may hold, and their raw features."""
    if column.kind == "flag":
        return [False, True], np.array([[v if f.role == "value" else 0.0 for f in column.features] for v in (0.0, 1.0)])
    levels = [str(column.reference), *column.levels]
    return list(levels), np.array(
        [[float(f.role == "level" and f.level == v) for f in column.features] for v in levels]
    )
