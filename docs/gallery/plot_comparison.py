"""
Learners side by side
=====================

Who earns the most with biopsies, where a missed cancer costs most: learners in one cross-validation, judged on rows
that they had not seen. Some cannot be told apart from the best.

.. index:: draw a comparison
"""

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
    "perceptron": scaled(Perceptron(max_iter=50, random_state=0)),
}
ComparisonDisplay.from_comparison(compare(X, y, gain=gain, learners=learners, cv=5, random_state=0))
