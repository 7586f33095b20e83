"""Tests of other projects that cannot pass here, and why.

Keys are names of tests as pytest prints them after ``::``; ``*`` stands for any text. Each is expected to fail, so that
one that begins to pass is noticed.
"""

MULTICLASS = {
    "test_many_ovr_single_label_predict_proba_zero": (
        "where no class is possible the probabilities are equal, so that those of a row always have the sum one"
    ),
    "test_many_ovr_partial_fit_exceptions": (
        "a class that was not named before is refused in the same words by one-vs-all and one-vs-one; theirs differ"
    ),
}

THRESHOLDS = {
    "test_threshold_tuned_threshold_classifier_conflict_cv_refit[params0*": "refit= is a parameter of theirs alone",
    "test_threshold_tuned_threshold_classifier_conflict_cv_refit[params1*": "refit= is a parameter of theirs alone",
    "test_threshold_tuned_threshold_classifier_conflict_cv_refit[params2*": (
        "the same error in other words: the learner is called by its name, and the way out is said"
    ),
    "test_threshold_tuned_threshold_classifier_no_binary[data1]": (
        "the same error in other words: y of several columns is refused as everywhere, before classes are counted"
    ),
    "test_threshold_tuned_threshold_classifier_error_constant_predictor": (
        "scores that are all one number are a finding and a warning, and all rows get the answer that earns more, so "
        "that a comparison of learners goes on"
    ),
    "test_threshold_fixed_threshold_classifier_classes_": (
        "classes_ is an attribute that fit sets, so that the error of a model without it is Python's own"
    ),
}

EXCEPTIONS: dict[str, str] = {**THRESHOLDS, **MULTICLASS}
