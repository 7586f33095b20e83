"""Why a row is answered as it is, and what would change the answer.

The score is a sum over columns, w·x = Σ_columns Σ_features w_j x_j, so that each column has its share in it, and the
least change that leads to another answer can be told (see `changes`), in units of the table and by values that its
columns can have.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.model.boundary import distance
from discriminant.model.changes import (
    Row,
    Switch,
    ValueStep,
    least_alone,
    least_step,
    least_switch,
    step_to,
    with_whole_values,
)
from discriminant.model.decision_model import DecisionModel, Label
from discriminant.model.movable import Movable
from discriminant.model.prediction import arrow_table, encoded_rows, model_of_row, refuse_overflow
from discriminant.model.units import cell_text, changed_text, value_text
from discriminant.table.encoding import Column, Feature, IndexedEncoding
from discriminant.table.errors import MissingColumn

Array = NDArray[np.float64]

_MORE_DIGITS = (0, 2, 5, 9)  # beyond the first three of a difference, where fewer are not enough


@dataclass(frozen=True)
class Contribution:
    """What one column adds to each score: Σ w_j x_j over its features.

    ``per_unit`` is what one unit more of a number, a day, or true instead of false adds; None for categories, and for
    blanks of columns that add differently at different values.
    """

    column: str
    kind: str
    cell: str
    amount: tuple[float, ...]
    per_unit: tuple[float, ...] | None


@dataclass(frozen=True)
class Change:
    """A cell that changes: ``value`` is just enough, ``after`` says it in few digits that are enough too.

    Of columns with whole values, and of dates, ``value`` is one that they can have.

    ``unseen`` says that the new value is beyond all that the model was learnt from, ``size`` how far it is from the old
    one, in `Explanation.unit`.
    """

    column: str
    before: str
    after: str
    value: float | str | bool
    unseen: bool = False
    size: float = 0.0

    def __str__(self) -> str:
        beyond = " (beyond all values seen)" if self.unseen else ""
        return f"{self.column} from {self.before} to {self.after}{beyond}"


@dataclass(frozen=True)
class Flip:
    """Changes that together change the answer, and their length in `Explanation.unit`."""

    answer: Label
    changes: tuple[Change, ...]
    size: float

    def __str__(self) -> str:
        return f"{self.answer} with " + ", ".join(map(str, self.changes))


@dataclass(frozen=True)
class Explanation:
    """The answer for a row, where it comes from, and how far it is from another.

    ``contributions`` sum to ``scores`` + ``thresholds``. ``nearest`` is the least change over all numbers and dates
    that may change, ``single`` the least of each column alone, nearest first; ``why_none`` says why there is none.
    Where ``nearest`` asks for values beyond all that were seen, ``seen`` is a short way that does not, if there is one.
    """

    answer: Label
    planes: tuple[Label, ...]  # the class each score speaks for
    scores: tuple[float, ...]
    thresholds: tuple[float, ...]
    classes: tuple[Label, ...]
    posteriors: tuple[float, ...] | None  # of the classes
    expected_gain: float | None
    distance: float | None
    unit: str  # of the distance and of changes: standard deviations, or units where columns were not scaled
    contributions: tuple[Contribution, ...]
    nearest: Flip | None
    single: tuple[Flip, ...]
    why_none: str = ""
    seen: Flip | None = None

    @property
    def probabilities(self) -> dict[Label, float] | None:
        """The posteriors by class."""
        return None if self.posteriors is None else dict(zip(self.classes, self.posteriors, strict=True))

    def as_dict(self) -> dict[str, Any]:
        """The explanation as plain data."""
        told = asdict(self)
        classes, posteriors = told.pop("classes"), told.pop("posteriors")
        pairs = None if posteriors is None else zip(classes, posteriors, strict=True)
        return told | {"probabilities": pairs and [{"class": k, "probability": p} for k, p in pairs]}


def explain(model: DecisionModel, row_table: Any, place: int = 0, hold: Iterable[str] = ()) -> Explanation:
    """Explain the answer for the row at ``place`` of a table; columns in ``hold`` may not change.

    Where rows have gains of their own, the row keeps its gain whatever else changes.
    """
    if model.column_gain is not None and not isinstance(model.encoding, IndexedEncoding):
        row_table = arrow_table(model.encoding, row_table, model.column_gain.columns)
        model = model_of_row(model, row_table, place)
    x, parts = _row(model, row_table, place)
    free = _free(model, parts, list(hold))
    row = Row(model, x)
    decided = model.decide(x[None])
    refuse_overflow(model, x[None], place)
    scores = decided.scores[0]
    answer = int(decided.assigned[0])
    movables = [_movable(row, part) for part in free if part.measured]
    alone = [least_alone(row, movable) for movable in movables]
    nearest = _nearest(row, movables, alone)
    flips = [_of_step(row, step, [m]) for m, step in zip(movables, alone, strict=True) if step is not None]
    flips += [flip for flip in (_switch_level(row, part) for part in free if not part.measured) if flip is not None]
    order = {part.column.name: place for place, part in enumerate(free)}
    single = tuple(sorted(flips, key=lambda flip: (flip.size, order[flip.changes[0].column])))
    p, gain = decided.posteriors, decided.expected_gain
    return Explanation(
        answer=model.answers[answer],
        planes=model.classes[1:] if len(model.classes) == 2 else model.classes,
        scores=tuple(scores.tolist()),
        thresholds=tuple(model.thresholds.tolist()),
        classes=model.classes,
        posteriors=None if p is None else tuple(p[0].tolist()),
        expected_gain=None if gain is None else float(gain[0]),
        distance=distance(model, answer, scores),
        unit=model.encoding.unit,
        contributions=tuple(_contribution(row, part) for part in parts),
        nearest=nearest,
        single=single,
        why_none="" if nearest or single else "no change of the columns that may change leads to another answer",
        seen=_among_seen(row, movables, nearest),
    )


# --- the row --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _ColumnPart:
    """A column as the row has it."""

    column: Column
    places: NDArray[np.intp]
    cell: str
    value: float | None  # None where it is blank, NaN of a category

    @property
    def measured(self) -> bool:
        """Whether it is a number or date that can be more or less."""
        return self.column.kind in ("number", "date") and self.value is not None and bool(self.column.values)


def _row(model: DecisionModel, table: Any, place: int) -> tuple[Array, list[_ColumnPart]]:
    encoding = model.encoding
    if isinstance(encoding, IndexedEncoding):
        X = encoded_rows(encoding, table)
        _refuse_place(place, X.shape[0])
        dense = X[[place]].toarray()[0] if sparse.issparse(X) else X[place]
        x = np.asarray(dense, dtype=np.float64)
        return x, [_indexed_part(encoding, j, float(x[j])) for j in np.flatnonzero(x).tolist()]
    cells = arrow_table(encoding, table)
    _refuse_place(place, cells.num_rows)
    cells = cells.slice(place, 1)
    x = encoded_rows(encoding, cells)[0]
    parts = []
    for column, start, stop in encoding.places():
        parts.append(_ColumnPart(column, np.arange(start, stop), *cell_text(column, cells.column(column.name))))
    return x, parts


def _indexed_part(encoding: IndexedEncoding, j: int, value: float) -> _ColumnPart:
    name = f"index {j + encoding.first_index}"
    column = Column(name, "number", (Feature(name, "value", 0.0, 1.0),))
    return _ColumnPart(column, np.array([j]), value_text("number", value), value)


def _refuse_place(place: int, n_rows: int) -> None:
    if not 0 <= place < n_rows:
        raise ValueError(f"there is no row {place}: the table has {n_rows} rows, counted from 0")


def _free(model: DecisionModel, parts: Sequence[_ColumnPart], hold: list[str]) -> list[_ColumnPart]:
    known = [part.column.name for part in parts]
    encoding = model.encoding
    if isinstance(encoding, IndexedEncoding):
        held = set(encoding.feature_names) if hold else set()  # what a row does not name is 0, and may be held too
    else:
        held = {column.name for column in encoding.columns}
    for name in hold:
        if name not in held:
            raise MissingColumn(name, known, "the model")
    free = [part for part in parts if part.column.name not in hold]
    if parts and not free:
        raise ValueError("every column that the model uses is held: nothing may change; hold fewer columns")
    return free


def _movable(row: Row, part: _ColumnPart) -> Movable:
    roles = [feature.role == "value" for feature in part.column.features]
    places = part.places[roles]
    return Movable(part.column, places, row.model.weights[:, places], 0.0 if part.value is None else part.value)


def _contribution(row: Row, part: _ColumnPart) -> Contribution:
    amount = row.model.weights[:, part.places] @ row.x[part.places]
    per_unit = None
    if part.column.values:
        movable = _movable(row, part)
        if part.value is not None or movable.straight:
            per_unit = tuple(movable.slopes(movable.value).tolist())
    return Contribution(part.column.name, part.column.kind, part.cell, tuple(amount.tolist()), per_unit)


# --- changes --------------------------------------------------------------------------------------------


def _nearest(row: Row, movables: Sequence[Movable], alone: Sequence[ValueStep | None]) -> Flip | None:
    """The nearest change of all numbers and dates together, or of one alone where nothing nearer was found."""
    found: list[tuple[ValueStep, Sequence[Movable]]] = [
        (step, [movable]) for step, movable in zip(alone, movables, strict=True) if step is not None
    ]
    step = least_step(row, movables) if len(movables) > 1 else None
    step = None if step is None else with_whole_values(row, movables, step)
    if step is not None:
        found.insert(0, (step, movables))
    best = min(found, key=lambda each: each[0].size, default=None)
    return None if best is None else _of_step(row, *best)


def _among_seen(row: Row, movables: Sequence[Movable], nearest: Flip | None) -> Flip | None:
    """A change that leaves columns as they are which would have to go beyond all values seen."""
    found = nearest
    while found is not None and (beyond := {change.column for change in found.changes if change.unseen}):
        movables = [movable for movable in movables if movable.column.name not in beyond]
        alone = [least_alone(row, movable) for movable in movables]
        found = _nearest(row, movables, alone) if movables else None
    return None if found is nearest else found


def _of_step(row: Row, step: ValueStep, movables: Sequence[Movable]) -> Flip:
    texts = _texts(row, step, movables)
    changes = []
    for value, text, movable in zip(step.values, texts, movables, strict=True):
        if value != movable.value:
            before = value_text(movable.column.kind, movable.value)
            size = float(movable.size(value))
            changes.append(Change(movable.column.name, before, text, value, _beyond(movable, value), size))
    largest_first = tuple(sorted(changes, key=lambda change: -change.size))
    return Flip(row.model.answers[step.answer], largest_first, step.size)


def _beyond(movable: Movable, value: float) -> bool:
    """Whether a new value is beyond all that were seen, and not only because the old one is."""
    low, high = movable.column.low, movable.column.high
    return bool(
        (low is not None and value < min(low, movable.value)) or (high is not None and value > max(high, movable.value))
    )


def _texts(row: Row, step: ValueStep, movables: Sequence[Movable]) -> list[str]:
    """The new values in as few digits as still change the answer, and stay among values seen."""
    for more in _MORE_DIGITS:
        told = [_text(movable, value, more) for movable, value in zip(movables, step.values, strict=True)]
        beyond = any(
            _beyond(movable, read) and not _beyond(movable, value)
            for movable, value, (_, read) in zip(movables, step.values, told, strict=True)
        )
        if not beyond and step_to(row, movables, [read for _, read in told]) is not None:
            return [text for text, _ in told]
    return [_text(movable, value, None)[0] for movable, value in zip(movables, step.values, strict=True)]


def _text(movable: Movable, value: float, more: int | None) -> tuple[str, float]:
    kind = movable.column.kind
    if movable.step is not None or value == movable.value:
        return value_text(kind, value), value
    return (repr(value), value) if more is None else changed_text(movable.value, value, more)


def _switch_level(row: Row, part: _ColumnPart) -> Flip | None:
    """The least change of a flag or category; a blank number cannot be more or less."""
    if part.column.kind in ("number", "date"):
        return None
    switch = least_switch(row, part.column, part.places)
    return None if switch is None else _of_switch(row, switch, part)


def _of_switch(row: Row, switch: Switch, part: _ColumnPart) -> Flip:
    after = str(switch.level).lower() if isinstance(switch.level, bool) else switch.level
    change = Change(part.column.name, part.cell, after, switch.level)
    return Flip(row.model.answers[switch.answer], (change,), switch.size)
