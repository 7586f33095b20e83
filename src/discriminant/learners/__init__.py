"""The learners: one file each, with the problem it solves, the pure rule, and the thin estimator around it."""

MODULES = (
    "fisher", "lda", "least_squares", "naive_bayes", "logistic", "sparse_choice", "svm", "perceptron", "pocket",
    "adaline",
)  # fmt: skip
"""Those with learners that are known by name, in the order in which they are listed; see `registry`."""
