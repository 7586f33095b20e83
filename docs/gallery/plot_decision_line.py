"""
A perceptron's run
==================

The lines after earlier updates fade into the last one; beside them the path of w.

.. index:: plot the decision boundary, draw the boundary, decision boundary
"""

from discriminant import Perceptron
from discriminant.plots import DecisionLineDisplay

X = [[1.0, 2.0], [2.0, 0.5], [-1.0, -0.5], [-1.0, 1.0]]
c = [1, 1, -1, -1]
DecisionLineDisplay.from_estimator(Perceptron(init=[1, -1, 0], shuffle=False, trace=True).fit(X, c), X, c)
