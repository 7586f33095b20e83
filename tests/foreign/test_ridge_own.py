"""scikit-learn's own tests of its ridge classifiers, on `LeastSquaresClassifier`."""

import pytest

from tests.foreign.loading import foreign_tests

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")

globals().update(
    foreign_tests(
        "sklearn.linear_model.tests.test_ridge", ["RidgeClassifier", "RidgeClassifierCV"], "ridge", "renamed_ridge"
    )
)
