"""Planes through the origin, by rows that stand beside their mirror images.

With a row x of class c let −x be one of the opposite class, each with half the weight. A plane that is best for (x, c)
with the intercept b is as good for the images with −b; a convex criterion is then least where b = 0, and there it is
the criterion of the rows themselves. So every solver gives the plane through the origin as it is.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import ClassRegression, Evidence, MomentEvidence, gather_evidence
from discriminant.rows import ArrayRows
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]


def mirrored_rows(rows: ArrayRows) -> ArrayRows:
    """The rows and their images, each with half the weight; the images of class k are of class K + k."""
    K = rows.classes.size
    stack = sparse.vstack if sparse.issparse(rows.matrix) else np.vstack
    matrix = stack([rows.matrix, -rows.matrix])
    return ArrayRows(
        sparse.csr_array(matrix) if sparse.issparse(matrix) else np.ascontiguousarray(matrix),
        np.arange(2 * K),
        np.concatenate([rows.codes, rows.codes + K]).astype(np.int32),
        np.tile(0.5 * rows.weights, 2),
        rows.names,
    )


def mirrored_sides(rows: ArrayRows, sign: NDArray[np.int8]) -> tuple[ArrayRows, NDArray[np.int8]]:
    """The sides of the rows and of their images, which are on the other side."""
    mirrored = mirrored_rows(rows)
    signs = np.concatenate([sign, -sign]).astype(np.int8)
    return replace(mirrored, classes=np.array([0, 1]), codes=(signs > 0).astype(np.int32)), signs


def regression_through_origin(evidence: Evidence, rows: Any, targets: Array, alpha: float) -> ClassRegression:
    """Least squares of class targets without an intercept; the images of class k have the targets −t_k."""
    both = np.vstack([targets, -targets])
    if isinstance(rows, ArrayRows) and not isinstance(evidence, MomentEvidence):
        answer = gather_evidence(mirrored_rows(rows), per_class=False).regress(both, alpha)
    else:
        m = mirrored_moments(evidence.moments())
        counts = np.rint(np.minimum(m.counts, 2.0**62)).astype(np.int64)
        answer = MomentEvidence(m, Shape(m.names, int(m.n), counts, False), summed=True).regress(both, alpha)
    return replace(answer, intercept=np.zeros_like(answer.intercept))


def mirrored_moments(m: ClassMoments) -> ClassMoments:
    """The moments of rows and images, without the higher ones that no regression asks for."""
    K = m.classes.size
    own = ClassMoments(np.arange(K), 0.5 * m.counts, m.means, 0.5 * m.scatter, m.per_class, names=m.names)
    return own + replace(own, classes=np.arange(K) + K, means=-m.means)


@dataclass(frozen=True)
class OriginOptimum:
    """What a solver found for rows and images, told of the rows."""

    found: Any

    def __getattr__(self, name: str) -> Any:
        return getattr(self.found, name)

    @property
    def b(self) -> float:
        """No intercept."""
        return 0.0

    @property
    def alpha(self) -> Array:
        """The dual variable of each row: its own and that of its image."""
        return np.asarray(np.sum(np.split(self.found.alpha, 2), axis=0))
