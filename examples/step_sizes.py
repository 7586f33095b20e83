"""Gradient descent on squares: a step that crawls, one that arrives, one that oscillates ever further away."""

import numpy as np
from saving import save

from discriminant.plots import StepSizesDisplay

rng = np.random.default_rng(0)
y = np.repeat([0, 1], 30)
X = (0.7 * y + rng.normal(0.3, 0.5, 60))[:, None]

save(StepSizesDisplay.from_data(X, y).figure_, "step_sizes")
