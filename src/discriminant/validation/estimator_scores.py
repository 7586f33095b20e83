"""What any fitted classifier can be asked: a score for each class, as one array whatever the learner.

Scores are n×1 for two classes (positive for the second) and n×K for more. A learner with ``predict_proba`` gives
log-odds or log posteriors, one without gives what its ``decision_function`` does.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.multiclass.foreign_estimators import last_step, log_probabilities

Array = NDArray[np.float64]


def has_probabilities(learner: Any) -> bool:
    """Whether the learner says how probable classes are."""
    return hasattr(learner, "predict_proba")


def weighs_classes(learner: Any) -> bool:
    """Whether the learner was told to count some classes more than they occur, so that its probabilities are off."""
    parameters = learner.get_params(deep=True)
    return any(name.split("__")[-1] == "class_weight" and value is not None for name, value in parameters.items())


def scores_of(model: Any, X: Any, n_classes: int, **options: Any) -> Array:
    """n×1 or n×K scores of rows; ``options`` for the method that scores."""
    if has_probabilities(model):
        return as_log_odds(log_probabilities(model, X, **options))
    return as_columns(model.decision_function(X, **options), n_classes, model)


def as_log_odds(log_posteriors: Array) -> Array:
    """Log-odds of the second of two classes, n×1; log posteriors of more as they are."""
    with np.errstate(invalid="ignore"):  # ∞ − ∞
        return log_posteriors[:, 1:] - log_posteriors[:, :1] if log_posteriors.shape[1] == 2 else log_posteriors


def as_columns(scores: Any, n_classes: int, model: Any) -> Array:
    """Scores of a ``decision_function`` as n×1 or n×K."""
    values = np.asarray(scores, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    wanted = 1 if n_classes == 2 else n_classes
    shape = getattr(last_step(model), "decision_function_shape", "ovr")
    pairs = n_classes > 2 and shape == "ovo"  # of 3 classes as many as classes
    if values.shape[1] != wanted or pairs:
        raise ValueError(
            f"the decision_function of {type(model).__name__} gives {values.shape[1]} scores a row for {n_classes} "
            "classes; a score for each class is needed (decision_function_shape='ovr' of an SVC, or OneVsAll)"
        )
    return values


def stated_priors(model: Any, shares: Array) -> Array:
    """The class probabilities under which the model's posteriors hold: those it names, or the shares of the rows."""
    last = last_step(model)
    for name in ("priors_", "class_prior_"):
        stated = np.asarray(getattr(last, name, ()))
        if stated.shape == shares.shape:
            return stated.astype(np.float64)
    logs = np.asarray(getattr(last, "class_log_prior_", ()))
    return np.exp(logs) if logs.shape == shares.shape else shares
