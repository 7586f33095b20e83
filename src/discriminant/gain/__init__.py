"""Decisions that earn the most: gain matrices, operating curves, thresholds."""

from discriminant.gain.by_row import RowGain
from discriminant.gain.curve import Bands, OperatingCurve, operating_curve
from discriminant.gain.expected import expected_gain
from discriminant.gain.explanation import DominatedAssignment, IndifferentClass, RewardedError
from discriminant.gain.matrix import Gain, read_gain
from discriminant.gain.rates import joint_table
from discriminant.gain.thresholds import Threshold, best_threshold

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
