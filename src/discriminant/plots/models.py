"""What a picture takes from a fitted model: its last step, the columns that step sees, and what it decides by."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from discriminant.decisions import GainClassifier
from discriminant.rows.matrix import column_labels

Array = NDArray[np.float64]


def last_step(model: Any) -> Any:
    """The model, or the learner at the end of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def scoring_model(model: Any) -> Any:
    """The classifier whose scores a `GainClassifier` decides by, in its pipeline; any other model as it is."""
    last = last_step(model)
    if not isinstance(last, GainClassifier):
        return model
    check_is_fitted(last)
    inner = list(last.learner_.steps) if isinstance(last.learner_, Pipeline) else [("learner", last.learner_)]
    before = model.steps[:-1] if isinstance(model, Pipeline) else []
    steps = [(f"step {j}", step) for j, (_, step) in enumerate([*before, *inner])]
    return steps[0][1] if len(steps) == 1 else Pipeline(steps)


def name_of(model: Any) -> str:
    """What kind of classifier it is, and whether it decides by gain."""
    kind = type(last_step(scoring_model(model))).__name__
    return f"{kind}, decisions by gain" if isinstance(last_step(model), GainClassifier) else kind


def columns_of_last_step(model: Any, X: Any) -> Any:
    """φ(x) of each row: what the steps before the last make of it."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X


def table_like(X: Any, points: Array) -> Any:
    """The points as a table of the same kind and column names as X, so that a model takes them as it took X."""
    names = column_labels(X)
    if names is None:
        return points
    return nw.from_numpy(points, list(names), backend=nw.get_native_namespace(X)).to_native()
