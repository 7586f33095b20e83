"""
φ-space beside x-space
======================

A circle in x is a line in the squares of x.
"""

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from discriminant import LogisticRegression
from discriminant.plots import SpacesDisplay

rng = np.random.default_rng(0)
turn, ring = rng.uniform(0, 2 * np.pi, 80), np.arange(80) % 2
radius = np.where(ring, 2.3, 1.0) + 0.18 * rng.normal(size=80)
X = np.column_stack([radius * np.cos(turn), radius * np.sin(turn)])
squares = make_pipeline(FunctionTransformer(np.square), LogisticRegression(alpha=0.1)).fit(X, ring)
SpacesDisplay.from_estimator(squares, X, ring)
