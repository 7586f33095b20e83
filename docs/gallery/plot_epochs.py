"""
Epoch by epoch
==============

A perceptron that converges, a pocket where none can (it keeps the best weights that the perceptron passes through), and
Adaline on its way to least squares.
"""

import matplotlib.pyplot as plt
import numpy as np

from discriminant import Adaline, Perceptron, PocketPerceptron
from discriminant.plots import EpochsDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(400, 4)) * [1.0, 1.0, 1.0, 4.0]
score = X @ [1.0, -0.5, 0.8, 0.3]
separable, overlapping = score > 0, score + rng.normal(0, 0.7, 400) > 0

figure, axes = plt.subplots(1, 3, figsize=(15, 4.5), layout="constrained")
EpochsDisplay.from_estimator(Perceptron(tol=None, random_state=0).fit(X, separable), ax=axes[0])
EpochsDisplay.from_estimator(PocketPerceptron(max_iter=30, random_state=0).fit(X, overlapping), ax=axes[1])
adaline = Adaline(rule="batch").fit(X, overlapping)
shown = EpochsDisplay.from_estimator(adaline, X, overlapping, ax=axes[2])
