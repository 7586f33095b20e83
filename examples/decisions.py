"""From scores to decisions, on biopsies: the operating curve and what each threshold earns."""

import numpy as np
from saving import save
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import cross_val_predict

from discriminant import Gain, LinearDiscriminantAnalysis, LinearSVM, LogisticRegression
from discriminant.plots import (
    ConfusionDisplay,
    DiscriminantScatterDisplay,
    GainDisplay,
    OperatingCurveDisplay,
    ProjectionDisplay,
    RegionsDisplay,
    WeightsDisplay,
)

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data.iloc[:, :8], cancer.target_names[cancer.target]
gain = Gain({"malignant": {"malignant": 0, "benign": -2000}, "benign": {"malignant": -300, "benign": 0}}, unit="EUR")

score = cross_val_predict(LinearDiscriminantAnalysis(), X, y, cv=10, method="decision_function")
options = {"gain": gain, "positive": "malignant", "priors": {"malignant": 0.1, "benign": 0.9}}
save(OperatingCurveDisplay.from_predictions(y, score, name="LDA", **options).figure_, "decisions")
save(GainDisplay.from_predictions(y, score, **options).figure_, "gain")

two = X[["mean radius", "mean texture"]]
save(RegionsDisplay.from_estimator(LinearSVM().fit(two, y), two, y).figure_, "margin")
iris = load_iris(as_frame=True)
sizes, species = iris.data.iloc[:, 2:], iris.target_names[iris.target]
save(RegionsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(sizes, species), sizes, species).figure_, "regions")

save(ProjectionDisplay.from_estimator(LinearSVM().fit(two, y), two, y).figure_, "projection")

some = X.iloc[:, 4:8]
save(WeightsDisplay.from_estimator(LogisticRegression().fit(some, y), some).figure_, "weights")
save(
    WeightsDisplay.from_estimator(LinearDiscriminantAnalysis().fit(cancer.data, y), cancer.data).figure_, "many_weights"
)

assigned = np.where(score > 0, "malignant", "benign")
save(ConfusionDisplay.from_predictions(y, assigned, gain=gain).figure_, "confusion")

flowers = LinearDiscriminantAnalysis().fit(iris.data, species)
save(DiscriminantScatterDisplay.from_estimator(flowers, iris.data, species).figure_, "discriminant_scatter")
