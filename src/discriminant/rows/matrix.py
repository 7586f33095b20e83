"""Any table a person may hold -> a checked numeric matrix: an ndarray, or a well-formed CSR array.

Dense data is passed on as it is (any float or integer dtype, any memory order, read-only or memory-mapped);
whoever sums over it asks for blocks. Whether values are finite is found by whoever reads them anyway;
`refuse_non_finite` then finds the guilty cell.
"""

from collections.abc import Callable, Iterator
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows.map_pages import give_pages_back, map_under
from discriminant.rows.threads import over_spans

# ndarray of a real dtype, or scipy.sparse.csr_array of float64
Matrix = Any

_LARGEST_EXACT_INTEGER = 2**53
_COPIED_ROWS = 4096
_FEW_NUMBERS = 1 << 15  # that stay in the cache of one core
_GIVEN_BACK = 1 << 20  # numbers of a map, 8 MB, after which a fast reader gives its pages back
_TAKEN_ROWS = 256  # of a map, each with the pages around it, up to half a megabyte: 128 MB


def read_matrix(X: Any, what: str = "X") -> Matrix:
    """The numbers of X as a two-dimensional ndarray or CSR array, or a clear error."""
    if type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64:
        return X
    if sparse.issparse(X):
        return _read_sparse(X, what)
    if hasattr(X, "collect") and hasattr(X, "batches"):
        raise TypeError(
            f"{what} is a source of rows, which only fit reads; pass source.collect().matrix, or block.matrix for each "
            "block of source.batches()"
        )
    if isinstance(X, np.matrix):
        raise TypeError(f"{what} is a np.matrix, which is not supported; pass np.asarray({what})")
    if isinstance(X, np.ma.MaskedArray) and np.ma.is_masked(X):
        row, column = np.argwhere(np.ma.getmaskarray(X))[0]
        raise ValueError(f"{what} is masked at row {row}, column {column}; fill or drop missing values first")
    if not isinstance(X, np.ndarray | list | tuple):
        frame = nw.from_native(X, pass_through=True)
        if isinstance(frame, nw.LazyFrame):
            raise TypeError(f"{what} is a lazy frame, which holds no rows yet; call .collect() on it first")
        if isinstance(frame, nw.DataFrame):
            return _read_frame(frame, what)
    return _read_array(X, what)


def column_labels(X: Any) -> tuple[str, ...] | None:
    """The column names of a data frame; None for anything without names, or with names that are not text."""
    if isinstance(X, np.ndarray | list | tuple) or sparse.issparse(X):
        return None
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not all(isinstance(c, str) for c in frame.columns):
        return None
    return tuple(frame.columns)


# --- dense ----------------------------------------------------------------------------------------------


def _read_array(X: Any, what: str) -> NDArray[Any]:
    try:
        array = np.asarray(X)
    except ValueError as error:
        raise ValueError(f"{what} is not a table: its rows have different lengths ({error})") from error
    if array.ndim == 0:
        raise ValueError(
            f"{what} must be a table of rows and columns, got {type(X).__name__}. Expected 2D array, got 0D array "
            "instead. Reshape your data if it is a single value"
        )
    if isinstance(X, list | tuple) and array.dtype.kind in "USf":
        array = _as_listed(X, array)
    if array.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has dtype {array.dtype}")
    if array.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {array.ndim}D array instead: {what} has shape {array.shape}. Reshape your data "
            "with array.reshape(-1, 1) if it has one column, or array.reshape(1, -1) if it is one row"
        )
    if array.dtype.kind in "OUSV" or array.dtype.kind in "mM":
        array = _numbers_from_objects(array, what)
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
        _refuse_inexact_integers(array, what, None)
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        array = array.astype(np.float64)
    return array


