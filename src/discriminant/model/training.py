"""What the rows of training looked like, kept with a model so that new rows can be compared with them.

Of each used column the share of blank cells and how the filled ones are spread: numbers, dates and flags between about
ten quantiles, categories over their levels. Of scores like those of new rows the same: between quantiles
for two classes, over the classes of the largest score for more (which no gain and no priors change).
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.model.decision_model import DecisionModel
from discriminant.model.plain_json import Field, ModelFileError
from discriminant.table.cells import texts_of_cells
from discriminant.table.encoding import Column, Encoding, IndexedEncoding, ReadCells

Array = NDArray[np.float64]

SCORE = "score"
_TENTHS = np.arange(1, 10) / 10
_QUARTERS = (0.25, 0.5, 0.75)
_MOST_COLUMNS = 1000  # those with the largest weights; a model's document has room for no more
_MOST_OF_MANY = 100  # where the encoding itself fills most of the document
_MANY_FEATURES = 20_000
_ROWS_A_FEATURE = 20
_SAMPLE = 20_000  # values from which quantiles are taken; their shares are counted over all
_MOST_RARE = 100  # names of levels without a feature of their own
_LONGEST_NAME = 80

Document = dict[str, Any]
_NUMBERS = ("edges", "low", "high", "sizes")
_TEXTS = ("levels", "rare")
# fields that are left out of a document where they have these values
_UNSAID: Document = {"blank": 0.0, "edges": [], "levels": [], "rare": [], "low": None, "high": None, "sizes": []}


@dataclass(frozen=True)
class Shares:
    """How the filled cells of a column are spread over bins.

    The bins of numbers are up to the first of ``edges``, then up to each following one, then above the last; those of
    a category are its ``levels``, then all others. ``rare`` names the others, and is empty where they are too many.
    ``sizes`` are the quartiles of |x| over numbers that are not 0, by which another unit is known.
    """

    name: str
    cells: int  # filled ones
    shares: tuple[float, ...]
    blank: float = 0.0
    edges: tuple[float, ...] = ()
    levels: tuple[str, ...] = ()
    rare: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None
    sizes: tuple[float, ...] = ()

    @property
    def knows_all_levels(self) -> bool:
        """Whether every text of the column is named, so that any other one is new."""
        return bool(self.levels) and (bool(self.rare) or self.shares[-1] == 0)


@dataclass(frozen=True)
class TrainingSummary:
    """A summary of the rows that a model was learnt from."""

    rows: int
    columns: tuple[Shares, ...]
    score: Shares


def with_training(
    model: DecisionModel,
    table: Any,
    X: Any,
    held_scores: Array,
    levels: Mapping[str, Counter[str] | None] | None = None,
) -> DecisionModel:
    """The model with a summary of its table (None for sparse rows), encoded as X, and of its scores.

    ``held_scores`` are those of rows by models that had not seen them, n×P. Where the table holds rows drawn from a
    larger one, ``levels`` are the texts of all rows, by column.
    """
    columns: tuple[Shares, ...] = ()
    if isinstance(model.encoding, Encoding) and table is not None:
        every = levels or {}
        found = model.encoding.raw_columns(table, _heaviest_columns(model))
        columns = tuple(_of_column(observed, table, every.get(observed.column.name)) for observed in found)
    scores = _usual_scores(model, X, held_scores)
    return replace(model, training=TrainingSummary(X.shape[0], columns, _of_scores(model, scores)))


def _usual_scores(model: DecisionModel, X: Any, held_scores: Array) -> Array:
    """Scores like those of new rows, none where they are not known.

    Of many rows the model's own are: a row has hardly moved the plane by which it is scored. Of few rows those of the
    models of other folds are, if these had about as many rows to learn from.
    """
    n = X.shape[0]
    if n >= _ROWS_A_FEATURE * model.n_features:
        return model.scores(X)
    return held_scores if len(held_scores) == n else held_scores[:0]


def _heaviest_columns(model: DecisionModel) -> set[str]:
    """The columns that weigh most."""
    assert isinstance(model.encoding, Encoding)
    most = _MOST_COLUMNS if model.n_features <= _MANY_FEATURES else _MOST_OF_MANY
    size = np.abs(model.weights).max(axis=0, initial=0.0)
    weights = {c.name: -float(size[start:stop].max(initial=0.0)) for c, start, stop in model.encoding.places()}
    return set(sorted(weights, key=weights.__getitem__)[:most])


def _of_column(observed: ReadCells, table: Any, levels: Counter[str] | None) -> Shares:
    column, raw, blank = observed
    share = float(blank.mean()) if blank.size else 0.0
    if column.kind == "category":
        rare = other_texts(column, table.column(column.name), np.flatnonzero((raw < 0) & ~blank))
        if levels is not None:
            known = {column.reference, *column.levels, *(spelling for spelling, _ in column.aliases)}
            rare = Counter({text: n for text, n in levels.items() if text not in known})
        return _of_levels(column, raw[~blank], share, rare)
    values = np.asarray(raw[~blank], dtype=np.float64)
    found = of_numbers(column.name, values)
    some = _spread_values(values)
    sizes = np.abs(some[some != 0]) if column.kind == "number" else np.empty(0)
    quartiles = np.quantile(sizes, _QUARTERS).tolist() if sizes.size else []
    low, high = (found.low, found.high) if column.low is None or not values.size else (column.low, column.high)
    return replace(found, blank=share, low=low, high=high, sizes=tuple(quartiles))


def of_numbers(name: str, values: Array) -> Shares:
    """The shares between quantiles that are values themselves, so that a common value has a bin of its own."""
    if not values.size:
        return Shares(name, 0, (1.0,))
    low, high = float(values.min()), float(values.max())
    edges = np.unique(np.quantile(_spread_values(values), _TENTHS, method="inverted_cdf"))
    edges = edges[edges < high]
    counts = np.bincount(bins_of(values, edges), minlength=edges.size + 1)
    return Shares(
        name, values.size, tuple((counts / values.size).tolist()), edges=tuple(edges.tolist()), low=low, high=high
    )


def _spread_values(values: Array) -> Array:
    return values[:: max(values.size // _SAMPLE, 1)]


def bins_of(values: Array, edges: Any) -> NDArray[np.intp]:
    """The bin of each value: that of the first edge which is not below it."""
    return np.searchsorted(np.asarray(edges, dtype=np.float64), values, side="left")


def _of_levels(column: Column, places: NDArray[Any], blank: float, rare: Counter[str]) -> Shares:
    levels = (str(column.reference), *column.levels)
    counts = np.bincount(np.where(places < 0, len(levels), places), minlength=len(levels) + 1)
    named = tuple(text for text, _ in rare.most_common())
    if len(named) > _MOST_RARE or any(len(text) > _LONGEST_NAME for text in named):
        named = ()
    shares = counts / max(places.size, 1)
    return Shares(column.name, int(places.size), tuple(shares.tolist()), blank, levels=levels, rare=named)


def other_texts(column: Column, cells: Any, rows: NDArray[np.intp]) -> Counter[str]:
    """The texts of cells that are no levels with a feature, as they are written."""
    if not rows.size:
        return Counter()
    texts, _ = texts_of_cells(cells.take(pa.array(rows)), column.also_blank)
    return Counter(texts.to_pylist())


def _of_scores(model: DecisionModel, scores: Array) -> Shares:
    if len(model.classes) == 2:
        return of_numbers(SCORE, scores[:, 0])
    counts = np.bincount(scores.argmax(axis=1), minlength=len(model.classes))
    shares = (*(counts / max(len(scores), 1)).tolist(), 0.0)
    return Shares(SCORE, len(scores), shares, levels=tuple(str(label) for label in model.classes))


# --- as the part ``training`` of a model's document --------------------------------------------------------


def training_document(summary: TrainingSummary) -> Document:
    """A training summary as plain data."""
    return {
        "rows": summary.rows,
        "columns": [{"name": column.name, **_shares_document(column)} for column in summary.columns],
        "score": _shares_document(summary.score),
    }


def _shares_document(shares: Shares) -> Document:
    said: Document = {"cells": shares.cells, "shares": list(shares.shares), "blank": shares.blank}
    said |= {key: list(getattr(shares, key)) for key in ("edges", "levels", "rare", "sizes")}
    said |= {"low": shares.low, "high": shares.high}
    return {key: value for key, value in said.items() if key not in _UNSAID or value != _UNSAID[key]}


def read_training(field: Field, encoding: Encoding | IndexedEncoding) -> TrainingSummary:
    """The summary in a document, of columns that its encoding uses."""
    parts = field.object(("rows", "columns", "score"))
    used = {column.name: column.kind for column in encoding.used} if isinstance(encoding, Encoding) else {}
    columns = []
    for each in parts["columns"].items():
        own = each.object(("name", "cells", "shares"), tuple(_UNSAID))
        name = own["name"].text()
        if name not in used:
            own["name"].refuse("a column that the encoding uses, named once")
        columns.append(_shares(own, each, name, levels=used.pop(name) == "category"))
    score = parts["score"].object(("cells", "shares"), tuple(_UNSAID))
    return TrainingSummary(
        parts["rows"].count(),
        tuple(columns),
        _shares(score, parts["score"], SCORE, levels="levels" in score),
    )


def _shares(parts: dict[str, Field], field: Field, name: str, *, levels: bool) -> Shares:
    for key in _NUMBERS if levels else _TEXTS:
        if key in parts:
            raise ModelFileError(f"{field.path} must have {'levels' if levels else 'edges'} and no {key}")
    texts = {key: tuple(each.text() for each in parts[key].items()) if key in parts else () for key in _TEXTS}
    if levels and not texts["levels"]:
        raise ModelFileError(f"{field.path} must have levels")
    edges = _ascending(parts["edges"]) if "edges" in parts else ()
    return Shares(
        name,
        parts["cells"].count(),
        _read_shares(parts["shares"], 1 + len(texts["levels"]) + len(edges)),
        _share(parts["blank"]) if "blank" in parts else 0.0,
        edges,
        texts["levels"],
        texts["rare"],
        parts["low"].number() if "low" in parts else None,
        parts["high"].number() if "high" in parts else None,
        _ascending(parts["sizes"], 3) if "sizes" in parts else (),
    )


def _share(field: Field) -> float:
    return field.number() if 0 <= field.number() <= 1 else field.refuse("a share, from 0 to 1")


def _read_shares(field: Field, n: int) -> tuple[float, ...]:
    shares = field.numbers(n)
    if (shares < 0).any() or shares.sum() > 1 + 1e-6:
        raise ModelFileError(f"{field.path} must be 0 or more and sum to at most 1, got a sum of {shares.sum():.9g}")
    return tuple(shares.tolist())


def _ascending(field: Field, n: int | None = None) -> tuple[float, ...]:
    numbers = field.numbers(len(field.value) if n is None and isinstance(field.value, list) else n or 0)
    if (np.diff(numbers) < 0).any():
        raise ModelFileError(f"{field.path} must be in ascending order")
    return tuple(numbers.tolist())
