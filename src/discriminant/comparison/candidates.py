"""Who takes part: learners by name, or anybody's classifiers under names of their own.

generative       models how the rows of each class come about, p(x | k), and turns to P(k | x) by Bayes' rule
discriminative   looks for the boundary, or P(k | x), alone
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from discriminant.findings import listed
from discriminant.learners.adaline import Adaline
from discriminant.learners.fisher import FisherDiscriminant
from discriminant.learners.lda import LinearDiscriminantAnalysis
from discriminant.learners.least_squares import LeastSquaresClassifier
from discriminant.learners.logistic import LogisticRegression
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.learners.perceptron import Perceptron
from discriminant.learners.pocket import PocketPerceptron
from discriminant.learners.svm import LinearSVM
from discriminant.multiclass.foreign_estimators import check_learner
from discriminant.rows.matrix import Matrix, read_matrix

# Each takes the seed of whatever it does at random. Epochs are bounded: on overlapping classes a perceptron never ends.
KNOWN: dict[str, Callable[[int], Any]] = {
    "fisher": lambda seed: FisherDiscriminant(),
    "lda": lambda seed: LinearDiscriminantAnalysis(),
    "lda-shrinkage": lambda seed: LinearDiscriminantAnalysis(shrinkage="auto"),
    "least-squares": lambda seed: LeastSquaresClassifier(),
    "naive-bayes": lambda seed: NaiveBayes(marginal="gaussian"),
    "bernoulli-naive-bayes": lambda seed: NaiveBayes(marginal="bernoulli"),
    "logistic": lambda seed: LogisticRegression(),
    "logistic-ridge": lambda seed: LogisticRegression(alpha=1.0),
    "svm": lambda seed: LinearSVM(),
    "hard-margin": lambda seed: LinearSVM(C=float("inf")),
    "perceptron": lambda seed: Perceptron(average=True, max_iter=100, random_state=seed),
    "pocket": lambda seed: PocketPerceptron(ratchet=True, random_state=seed),
    "adaline": lambda seed: Adaline(random_state=seed),
}
CLOSED_FORM = ("fisher", "lda", "lda-shrinkage", "least-squares", "naive-bayes")

_GENERATIVE = ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis", "NaiveBayes")


def read_candidates(learners: Any, X: Any, seed: int) -> dict[str, Any]:
    """Unfitted classifiers by name."""
    if isinstance(learners, Mapping):
        return _given(learners)
    if isinstance(learners, str):
        return {name: KNOWN[name](seed) for name in _named_together(learners, X)}
    if hasattr(learners, "get_params"):
        raise TypeError(
            f"learners is a single {type(learners).__name__}; give names to those to compare: "
            f"learners={{'mine': {type(learners).__name__}(), ...}}"
        )
    names = list(learners)
    if not names:
        raise ValueError(f"learners is empty; take 'all', or some of {', '.join(KNOWN)}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"learners lists {name!r}; a list holds names, a mapping {{name: classifier}} classifiers")
    _refuse_unknown(names)
    if len(set(names)) < len(names):
        raise ValueError(f"learners names {listed(n for n in set(names) if names.count(n) > 1)} more than once")
    return {name: KNOWN[name](seed) for name in names}


def _named_together(learners: str, X: Any) -> list[str]:
    if learners == "all":
        return [name for name in KNOWN if name != "bernoulli-naive-bayes" or _is_binary(read_matrix(X))]
    if learners == "closed-form":
        return list(CLOSED_FORM)
    _refuse_unknown([learners])
    return [learners]


def _refuse_unknown(names: list[str]) -> None:
    unknown = [name for name in names if name not in KNOWN]
    if unknown:
        raise ValueError(
            f"{unknown[0]!r} is no learner known by name; known are {', '.join(KNOWN)}, and together 'all' and "
            "'closed-form'; for any other classifier give a mapping {name: classifier}"
        )


def _given(learners: Mapping[Any, Any]) -> dict[str, Any]:
    if not learners:
        raise ValueError("the mapping of learners is empty; give {name: classifier}")
    for name, learner in learners.items():
        if not isinstance(name, str):
            raise TypeError(f"a learner's name is text, got {name!r}")
        check_learner(learner, f"compare (learner {name!r})")
    return {name: clone(learner) for name, learner in learners.items()}


def _is_binary(matrix: Matrix) -> bool:
    """Whether every value is 0 or 1; known after a few rows of a table of measurements."""
    values = matrix.data if sparse.issparse(matrix) else matrix
    steps = range(0, len(values), 4096)
    return all(bool(np.isin(values[a : a + 4096], (0, 1)).all()) for a in steps)


def kind_of(learner: Any) -> str:
    """Generative or discriminative; of a pipeline or a wrapped learner, what decides in the end."""
    inner = getattr(learner, "_final_estimator", None) or getattr(learner, "learner", None)
    inner = inner or getattr(learner, "estimator", None)
    if inner is not None and hasattr(inner, "fit"):
        return kind_of(inner)
    models_rows = type(learner).__name__ in _GENERATIVE or hasattr(learner, "predict_joint_log_proba")
    return "generative" if models_rows else "discriminative"
