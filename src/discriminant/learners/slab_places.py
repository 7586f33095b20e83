"""Where rows lie about the slabs of a support vector machine."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.base import LinearClassifier, linear_scores
from discriminant.learners.sequential import positive_codes
from discriminant.parameters import renamed_keywords
from discriminant.rows import ArrayRows, from_arrays
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


class SlabPlaces(LinearClassifier):
    """A classifier whose planes have slabs."""

    @renamed_keywords(tolerance="tol")
    def slab(self, X: Any, y: Any, tol: float = 1e-6) -> NDArray[np.str_]:
        """Where each row lies: "outside" the slab on its own side, on its "edge" (m = 1 ± tol), or "inside".

        A row that is beyond the slab on the wrong side counts as inside. K > 2 classes have a slab each: (n, K).

        Parameters
        ----------
        X, y : rows with their labels.
        tol : how far from the edge is still on it.

        Returns
        -------
        ndarray
            (n,) words, or n×K.
        """
        self.check_fitted()
        self.read_columns(X)
        places = slab_places(from_arrays(X, y), self.coef_, self.intercept_, self.classes_, tol)
        return places[:, 0] if places.shape[1] == 1 else places
