"""Where rows lie about the slabs of a support vector machine."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.base import linear_scores
from discriminant.learners.sequential import positive_codes
from discriminant.rows import ArrayRows
from discriminant.rows.labels import signs

Array = NDArray[np.float64]


def slab_places(rows: ArrayRows, coef: Array, intercept: Array, classes: NDArray[Any], tol: float) -> NDArray[np.str_]:
    """ "outside", "edge" (within ``tol`` of it) or "inside", of each row and plane."""
    known = classes.tolist()
    unknown = [label for label in rows.classes.tolist() if label not in known]
    if unknown:
        raise ValueError(f"y holds class {unknown[0]!r}, which is not among the classes {known} of the fit")
    codes = np.array([known.index(label) for label in rows.classes.tolist()], np.int32)[rows.codes]
    c = np.column_stack([signs(codes, k) for k in positive_codes(len(known))])
    beyond = c * linear_scores(rows.matrix, coef, intercept) - 1.0
    return np.where(np.abs(beyond) <= tol, "edge", np.where(beyond > 0, "outside", "inside"))
