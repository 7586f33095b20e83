"""
Weights with their intervals
============================

What each column adds to the score.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import LinearDiscriminantAnalysis, LogisticRegression
from discriminant.plots import WeightsDisplay

table = load_breast_cancer(as_frame=True)
X, y = table.data.iloc[:, :8], table.target_names[table.target]
model = make_pipeline(StandardScaler().set_output(transform="pandas"), LogisticRegression()).fit(X, y)
WeightsDisplay.from_estimator(model, X)

# %%
# Many columns, without intervals: the largest weights first.
many = WeightsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(table.data, y), table.data)
