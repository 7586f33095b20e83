"""
Several planes with their names
===============================

Planes come from anywhere: fitted models, numbers, threshold units. Least squares need not separate classes
that can be separated.
"""

from discriminant import LeastSquaresClassifier, LinearSVM, Perceptron
from discriminant.plots import PlanesDisplay

X = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 2], [3, 2.5], [12, 9], [14, 10], [13, 11]]
y = ["left"] * 4 + ["right"] * 5
models = {
    "least squares": LeastSquaresClassifier(),
    "perceptron": Perceptron(shuffle=False),
    "largest margin": LinearSVM(C=float("inf")),
}
shown = PlanesDisplay.from_planes({name: model.fit(X, y) for name, model in models.items()}, X, y)
shown.ax_.set_title("Three lines for the same rows")
