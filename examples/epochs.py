"""Epoch by epoch: a perceptron that converges, a pocket where none can, and Adaline on its way to least squares."""

import matplotlib.pyplot as plt
import numpy as np
from saving import save

from discriminant import Adaline, Perceptron, PocketPerceptron
from discriminant.plots import EpochsDisplay

rng = np.random.default_rng(0)
normal = np.array([1.0, -0.5, 0.8, 0.3])
X = rng.normal(size=(400, 4)) * [1.0, 1.0, 1.0, 4.0]
score = X @ normal
separable = score > 0
overlapping = score + rng.normal(0, 0.7, 400) > 0

perceptron = Perceptron(tol=None, random_state=0).fit(X, separable)
pocket = PocketPerceptron(max_iter=30, random_state=0).fit(X, overlapping)
adaline = Adaline(rule="batch").fit(X, overlapping)

figure, axes = plt.subplots(1, 3, figsize=(14, 4.4), layout="constrained")
EpochsDisplay.from_estimator(perceptron, ax=axes[0])
EpochsDisplay.from_estimator(pocket, ax=axes[1])
EpochsDisplay.from_estimator(adaline, X, overlapping, ax=axes[2])
save(figure, "epochs")
