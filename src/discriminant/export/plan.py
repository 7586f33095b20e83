"""What a score is made of, column by column, so that every language only has to say it.

A score is Σ_j w_j·(raw_j − centre_j)/scale_j − θ. A number, flag or date enters by one piece or by several, so its
column adds

    blank_p                                                      where the cell is blank
    filled_p + Σ_pieces w_p·((raw(value) − centre)/scale)        elsewhere

filled_p is what its blank feature then adds, and raw(value) is the value, clipped to [low, high] and by its logarithm
where the piece says so:  raw(x) = v  or  sign(v)·log(1 + |v|/unit),  v = min(max(x, low), high).

and a category adds a number that depends on its text alone: one for each level, one for texts never seen, one for
blanks. p is the plane.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.export.literals import ExportError, ascii_text
from discriminant.findings import listed
from discriminant.model.decision_model import DecisionModel, Label, Posterior, RuleName
from discriminant.table.date_texts import ISO
from discriminant.table.encoding import Column, Feature, IndexedEncoding, Kind
from discriminant.table.number_format import NumberFormat
from discriminant.table.texts import BLANK_TOKENS

Numbers = tuple[float, ...]  # one for each plane
_MOST_TOLD = 6  # columns, in a comment
LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class ValuePiece:
    """One value feature of a column: w·((raw − centre)/scale), with raw by ``low``, ``high`` and ``unit``."""

    low: float | None
    high: float | None
    unit: float | None
    centre: float
    scale: float
    weights: Numbers


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers, flags or dates, with at least one piece; one of ``blank_texts`` counts as blank.

    Texts are read as `discriminant.table.texts` says, numbers in ``number_format`` where there is one, dates
    in each of ``date_formats``.
    """

    name: str
    kind: Kind
    pieces: tuple[ValuePiece, ...]
    filled: Numbers
    blank: Numbers
    blank_texts: tuple[str, ...]
    number_format: NumberFormat | None = None
    date_formats: tuple[str, ...] = ()


@dataclass(frozen=True)
class Segment:
    """Log-odds of two classes for scores from ``start`` on, up to the next segment: height + slope·(score − base)."""

    start: float
    base: float
    slope: float
    height: float


@dataclass(frozen=True)
class CategoryColumn:
    """A column of categories: what each known text adds, any other text, and a blank (also one of ``blank_texts``)."""

    name: str
    levels: tuple[str, ...]
    added: tuple[Numbers, ...]
    unseen: Numbers
    blank: Numbers
    blank_texts: tuple[str, ...]


@dataclass(frozen=True)
class SparseColumns:
    """Sparse rows: the value at index j + first_index is multiplied with weights[j]."""

    first_index: int
    weights: tuple[Numbers, ...]


@dataclass(frozen=True)
class Plan:
    """Columns -> scores (less ``thresholds``) -> posteriors -> answer.

    ``advantage[k][a]`` is the gain of answer a in class k beyond ``least[k]``, the least gain of that class: the
    answer of largest expected gain is the same, and rounding is smaller.
    """

    target: str
    columns: tuple[NumberColumn | CategoryColumn, ...]
    indexed: SparseColumns | None
    thresholds: Numbers
    slope: float
    offsets: tuple[float, ...] | None
    segments: tuple[Segment, ...]  # of log-odds that bend, which have no use for slope and offsets; mostly none
    rule: RuleName
    advantage: tuple[tuple[float, ...], ...]
    least: tuple[float, ...]
    classes: tuple[Label, ...]
    answers: tuple[Label, ...]
    taken_names: tuple[str, ...]  # of the table, used or not, and of the target
    written: tuple[tuple[str, str], ...] = ()  # columns of numbers that the table wrote its own way, and how

    @property
    def planes(self) -> int:
        """One for two classes, else one a class."""
        return len(self.thresholds)

    @property
    def plain_numbers(self) -> str:
        """What to say of numbers that the table wrote its own way, where texts are no numbers; else empty."""
        return f"Numbers are given plain, such as 1234.5, where the table has {self._own_numbers}." * bool(self.written)

    @property
    def text_numbers(self) -> str:
        """What to say of them where texts are read; empty where the table wrote plain numbers."""
        return f"A text is read as the table writes its numbers: {self._own_numbers}." * bool(self.written)

    @property
    def _own_numbers(self) -> str:
        own = ", ".join(f"{ascii_text(how)} in {ascii_text(name)}" for name, how in self.written[:_MOST_TOLD])
        return own + f" and {len(self.written) - _MOST_TOLD} more columns" * (len(self.written) > _MOST_TOLD)

    @property
    def measured(self) -> tuple[NumberColumn, ...]:
        """Numbers, flags and dates."""
        return tuple(c for c in self.columns if isinstance(c, NumberColumn))

    @property
    def chosen(self) -> tuple[CategoryColumn, ...]:
        """Categories."""
        return tuple(c for c in self.columns if isinstance(c, CategoryColumn))


