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

EXCEPTIONS: dict[str, str] = {**MULTICLASS}