def _as_listed(X: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Lists with the types their cells came with, where NumPy's common type would hide text or large integers."""
    if array.dtype.kind in "US" or (array.size and float(np.abs(array).max()) > _LARGEST_EXACT_INTEGER):
        return np.asarray(X, dtype=object)
    return array


def _numbers_from_objects(array: NDArray[Any], what: str) -> NDArray[np.float64]:
    for row, column in np.ndindex(array.shape):
        value = array[row, column]
        where = f"{what} at row {row}, column {column}"
        if isinstance(value, str | bytes | np.datetime64 | np.timedelta64 | np.void):
            raise ValueError(f"{where} holds {value!r}, not a number; encode or drop that column")
        if isinstance(value, complex | np.complexfloating):
            raise ValueError(f"Complex data not supported: {where} holds {value!r}")
        if isinstance(value, int) and abs(value) > _LARGEST_EXACT_INTEGER:
            raise ValueError(_inexact(where, value))
        try:
            float(value)
        except (TypeError, ValueError) as error:
            # scikit-learn's contract asks for these words
            raise TypeError(
                f"{where} holds {value!r}: argument must be a string or a real number, not {type(value).__name__!r}"
            ) from error
    return array.astype(np.float64)


def _inexact(where: str, value: Any) -> str:
    text = str(value) if abs(int(value)) < 10**30 else "an integer too large for a float"
    return (
        f"{where} holds {text}: integers beyond 2**53 are not exact as floats; subtract an offset first, or pass "
        "floats if the lost digits do not matter"
    )


def _refuse_inexact_integers(array: NDArray[Any], what: str, names: list[Any] | None) -> None:
    if max(int(array.max()), -int(array.min())) <= _LARGEST_EXACT_INTEGER:
        return
    bad = array > _LARGEST_EXACT_INTEGER
    if array.dtype.kind == "i":
        bad |= array < -_LARGEST_EXACT_INTEGER
    row, column = np.argwhere(bad)[0]
    place = column if names is None else repr(names[column])
    raise ValueError(_inexact(f"{what} at row {row}, column {place}", array[row, column]))


def _read_frame(frame: Any, what: str) -> NDArray[Any]:
    if len(frame.columns) == 0:
        return np.empty((len(frame), 0))
    for name, dtype in frame.schema.items():
        if dtype.is_numeric() or dtype in (nw.Boolean, nw.Object, nw.Unknown):
            continue
        values = frame.get_column(name).drop_nulls().to_list()
        example = f", for instance {values[0]!r}" if values else ""
        raise ValueError(f"column {str(name)!r} of {what} holds {dtype}{example}, not numbers; encode or drop it")
    kinds = set(frame.schema.values())
    # where columns must be converted to a common type, 64-bit integers could lose digits unseen
    if not kinds & {nw.Object, nw.Unknown} and (len(kinds) == 1 or not kinds & {nw.Int64, nw.UInt64}):
        array = np.asarray(frame.to_numpy())
        if array.dtype.kind in "iu" and array.dtype.itemsize == 8 and array.size:
            _refuse_inexact_integers(array, what, frame.columns)
        if array.dtype.kind in "fiub":
            return array
    return np.column_stack([_read_column(frame.get_column(name), str(name), what) for name in frame.columns])


def _read_column(column: Any, name: str, what: str) -> NDArray[np.float64]:
    values = column.to_numpy()
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8 and values.size:
        _refuse_inexact_integers(values[:, None], what, [name])
    if values.dtype.kind in "fiub":
        return np.asarray(values, dtype=np.float64)
    return np.array([_read_cell(value, row, name, what) for row, value in enumerate(values)])


def _read_cell(value: Any, row: int, name: str, what: str) -> float:
    if value is None or type(value).__name__ == "NAType":
        return float("nan")
    if isinstance(value, int) and abs(value) > _LARGEST_EXACT_INTEGER:
        raise ValueError(_inexact(f"{what} at row {row}, column {name!r}", value))
    try:
        if isinstance(value, str | bytes | complex):
            raise TypeError(type(value).__name__)
        return float(value)
    except (TypeError, ValueError) as error:
        raise ValueError(f"column {name!r} of {what} holds {value!r} at row {row}, not a number") from error


# --- sparse ---------------------------------------------------------------------------------------------


def _read_sparse(X: Any, what: str) -> Any:
    if X.ndim != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead. Reshape your data")
    if X.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: {what} has dtype {X.dtype}")
    if X.dtype.kind not in "fiub":
        raise TypeError(f"{what} is a sparse matrix of dtype {X.dtype}; it must hold real numbers")
    if X.format in ("csr", "csc"):
        _check_compressed(X, what)
    elif X.format == "coo":
        _check_coordinates(X, what)
    elif X.format == "bsr":
        X.check_format(full_check=True)
    csr = sparse.csr_array(X)
    if csr.dtype.kind in "iu" and csr.dtype.itemsize == 8 and csr.nnz:
        _refuse_inexact_integers(csr.data[:, None], f"the stored values of {what}", None)
    csr = csr.astype(np.float64, copy=False)
    if not csr.has_canonical_format:
        if csr.data is getattr(X, "data", None) or np.shares_memory(csr.data, getattr(X, "data", csr.data)):
            csr = csr.copy()
        csr.sum_duplicates()
    return csr


def _check_compressed(X: Any, what: str) -> None:
    """Refuse a CSR/CSC structure that would make compiled code read outside its arrays."""
    n_major, n_minor = X.shape if X.format == "csr" else X.shape[::-1]
    major, minor = ("row", "column") if X.format == "csr" else ("column", "row")
    indptr, indices, data = (np.asarray(a) for a in (X.indptr, X.indices, X.data))
    malformed = f"{what} is a malformed {X.format.upper()} matrix: "
    for name, array in (("indptr", indptr), ("indices", indices), ("data", data)):
        if array.ndim != 1:
            raise ValueError(f"{malformed}{name} has {array.ndim} dimensions instead of 1")
    for name, array in (("indptr", indptr), ("indices", indices)):
        if array.dtype.kind != "i":
            raise ValueError(f"{malformed}{name} has dtype {array.dtype} instead of signed integers")
    if indptr.size != n_major + 1:
        raise ValueError(f"{malformed}indptr has {indptr.size} entries for {n_major} {major}s; it needs {n_major + 1}")
    if indptr[0] != 0:
        raise ValueError(f"{malformed}indptr starts at {indptr[0]} instead of 0")
    falls = np.flatnonzero(indptr[1:] < indptr[:-1])
    if falls.size:
        raise ValueError(f"{malformed}indptr decreases at {major} {falls[0]}")
    stored = int(indptr[-1])
    if stored > indices.size or stored > data.size:
        raise ValueError(f"{malformed}indptr ends at {stored}, past its {indices.size} indices and {data.size} values")
    used = indices[:stored]
    as_unsigned = used.view(used.dtype.str.replace("i", "u"))  # in which a negative one is the largest of all
    if used.size and int(as_unsigned.max()) >= n_minor:
        outside = np.flatnonzero((used < 0) | (used >= n_minor))
        at = int(np.searchsorted(indptr, outside[0], side="right") - 1)
        raise ValueError(
            f"{malformed}{major} {at} refers to {minor} {used[outside[0]]}, but there are {n_minor} {minor}s"
        )


def _check_coordinates(X: Any, what: str) -> None:
    for axis, (name, index) in enumerate(zip(("row", "column"), X.coords, strict=True)):
        outside = np.flatnonzero((index < 0) | (index >= X.shape[axis]))
        if outside.size or index.size != X.data.size or index.dtype.kind != "i":
            raise ValueError(f"{what} is a malformed COO matrix: its {name} indices do not fit its shape {X.shape}")


# --- blocks ---------------------------------------------------------------------------------------------


def dense_block(matrix: Matrix, start: int, stop: int) -> NDArray[np.float64]:
    """Rows start..stop as a C-ordered float64 array; a view where the matrix is one already."""
    block = matrix[start:stop]
    if sparse.issparse(block):
        block = block.toarray()
    return np.ascontiguousarray(block, dtype=np.float64)


def blocks(matrix: Matrix, rows_per_block: int) -> Iterator[tuple[slice, NDArray[np.float64]]]:
    """The matrix in consecutive dense blocks, with the slice of rows each one holds."""
    n = matrix.shape[0]
    for start in range(0, n, rows_per_block):
        stop = min(start + rows_per_block, n)
        yield slice(start, stop), dense_block(matrix, start, stop)


def kernel_form(matrix: Matrix) -> Any:
    """The whole matrix as compiled loops over single rows take it: a C-ordered matrix of floats, or CSR's three arrays.

    Floats in C order are passed on as they are, anything else is converted once. All are marked read-only, so that a
    kernel is compiled once for each type and not again for tables that may not be written to.
    """
    if sparse.issparse(matrix):
        return tuple(_read_only(part) for part in (matrix.data, matrix.indices, matrix.indptr))
    return _read_only(c_ordered(matrix))


def c_ordered(matrix: NDArray[Any]) -> NDArray[Any]:
    """A dense matrix of floats in C order: itself, or a copy made a few rows at a time, which stay in the cache."""
    dtype = matrix.dtype if matrix.dtype in (np.float32, np.float64) else np.float64
    if matrix.flags.c_contiguous:
        return np.ascontiguousarray(matrix, dtype=dtype)
    copied = np.empty(matrix.shape, dtype=dtype)
    for start in range(0, len(matrix), _COPIED_ROWS):
        copied[start : start + _COPIED_ROWS] = matrix[start : start + _COPIED_ROWS]
    return copied


def take_rows(matrix: Matrix, rows: NDArray[np.intp]) -> Matrix:
    """Some rows; of a map in pieces, whose pages are given back: each row maps all pages around it."""
    if not isinstance(matrix, np.memmap):
        return matrix[rows]
    taken = np.empty((len(rows), *matrix.shape[1:]), dtype=matrix.dtype)
    for start in range(0, len(rows), _TAKEN_ROWS):
        taken[start : start + _TAKEN_ROWS] = matrix[rows[start : start + _TAKEN_ROWS]]
        give_pages_back(map_under(matrix))
    return taken


def _read_only(array: NDArray[Any]) -> NDArray[Any]:
    view = array.view(np.ndarray)
    view.flags.writeable = False
    return view


def first_non_finite(matrix: Matrix) -> tuple[int, int, float] | None:
    """(row, column, value) of the first NaN or infinity, or None."""
    if sparse.issparse(matrix):
        stored = np.flatnonzero(~np.isfinite(matrix.data))
        if not stored.size:
            return None
        row = int(np.searchsorted(matrix.indptr, stored[0], side="right") - 1)
        return row, int(matrix.indices[stored[0]]), float(matrix.data[stored[0]])
    if matrix.dtype.kind != "f":
        return None
    for start in range(0, matrix.shape[0], 4096):
        finite = np.isfinite(matrix[start : start + 4096])
        if not finite.all():
            row, column = np.argwhere(~finite)[0]
            return start + int(row), int(column), float(matrix[start + row, column])
    return None


def root_of_squares(matrix: Matrix) -> float:
    """√Σx² over all numbers, which none of them exceeds; not finite where one is not, or where squares overflow."""
    numbers = matrix.data if sparse.issparse(matrix) else matrix
    if numbers.size < _FEW_NUMBERS and numbers.dtype == np.float64:
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sqrt(np.vdot(numbers, numbers)))
    per_block = max((1 << 15) * len(numbers) // max(numbers.size, 1), 1)
    pages = map_under(numbers)

    def of_span(start: int, stop: int) -> float:
        total, kept = 0.0, 0
        for a in range(start, stop, per_block):
            flat = np.ascontiguousarray(numbers[a : min(a + per_block, stop)], dtype=np.float64).ravel()
            total += float(np.dot(flat, flat))
            kept += flat.size
            if pages is not None and kept > _GIVEN_BACK:  # at once: this is too fast for whoever looks now and then
                give_pages_back(pages)
                kept = 0
        return total

    with np.errstate(over="ignore", invalid="ignore"):
        return float(np.sqrt(np.sum(over_spans(of_span, len(numbers), numbers.size // max(len(numbers), 1)))))


def largest_by_column(matrix: Matrix) -> NDArray[np.float64]:
    """max |x| of each column."""
    if sparse.issparse(matrix):
        return np.asarray(abs(matrix).max(axis=0).toarray(), dtype=np.float64).ravel()
    largest = np.zeros(matrix.shape[1])
    for _, block in blocks(matrix, 4096):
        np.maximum(largest, np.abs(block).max(axis=0), out=largest)
    return largest


def constant_columns(matrix: Matrix) -> NDArray[np.intp]:
    """Columns with one value in every row."""
    lowest, highest = matrix.min(axis=0), matrix.max(axis=0)
    if sparse.issparse(matrix):
        lowest, highest = lowest.toarray().ravel(), highest.toarray().ravel()
    return np.flatnonzero(np.asarray(lowest) == np.asarray(highest))


def with_zero_columns(matrix: Matrix, columns: NDArray[np.intp]) -> Matrix:
    """A copy with some columns made zero."""
    copied = matrix.copy()
    if sparse.issparse(copied):
        copied.data[np.isin(copied.indices, columns)] = 0
    else:
        copied[:, columns] = 0
    return copied


def refuse_non_finite(
    matrix: Matrix,
    names: tuple[str, ...] | None,
    what: str = "X",
    row_numbers: NDArray[np.intp] | None = None,
    origin: Callable[[int], str] | None = None,
) -> None:
    """Raise for the first NaN or infinity, naming its column and its row in the user's table, or in which file."""
    found = first_non_finite(matrix)
    if found is None:
        return
    row, column, value = found
    number = row if row_numbers is None else int(row_numbers[row])
    place = f"{f'row {number}' if origin is None else origin(row)}, column {repr(names[column]) if names else column}"
    if not np.isnan(value):
        raise ValueError(f"Input {what} contains infinity (at {place}). Fill or drop such values first")
    way_out = "" if what != "X" else ": make_pipeline(SimpleImputer(add_indicator=True), model) fills and marks them"
    raise ValueError(f"Input {what} contains NaN (at {place}). Fill or drop such values first{way_out}")