def plan_of(model: DecisionModel) -> Plan:
    """Everything an export says, from a model."""
    if model.column_gain is not None:
        raise ExportError(
            f"the model decides each row by its own gain, from {listed(model.column_gain.columns)}, which no export "
            "says; set one gain for all rows first: discriminant set MODEL --gain ... -o NEW"
        )
    least = model.gain.matrix.min(axis=1)
    plan = Plan(
        target=model.target.name,
        columns=() if isinstance(model.encoding, IndexedEncoding) else _columns(model),
        indexed=_sparse_columns(model) if isinstance(model.encoding, IndexedEncoding) else None,
        thresholds=_numbers(model.thresholds),
        slope=1.0 if model.posterior is None else float(model.posterior.slope),
        offsets=None if model.posterior is None else tuple(float(b) for b in model.posterior.offsets),
        segments=() if model.posterior is None else _segments(model.posterior),
        rule=model.rule,
        advantage=tuple(_numbers(row) for row in model.gain.matrix - least[:, None]),
        least=_numbers(least),
        classes=tuple(_plain(c) for c in model.classes),
        answers=tuple(_plain(a) for a in model.answers),
        taken_names=(model.target.name, *(c.name for c in getattr(model.encoding, "columns", ()))),
        written=tuple(
            (c.name, c.number_format.written(1234.5)) for c in getattr(model.encoding, "used", ()) if c.number_format
        ),
    )
    if not model.n_features:
        raise ExportError("the model uses no column, so there is nothing to export: it always gives one answer")
    _refuse_odd_texts(plan)
    return plan


def _columns(model: DecisionModel) -> tuple[NumberColumn | CategoryColumn, ...]:
    columns: list[NumberColumn | CategoryColumn] = []
    for column, start, stop in model.encoding.places():  # type: ignore[union-attr]
        weights = model.weights[:, start:stop]
        columns.append(
            _category_column(column, weights) if column.kind == "category" else _number_column(column, weights)
        )
    return tuple(columns)


def _number_column(column: Column, weights: NDArray[np.float64]) -> NumberColumn:
    pieces = [_piece(f, w) for f, w in zip(column.features, weights.T, strict=True) if f.role == "value"]
    # a column that only its blanks tell of is read as well, so that what cannot be read is found
    return NumberColumn(
        column.name,
        column.kind,
        tuple(pieces) or (_piece(Feature("", "value", 0.0, 1.0), np.zeros(len(weights))),),
        _sum_of_features(column, weights, lambda f: 0.0 if f.role == "blank" else None),
        _sum_of_features(column, weights, lambda f: 1.0 if f.role == "blank" else None),
        _blank_texts(column),
        column.number_format if column.kind == "number" else None,
        tuple(dict.fromkeys((ISO, column.date_format or ISO))) if column.kind == "date" else (),
    )


def _piece(feature: Feature, weights: NDArray[np.float64]) -> ValuePiece:
    low, high, unit = (None if x is None else float(x) for x in (feature.low, feature.high, feature.unit))
    return ValuePiece(low, high, unit, float(feature.centre), float(feature.scale), _numbers(weights))


def _segments(posterior: Posterior) -> tuple[Segment, ...]:
    if not posterior.bends:
        return ()
    bases, slopes, heights = (_numbers(values) for values in posterior.pieces())
    starts = (-LARGEST, *bases[1:])
    return tuple(Segment(*each) for each in zip(starts, bases, slopes, heights, strict=True))


def _category_column(column: Column, weights: NDArray[np.float64]) -> CategoryColumn:
    meant = {t: t for t in (column.reference, *column.levels) if t is not None} | dict(column.aliases)
    levels = tuple(meant)
    grouped = any(f.role == "other" for f in column.features)

    def raw_of_unseen(f: Feature) -> float | None:
        return float(f.role == "other") if grouped or f.role == "blank" else None

    def added_by(level: str) -> Numbers:
        return _sum_of_features(column, weights, lambda f: float(f.level == level))

    return CategoryColumn(
        column.name,
        levels,
        tuple(map(added_by, meant.values())),
        _sum_of_features(column, weights, raw_of_unseen),
        _sum_of_features(column, weights, lambda f: 1.0 if f.role == "blank" else None),
        _blank_texts(column),
    )


def _blank_texts(column: Column) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*BLANK_TOKENS, *column.also_blank)))


def _sum_of_features(column: Column, weights: NDArray[np.float64], raw: Callable[[Feature], float | None]) -> Numbers:
    """Σ w·(raw − centre)/scale over features whose raw value is known; what is not known counts as average."""
    total = np.zeros(len(weights))
    for feature, own in zip(column.features, weights.T, strict=True):
        value = raw(feature)
        if value is not None:
            total += own * ((value - feature.centre) / feature.scale)
    if not np.isfinite(total).all():
        raise ExportError(f"what column {column.name!r} adds to the score is infinite; its scale is too small")
    return _numbers(total)


def _sparse_columns(model: DecisionModel) -> SparseColumns:
    return SparseColumns(model.encoding.first_index, tuple(_numbers(w) for w in model.weights.T))  # type: ignore[union-attr]


def _numbers(values: Sequence[float] | NDArray[np.float64]) -> Numbers:
    return tuple(float(v) for v in values)


def _plain(label: Label) -> Label:
    """What a numpy scalar holds, and anything else as it is."""
    return label.item() if isinstance(label, np.generic) else label


def _refuse_odd_texts(plan: Plan) -> None:
    texts = [c.name for c in plan.columns] + [t for c in plan.chosen for t in c.levels]
    for text in [*texts, *(a for a in plan.answers if isinstance(a, str))]:
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ExportError(f"{text!r} is no valid Unicode text and cannot be written to a file") from None
