"""Threshold logic: units that fire or do not, and networks of two levels of them."""

from discriminant.networks.boolean_cover import boolean_rows
from discriminant.networks.network import ThresholdNetwork
from discriminant.networks.unit import Learnt, ThresholdUnit

__all__ = ["Learnt", "ThresholdNetwork", "ThresholdUnit", "boolean_rows"]
