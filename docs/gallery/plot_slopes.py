"""
E(w) of one weight
==================

The criterion, its tangent and the steps of descent: one that arrives, one that is too long.
"""

import matplotlib.pyplot as plt

from discriminant.plots import SlopeDisplay

figure, axes = plt.subplots(1, 2, figsize=(9, 4.2))
for ax, eta in zip(axes, (0.05, 0.21), strict=True):
    SlopeDisplay.from_data([1.0, 2.0], [1, 1], start=-0.5, eta=eta, steps=4, ax=ax)
    ax.set_title(f"η = {eta}")
