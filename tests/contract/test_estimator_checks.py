"""scikit-learn's own checks, on every estimator and every variant of it, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import (
    Adaline,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    PocketPerceptron,
)

ESTIMATORS = [
    FisherDiscriminant(),
    FisherDiscriminant(threshold="accuracy"),
    FisherDiscriminant(threshold="gaussian", shrinkage=0.1),
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(method="moment"),
    LinearDiscriminantAnalysis(shrinkage=0.1),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(),
    LeastSquaresClassifier(alpha=1.0),
    NaiveBayes(),
    NaiveBayes(marginal="gaussian"),
    NaiveBayes(marginal="multinomial"),
    NaiveBayes(marginal="categorical"),
    LogisticRegression(),
    LogisticRegression(alpha=1.0),
    LogisticRegression(alpha=0.1, solver="quasi-newton"),
    LogisticRegression(alpha=0.1, solver="truncated-newton"),
    LinearSVM(),
    LinearSVM(loss="squared_hinge"),
    Perceptron(),
    Perceptron(rule="batch", max_iter=200),
    Perceptron(init="random", average=True),
    Perceptron(average="vote", max_iter=50),
    Perceptron(multiclass="direct"),
    PocketPerceptron(),
    PocketPerceptron(ratchet=True),
    Adaline(),
    Adaline(rule="batch"),
    Adaline(rule="closed-form"),
    Adaline(schedule="normalised"),
]

# Rules that keep the order of the rows: to shuffle rows is to change the rule, so that a weight and a repetition in
# another place cannot be the same. All other checks hold.
IN_ORDER = [
    Perceptron(rule="cyclic"),
    Perceptron(shuffle=False),
    PocketPerceptron(shuffle=False),
    Adaline(shuffle=False),
]


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(IN_ORDER)
def test_scikit_learn_check_of_rules_in_order(estimator, check):
    if "sample_weight_equivalence" not in check.func.__name__:
        check(estimator)
