"""The least change of a row that changes its answer.

With x the encoded row, F the features that may change and f the shortfall of another answer (see `boundary`),

    minimise ‖Δ‖  subject to  f(x + Δ) = 0,  Δ_j = 0 off F;        f straight:  Δ = −f(x) a/‖a‖²,  a = ∇f on F

and the other answer is the one for which this is least: the nearest of several planes is crossed before the others.
Where f is bent, the nearest change is looked for along rays (see `rays`). A step that is found is taken in the units of
the table and stretched until the model itself, asked about the changed row, answers otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.model.boundary import Rival, rivals
from discriminant.model.decision_model import DecisionModel
from discriminant.model.rays import nearest_by_rays
from discriminant.table.encoding import Column, Feature

Array = NDArray[np.float64]

_STRETCHES = 60  # doublings of what is added to a step, from rounding up
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Row:
    """One row as a model encodes it."""

    model: DecisionModel
    x: Array

    @property
    def scores(self) -> Array:
        """P scores."""
        return np.asarray(self.model.scores(self.x[None])[0])

    @property
    def answer(self) -> int:
        """The place of the answer among the model's."""
        return int(self.model.decide(self.x[None]).assigned[0])

    def with_values(self, places: NDArray[np.intp], values: Array) -> "Row":
        """With other encoded values at these places."""
        x = self.x.copy()
        x[places] = values
        return Row(self.model, x)


@dataclass(frozen=True)
class Step:
    """New raw values of measured features that change the answer, and how far that is in encoded units."""

    places: NDArray[np.intp]
    raw: Array
    size: float
    answer: int


def least_step(row: Row, places: NDArray[np.intp], features: Sequence[Feature]) -> Step | None:
    """The least change of the values at these places that changes the answer; None where none does."""
    answer = row.answer
    W = row.model.weights[:, places]
    others = rivals(row.model, answer, row.scores)
    if all(rival.straight for rival in others):
        steps = [_projection(rival, W) for rival in others]
    else:
        steps = [nearest_by_rays(row.model, row.scores, answer, W)]
    found = [step for step in steps if step is not None]
    for delta in sorted(found, key=lambda step: float(np.linalg.norm(step))):
        taken = _taken(row, answer, places, features, delta)
        if taken is not None:
            return taken
    return None


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


def _taken(row: Row, answer: int, places: NDArray[np.intp], features: Sequence[Feature], delta: Array) -> Step | None:
    """A step in raw units, just as long as it must be for the model to answer otherwise."""
    centre = np.array([f.centre for f in features])
    scale = np.array([f.scale for f in features])
    start = centre + scale * row.x[places]
    length = float(np.linalg.norm(delta))
    direction = delta / length if length > 0 else _outward(row, answer, places)
    least = EPS * (
        length + float(np.abs(row.x[places]).max(initial=0.0)) + float(np.abs(centre / scale).max(initial=0.0))
    )
    for extra in [0.0, *(least * 2.0**k for k in range(_STRETCHES))]:
        if extra > max(1e-3 * length, 1e-6 * (1.0 + float(np.linalg.norm(row.x[places])))) and extra > 1e6 * least:
            break
        raw = start + scale * (direction * (length + extra))
        values = (raw - centre) / scale
        if not np.isfinite(values).all():
            return None
        other = row.with_values(places, values).answer
        if other != answer:
            return Step(places, raw, float(np.linalg.norm(values - row.x[places])), other)
    return None


def _outward(row: Row, answer: int, places: NDArray[np.intp]) -> Array:
    """The direction across the boundary, for a row that lies on it."""
    nearest = max(rivals(row.model, answer, row.scores), key=lambda rival: rival.value)
    a = nearest.slopes @ row.model.weights[:, places]
    return np.asarray(a / np.linalg.norm(a))


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
