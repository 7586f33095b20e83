"""
Regions of several classes
==========================

The boundary between several classes is made of pieces of planes, each with the two classes it lies between.

.. index:: plot the decision regions, decision regions
"""

from sklearn.datasets import load_breast_cancer, load_iris

from discriminant import LinearDiscriminantAnalysis, LinearSVM, LogisticRegression, OneVsAll
from discriminant.plots import RegionsDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]
pieces = RegionsDisplay.from_estimator(OneVsAll(LogisticRegression(alpha=0.1)).fit(X, y), X, y)

# %%
# One model of three scores: the largest wins.
largest = RegionsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(X, y), X, y)

# %%
# Two classes: the plane of a support vector machine, the edges of its slab, and the rows on them or beyond.
cancer = load_breast_cancer(as_frame=True)
two, kind = cancer.data[["mean radius", "mean texture"]], cancer.target_names[cancer.target]
slab = RegionsDisplay.from_estimator(LinearSVM().fit(two, kind), two, kind)
