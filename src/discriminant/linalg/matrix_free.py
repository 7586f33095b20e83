"""Discriminants of large sparse rows, where no d×d matrix may be formed.

With T the total scatter and M = diag(√n_k)Δ the class arms, S_W = T − M′M. Regressing class indicators on the
rows gives G = (T + λI)⁻¹M′ by products with X alone, and then

    (S_W + λI)⁻¹M′ = G (I − MG)⁻¹,

a (K−1)×(K−1) correction. MG has eigenvalues R² in [0, 1]; R² = 1 is a direction without spread within the
classes. Centring is implicit: (X − 1m′)v = Xv − (m·v)1.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.linalg import LinearOperator, lsmr

from discriminant.linalg.discriminant_directions import ClassContrasts, combine_directions
from discriminant.linalg.row_products import MOST_ROWS, RowProducts, solve_by_products
from discriminant.rows import ArrayRows
from discriminant.statistics.shrinkage import ledoit_wolf_intensity

Array = NDArray[np.float64]

_TOLERANCE = 1e-13
_MOST_ITERATIONS = 5000
_PATIENCE = 500  # iterations, where the products of all rows are the other way
# 1 − R² below this counts as no spread within the classes: the square of what the iteration resolves.
_SEPARATED = 1e-9
# Class means nearer than this beside the farthest coincide along a separating direction.
_RESOLVED = 1e-6
# Exact ‖S_W‖² takes all n² products of rows; beyond this many rows it is estimated.
_MOST_EXACT_ROWS = 20_000
_PROBES = 128


@dataclass(frozen=True)
class SparseClasses:
    """Sparse rows with their class counts and means: what products with S_W and S need."""

    rows: ArrayRows
    counts: Array
    means: Array

    @classmethod
    def of(cls, rows: ArrayRows) -> "SparseClasses":
        """Counts and means by one sparse product."""
        n, K = rows.n_rows, rows.classes.size
        weight = rows.weights
        indicator = csr_array((weight, (rows.codes, np.arange(n))), shape=(K, n))
        counts = np.bincount(rows.codes, weights=weight, minlength=K).astype(np.float64)
        return cls(rows, counts, (indicator @ rows.matrix).toarray() / counts[:, None])

    @property
    def root_weight(self) -> Array:
        """√ω of each row."""
        return np.sqrt(self.rows.weights)

    @property
    def n(self) -> float:
        """The total weight."""
        return float(self.counts.sum())

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        return np.asarray((self.counts / self.n) @ self.means)

    def radii(self) -> Array:
        """‖x − m_k‖² of every row."""
        X, codes = self.rows.matrix, self.rows.codes
        cross = np.asarray(X.multiply(X).sum(axis=1)).ravel() - 2 * (X @ self.means.T)[np.arange(codes.size), codes]
        return np.asarray(np.maximum(cross + (self.means**2).sum(axis=1)[codes], 0.0))

    def within_trace(self) -> float:
        """tr S_W."""
        return float(self.root_weight**2 @ self.radii())

    def total_operator(self) -> Any:
        """v -> √ω(X − 1m′)v, and its transpose."""
        X, m, root = self.rows.matrix, self.mean, self.root_weight
        return LinearOperator(
            X.shape,
            matvec=lambda v: root * (X @ v.ravel() - m @ v.ravel()),
            rmatvec=lambda u: X.T @ (root * u.ravel()) - m * (root @ u.ravel()),
            dtype=np.float64,
        )

    def ledoit_wolf(self) -> tuple[float, bool]:
        """(intensity, whether it is exact)."""
        exact = self.rows.n_rows <= _MOST_EXACT_ROWS
        squared_norm = self._squared_norm() if exact else self._estimated_squared_norm()
        quartic = float(self.root_weight**2 @ self.radii() ** 2)
        d = self.rows.n_columns
        return float(ledoit_wolf_intensity(self.n, d, self.within_trace(), squared_norm, quartic)), exact

    def _squared_norm(self) -> float:
        """‖S_W‖² = ‖ZZ′‖², the sum of squared products of all pairs of centred rows, in blocks of rows."""
        X, codes, root = self.rows.matrix, self.rows.codes, self.root_weight
        to_means = X @ self.means.T  # x_i · m_k
        of_means = self.means @ self.means.T
        total = 0.0
        for a in range(0, codes.size, 512):
            block = slice(a, a + 512)
            products = (X[block] @ X.T).toarray()
            products -= to_means[block][:, codes] + to_means[:, codes[block]].T
            products += of_means[codes[block]][:, codes]
            products *= root[block, None] * root
            total += float((products * products).sum())
        return total

    def _estimated_squared_norm(self) -> float:
        """‖S_W‖² = E‖S_W v‖² over random signs v."""
        X, codes, weight = self.rows.matrix, self.rows.codes, self.root_weight**2
        signs = np.random.default_rng(0).integers(0, 2, (self.rows.n_columns, _PROBES)) * 2.0 - 1.0
        images = weight[:, None] * (X @ signs - (self.means @ signs)[codes])
        class_sums = np.zeros((self.counts.size, _PROBES))
        np.add.at(class_sums, codes, images)
        product = X.T @ images - self.means.T @ class_sums
        return float((product * product).sum() / _PROBES)


@dataclass(frozen=True)
class Regression:
    """Solutions (d×q) of damped regressions, and the worst relative gradient left."""

    coef: Array
    converged: bool
    gradient_left: float


def regress(classes: SparseClasses, targets: Array, ridge: float, products: RowProducts | None = None) -> Regression:
    """min ‖Av − t‖² + ridge‖v‖² for each column t, A the centred rows; the shortest solution.

    By products with A alone, unless the products of the rows are there already, or the iteration takes long and the
    rows are few enough to form them.
    """
    few = classes.rows.n_rows <= MOST_ROWS
    if products is None:
        found = _by_iteration(classes, targets, ridge, _PATIENCE if few else _MOST_ITERATIONS)
        if found.converged or not few:
            return found
        products = RowProducts.of(classes.rows.matrix)
    mean = classes.mean
    square = products.centred(classes.rows.matrix @ mean, float(mean @ mean), classes.root_weight)
    solutions = solve_by_products(classes.total_operator(), square, targets, ridge, _TOLERANCE)
    return Regression(
        np.column_stack([solution.v for solution in solutions]),
        all(solution.converged for solution in solutions),
        max(solution.gradient_left for solution in solutions),
    )


def _by_iteration(classes: SparseClasses, targets: Array, ridge: float, most_iterations: int) -> Regression:
    operator = classes.total_operator()
    solutions, left = [], 0.0
    converged = True
    for target in targets.T:
        v, reason, iterations, residual, gradient, norm_A, *_ = lsmr(
            operator,
            target,
            damp=np.sqrt(ridge),
            atol=_TOLERANCE,
            btol=_TOLERANCE,
            conlim=1e15,
            maxiter=most_iterations,
        )
        converged &= reason != 7 and iterations < most_iterations
        left = max(left, float(gradient / max(norm_A * residual, np.finfo(float).tiny)) if residual else 0.0)
        solutions.append(v)
    return Regression(np.column_stack(solutions), converged, left)


def discriminate_matrix_free(
    classes: SparseClasses, scale: float, ridge: float | None, products: RowProducts | None = None
) -> tuple[ClassContrasts, Regression | None]:
    """The contrast of the covariance scale·(S_W + ridge·I), or of scale·I where ridge is None."""
    displacements = classes.means - classes.mean
    counts, unit = classes.counts, np.sqrt(scale)
    if ridge is None:
        nowhere = np.empty((classes.rows.n_columns, 0))
        return combine_directions(
            lambda C: C / unit, displacements.T / unit, displacements, counts, nowhere, 0.0, 0.0
        ), None
    roots = np.sqrt(counts)
    # K − 1 orthonormal combinations of the arms: the arms weighted by √n_k sum to zero
    H = np.linalg.qr(np.column_stack([roots, np.eye(roots.size)[:, 1:]]))[0][:, 1:]
    arms = H.T @ (roots[:, None] * displacements)
    targets = classes.root_weight[:, None] * (H / roots[:, None])[classes.rows.codes]
    regression = regress(classes, targets, ridge, products)
    G = regression.coef
    explained, turn = np.linalg.eigh((arms @ G + (arms @ G).T) / 2)
    explained = np.clip(explained, np.finfo(float).tiny, 1.0)
    inside = 1.0 - explained > _SEPARATED
    separating = np.linalg.qr(G @ turn[:, ~inside])[0]
    # halves h_k with h_j·h_k = δ_j′(S_W + λI)⁻¹δ_k, in the basis where that is diagonal, and the way back
    R2, turn = explained[inside], turn[:, inside]
    halves = (np.sqrt(R2 / (1.0 - R2)) * turn).T @ (H / roots[:, None]).T / unit
    way_back = G @ turn / np.sqrt(R2 * (1.0 - R2)) / unit
    far = float((np.abs(separating).T @ np.abs(classes.mean)).max(initial=0.0))
    unsure = _RESOLVED * float(np.abs(separating.T @ displacements.T).max(initial=0.0))
    return combine_directions(
        lambda C: way_back @ C, halves, displacements, counts, separating, unsure, far
    ), regression
