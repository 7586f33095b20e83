"""Gains in whatever form a person holds them -> a `Gain` in the order of these classes.

Everything that takes a gain reads it here, so that the same gain means the same everywhere: names say which class is
meant, and a matrix without names is in the order of the classes.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from discriminant.gain.matrix import Gain, read_gain

if TYPE_CHECKING:
    from discriminant.gain.curve import OperatingCurve


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
