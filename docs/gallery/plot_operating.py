"""
Misdetection against false alarm
================================

From the rates that a paper prints: no rows are needed.
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

from discriminant import Gain, LinearDiscriminantAnalysis, OperatingCurve
from discriminant.plots import GainDisplay, OperatingCurveDisplay

false_alarm = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
misdetect = [1, 0.790, 0.619, 0.478, 0.363, 0.269, 0.192, 0.129, 0.077, 0.035, 0]
printed = OperatingCurve.of_rates(false_alarm, misdetect, priors=[0.6, 0.4])
gain = [[2, -3], [-4, 4]]
rates = OperatingCurveDisplay.from_curve(printed, gain=gain)

# %%
# And what each threshold earns.
earned = GainDisplay.from_curve(printed, gain=gain)

# %%
# From rows: scores of biopsies by models that had not seen them, where one in ten is malignant.
cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data.iloc[:, :8], cancer.target_names[cancer.target]
costs = Gain({"malignant": {"malignant": 0, "benign": -2000}, "benign": {"malignant": -300, "benign": 0}}, unit="EUR")
score = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=10, method="decision_function")
options = {"gain": costs, "positive": "malignant", "priors": {"malignant": 0.1, "benign": 0.9}}
of_rows = OperatingCurveDisplay.from_predictions(y, score, name="LDA", **options)

# %%
earned_by_rows = GainDisplay.from_predictions(y, score, **options)
