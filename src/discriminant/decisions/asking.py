"""What any fitted classifier can be asked: a score for each class, as one array whatever the learner.

Scores are n×1 for two classes (positive for the second) and n×K for more. A learner with ``predict_proba`` gives
log-odds or log posteriors, one without gives what its ``decision_function`` does.
"""

from contextlib import nullcontext
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.linear_model._base import LinearClassifierMixin

from discriminant.multiclass.binary import log_probabilities
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]

_WORTH_THREADS = 1 << 24  # numbers of a table


def has_probabilities(learner: Any) -> bool:
    """Whether the learner says how probable classes are."""
    return hasattr(learner, "predict_proba")


def weighs_classes(learner: Any) -> bool:
    """Whether the learner was told to count some classes more than they occur, so that its probabilities are off."""
    parameters = learner.get_params(deep=True)
    return any(name.split("__")[-1] == "class_weight" and value is not None for name, value in parameters.items())


def scores_of(model: Any, X: Any, n_classes: int) -> Array:
    """n×1 or n×K scores of rows."""
    if has_probabilities(model):
        logs = log_probabilities(model, X)
        with np.errstate(invalid="ignore"):
            return logs[:, 1:] - logs[:, :1] if n_classes == 2 else logs
    return as_columns(model.decision_function(X), n_classes, model)


def as_columns(scores: Any, n_classes: int, model: Any) -> Array:
    """Scores of a ``decision_function`` as n×1 or n×K."""
    values = np.asarray(scores, dtype=np.float64)
    values = values[:, None] if values.ndim == 1 else values
    wanted = 1 if n_classes == 2 else n_classes
    shape = getattr(_last_step(model), "decision_function_shape", "ovr")
    pairs = n_classes > 2 and shape == "ovo"  # of 3 classes as many as classes
    if values.shape[1] != wanted or pairs:
        raise ValueError(
            f"the decision_function of {type(model).__name__} gives {values.shape[1]} scores a row for {n_classes} "
            "classes; a score for each class is needed (decision_function_shape='ovr' of an SVC, or OneVsAll)"
        )
    return values


def fitted(learner: Any, table: Any, labels: Any, weight: Array | None) -> Any:
    """A copy of the learner, fitted."""
    options = {} if weight is None else {"sample_weight": weight}
    with single_threaded_blas() if _is_slowed_by_threads(learner, table) else nullcontext():
        return clone(learner).fit(table, labels, **options)


def _is_slowed_by_threads(learner: Any, table: Any) -> bool:
    """Whether the threads of BLAS take longer to wake than they work.

    scikit-learn's linear learners multiply a matrix by a vector, over and over.
    """
    size = table.nnz if hasattr(table, "nnz") else np.prod(getattr(table, "shape", (np.inf,)))
    return isinstance(_last_step(learner), LinearClassifierMixin) and bool(size < _WORTH_THREADS)


def _last_step(model: Any) -> Any:
    return model.steps[-1][1] if hasattr(model, "steps") else model


def stated_priors(model: Any, shares: Array) -> Array:
    """The class probabilities under which the model's posteriors hold: those it names, or the shares of the rows."""
    last = _last_step(model)
    for name in ("priors_", "class_prior_"):
        stated = np.asarray(getattr(last, name, ()))
        if stated.shape == shares.shape:
            return stated.astype(np.float64)
    logs = np.asarray(getattr(last, "class_log_prior_", ()))
    return np.exp(logs) if logs.shape == shares.shape else shares
