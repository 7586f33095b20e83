"""
A curved boundary
=================

A plane in φ-space is a curve in x-space: two rings, Gaussian basis functions and least squares.
"""

import numpy as np
from sklearn.pipeline import make_pipeline

from discriminant import GaussianBasis, LeastSquaresClassifier
from discriminant.plots import DecisionLineDisplay

rng = np.random.default_rng(0)
radius = np.repeat([1.0, 2.2], 90) + rng.normal(0, 0.28, 180)
angle = rng.uniform(0, 2 * np.pi, 180)
X = radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
y = np.repeat(["inner", "outer"], 90)

model = make_pipeline(GaussianBasis(n_centres=12, random_state=0), LeastSquaresClassifier()).fit(X, y)
DecisionLineDisplay.from_estimator(model, X, y)
