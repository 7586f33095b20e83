"""Who earns the most with biopsies: learners in one cross-validation, some not to be told apart from the best."""

import numpy as np
from saving import save
from sklearn.datasets import load_breast_cancer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import (
    FisherDiscriminant,
    Gain,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    compare,
)
from discriminant.plots import ComparisonDisplay

cancer = load_breast_cancer(as_frame=True)
X, y = cancer.data.iloc[:, :10], cancer.target_names[cancer.target]
gain = Gain({"malignant": {"malignant": 0, "benign": -2000}, "benign": {"malignant": -300, "benign": 0}}, unit="EUR")


def scaled(learner):
    """A learner that depends on units, in units of standard deviations."""
    return make_pipeline(StandardScaler(), learner)


learners = {
    "LDA": LinearDiscriminantAnalysis(),
    "Fisher": FisherDiscriminant(),
    "naive Bayes": NaiveBayes(marginal="gaussian"),
    "logistic, alpha = 1": scaled(LogisticRegression(alpha=1.0)),
    "support vectors": scaled(LinearSVM(C=1.0)),
    "hard margin": scaled(LinearSVM(C=np.inf)),
    "perceptron": scaled(Perceptron(max_iter=50, random_state=0)),
}
found = compare(X, y, gain=gain, learners=learners, cv=10, random_state=0)
save(ComparisonDisplay.from_comparison(found).figure_, "compare")
