"""Decisions that earn the most: gain matrices, operating curves, thresholds."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from discriminant.forks import importing
from discriminant.gain.explanation import DominatedAssignment, IndifferentClass, RewardedError
from discriminant.gain.matrix import Gain, read_gain

if TYPE_CHECKING:
    from discriminant.gain.by_row import RowGain
    from discriminant.gain.curve import Bands, OperatingCurve, operating_curve
    from discriminant.gain.expected import expected_gain
    from discriminant.gain.rates import joint_table
    from discriminant.gain.thresholds import Threshold, best_threshold

# Curves need scikit-learn and numba; a saved model, which only decides, does not wait for them.
_HOMES = {
    "Bands": "curve",
    "OperatingCurve": "curve",
    "RowGain": "by_row",
    "Threshold": "thresholds",
    "best_threshold": "thresholds",
    "expected_gain": "expected",
    "joint_table": "rates",
    "operating_curve": "curve",
}

__all__ = [
    "Bands",
    "DominatedAssignment",
    "Gain",
    "IndifferentClass",
    "OperatingCurve",
    "RewardedError",
    "RowGain",
    "Threshold",
    "best_threshold",
    "expected_gain",
    "joint_table",
    "operating_curve",
    "read_gain",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        with importing:
            return getattr(import_module(f"discriminant.gain.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'discriminant.gain' has no attribute {name!r}")
