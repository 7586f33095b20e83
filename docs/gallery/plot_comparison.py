"""
Learners side by side
=====================

Judged on rows that they had not seen, with intervals.
"""

from sklearn.datasets import load_iris

from discriminant import compare
from discriminant.plots import ComparisonDisplay

iris = load_iris(as_frame=True)
X, y = iris.data.iloc[:, 2:], iris.target_names[iris.target]


two = y != "setosa"
found = compare(X[two], y[two], learners=["lda", "logistic", "naive-bayes", "least-squares"], random_state=0)
ComparisonDisplay.from_comparison(found)
