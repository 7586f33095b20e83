"""
XOR by two threshold units
==========================

No line separates the corners of XOR; two lines and a disjunction do.
"""

from discriminant import ThresholdNetwork
from discriminant.plots import PlanesDisplay

xor = [0, 1, 1, 0]
shown = PlanesDisplay.from_planes(ThresholdNetwork.from_truth_table(xor), [[0, 0], [0, 1], [1, 0], [1, 1]], xor)
shown.ax_.set_title("The two units of the first level")
