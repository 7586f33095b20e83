"""A perceptron on its way: AND of noisy inputs, the lines it tried and the path of its weights."""

import numpy as np
from saving import save

from discriminant import Perceptron
from discriminant.plots import DecisionLineDisplay

rng = np.random.default_rng(1)
inputs = rng.integers(0, 2, (60, 2))
X = inputs + rng.normal(0, 0.08, inputs.shape)
y = np.where(inputs.all(axis=1), "x₁ and x₂", "not both")

model = Perceptron(trace=True, random_state=0).fit(X, y)
save(DecisionLineDisplay.from_estimator(model, X, y).figure_, "perceptron")
