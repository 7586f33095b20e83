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

DISCRIMINANT_ANALYSIS = {
    "test_lda_lda_predict": "every combination of options has an answer: solvers that cannot shrink are theirs",
    "test_lda_lda_transform": "directions are there whatever the solver is called",
    "test_lda_lda_store_covariance": "the covariance is there without being asked for",
    "test_lda_lda_priors": "priors that do not sum to one are refused, not rescaled",
    "test_lda_lda_ledoitwolf": "the intensity is that of the rows as they are, not of standardised ones",
    "test_lda_lda_dtype_match[float32-float32]": "weights of float32 rows are kept in double precision",
    "test_lda_raises_value_error_on_same_number_of_classes_and_samples*": (
        "a row for each class has an answer, and findings say what it is worth"
    ),
}

PERCEPTRON = {"test_perceptron_perceptron_l1_ratio": "the perceptron has no penalty: scikit-learn's is SGD in disguise"}

_EACH = ("BernoulliNB", "CategoricalNB", "MultinomialNB")
NAIVE_BAYES = {
    **{
        f"test_bayes_NB_partial_fit_no_first_classes[{name}]": "classes may be left out: new ones may come later"
        for name in _EACH
    },
    **{f"test_bayes_discretenb_provide_prior[{name}]": "a later call may name more classes" for name in _EACH},
    **{
        f"test_bayes_discretenb_degenerate_one_class_case[True-False-{name}]": (
            "fit refuses rows of one class alone, with every learner; partial_fit takes them"
        )
        for name in _EACH
    },
    "test_bayes_categoricalnb": "each distinct number is a category; those in between are not, unless they are given",
    "test_bayes_alpha[*": "alpha=0 is taken at its word and told in findings_, not replaced by 1e-10",
    "test_bayes_alpha_vector": "calls a private method",
    "test_bayes_check_alpha": "calls a private method",
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

EXCEPTIONS: dict[str, str] = {
    **MULTICLASS,
    **DISCRIMINANT_ANALYSIS,
    **PERCEPTRON,
    **NAIVE_BAYES,
    **THRESHOLDS,
}
