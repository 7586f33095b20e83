"""Rows to try a model on, with the answers it gives: what an export must reproduce.

The rows visit every column: a blank, the ends of its range and of its pieces and beyond, each level, a text never seen;
and random rows where all columns vary together. Where an export reads texts, rows follow whose cells are all texts,
good and bad ones; the model refuses some, and so must the export.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from discriminant.export.literals import ExportError
from discriminant.export.text_vectors import hostile_texts, level_texts, usual_text
from discriminant.model.decision_model import DecisionModel, Label
from discriminant.table.date_texts import FIRST_DAY, LAST_DAY
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding

Array = NDArray[np.float64]
Cell = float | bool | str | datetime | None
SparseRow = tuple[tuple[int, ...], tuple[float, ...]]

_EPOCH = datetime(1970, 1, 1)
ARROW_TYPES = {"number": pa.float64(), "flag": pa.bool_(), "date": pa.timestamp("us"), "category": pa.string()}
_MOST_CELLS = 200_000


@dataclass(frozen=True)
class ExportVectors:
    """Inputs (cells by column, or sparse rows) and what the model says of them."""

    cells: Mapping[str, Sequence[Cell]]
    sparse_rows: Sequence[SparseRow] | None
    scores: Array
    probabilities: Array | None
    labels: tuple[Label | None, ...]  # None where the model refuses the row; its numbers are then NaN

    def __len__(self) -> int:
        return len(self.labels)

    @classmethod
    def of(cls, model: DecisionModel, cells: Mapping[str, Sequence[Cell]]) -> "ExportVectors":
        """Vectors of cells: numbers, flags, UTC datetimes, texts that may stand for any of them; None where blank."""
        X, refused = _encode(model, cells)
        return cls._answered(model, X, refused, cells, None)

    @classmethod
    def of_sparse(cls, model: DecisionModel, rows: Sequence[SparseRow]) -> "ExportVectors":
        """Vectors of sparse rows: indices as the file writes them, and values."""
        encoding = model.encoding
        if not isinstance(encoding, IndexedEncoding):
            raise ExportError("a model of a table takes rows with cells, not sparse rows")
        at = np.repeat(np.arange(len(rows)), [len(i) for i, _ in rows])
        j = np.array([i - encoding.first_index for indices, _ in rows for i in indices], dtype=np.int64)
        x = np.array([v for _, values in rows for v in values], dtype=np.float64)
        X = sparse.csr_array((x, (at, j)), shape=(len(rows), encoding.n_features))
        return cls._answered(model, X, np.zeros(len(rows), dtype=np.bool_), {}, rows)

    @classmethod
    def _answered(
        cls,
        model: DecisionModel,
        X: Any,
        refused: NDArray[np.bool_],
        cells: Mapping[str, Sequence[Cell]],
        rows: Sequence[SparseRow] | None,
    ) -> "ExportVectors":
        with np.errstate(over="ignore", invalid="ignore"):
            decisions = model.decide(X)
        refused = refused | ~np.isfinite(decisions.scores).all(axis=1)
        labels = tuple(
            None if bad else model.answers[a]
            for a, bad in zip(decisions.assigned.tolist(), refused.tolist(), strict=True)
        )
        scores, posteriors = (
            None if numbers is None else np.where(refused[:, None], np.nan, numbers)
            for numbers in (decisions.scores, decisions.posteriors)
        )
        return cls(cells, rows, np.asarray(scores), posteriors, labels)

    def to_json(self) -> bytes:
        """One object: inputs, scores, probabilities and labels, row by row."""
        names = list(self.cells)
        rows = [[storable(cell) for cell in row] for row in zip(*self.cells.values(), strict=True)] if names else []
        document = {
            "columns": names,
            "rows": rows if self.sparse_rows is None else [list(map(list, row)) for row in self.sparse_rows],
            "scores": _plain_rows(self.scores),
            "probabilities": None if self.probabilities is None else _plain_rows(self.probabilities),
            "labels": list(self.labels),
        }
        lines = (f'  "{key}": {json.dumps(value, ensure_ascii=True)}' for key, value in document.items())
        return ("{\n" + ",\n".join(lines) + "\n}\n").encode()


def vectors_of(model: DecisionModel, seed: int = 0, *, texts: bool = False) -> ExportVectors:
    """Rows that visit every column of a model, and its answers; with ``texts`` also rows of texts alone."""
    random = np.random.default_rng(seed)
    if isinstance(model.encoding, IndexedEncoding):
        return ExportVectors.of_sparse(model, _sparse_rows(model.encoding, random))
    cells = sample_cells(model.encoding, random)
    more = sample_texts(model.encoding, random) if texts else {name: [] for name in cells}
    return ExportVectors.of(model, {name: [*own, *more[name]] for name, own in cells.items()})


def sample_cells(encoding: Encoding, random: np.random.Generator) -> dict[str, list[Cell]]:
    """Rows that visit every special cell of each column in turn, and random rows."""
    kinds = {column.name: _special_cells(column) for column in encoding.used}
    base = [_usual_cell(column) for column in encoding.used]
    most = max(40, min(400, _MOST_CELLS // max(1, len(encoding.used))))
    rows: list[list[Cell]] = [base, [None] * len(kinds)]
    rows += _vary_single_cells(base, list(kinds.values()), most // 2, random)
    while len(rows) < most:
        rows.append([_random_cell(column, random) for column in encoding.used])
    return {name: [row[i] for row in rows] for i, name in enumerate(kinds)}


def sample_texts(encoding: Encoding, random: np.random.Generator) -> dict[str, list[Cell]]:
    """Rows of texts that visit every odd text of each column in turn."""
    columns = encoding.used
    base: list[Cell] = [usual_text(column, _usual_cell(column)) for column in columns]
    most = max(40, min(2000, _MOST_CELLS // max(1, len(columns))))
    rows = [base, *_vary_single_cells(base, [hostile_texts(column) for column in columns], most, random)]
    return {column.name: [row[i] for row in rows] for i, column in enumerate(columns)}


def _vary_single_cells(
    base: Sequence[Cell], cells: Sequence[Sequence[Cell]], most: int, random: np.random.Generator
) -> list[list[Cell]]:
    """Rows that differ from a usual one in a single cell: all, or so many by chance."""
    visits = [(place, cell) for place, own in enumerate(cells) for cell in own]
    if len(visits) > most:
        visits = [visits[i] for i in sorted(random.choice(len(visits), most, replace=False).tolist())]
    return [[*base[:place], cell, *base[place + 1 :]] for place, cell in visits]


def days_of(cell: datetime) -> float:
    """Days since 1970-01-01."""
    return ((cell - _EPOCH) // timedelta(microseconds=1)) / 86_400_000_000


def _special_cells(column: Column) -> list[Cell]:
    """Cells worth a row of their own."""
    if column.kind == "category":
        return ["", *_texts(column), _unseen_text(column), *level_texts(column)]
    if column.kind == "flag":
        return [None, True, False]
    low, high = _range(column)
    ends = sorted({end for f in column.values for end in (f.low, f.high) if end is not None})
    if column.kind == "date":
        return [None, *(_date(day) for day in (low, high, high + 0.625, *ends, *(end + 1.5 for end in ends)))]
    far = 10 * (high - low)
    signs = [sign * f.unit for f in column.values if f.unit is not None for sign in (-1.0, 1.0)]
    beside = [near for end in ends for near in (end - 0.01 * far, end, end + 0.01 * far)]
    return [None, low, high, 0.0, low - far, high + far, *beside, *signs]


def _usual_cell(column: Column) -> Cell:
    if column.kind == "category":
        return column.reference
    if column.kind == "flag":
        return False
    low, high = _range(column)
    return _date(round((low + high) / 2)) if column.kind == "date" else (low + high) / 2


def _random_cell(column: Column, random: np.random.Generator) -> Cell:
    if random.random() < 0.1:
        return None
    if column.kind == "category":
        texts = [*_texts(column), _unseen_text(column)]
        return texts[int(random.integers(len(texts)))]
    if column.kind == "flag":
        return bool(random.integers(2))
    low, high = _range(column)
    value = float(random.uniform(low, high))
    return _date(value) if column.kind == "date" else value


def _range(column: Column) -> tuple[float, float]:
    """What the column went through when it was learnt, or two standard deviations about its mean, with all pieces."""
    straight = next((f for f in column.values if f.unit is None), None)
    centre, scale = (straight.centre, straight.scale) if straight is not None else (0.0, 1.0)
    ends = [end for f in column.values for end in (f.low, f.high) if end is not None]
    low = min([centre - 2 * scale, *ends]) if column.low is None else column.low
    high = max([centre + 2 * scale, *ends]) if column.high is None else column.high
    return (low, high) if low <= high else (high, low)


def _date(days: float) -> datetime:
    """A date to the second: SQLite reads no finer than milliseconds."""
    return _EPOCH + timedelta(seconds=round(min(max(days, FIRST_DAY), LAST_DAY) * 86_400))


def _texts(column: Column) -> list[str]:
    """Every text that a category knows."""
    levels = (t for t in (column.reference, *column.levels) if t is not None)
    return [*levels, *(spelling for spelling, _ in column.aliases)]


def _unseen_text(column: Column) -> str:
    text = "a text never seen"
    while text in _texts(column) or text in column.also_blank:
        text += " yet"
    return text


def _sparse_rows(encoding: IndexedEncoding, random: np.random.Generator) -> list[SparseRow]:
    last = encoding.first_index + encoding.n_features
    rows: list[SparseRow] = [((), ()), ((encoding.first_index,), (1.0,)), ((last - 1,), (-2.5,))]
    for _ in range(60):
        most = min(encoding.n_features, 30)
        chosen = np.sort(random.choice(encoding.n_features, int(random.integers(1, most + 1)), replace=False))
        values = random.normal(size=len(chosen))
        rows.append((tuple((chosen + encoding.first_index).tolist()), tuple(values.tolist())))
    return rows


def arrow_table(model: DecisionModel, cells: Mapping[str, Sequence[Cell]]) -> pa.Table:
    """The cells, each column in the type of its kind."""
    kinds = {column.name: column.kind for column in model.encoding.used}  # type: ignore[union-attr]
    return pa.table({name: pa.array(list(values), ARROW_TYPES[kinds[name]]) for name, values in cells.items()})


def _encode(model: DecisionModel, cells: Mapping[str, Sequence[Cell]]) -> tuple[Array, NDArray[np.bool_]]:
    """The design matrix, and which rows have a cell that cannot be read; a column may hold texts as well."""
    encoding = model.encoding
    if not isinstance(encoding, Encoding):
        raise ExportError("a model of sparse rows takes indices and values")
    texts = {name: [cell if isinstance(cell, str) else None for cell in own] for name, own in cells.items()}
    others = {name: [None if isinstance(cell, str) else cell for cell in own] for name, own in cells.items()}
    of_texts = encoding.encode(pa.table({name: pa.array(own, pa.string()) for name, own in texts.items()}))
    of_others = encoding.encode(arrow_table(model, others))
    matrix = of_others.matrix
    for column, start, stop in encoding.places():
        written = np.array([cell is not None for cell in texts[column.name]], dtype=np.bool_)
        matrix[written, start:stop] = of_texts.matrix[written, start:stop]
    refused = np.zeros(len(matrix), dtype=np.bool_)
    refused[[bad.row for bad in (*of_texts.bad, *of_others.bad)]] = True
    return matrix, refused


def _plain_rows(numbers: Array) -> list[list[float | None]]:
    """NaN as null, which JSON has."""
    return [[None if np.isnan(x) else x for x in row] for row in numbers.tolist()]


def storable(cell: Cell) -> Any:
    """A cell as JSON and SQLite have it: dates are texts."""
    return cell.isoformat(sep=" ") if isinstance(cell, datetime) else cell


# --- a cell as the table may well have had it ------------------------------------------------------------


def typical(column: Column) -> Cell:
    """A cell to start from and to type over: the most common text or flag, a round number or day near the average."""
    if column.kind == "category":
        return column.reference
    middle = _clip_to_range(column, _average_contribution(column))
    if column.kind == "flag":
        return middle >= 0.5
    if column.kind == "date":
        return _EPOCH + timedelta(days=round(min(max(middle, -25_000), 2_900_000)))  # 1901 to 9909
    return _round_to_step(column, middle)


def _average_contribution(column: Column) -> float:
    """The mean of the values as they enter the model; pieces that follow one another add up to the whole."""
    first, *others = column.values or (Feature("", "value", 0.0, 1.0),)
    if first.unit is not None:
        return math.copysign(first.unit * math.expm1(min(abs(first.centre), 50.0)), first.centre)
    return first.centre + sum(f.centre - f.low for f in others if f.low is not None and f.unit is None)


def _clip_to_range(column: Column, value: float) -> float:
    value = value if column.low is None else max(column.low, value)
    return value if column.high is None else min(column.high, value)


def _round_to_step(column: Column, value: float) -> float:
    """Round to a multiple of the step of the column, else to a few digits; not where that leaves the range."""
    near = round(value / column.step) * column.step if column.step else float(f"{value:.3g}")
    return float(f"{near if _clip_to_range(column, near) == near else value:.15g}")
