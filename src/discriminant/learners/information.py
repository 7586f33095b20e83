"""The information that rows hold about estimates: the curvature of a likelihood at its maximum.

    C = (∇²F)⁻¹,   in the units of the columns A C A′ with the map v = A u of the scaled coordinates

It is all that a fitted model keeps of its rows.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.linalg.metric import metric_of_scatter
from discriminant.statistics.scaling import ColumnScaling

Array = NDArray[np.float64]

MOST_WEIGHTS = 10_000  # whose covariance is 800 MB
MOST_KEPT = 2000  # weights, whose information of 32 MB a model keeps unasked
_TOUCHED = 1e-7  # the share of a direction in a weight from which on it counts


@dataclass(frozen=True)
class Information:
    """∇²F at the estimates, of all planes together, in scaled coordinates.

    The columns of ``redundant`` are directions in which no row says anything: columns determine one another there.
    """

    hessian: Array
    redundant: Array
    scaling: ColumnScaling
    n_planes: int
    has_intercept: bool = True

    @classmethod
    def at(cls, risk: Any, u: Array, hessian: Array | None = None, *, regular: bool = False) -> "Information":
        """The information of a criterion at its minimum; ``hessian`` and ``regular`` where they are known.

        Of several planes that of all but the last is enough.
        """
        n_planes = risk.shape[0] if len(risk.shape) > 1 else 1
        H = risk.hessian(u) if hessian is None else hessian
        if len(H) < u.size:
            H = _of_all_planes(H, n_planes)
        nothing = np.empty((u.size, 0))
        if not regular and metric_of_scatter(H).null.size:  # elsewhere no direction can be without information
            nothing = metric_of_scatter(risk.hessian(np.zeros_like(u))).null
        return cls(H, nothing, risk.scaling, n_planes, risk.has_intercept)

    @property
    def degrees(self) -> int:
        """How many weights of columns the rows determine, over all planes but those that follow from the others."""
        found = len(self.hessian) - self.redundant.shape[1] - self.n_planes * self.has_intercept
        return found if self.n_planes == 1 else found * (self.n_planes - 1) // self.n_planes

    def covariance(self) -> Array:
        """C of all weights in the units of the columns, plane after plane, each with its intercept last.

        Not a number where columns determine one another; infinite where the information has died away on the way to a
        maximum that does not exist. With several planes the part common to all of them, which changes no probability,
        is taken out.
        """
        metric = metric_of_scatter(self.hessian)
        C = metric.solve(np.eye(len(self.hessian)))
        if self.n_planes > 1:
            C = C.reshape(self.n_planes, -1, self.n_planes, len(C) // self.n_planes)
            C = C - C.mean(axis=0, keepdims=True)
            C = (C - C.mean(axis=2, keepdims=True)).reshape(self.hessian.shape)
        C = self._to_user(self._to_user(C).T)
        C = (C + C.T) / 2
        endless, redundant = (self._touched(null) for null in (metric.null, self.redundant))
        C[endless], C[:, endless] = 0.0, 0.0
        C[endless, endless] = np.inf
        C[redundant], C[:, redundant] = np.nan, np.nan
        return np.asarray(C)

    def map_to_user(self) -> Array:
        """A of one plane: v = A u, with an intercept whether it is one of the weights or zero."""
        A = self.scaling.map_to_user()
        return A if self.has_intercept else A[:, :-1]

    def _to_user(self, rows: Array) -> Array:
        """Every row (all planes one after another) in the units of the columns."""
        planes = rows.reshape(len(rows), self.n_planes, -1)
        if not self.has_intercept:  # one that is zero, without any error
            planes = np.concatenate([planes, np.zeros((*planes.shape[:-1], 1))], axis=-1)
        return np.asarray(self.scaling.to_user(planes).reshape(len(rows), -1))

    def _touched(self, null: Array) -> NDArray[np.bool_]:
        """The weights in the units of the columns that some direction of a null space changes."""
        A = np.abs(self.map_to_user())
        if not null.size:
            return np.zeros(self.n_planes * len(A), dtype=bool)
        parts = np.stack([A @ np.abs(part) for part in null.reshape(self.n_planes, -1, null.shape[1])])
        return np.asarray((parts > _TOUCHED * A.sum(axis=1)[:, None]).any(axis=-1).ravel())


def _of_all_planes(reduced: Array, n_planes: int) -> Array:
    """∇²F of K planes from that of the first K − 1: its blocks sum to zero over the classes, either way.

    A term by the mean plane of all classes, which changes no probability, makes it regular.
    """
    K, size = n_planes, len(reduced) // (n_planes - 1)
    blocks = reduced.reshape(K - 1, size, K - 1, size)
    H = np.zeros((K, size, K, size))
    H[:-1, :, :-1] = blocks
    H[-1, :, :-1] = -blocks.sum(axis=0)
    H[:, :, -1] = -H[:, :, :-1].sum(axis=2)
    every = np.arange(K)
    H += H[every, :, every].mean(axis=0)[:, None, :] / K
    return H.reshape(K * size, K * size)
