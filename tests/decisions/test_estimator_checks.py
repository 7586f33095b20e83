"""scikit-learn's own checks, of our learners and of theirs, with no expected failure."""

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import GainClassifier, LinearDiscriminantAnalysis, LinearSVM, LogisticRegression

MODELS = [
    GainClassifier(LinearDiscriminantAnalysis(), cv=3),
    GainClassifier(LogisticRegression(alpha=1.0), cv=3),
    GainClassifier(GaussianNB(), cv=3),
    GainClassifier(LinearSVM(), cv=3),  # scores that are no probabilities
]


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks(MODELS)
def test_scikit_learn_check(estimator, check):
    check(estimator)
