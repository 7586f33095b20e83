"""Class labels -> (classes in order, a small integer code for each row), without sorting the rows."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

# A table of this many slots costs less than sorting the labels.
_LARGEST_LABEL_TABLE = 1 << 20

Codes = NDArray[np.int32]


def code_labels(y: Any) -> tuple[NDArray[Any], Codes]:
    """``(classes, codes)`` with ``classes`` sorted and ``classes[codes] == y``."""
    labels = read_labels(y)
    kind = labels.dtype.kind
    if kind == "f":
        labels, kind = _whole_numbers(labels), "f"
    if kind in "iufb" and labels.size:
        return _code_numbers(labels)
    return _code_objects(labels)


def read_labels(y: Any) -> NDArray[Any]:
    """y as a one-dimensional array without missing values, or a clear error."""
    if y is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None")
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape of y to "
            "(n_samples,), for example using ravel().",
            DataConversionWarning,
            stacklevel=2,
        )
        labels = labels[:, 0]
    if labels.ndim != 1:
        raise ValueError(f"y should be a 1d array of class labels, got an array of shape {labels.shape} instead")
    if labels.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: y has dtype {labels.dtype}")
    return labels


def _whole_numbers(labels: NDArray[Any]) -> NDArray[Any]:
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
    return labels


def _code_numbers(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    low, high = labels.min(), labels.max()
    span = int(high) - int(low) + 1
    if span > _LARGEST_LABEL_TABLE:
        classes, codes = np.unique(labels, return_inverse=True)
        return classes, codes.astype(np.int32)
    if span <= 2:
        # the commonest case: two adjacent integers, or one
        codes = (labels != low).astype(np.int32)
        return np.array([low, high] if span == 2 else [low], dtype=labels.dtype), codes
    slots = (labels if labels.dtype.kind in "iu" else labels.astype(np.int64)) - low
    slots = slots.astype(np.intp, copy=False)
    present = np.flatnonzero(np.bincount(slots, minlength=span))
    table = np.zeros(span, dtype=np.int32)
    table[present] = np.arange(present.size, dtype=np.int32)
    return (present + int(low)).astype(labels.dtype), table[slots]


def _code_objects(labels: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    values = labels.tolist()
    try:
        distinct = set(values)
    except TypeError as error:
        raise ValueError(f"Unknown label type: unknown. y must hold integers, text or booleans ({error})") from error
    missing = next((row for row, v in enumerate(values) if v is None or v != v), None)
    if missing is not None:
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
    if all(isinstance(v, int) and not isinstance(v, bool) for v in order):
        return np.array(order), codes  # an object array of integers: numbers after all
    return np.array(order, dtype=labels.dtype), codes
