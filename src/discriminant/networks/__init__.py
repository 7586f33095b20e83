"""Threshold logic: units that fire or do not, networks of two levels of them, and nets in time."""

from discriminant.networks.boolean_cover import boolean_rows
from discriminant.networks.delay import DelayNetwork
from discriminant.networks.network import ThresholdNetwork
from discriminant.networks.unit import Learnt, ThresholdUnit

__all__ = ["DelayNetwork", "Learnt", "ThresholdNetwork", "ThresholdUnit", "boolean_rows"]
