"""Three classes, three regions: the largest of three linear scores wins."""

import numpy as np
from saving import save

from discriminant import LinearDiscriminantAnalysis
from discriminant.plots import DecisionLineDisplay

rng = np.random.default_rng(3)
y = np.repeat(["a", "b", "c"], 50)
X = np.repeat([[0.0, 0.0], [3.0, 0.5], [1.2, 2.6]], 50, axis=0) + rng.normal(0, 0.8, (150, 2))

model = LinearDiscriminantAnalysis().fit(X, y)
save(DecisionLineDisplay.from_estimator(model, X, y).figure_, "three_classes")
