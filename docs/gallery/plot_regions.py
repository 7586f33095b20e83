"""
Regions of several classes
==========================

The boundary of one-against-all is made of pieces of planes, each with the two classes it lies between.
"""

from sklearn.datasets import load_iris

from discriminant import LinearSVM, OneVsAll
from discriminant.plots import RegionsDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]


RegionsDisplay.from_estimator(OneVsAll(LinearSVM()).fit(X, y), X, y)
