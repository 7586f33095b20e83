"""Predictions for tables held in Python: a data frame, a mapping of columns, or an array of numbers.

Columns are found by name, in any order and with others among them; of an array, which has no names, each column that
the model uses is taken in turn. What cannot be read as what its column holds is an error that names the cell.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from discriminant.findings import listed, shown
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable
from discriminant.table.cells import numbers_of_cells
from discriminant.table.encoding import BadCell, Encoding, IndexedEncoding
from discriminant.table.errors import MissingColumn, TableError

if TYPE_CHECKING:
    from discriminant.model.decision_model import DecisionModel, Decisions

Array = NDArray[np.float64]

_LARGEST_SHARE = 1e300  # of one feature in a score, so that those of a column can be added up
OVERFLOW_HINT = "check the units of the cell"


def decide_table(model: "DecisionModel", table: Any) -> "Decisions":
    """What the model says of each row of a table; each by its own gain, where that stands in the table."""
    if model.column_gain is None:
        return model.decide_scores(scores_of_table(model, table))
    assert isinstance(model.encoding, Encoding)
    cells = arrow_table(model.encoding, table, model.column_gain.columns)
    gain, lacking = gains_of(model.encoding, model.column_gain, cells)
    if lacking.size:
        row = int(lacking[0])
        raise TableError(f"row {row} has {lacking_text(model.column_gain, cells, row)}", "fill the cell")
    return model.decide_scores(scores_of_table(model, cells), gain)


def scores_of_table(model: "DecisionModel", table: Any) -> Array:
    """w·x − θ of each row, n×P; an error that names the first row without a finite one."""
    X = encoded_rows(model.encoding, table)
    scores = model.scores(X)
    lost = without_score(scores)
    if lost.size:
        raise TableError(f"row {lost[0]}: {overflow_text(model, X, int(lost[0]))}", OVERFLOW_HINT)
    return scores


# --- rows with gains of their own -----------------------------------------------------------------------


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


def model_of_row(model: "DecisionModel", table: Any, place: int) -> "DecisionModel":
    """The model with the gain of one row, for which it explains."""
    if model.column_gain is None:
        return model
    row = table.slice(place, 1)
    gain, lacking = gains_of(model.encoding, model.column_gain, row)
    if lacking.size:
        raise TableError(f"row {place + 1} has {lacking_text(model.column_gain, row, 0)}", hint="fill the cell")
    own = Gain(GainTable(np.array(gain.matrix[0]), None, gain.reject_label), None, gain.unit)
    return replace(model, gain=own, column_gain=None)


# --- scores that are no numbers -------------------------------------------------------------------------


def refuse_overflow(model: "DecisionModel", x: Any, row: int) -> None:
    """Refuse an encoded row (1×d) that has no score, or whose columns' shares of it cannot be told, by its number."""
    if without_score(model.scores(x)).size:
        raise TableError(f"row {row}: {overflow_text(model, x, 0)}", OVERFLOW_HINT)
    with np.errstate(over="ignore"):
        shares = np.abs(x.toarray() if sparse.issparse(x) else x) * np.abs(model.weights).max(axis=0)
    lost = np.flatnonzero(~(shares[0] <= _LARGEST_SHARE))
    if lost.size:
        name = shown(model.encoding.feature_names[int(lost[0])])
        raise TableError(f"row {row}: what {name} adds to its score is larger than any number", OVERFLOW_HINT)


def without_score(scores: Array) -> NDArray[np.intp]:
    """Rows with a score that is larger than any float."""
    return np.flatnonzero(~np.isfinite(scores).all(axis=1))


def overflow_text(model: "DecisionModel", X: Any, row: int) -> str:
    """Why an encoded row has no score."""
    x = np.asarray(X[[row]].toarray() if sparse.issparse(X) else X[[row]])[0]
    with np.errstate(over="ignore", invalid="ignore"):
        shares = np.abs(np.nan_to_num(model.weights * x, nan=np.inf)).max(axis=0)
    name = model.encoding.feature_names[int(shares.argmax())]
    return f"its score is larger than any number, by the value of {shown(name)}"


# --- tables in ------------------------------------------------------------------------------------------


