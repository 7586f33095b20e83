"""
Losses side by side
===================

What a row costs by its margin.
"""

from discriminant.plots import LossesDisplay

LossesDisplay.of()
