"""scikit-learn's own checks on both reductions, of our learners and of theirs, with no expected failure."""

import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import (
    LinearDiscriminantAnalysis,
    LogisticRegression,
    OneVsAll,
    OneVsOne,
    Perceptron,
)

LEARNERS = [
    LogisticRegression(alpha=1.0),
    LinearDiscriminantAnalysis(),
    Perceptron(random_state=0),
    GaussianNB(),  # probabilities alone
]


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([reduction(learner) for reduction in (OneVsAll, OneVsOne) for learner in LEARNERS])
def test_scikit_learn_check(estimator, check):
    check(estimator)
