"""scikit-learn's own tests of its logistic regression, on ours."""

import pytest

from tests.foreign.loading import foreign_tests

pytestmark = [
    pytest.mark.filterwarnings("ignore::discriminant.FindingWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:The default value for l1_ratios.*:FutureWarning"),
]
globals().update(
    foreign_tests("sklearn.linear_model.tests.test_logistic", ["LogisticRegression"], "logistic", "renamed_logistic")
)
