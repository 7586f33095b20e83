"""What a picture takes from a fitted model: its last step, and the columns that step sees."""

from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from discriminant.rows.matrix import column_labels

Array = NDArray[np.float64]


def last_step(model: Any) -> Any:
    """The model, or the learner at the end of a pipeline."""
    return model[-1] if isinstance(model, Pipeline) else model


def columns_of_last_step(model: Any, X: Any) -> Any:
    """φ(x) of each row: what the steps before the last make of it."""
    return model[:-1].transform(X) if isinstance(model, Pipeline) and len(model) > 1 else X


def table_like(X: Any, points: Array) -> Any:
    """The points as a table of the same kind and column names as X, so that a model takes them as it took X."""
    names = column_labels(X)
    if names is None:
        return points
    return nw.from_numpy(points, list(names), backend=nw.get_native_namespace(X)).to_native()
