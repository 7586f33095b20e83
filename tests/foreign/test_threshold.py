"""scikit-learn's own tests of its threshold classifiers, on `GainClassifier`."""

import pytest

from tests.foreign.loading import foreign_tests

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.FindingWarning")

globals().update(
    foreign_tests(
        "sklearn.model_selection.tests.test_classification_threshold",
        ["TunedThresholdClassifierCV", "FixedThresholdClassifier"],
        "threshold",
        "renamed_thresholds",
    )
)
