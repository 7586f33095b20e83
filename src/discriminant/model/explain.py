"""Why a row is answered as it is, and what would change the answer.

The score is a sum over columns, w·x = Σ_columns Σ_features w_j x_j, so that each column has its share in it; and the
boundary is a plane, so that the least change that crosses it can be told (see `changes`), in units of the table.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.model.boundary import distance
from discriminant.model.changes import Row, Step, Switch, least_step, least_switch
from discriminant.model.decision_model import DecisionModel, Label
from discriminant.model.prediction import arrow_table, encoded_rows
from discriminant.model.row_gains import model_of_row
from discriminant.model.unit_text import cell_text, changed_text
from discriminant.table.encoding import Column, Feature, IndexedEncoding
from discriminant.table.errors import MissingColumn

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Contribution:
    """What one column adds to each score: Σ w_j x_j over its features.

    ``per_unit`` is what one unit more of a number, a day, or true instead of false adds; None for categories.
    """

    column: str
    kind: str
    cell: str
    amount: tuple[float, ...]
    per_unit: tuple[float, ...] | None


@dataclass(frozen=True)
class Change:
    """A cell that changes: ``value`` is just enough, ``after`` says it in few digits that are enough too.

    ``unseen`` says that the new value is beyond all that the model was learnt from.
    """

    column: str
    before: str
    after: str
    value: float | str | bool
    unseen: bool = False

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

    @property
    def probabilities(self) -> dict[Label, float] | None:
        """The posteriors by class."""
        return None if self.posteriors is None else dict(zip(self.classes, self.posteriors, strict=True))

    def as_dict(self) -> dict[str, Any]:
        """Plain data."""
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
    scores = decided.scores[0]
    answer = int(decided.assigned[0])
    nearest = _nearest(row, [part for part in free if part.measured])
    flips = [flip for flip in (_alone(row, part) for part in free) if flip is not None]
    single = tuple(sorted(flips, key=lambda flip: flip.size))
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
    )


# --- the row --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Part:
    """A column as the row has it."""

    column: Column
    places: NDArray[np.intp]
    cell: str
    blank: bool

    @property
    def value_place(self) -> tuple[int, Feature] | None:
        """Where its number is, if it has one."""
        for place, feature in zip(self.places.tolist(), self.column.features, strict=True):
            if feature.role == "value":
                return place, feature
        return None

    @property
    def measured(self) -> bool:
        """Whether it is a number or date that can be more or less."""
        return self.column.kind in ("number", "date") and not self.blank and self.value_place is not None


def _row(model: DecisionModel, table: Any, place: int) -> tuple[Array, list[_Part]]:
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
        text, blank = cell_text(column, cells.column(column.name))
        parts.append(_Part(column, np.arange(start, stop), text, blank))
    return x, parts


def _indexed_part(encoding: IndexedEncoding, j: int, value: float) -> _Part:
    name = f"index {j + encoding.first_index}"
    column = Column(name, "number", (Feature(name, "value", 0.0, 1.0),))
    return _Part(column, np.array([j]), f"{value:,.12g}", False)


def _refuse_place(place: int, n_rows: int) -> None:
    if not 0 <= place < n_rows:
        raise ValueError(f"there is no row {place}: the table has {n_rows} rows, counted from 0")


def _free(model: DecisionModel, parts: Sequence[_Part], hold: list[str]) -> list[_Part]:
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


def _contribution(row: Row, part: _Part) -> Contribution:
    W = row.model.weights
    amount = W[:, part.places] @ row.x[part.places]
    value = part.value_place
    per_unit = None if value is None else tuple((W[:, value[0]] / value[1].scale).tolist())
    return Contribution(part.column.name, part.column.kind, part.cell, tuple(amount.tolist()), per_unit)


# --- changes --------------------------------------------------------------------------------------------


def _nearest(row: Row, measured: Sequence[_Part]) -> Flip | None:
    """Over all numbers and dates together."""
    values = [part.value_place for part in measured]
    known = [(part, *value) for part, value in zip(measured, values, strict=True) if value is not None]
    if not known:
        return None
    step = least_step(row, np.array([place for _, place, _ in known]), [feature for _, _, feature in known])
    return None if step is None else _of_step(row, step, [(part, feature) for part, _, feature in known])


def _of_step(row: Row, step: Step, parts: Sequence[tuple[_Part, Feature]]) -> Flip:
    changes = []
    for raw, place, (part, feature) in zip(step.raw.tolist(), step.places.tolist(), parts, strict=True):
        before = feature.centre + feature.scale * float(row.x[place])
        if raw != before:
            changes.append((abs(raw - before) / feature.scale, _measured_change(part, before, raw)))
    largest_first = sorted(changes, key=lambda change: -change[0])
    return Flip(row.model.answers[step.answer], tuple(change for _, change in largest_first), step.size)


def _measured_change(part: _Part, before: float, after: float) -> Change:
    column = part.column
    unseen = (column.low is not None and after < min(column.low, before)) or (
        column.high is not None and after > max(column.high, before)
    )
    return Change(column.name, part.cell, changed_text(column.kind, before, after), after, bool(unseen))


def _alone(row: Row, part: _Part) -> Flip | None:
    """The least change of one column."""
    if part.measured:
        return _nearest(row, [part])
    if part.column.kind in ("number", "date"):  # blank
        return None
    switch = least_switch(row, part.column, part.places)
    return None if switch is None else _of_switch(row, switch, part)


def _of_switch(row: Row, switch: Switch, part: _Part) -> Flip:
    after = str(switch.level).lower() if isinstance(switch.level, bool) else switch.level
    change = Change(part.column.name, part.cell, after, switch.level)
    return Flip(row.model.answers[switch.answer], (change,), switch.size)
