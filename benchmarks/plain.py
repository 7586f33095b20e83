"""Rules as one would write them down in NumPy, for those no other library has."""

import numpy as np
from numpy.typing import NDArray


class PlainPocket:
    """The pocket algorithm, rows in their order: at each mistake an update, then a count over all rows."""

    def __init__(self, max_epochs: int) -> None:
        self.max_epochs = max_epochs

    def fit(self, X: NDArray[np.float64], y: NDArray[np.int64]) -> None:
        """w += c(x, 1) where c(x, 1)·w ≤ 0; what classifies strictly more rows right than the pocket replaces it."""
        c = np.where(y == 1, 1.0, -1.0)
        signed = np.column_stack([c[:, None] * X, c])
        w = np.zeros(signed.shape[1])
        self.w, self.errors, self.n_iter_ = w.copy(), len(y), 0
        for _ in range(self.max_epochs):
            for row in signed:
                if row @ w <= 0:
                    w += row
                    self._count(signed, w)
            self.n_iter_ += 1

    def _count(self, signed: NDArray[np.float64], w: NDArray[np.float64]) -> None:
        errors = int(np.count_nonzero(signed @ w <= 0))
        if errors < self.errors:
            self.w, self.errors = w.copy(), errors
