"""Decisions of models whose gains are in columns of the table: each row by its own gain."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable
from discriminant.model.decision_model import DecisionModel
from discriminant.table.cells import numbers_of_cells
from discriminant.table.encoding import Encoding
from discriminant.table.errors import MissingColumn, TableError

Array = NDArray[np.float64]


def with_column_gain(model: DecisionModel, gains: ColumnGain, mean: Gain | None = None) -> DecisionModel:
    """The model that answers what each row's own gain makes best; ``mean`` stands for a row of training."""
    if model.posterior is None:
        raise TableError("the model has scores but no probabilities, which gains by row need")
    if model.encoding.layout == "svmlight":
        raise TableError("an svmlight file has no columns to take gains from", hint="give one --gain for all rows")
    usual = gains.with_means(dict.fromkeys(gains.columns, [1.0] * len(model.classes))) if mean is None else mean
    return replace(model, gain=usual, column_gain=gains, rule="gain")


def gains_of(encoding: Any, gains: ColumnGain, table: Any) -> tuple[Gain, NDArray[np.intp]]:
    """(the gains of the rows of a table, the rows that lack a number they need, whose gains count as 0)."""
    names = table.schema.names
    known: dict[str, Array] = {}
    for name in gains.columns:
        if name not in names:
            raise MissingColumn(name, names, "--gain: the table", ", from which the gains of rows are to be taken")
    written: dict[str, Any] = {}
    if isinstance(encoding, Encoding):  # read as the model reads it: signs, decimal commas
        written = {column.name: column.number_format for column in encoding.columns}
        numbers = {column.name for column in encoding.used if column.kind == "number"}
        for column, raw, _ in encoding.raw_columns(table, numbers & set(gains.columns)):
            known[column.name] = np.asarray(raw, dtype=np.float64)
    for name in gains.columns:
        if name not in known:
            values, wrong = numbers_of_cells(table.column(name), (), written.get(name))
            known[name] = np.where(wrong, np.nan, values)
    lacking = np.zeros(table.num_rows, dtype=np.bool_)
    for name, values in known.items():
        lacking |= ~np.isfinite(values)
        known[name] = np.where(np.isfinite(values), values, 0.0)
    return gains.of_rows(known, table.num_rows), np.flatnonzero(lacking)


def lacking_text(gains: ColumnGain, table: Any, row: int) -> str:
    """What a row has in place of the number that its gain needs."""
    cells = {name: str(table.column(name)[int(row)]) for name in gains.columns}
    return "no number for its gain in " + ", ".join(f"{name!r} ({shown(cell)})" for name, cell in cells.items())


def model_of_row(model: DecisionModel, table: Any, place: int) -> DecisionModel:
    """The model with the gain of one row, for which it explains."""
    if model.column_gain is None:
        return model
    row = table.slice(place, 1)
    gain, lacking = gains_of(model.encoding, model.column_gain, row)
    if lacking.size:
        raise TableError(f"row {place + 1} has {lacking_text(model.column_gain, row, 0)}", hint="fill the cell")
    own = Gain(GainTable(np.array(gain.matrix[0]), None, gain.reject_label), None, gain.unit)
    return replace(model, gain=own, column_gain=None)
