"""The pass over the rows: sums about the class means of few rows, and of many about pilot means.

Few rows are centred on their class means. Many are read once, and sums of squares about a point near the mean lose no
digits to an offset of the columns; the pilot means of a few rows are near enough. Each row is augmented to
(z, 1, ‖z‖²), so that one product of a block with itself holds counts, sums, scatter and the radial sums at once.
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.centring import add_class_sums, centre_by_class
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import dense_block, take_rows
from discriminant.rows.protocol import ClassProducts

Array = NDArray[np.float64]

EPS = float(np.finfo(np.float64).eps)

_PILOT_ROWS = 256
LARGEST_VALUE = 1e140  # whose square, summed, can still be multiplied


@dataclass
class PilotSums:
    """Sums of a span about the pilot means.

    ``augmented`` (K×width): Σω(z, 1, ‖z‖², 0…) of each class, padded to whole vectors. ``squares``: Σω of the
    products of (z, 1, ‖z‖²) with itself, which hold W, c and q (of all classes together where they are pooled); of
    z² alone where diagonal.
    """

    augmented: Array
    squares: Array
    finite: bool = True

    @classmethod
    def of_products(cls, products: ClassProducts) -> Self:
        """The sums of a source that made them itself; its origin stands for the pilot means."""
        augmented = np.column_stack([products.sums, products.counts])
        if products.cubic is None or products.quartic is None:
            return cls(augmented, products.squares)
        K, d = products.sums.shape
        squares = np.zeros((K, d + 2, d + 2))
        squares[:, :d, :d] = products.squares
        squares[:, d + 1, :d] = products.cubic
        squares[:, d + 1, d + 1] = products.quartic
        return cls(augmented, squares)

    def add(self, other: "PilotSums") -> None:
        """Add the sums of another span about the same pilot means."""
        self.augmented += other.augmented
        self.squares += other.squares
        self.finite &= other.finite

    def centred(self, pilot: Array, full: bool, per_class: bool) -> dict[str, Any]:
        """The sums of `ClassMoments` about the class means, displaced back from the pilot means."""
        d = pilot.shape[1]
        n = self.augmented[:, d]
        g = self.augmented[:, :d] / n[:, None]
        means, remainders = two_sum(pilot, g)
        fields = {"counts": n, "means": means, "remainders": remainders, "per_class": per_class}
        arms = np.sqrt(n)[:, None] * g
        if not full:
            variances = without_negative_variances(self.squares - arms * arms)
            return {**fields, "scatter": variances if per_class else variances.sum(axis=0)[None]}
        if not per_class:
            return {**fields, "scatter": without_negative_variances(self.squares[:, :d, :d] - (arms.T @ arms)[None])}
        scatter = without_negative_variances(self.squares[:, :d, :d] - arms[:, :, None] * arms[:, None, :])
        trace = np.einsum("kjj->k", scatter)
        Wg = np.einsum("kij,kj->ki", scatter, g)
        gg = np.einsum("kj,kj->k", g, g)
        with np.errstate(over="ignore", invalid="ignore"):  # fourth powers may overflow where squares do not
            cubic = self.squares[:, d + 1, :d] - trace[:, None] * g - 2 * Wg - (n * gg)[:, None] * g
            inner = np.einsum("kj,kj->k", 4 * (cubic + Wg), g)
            quartic = self.squares[:, d + 1, d + 1] - inner - 2 * gg * trace - n * gg * gg
        return {**fields, "scatter": scatter, "cubic": cubic, "quartic": quartic}


def two_sum(a: Array, b: Array) -> tuple[Array, Array]:
    """(a + b rounded, what rounding took from it), exactly (Knuth)."""
    total = a + b
    back = total - a
    return total, (a - (total - back)) + (b - back)


def without_negative_variances(scatter: Array) -> Array:
    """The same scatter (K×d×d, or K×d) with columns set to zero whose variance rounding left below it."""
    if scatter.ndim == 2:
        return np.maximum(scatter, 0.0)
    for k, j in np.argwhere(np.einsum("kjj->kj", scatter) < 0):
        scatter[k, j, :] = 0.0
        scatter[k, :, j] = 0.0
    return scatter


def sums_about_means(rows: ArrayRows, full: bool, per_class: bool) -> dict[str, Any]:
    """The sums of `ClassMoments` of rows so few that each class is centred at once."""
    K, d = rows.classes.size, rows.n_columns
    order = rows.codes.argsort(kind="stable")
    edges = np.append(0, np.bincount(rows.codes, minlength=K).cumsum())
    X = dense_block(rows.matrix, 0, rows.n_rows)[order]
    weight = np.ones(rows.n_rows) if rows.weight is None else rows.weight[order]
    counts = np.bincount(rows.codes, rows.weight, K).astype(np.float64)
    origins, shifts, left = np.empty((K, d)), np.empty((K, d)), np.empty((K, d))
    cubic, quartic = np.empty((K, d)), np.empty(K)
    scatter = np.zeros((K if per_class else 1, *((d, d) if full else (d,))))
    with np.errstate(over="ignore", invalid="ignore"):  # found and named by whoever asked
        for k, (first, last) in enumerate(pairwise(edges)):
            Z, omega = X[first:last], weight[first:last]
            origins[k] = Z[omega.argmax()]  # of the weightiest row, which cannot lie far out beside the spread
            Z -= origins[k]
            shifts[k] = omega @ Z / counts[k]
            Z -= shifts[k]
            left[k] = omega @ Z / counts[k]  # of the mean: columns that are nearly one another need all digits of it
            squares = np.einsum("ij,ij->i", Z, Z)
            cubic[k], quartic[k] = omega * squares @ Z, omega @ squares**2
            if rows.weight is not None:
                Z *= np.sqrt(omega)[:, None]
            scatter[k if per_class else 0] += Z.T @ Z if full else np.einsum("ij,ij->j", Z, Z)
        means, remainders = two_sum(origins, shifts)
        remainders += left
    fields = {"counts": counts, "means": means, "remainders": remainders, "scatter": scatter, "per_class": per_class}
    return fields | ({"cubic": cubic, "quartic": quartic} if full and per_class else {})


def sums_of_span(
    rows: ArrayRows, pilot: Array, full: bool, per_class: bool, block_rows: int, start: int, stop: int
) -> PilotSums:
    """The sums of rows start..stop, block by block."""
    K, d = pilot.shape
    width = -(-(d + 2) // 4) * 4  # rows of whole vectors are multiplied a fifth faster
    shape = (width, width) if full else (d,)
    total = PilotSums(np.zeros((K, width)), np.zeros((K if per_class or not full else 1, *shape)))
    Z = np.zeros((min(block_rows, stop - start), width))
    edges = np.empty(K + 1, dtype=np.int64)
    product = np.empty(shape) if full else np.empty(0)
    centre, add_sums = centre_by_class.suited_to(rows.n_rows * d), add_class_sums.suited_to(rows.n_rows * d)
    for a in range(start, stop, block_rows):
        b = min(a + block_rows, stop)
        weight = rows.weight_of(slice(a, b))
        total.finite &= centre(dense_block(rows.matrix, a, b), rows.codes[a:b], weight, pilot, Z, edges)
        if not total.finite:
            return total
        with np.errstate(over="ignore", invalid="ignore"):  # found and named by whoever asked
            if not full:
                add_sums(Z, edges, total.augmented, total.squares)
                continue
            parts = pairwise(edges) if per_class else [(0, b - a)]
            for k, (first, last) in enumerate(parts):
                own = Z[first:last]
                np.dot(own.T, own, out=product)  # NumPy recognises z′z and calls syrk
                total.squares[k] += product
            if not per_class:
                for k, (first, last) in enumerate(pairwise(edges)):
                    total.augmented[k] += Z[first:last, d] @ Z[first:last]
    if full and per_class:
        total.augmented[:] = total.squares[:, d]
    return total


def pilot_means(rows: ArrayRows) -> Array:
    """Class means of a few rows spread over the table; the mean of them all for a class not among them."""
    sample, codes = dense_block(rows.matrix, 0, min(rows.n_rows, _PILOT_ROWS)), rows.codes
    if rows.n_rows > _PILOT_ROWS:
        chosen = np.linspace(0, rows.n_rows - 1, _PILOT_ROWS).astype(np.intp)
        sample, codes = dense_block(take_rows(rows.matrix, chosen), 0, chosen.size), codes[chosen]
    with np.errstate(invalid="ignore", over="ignore"):
        means = np.empty((rows.classes.size, rows.n_columns))
        missing = []
        for k in range(rows.classes.size):
            own = sample[codes == k]
            if len(own):
                means[k] = centre_matrix(own)[1]
            else:
                missing.append(k)
        if missing:
            means[missing] = column_means(sample)
    return means


def column_means(X: Array) -> Array:
    """The mean of each column, measured from the first row: of a column that is constant, exactly its value."""
    return centre_matrix(X)[1]


def centre_matrix(X: Array) -> tuple[Array, Array]:
    """(rows about their mean, the mean), both measured from the first row, so that an offset costs no digits."""
    Z = X - X[0]
    shift = np.add.reduce(Z, axis=0) / len(Z)
    Z -= shift
    return Z, X[0] + shift


def out_of_range(squares: Array, pilot: Array) -> bool:
    """Whether some column is too large to be squared; one that has the same value in every row never is."""
    large = np.flatnonzero(~(np.abs(pilot).max(axis=0) <= LARGEST_VALUE))
    if not large.size:
        return False
    own = squares[:, large, large] if squares.ndim == 3 else squares[:, large]
    return bool((own != 0).any() or (pilot[:, large] != pilot[0, large]).any())


def rounding_scatter(n: float, means: Array, ulps: float) -> Array:
    """The scatter that rounding by so many ulps could give each column; infinite where its square overflows."""
    with np.errstate(over="ignore"):
        return np.asarray(n * (ulps * EPS * np.abs(means).max(axis=0)) ** 2)


def refuse_negative_variance(difference: Array, whole: Array, means: Array, n: Array) -> None:
    """Rows that were never added leave variances below zero by more than rounding can."""
    left, before = (np.einsum("kjj->kj", S) if S.ndim == 3 else S for S in (difference, whole))
    rounding = rounding_scatter(n.sum(), means, 45) + 1e-12 * before.max(axis=1, keepdims=True)
    negative = np.argwhere(left < -1e-6 * before - rounding)
    if negative.size:
        raise ValueError(
            f"the rows taken away were never added: without them column {negative[0][1]} would have a negative variance"
        )
