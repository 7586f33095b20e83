"""Tests of other projects that cannot pass here, or that are not about our classes, and why.

Keys are names of tests as pytest prints them after ``::``; ``*`` stands for any text. Those of `EXCEPTIONS` reach our
classes and are expected to fail, so that one that begins to pass is noticed. Those of `NOT_OURS` ask for nothing that
our classes do, whatever the renaming, and are left out.
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
    "test_lda_lda_store_covariance": "the covariance is there without being asked for",
    "test_lda_lda_priors": "priors that do not sum to one are refused, not rescaled",
    "test_lda_lda_ledoitwolf": (
        "theirs standardises each class first; ours comes from sums that merge, StandardScaler before it does the "
        "same, and a finding says where it is needed"
    ),
    "test_lda_lda_dtype_match[float32-float32]": "weights of float32 rows are kept in double precision",
    "test_lda_raises_value_error_on_same_number_of_classes_and_samples*": (
        "a row for each class has an answer, and findings say what it is worth"
    ),
}

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
    "test_bayes_categoricalnb": "a negative number is a category like any other",
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

_THEIRS_ROUGHER = "compares with theirs, stopped at its own tolerance; ours is at the optimum (checked with tol=1e-12)"
_OUR_STEPS = "counts the steps of a solver: three steps of ours are enough"
LOGISTIC = {
    **{f"test_logistic_max_iter[lbfgs-*max_iter{k}]": _OUR_STEPS for k in (2, 3)},
    "test_logistic_logistic_cv[*": _THEIRS_ROUGHER,
    "test_logistic_logistic_cv_multinomial_score[neg_log_loss*": _THEIRS_ROUGHER,
    **{
        f"test_logistic_dtype_match[*-{solver}]": (
            "the same numbers give the same weights in whatever form they come: those of float32 are doubles too"
        )
        for solver in ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    },
}

EXCEPTIONS: dict[str, str] = {
    **MULTICLASS,
    **DISCRIMINANT_ANALYSIS,
    **NAIVE_BAYES,
    **THRESHOLDS,
    **LOGISTIC,
}

_SOLVER_LIMITS = "a solver of theirs refuses what it cannot do; ours choose a method that can"
_OLD_PARAMETERS = "warns of a deprecated parameter of theirs, which ours never had"
_CALLBACKS = "callbacks of the iterations of L-BFGS, which no other solver of theirs has"
_THEIRS_ALONE = "uses their class alone"
NOT_OURS: dict[str, str] = {
    "test_lda_lda_predict": _SOLVER_LIMITS,
    "test_lda_lda_transform": _SOLVER_LIMITS,
    "test_perceptron_perceptron_l1_ratio": "a penalty of theirs, which is SGD by another name; a perceptron has none",
    "test_bayes_alpha[*": "force_alpha=False, by which theirs takes 1e-10 for alpha=0; ours takes it at its word",
    "test_bayes_alpha_vector": "calls a private method",
    "test_bayes_check_alpha": "calls a private method",
    "test_logistic_check_solver_option[*": _SOLVER_LIMITS,
    "test_logistic_liblinear_multiclass_raises[*": _SOLVER_LIMITS,
    "test_logistic_large_sparse_matrix[*-liblinear]": _SOLVER_LIMITS,
    "test_logistic_large_sparse_matrix[*-sag*": _SOLVER_LIMITS,
    "test_logistic_liblinear_with_large_values": _SOLVER_LIMITS,
    "test_logistic_liblinear_dual_random_state": "wants other weights from another random_state, which no optimum has",
    "test_logistic_newton_cholesky_fallback_to_lbfgs": "counts the steps of one solver that falls back to another",
    "test_logistic_elasticnet_l1_ratio_err_helpful[*": _OLD_PARAMETERS,
    "test_logistic_l1_ratio_non_elasticnet": _OLD_PARAMETERS,
    "test_logistic_l1_ratio_None_deprecated": _OLD_PARAMETERS,
    "test_logistic_penalty_none[*": _OLD_PARAMETERS,
    "test_logistic_penalty_deprecated[*": _OLD_PARAMETERS,
    "test_logistic_logisticregression_warns_with_n_jobs": _OLD_PARAMETERS,
    "test_logistic_lr_penalty_l1ratio_incompatible[*": _OLD_PARAMETERS,
    "test_logistic_logistic_regression_callback_*": _CALLBACKS,
    "test_logistic_logreg_predict_proba_multinomial": "calls a private method",
    "test_logistic_logistic_regression_sample_weights[*-cv]": _THEIRS_ALONE,
    "test_ridge_ridge_classifier_cv_store_cv_results[*": "the shape of what theirs keeps of leaving one row out",
    "test_ridge_ridgecv_alphas_zero[*": "their formula for leaving one row out has no answer at alpha = 0",
    "test_ridge_ridgecv_alphas_validation[*": "checks the list of penalties of their search",
    "test_ridge_*RidgeCV*": _THEIRS_ALONE,
    **{
        f"test_ridge_dense_sparse[*-_test_{name}]": _THEIRS_ALONE
        for name in ("ridge_loo", "ridge_cv", "ridge_diabetes", "multi_ridge_diabetes", "tolerance")
    },
    **{
        f"test_*array_api*{namespace}*": "arrays of a library that is not installed"
        for namespace in ("array_api_strict", "cupy", "torch", "dpnp")
    },
}

# Tests whose time is mostly that of their own classes and solvers.
SLOW = (
    "test_logistic_multinomial_cv_iris[*",
    "test_logistic_LogisticRegressionCV_GridSearchCV_elastic_net[3]",
    "test_logistic_multinomial_logistic_regression_string_inputs",
    "test_logistic_logistic_regression_solvers_multiclass[*",
)
