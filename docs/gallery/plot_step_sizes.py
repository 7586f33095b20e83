"""
Steps too small, right and too large
====================================

Descent on the squared loss from the same start.
"""

from discriminant.plots import StepSizesDisplay

StepSizesDisplay.from_data([[-1.5], [-0.5], [1.5], [2.5]], [0, 0, 1, 1])
