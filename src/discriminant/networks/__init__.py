"""Threshold logic: units that fire or do not, and networks of two levels of them."""

from discriminant.networks.network import ThresholdNetwork
from discriminant.networks.unit import Learnt, ThresholdUnit
from discriminant.solvers.boolean_cover import boolean_rows

__all__ = ["Learnt", "ThresholdNetwork", "ThresholdUnit", "boolean_rows"]
