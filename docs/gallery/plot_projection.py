"""
Rows on the normal of a plane
=============================

What a linear classifier sees of the rows: one number each, and a threshold.
"""

from sklearn.datasets import load_iris

from discriminant import FisherDiscriminant
from discriminant.plots import ProjectionDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]


two = y != "setosa"
ProjectionDisplay.from_estimator(FisherDiscriminant().fit(X[two], y[two]), X[two], y[two])