def encoded_rows(encoding: Encoding | IndexedEncoding, table: Any) -> Any:
    """The design matrix of a table: an array, or a sparse one of indexed rows."""
    if isinstance(encoding, IndexedEncoding):
        return _sparse_matrix(encoding, table)
    encoded = encoding.encode(arrow_table(encoding, table))
    if encoded.bad:
        raise _bad_cell(encoded.bad)
    lost = np.argwhere(~np.isfinite(encoded.matrix))
    if lost.size:
        row, place = lost[0].tolist()
        column = next(c for c, start, stop in encoding.places() if start <= place < stop)
        raise TableError(f"row {row} of column {shown(column.name)} holds a number that is infinite or too large")
    return encoded.matrix


def arrow_table(encoding: Encoding, table: Any, also: Sequence[str] = ()) -> Any:
    """Any table as one that the encoding reads, with other columns that are needed."""
    if isinstance(table, pa.Table | pa.RecordBatch):
        return table
    if isinstance(table, Mapping):
        return _of_mapping(table)
    if sparse.issparse(table):
        return _of_array(encoding, table.toarray())
    if isinstance(table, np.ndarray | list | tuple):
        return _of_array(encoding, table)
    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("the table is a lazy frame, which holds no rows yet; call .collect() on it first")
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"a table is a data frame, a mapping of columns or an array of numbers, got {type(table).__name__}"
        )
    return _of_frame(encoding, frame, also)


def _of_frame(encoding: Encoding, frame: Any, also: Sequence[str]) -> Any:
    """The needed columns alone: others may hold what no arrow type does."""
    needed = dict.fromkeys([*(column.name for column in encoding.used), *also])
    used = [name for name in needed if name in frame.columns]
    try:
        return frame.select(used or frame.columns[:1]).to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(f"the table has a column of mixed kinds ({_line(error)})", "give it one kind") from None


def _of_mapping(columns: Mapping[str, Any]) -> Any:
    try:
        return pa.table({str(name): _column(values) for name, values in columns.items()})
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise TableError(
            f"the columns make no table ({_line(error)})", "give each as many cells, of one kind"
        ) from None


def _column(values: Any) -> Any:
    """Cells of one column; a float that is not a number is blank."""
    return values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values, from_pandas=True)


def _of_array(encoding: Encoding, values: Any) -> Any:
    used = encoding.used
    texts = [column.name for column in used if column.kind not in ("number", "flag")]
    if texts:
        raise TypeError(f"columns such as {shown(texts[0])} hold no numbers; give a data frame or a mapping of columns")
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise TypeError(f"an array in place of a table must be of numbers ({_line(error)})") from None
    if array.ndim != 2 or array.shape[1] != len(used):
        raise ValueError(
            f"an array in place of a table must be rows × {len(used)} columns "
            f"({listed(column.name for column in used)}), got shape {array.shape}"
        )
    for j, column in enumerate(used):
        if column.kind == "flag" and not np.isin(array[~np.isnan(array[:, j]), j], (0.0, 1.0)).all():
            raise ValueError(
                f"the flag {shown(column.name)} (column {j} of the array) must be 0 or 1, or NaN for blank"
            )
    return pa.table({column.name: pa.array(array[:, j], from_pandas=True) for j, column in enumerate(used)})


def _sparse_matrix(encoding: IndexedEncoding, table: Any) -> Any:
    matrix = sparse.csr_array(table) if sparse.issparse(table) else np.asarray(table, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != encoding.n_features:
        raise ValueError(f"rows of this model have {encoding.n_features} columns, got shape {matrix.shape}")
    values = matrix.data if sparse.issparse(matrix) else matrix
    if not np.isfinite(values).all():
        raise TableError("the rows hold a number that is not finite")
    return matrix


def _bad_cell(bad: list[BadCell]) -> TableError:
    first = min(bad, key=lambda cell: cell.row)
    more = f" (and {len(bad) - 1} more such cells)" if len(bad) > 1 else ""
    return TableError(
        f"row {first.row} of column {shown(first.column)} holds {shown(first.text)}, not {first.wanted}{more}",
        "correct or blank the cell",
    )


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:120]
