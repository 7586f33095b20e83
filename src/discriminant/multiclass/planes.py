"""The linear scores of a fitted classifier, one for each class, checked to be what it decides by."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from discriminant.forks import importing
from discriminant.hyperplane import Planes

Array = NDArray[np.float64]


def class_planes(model: Any) -> tuple[list[Any], Array, Array]:
    """(labels, W (K×d), b (K)): the largest w_k·x + b_k wins, among equals the first; of two, the first has zeros."""
    check_is_fitted(model)
    name = type(model).__name__
    if not all(hasattr(model, part) for part in ("coef_", "intercept_", "classes_")):
        raise TypeError(f"{name} has no coef_, intercept_ and classes_; regions of linear scores need them")
    if getattr(model, "multilabel_", False):
        raise TypeError(f"{name} gives a row several labels; regions are of classes that exclude one another")
    labels = np.asarray(model.classes_).tolist()
    W, b = np.atleast_2d(np.asarray(model.coef_, dtype=np.float64)), np.ravel(model.intercept_).astype(np.float64)
    b = np.broadcast_to(b, (len(W),)).copy()
    if len(W) != (1 if len(labels) == 2 else len(labels)):
        raise TypeError(f"{name} has {len(W)} planes for {len(labels)} classes; regions need a score for each class")
    _refuse_other_scores(model, W, b)
    return labels, *Planes(W, b).by_class(len(labels))


def _refuse_other_scores(model: Any, W: Array, b: Array) -> None:
    """The scores at a few points must be those of the planes; votes, presences and indicators give others."""
    sizes = np.abs(W).max(axis=0)
    points = np.random.default_rng(0).uniform(-1, 1, (8, W.shape[1])) / np.where(sizes > 0, sizes, 1.0)
    points *= max(float(np.abs(b).max()), 1e-300)
    expected = points @ W.T + b
    try:
        scores = _quiet_scores(model, points).reshape(expected.shape)
    except ValueError as error:
        raise TypeError(f"{type(model).__name__} does not decide by coef_·x + intercept_ ({error})") from error
    if not np.allclose(scores, expected, rtol=1e-6, atol=1e-9 * float(np.abs(expected).max())):
        raise TypeError(
            f"{type(model).__name__} does not decide by the largest of coef_·x + intercept_; its regions are not those "
            "of its planes"
        )


def _quiet_scores(model: Any, points: Array) -> Array:
    """decision_function of points as a table with the model's column names, where it has any."""
    names = getattr(model, "feature_names_in_", None)
    if names is None:
        return np.asarray(model.decision_function(points))
    with importing:
        import pyarrow

    table = pyarrow.table({str(name): column for name, column in zip(names, points.T, strict=True)})
    return np.asarray(model.decision_function(table))
