"""Class labels -> (classes in order, a small integer code for each row), without sorting the rows."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

# A table of this many slots costs less than sorting the labels.
_LARGEST_LABEL_TABLE = 1 << 20
# With more classes than this a table of texts costs less than comparing every row with every class.
_MOST_COMPARISONS = 10

_SEVERAL_LABELS = (
    "rows with several labels are learnt by OneVsAll, from the columns of 0 and 1 that "
    "sklearn.preprocessing.MultiLabelBinarizer makes of them"
)

Codes = NDArray[np.int32]


def code_labels(y: Any) -> tuple[NDArray[Any], Codes]:
    """``(classes, codes)`` with ``classes`` sorted and ``classes[codes] == y``."""
    labels = read_labels(y)
    kind = labels.dtype.kind
    if kind == "f":
        _refuse_fractions(labels)
    if kind in "iufb" and labels.size:
        return _code_numbers(labels)
    if kind in "mM":
        return _code_times(labels)
    if kind in "US" and labels.size:
        return _code_texts(labels)
    return _code_objects(labels)


def read_labels(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array without missing values, or a clear error."""
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None")
    if isinstance(y, np.ma.MaskedArray) and np.ma.is_masked(y):
        row = np.flatnonzero(np.ma.getmaskarray(y))[0]
        raise ValueError(f"y is masked at row {row}; every row needs a class")
    try:
        labels = np.asarray(y)
        if labels.dtype.kind in "US" and isinstance(y, list | tuple) and not all(isinstance(v, str) for v in y):
            labels = np.asarray(y, dtype=object)  # NumPy would turn numbers and NaN among them into text
    except ValueError as error:
        raise ValueError(f"y is not a list of labels: its entries have different lengths; {_SEVERAL_LABELS}") from error
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(
            f"y should be a 1d array of class labels, got an array of shape {labels.shape} instead; {_SEVERAL_LABELS}"
        )
    if labels.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y has dtype {labels.dtype}")
    return labels


def _refuse_fractions(labels: NDArray[Any]) -> None:
    bad = np.flatnonzero(~np.isfinite(labels))
    if bad.size:
        kind = "NaN" if np.isnan(labels[bad[0]]) else "infinity"
        raise ValueError(f"Input y contains {kind} (at row {bad[0]}); every row needs a class")
    fractional = np.flatnonzero(labels != np.floor(labels))
    if fractional.size:
        raise ValueError(
            f"Unknown label type: continuous. y is {labels[fractional[0]]} at row {fractional[0]}; a classifier "
            "needs discrete classes: integers, text or booleans"
        )


def _code_numbers(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    low, high = labels.min(), labels.max()
    span = int(high) - int(low) + 1
    if span > _LARGEST_LABEL_TABLE or max(abs(int(low)), abs(int(high))) > 2**53:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    if span <= 2:
        # the commonest case: two adjacent integers, or one
        codes = (labels != low).astype(np.int32)
        return np.array([low, high] if span == 2 else [low], dtype=labels.dtype), codes
    slots = labels.astype(np.int64, copy=False) - int(low)
    present = np.flatnonzero(np.bincount(slots, minlength=span))
    table = np.zeros(span, dtype=np.int32)
    table[present] = np.arange(present.size, dtype=np.int32)
    return (present + int(low)).astype(labels.dtype), table[slots]


def _code_times(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    missing = np.flatnonzero(np.isnat(labels))
    if missing.size:
        raise ValueError(f"y is missing (NaT) at row {missing[0]}; every row needs a class")
    classes, codes = np.unique(labels, return_inverse=True)
    return classes, codes.astype(np.int32)


def _code_texts(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """Compared with one class after the other, all rows at once; with many classes, by a table of texts."""
    if np.unique(labels[:1000]).size > _MOST_COMPARISONS:
        return _code_objects(labels)
    codes = np.full(labels.size, -1, dtype=np.int32)
    found: list[Any] = []
    while codes[row := int((codes < 0).argmax())] < 0:
        if len(found) == _MOST_COMPARISONS:
            return _code_objects(labels)
        codes[labels == labels[row]] = len(found)
        found.append(labels[row])
    classes = np.array(found, dtype=labels.dtype)
    order = np.argsort(classes)
    return classes[order], np.argsort(order).astype(np.int32)[codes]


def _is_missing(label: Any) -> bool:
    # pandas' NA answers every comparison with NA, so it is known by name
    return (
        label is None or type(label).__name__ in ("NAType", "NaTType") or (isinstance(label, float) and label != label)
    )


def _code_objects(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    values = labels.tolist()
    try:
        distinct = set(values)
    except TypeError as error:
        raise ValueError(
            f"Unknown label type: unknown. y must hold integers, text or booleans ({error}); {_SEVERAL_LABELS}"
        ) from error
    if any(map(_is_missing, distinct)):
        missing = next(row for row, v in enumerate(values) if _is_missing(v))
        raise ValueError(f"y is missing (NaN or None) at row {missing}; every row needs a class")
    fractional = next((v for v in distinct if isinstance(v, float) and not v.is_integer()), None)
    if fractional is not None:
        raise ValueError(f"Unknown label type: unknown. y holds {fractional!r}; a classifier needs discrete classes")
    try:
        order = sorted(distinct)
    except TypeError as error:
        kinds = sorted({type(v).__name__ for v in distinct})
        raise TypeError(f"y mixes labels that cannot be ordered: {', '.join(kinds)}; use one type") from error
    index = {value: code for code, value in enumerate(order)}
    codes = np.fromiter(map(index.__getitem__, values), dtype=np.int32, count=len(values))
    if order and all(isinstance(v, int) and not isinstance(v, bool) for v in order):
        near = order[0] >= -(2**63) and order[-1] < 2**63
        return np.array(order, dtype=np.int64 if near else object), codes  # numbers after all
    return np.array(order, dtype=labels.dtype), codes


def signs(codes: Codes, positive: int) -> NDArray[np.int8]:
    """+1 where the code is that of a class, −1 elsewhere."""
    return np.asarray(2 * (codes == positive).view(np.int8) - 1, dtype=np.int8)


def places_of(classes: NDArray[Any], among: NDArray[Any]) -> NDArray[np.intp]:
    """Where each of some classes stands among all of them, in whatever order those are.

    >>> places_of(np.array(["c", "a"]), np.array(["a", "b", "c"])).tolist()
    [2, 0]
    """
    if classes is among:
        return np.arange(among.size)
    place = {label: k for k, label in enumerate(among.tolist())}
    return np.array([place[label] for label in classes.tolist()], dtype=np.intp)
