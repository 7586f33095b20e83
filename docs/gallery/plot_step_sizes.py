"""
Steps too small, right and too large
====================================

Descent on the squared loss from the same start.
"""

from discriminant.plots import StepSizesDisplay

StepSizesDisplay.from_data([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
