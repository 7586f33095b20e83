"""
Misdetection against false alarm
================================

From the rates that a paper prints: no rows are needed.
"""

from discriminant import OperatingCurve
from discriminant.plots import GainDisplay, OperatingCurveDisplay

false_alarm = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
misdetect = [1, 0.790, 0.619, 0.478, 0.363, 0.269, 0.192, 0.129, 0.077, 0.035, 0]
printed = OperatingCurve.of_rates(false_alarm, misdetect, priors=[0.6, 0.4])
gain = [[2, -3], [-4, 4]]
OperatingCurveDisplay.from_curve(printed, gain=gain)

# %%
# And what each threshold earns.
GainDisplay.from_curve(printed, gain=gain)
