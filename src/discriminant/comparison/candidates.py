"""Who takes part: learners by name (see `learners.registry`), or anybody's classifiers under names of their own."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from discriminant.findings import listed
from discriminant.learners.registry import known_learners
from discriminant.multiclass.foreign_estimators import check_learner
from discriminant.rows.matrix import Matrix, read_matrix

_FOREIGN_GENERATIVE = ("LinearDiscriminantAnalysis", "QuadraticDiscriminantAnalysis")  # of scikit-learn


def read_candidates(learners: Any, X: Any, seed: int) -> dict[str, Any]:
    """Unfitted classifiers by name; of a source, whose values are not looked at, X is None."""
    if isinstance(learners, Mapping):
        return _read_given(learners)
    if isinstance(learners, str):
        return _make_learners(_named_together(learners, X), seed)
    if hasattr(learners, "get_params"):
        raise TypeError(
            f"learners is a single {type(learners).__name__}; give names to those to compare: "
            f"learners={{'mine': {type(learners).__name__}(), ...}}"
        )
    names = list(learners)
    if not names:
        raise ValueError(f"learners is empty; take 'all', or some of {', '.join(known_learners())}")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"learners lists {name!r}; a list holds names, a mapping {{name: classifier}} classifiers")
    _refuse_unknown(names)
    if len(set(names)) < len(names):
        raise ValueError(f"learners names {listed(n for n in set(names) if names.count(n) > 1)} more than once")
    return _make_learners(names, seed)


def _make_learners(names: list[str], seed: int) -> dict[str, Any]:
    known = known_learners()
    return {name: known[name].make(seed) for name in names}


def _named_together(learners: str, X: Any) -> list[str]:
    if learners == "all":
        binary = (
            X is not None
            and any(entry.needs == "binary" for entry in known_learners().values())
            and _is_binary(read_matrix(X))
        )
        every = [(name, entry) for name, entry in known_learners().items() if not entry.leaves_out]
        return [name for name, entry in every if entry.needs != "binary" or binary]
    if learners == "closed-form":
        return [name for name, entry in known_learners().items() if entry.closed_form]
    _refuse_unknown([learners])
    return [learners]


def _refuse_unknown(names: list[str]) -> None:
    known = known_learners()
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(
            f"{unknown[0]!r} is no learner known by name; known are {', '.join(known)}, and together 'all' and "
            "'closed-form'; for any other classifier give a mapping {name: classifier}"
        )


def _read_given(learners: Mapping[Any, Any]) -> dict[str, Any]:
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
    ours = tuple(entry.estimator for entry in known_learners().values() if entry.generative)
    foreign = type(learner).__name__ in _FOREIGN_GENERATIVE or hasattr(learner, "predict_joint_log_proba")
    return "generative" if foreign or isinstance(learner, ours) else "discriminative"
