"""Gains in whatever form a person holds them -> a `Gain` in the order of these classes.

Everything that takes a gain reads it here, so that the same gain means the same everywhere: names say which class is
meant, and a matrix without names is in the order of the classes.

``reject`` is None, a cost of deciding nothing, a label for the reject column the gain has, or both: {label: cost}.
Rejecting then earns −cost; where there is no gain and a right answer earns 1, 1 − cost, so that a row is rejected
where an error is more likely than the cost (Chow's rule).
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.matrix import Gain, read_gain
from discriminant.parameters import read_penalty

if TYPE_CHECKING:
    from discriminant.gain.curve import OperatingCurve

_LABEL = "reject"


def align_gain(gain: Any, classes: Any, X: Any = None) -> Gain:
    """The gain in the order of the classes; None is accuracy. Gains that are a function of a table need X, the table.

    >>> align_gain({"b": {"b": 1, "a": -5}, "a": {"b": 0, "a": 2}}, ["a", "b"]).matrix.tolist()
    [[2.0, 0.0], [-5.0, 1.0]]
    """
    if gain is None:
        return Gain.identity(len(classes), classes)
    if callable(gain) or (isinstance(gain, Mapping) and any(isinstance(key, tuple) for key in gain)):
        gain = Gain.by_row(gain)
    value = gain if hasattr(gain, "for_table") else Gain(gain)
    return read_gain(value if X is None else value.for_table(X)).aligned(classes)


def align_with_curve(gain: Any, curve: "OperatingCurve") -> Gain:
    """The gain in the order of a curve's two classes; "not x" may have a name of its own."""
    value = read_gain(gain)
    classes = list(curve.classes)
    other = 1 - curve.positive_place
    if value.classes is not None and classes[other] == f"not {curve.positive}" and len(value.classes) == 2:
        classes[other] = value.classes[1 - value.place_of(curve.positive)]
    return square_gain(align_gain(value, classes), 2)


def square_gain(gain: Gain, n_classes: int) -> Gain:
    """A gain that thresholds can be chosen for: K×K, without a reject column, and the same for every row."""
    if gain.per_row:
        raise ValueError(
            "gains that differ by row have no single threshold; a GainClassifier, or gain.decide(posteriors), decides "
            "row by row"
        )
    if gain.matrix.shape != (n_classes, n_classes):
        raise ValueError(
            f"the gain of thresholds must be {n_classes}×{n_classes} (true × assigned), got {gain.matrix.shape[0]}×"
            f"{gain.matrix.shape[1]}; a GainClassifier, or gain.decide(posteriors), takes a reject column too"
        )
    return gain


# --- for the rows of a table, with a reject column ------------------------------------------------------


def gain_of_rows(gain: Any, X: Any, classes: NDArray[Any], reject: Any) -> Gain:
    """The gains of the rows of a table, aligned with the classes."""
    return _with_reject(align_gain(gain, classes, X), reject, right=1.0 if gain is None else 0.0)


def differs_by_row(gain: Any) -> bool:
    """Whether the gains are numbers for the rows of one table, which say nothing about other rows."""
    if isinstance(gain, Gain):
        return gain.per_row
    return isinstance(gain, np.ndarray | list | tuple) and np.ndim(gain) == 3


def _with_reject(gain: Gain, reject: Any, right: float) -> Gain:
    if reject is None and not gain.has_reject:
        return gain
    label, cost = _read_reject(reject)
    _refuse_class(label if label is not None else gain.reject_label if gain.has_reject else _LABEL, gain)
    if cost is None:
        if not gain.has_reject:
            raise ValueError(
                f"reject={reject!r} names the answer for rows that are not decided, but the gain has no such column; "
                f"give its cost too, reject={{{reject!r}: cost}}"
            )
        return gain
    if gain.has_reject:
        raise ValueError("the gain has a reject column already; let reject be its label, or leave it out")
    return Gain(gain, reject=right - cost)


def _refuse_class(label: Any, gain: Gain) -> None:
    """An answer that is a class cannot mean that there is none."""
    if label in gain.labels:
        raise ValueError(
            f"rows that are not decided would be answered {label!r}, which is a class; give another label, "
            "reject={label: cost}"
        )


def _read_reject(reject: Any) -> tuple[Any, float | None]:
    """(label, cost): either may be missing."""
    if isinstance(reject, Mapping):
        if len(reject) != 1:
            raise ValueError(f"reject as a mapping is one label with its cost, got {dict(reject)!r}")
        label, cost = next(iter(reject.items()))
        return label, read_penalty(cost, "the cost of rejecting")
    if isinstance(reject, int | float | np.number) and not isinstance(reject, bool):
        return None, read_penalty(reject, "reject (a cost)")
    return reject, None


def labels_of(codes: NDArray[np.intp], classes: NDArray[Any], gain: Gain, reject: Any) -> NDArray[Any]:
    """The label of each assignment; an array of objects where the reject label is of another kind than the classes."""
    rejected = codes == classes.size
    if not rejected.any():
        return np.asarray(classes[codes])
    given, _ = _read_reject(reject)
    label = given if given is not None else (gain.reject_label if gain.reject_label is not None else _LABEL)
    together = np.asarray([label])
    kind = np.result_type(classes, together) if together.dtype.kind == classes.dtype.kind else np.dtype(object)
    answers = classes[np.where(rejected, 0, codes)].astype(kind)
    answers[rejected] = label
    return answers


def least_and_largest(gain: Gain) -> NDArray[np.float64]:
    """K×2: the least and the largest gain of a row of each class (on average, where gains differ by row)."""
    ends = np.stack([gain.matrix.min(axis=-1), gain.matrix.max(axis=-1)], axis=-1)
    return np.asarray(ends.mean(axis=0) if gain.per_row else ends)
