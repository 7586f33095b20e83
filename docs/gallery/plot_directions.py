"""
Discriminant directions of several classes
==========================================

K classes lie in at most K − 1 directions; here three classes in two.
"""

from sklearn.datasets import load_iris

from discriminant import FisherDiscriminant
from discriminant.plots import DiscriminantScatterDisplay

iris = load_iris(as_frame=True)
y = iris.target_names[iris.target]
DiscriminantScatterDisplay.from_estimator(FisherDiscriminant().fit(iris.data, y), iris.data, y)
