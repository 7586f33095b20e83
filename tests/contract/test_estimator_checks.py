"""scikit-learn's own checks, on every estimator and every variant of it, with no expected failure."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
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
]


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
