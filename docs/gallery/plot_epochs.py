"""
Mistakes by epoch
=================

The pocket keeps the best weights that the perceptron passes through.
"""

from sklearn.datasets import load_iris

from discriminant import PocketPerceptron
from discriminant.plots import EpochsDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]


two = y != "setosa"
EpochsDisplay.from_estimator(PocketPerceptron(random_state=0, max_iter=60).fit(X[two], y[two]))
