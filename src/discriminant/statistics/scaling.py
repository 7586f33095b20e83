"""Rows in coordinates in which columns are alike: z = (x − μ)/s.

A criterion that is minimised by steps is well conditioned in them whatever the units and offsets of the columns. A
plane with weights (u, b) there has w = u/s and intercept b − w·μ in the user's units. The rows themselves stay as
they are; only where a column's offset is large beside its spread is it subtracted from each block, before products
could lose its digits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial, reduce
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.kernels.compiled import PASSES, Kernel
from discriminant.kernels.margins import add_squares, weigh_scaled_rows
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block, kernel_form, take_rows
from discriminant.rows.threads import over_spans
from discriminant.statistics.entry_sums import has_few_entries

Array = NDArray[np.float64]
Sums = TypeVar("Sums")

_SAMPLE_ROWS = 256
_FAR_OFFSET, _FAR_OFFSET_OF_MANY = 10.0, 1e4  # deviations from zero; so many digits are lost there
_MANY_NUMBERS = 1 << 20  # which take longer to copy than a digit or two are worth
_LEAST_SCALE = 1e-300  # whose reciprocal is finite
_BLOCK_NUMBERS = 1 << 15  # stay in the nearest cache
_BLOCK_OF_PRODUCTS = 3 << 15  # stay in the second nearest; more rows at once, as a product takes several calls
_ROWS_OF_SQUARES = 512


@dataclass(frozen=True)
class ColumnScaling:
    """μ and s, and whether μ must be subtracted from the rows themselves."""

    centre: Array
    scale: Array
    subtract: bool

    @classmethod
    def of(cls, rows: ArrayRows, penalty: float = 0.0) -> "ColumnScaling":
        """Means and deviations of some rows; of sparse rows, which stay where zero is, root mean squares of all.

        Under a penalty ½α‖w‖² a scale is at least √(α/Σω), below which not the rows but the penalty says how far to go.
        """
        least = max(float(np.sqrt(penalty / rows.total_weight)), _LEAST_SCALE)
        if sparse.issparse(rows.matrix):
            return cls(np.zeros(rows.n_columns), np.maximum(_root_mean_squares(rows), least), False)
        chosen = np.unique(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, _SAMPLE_ROWS)).astype(np.intp))
        sample = dense_block(take_rows(rows.matrix, chosen), 0, chosen.size)
        weights = rows.weights_at(chosen)
        share = weights / weights.sum()
        from_first = sample - sample[0]  # so that a constant column is exactly its mean
        centre = sample[0] + share @ from_first
        scale = _deviations(sample - centre, share)
        scale = np.where(scale > 0, scale, np.where(centre != 0, np.abs(centre), 1.0))
        far = _FAR_OFFSET if rows.n_rows * rows.n_columns < _MANY_NUMBERS else _FAR_OFFSET_OF_MANY
        return cls(centre, np.maximum(scale, least), bool((np.abs(centre) > far * scale).any()))

    @classmethod
    def about_zero(cls, rows: ArrayRows, penalty: float = 0.0) -> "ColumnScaling":
        """Root mean squares of rows, which stay where zero is: for planes through the origin."""
        least = max(float(np.sqrt(penalty / rows.total_weight)), _LEAST_SCALE)
        if sparse.issparse(rows.matrix):
            return cls.of(rows, penalty)
        chosen = np.unique(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, _SAMPLE_ROWS)).astype(np.intp))
        sample = dense_block(rows.matrix[chosen], 0, chosen.size)
        scale = _deviations(sample, np.full(chosen.size, 1.0 / chosen.size))
        return cls(np.zeros(rows.n_columns), np.maximum(np.where(scale > 0, scale, 1.0), least), False)

    @classmethod
    def of_sums(cls, mean: Array, deviation: Array, n: float, penalty: float, *, sparse_rows: bool) -> "ColumnScaling":
        """The scaling from sums over all rows: means and deviations, or of sparse rows root mean squares about zero."""
        least = max(float(np.sqrt(penalty / n)), _LEAST_SCALE)
        if sparse_rows:
            return cls(np.zeros_like(mean), np.maximum(np.where(deviation > 0, deviation, 1.0), least), False)
        constant = deviation == 0
        scale = np.where(constant, np.where(mean != 0, np.abs(mean), 1.0), deviation)
        far = (np.abs(mean) > _FAR_OFFSET * scale) | (constant & (mean != 0))
        return cls(mean, np.maximum(scale, least), bool(far.any()))

    @classmethod
    def centring(cls, matrix: Matrix, centre: Array) -> "ColumnScaling":
        """z = x − μ, which is subtracted from dense rows and taken out of sums over sparse ones."""
        return cls(centre, np.ones_like(centre), not sparse.issparse(matrix) and bool(centre.any()))

    @cached_property
    def changes_nothing(self) -> bool:
        """Whether z is x."""
        return not self.centre.any() and bool((self.scale == 1.0).all())

    @property
    def shift(self) -> Array:
        """What blocks have not had subtracted yet."""
        return np.zeros_like(self.centre) if self.subtract else self.centre

    def to_user(self, u: Array) -> Array:
        """Augmented weights (…, d+1) of the rows as they are, from those of z."""
        if self.changes_nothing:
            return u.copy()
        w = u[..., :-1] / self.scale
        return np.concatenate([w, u[..., -1:] - (w @ self.centre)[..., None]], axis=-1)

    def from_user(self, v: Array) -> Array:
        """Augmented weights of z."""
        b = v[..., -1:] + (v[..., :-1] @ self.centre)[..., None]
        return np.concatenate([v[..., :-1] * self.scale, b], axis=-1)

    def for_blocks(self, u: Array) -> Array:
        """Augmented weights of the blocks, from those of z."""
        if self.changes_nothing:
            return u
        w = u[..., :-1] / self.scale
        return np.concatenate([w, u[..., -1:] - (w @ self.shift)[..., None]], axis=-1)

    def of_blocks(self, g: Array) -> Array:
        """A gradient by the weights of z, from that by the weights of the blocks."""
        if self.changes_nothing:
            return g
        return np.concatenate([(g[..., :-1] - g[..., -1:] * self.shift) / self.scale, g[..., -1:]], axis=-1)

    def map_to_user(self) -> Array:
        """The matrix A of `to_user`: v = A u."""
        return self.to_user(np.eye(self.scale.size + 1)).T


def _deviations(centred: Array, share: Array) -> Array:
    """√ of mean squares, of columns first divided by their largest value so that no square underflows."""
    largest = np.abs(centred).max(axis=0)
    largest[largest == 0] = 1.0
    return np.asarray(largest * np.sqrt(share @ (centred / largest) ** 2))


def _root_mean_squares(rows: ArrayRows) -> Array:
    X = rows.matrix
    largest = float(np.abs(X.data).max(initial=0.0)) or 1.0
    squares = rows.weigh_entries((X.data / largest) ** 2)
    scale = largest * np.sqrt(np.bincount(X.indices, squares, minlength=rows.n_columns) / rows.total_weight)
    return np.where(scale > 0, scale, 1.0)


@dataclass(frozen=True)
class ScaledRows:
    """A matrix of rows in scaled coordinates z, and the sums over them that criteria are made of."""

    matrix: Matrix
    scaling: ColumnScaling

    @classmethod
    def unscaled(cls, matrix: Matrix) -> "ScaledRows":
        """No scaling: z = x."""
        return cls(matrix, ColumnScaling.centring(matrix, np.zeros(matrix.shape[1])))

    # --- sums -------------------------------------------------------------------------------------------

    def scores(self, u: Array) -> Array:
        """u·(z, 1) of every row; one column for each plane where u is K×(d+1)."""
        V = self.scaling.for_blocks(u)
        scores = np.empty((self.matrix.shape[0], *u.shape[:-1]))

        def add(_: None, a: int, b: int, X: Matrix) -> None:
            scores[a:b] = X @ V[..., :-1].T + V[..., -1]

        self.fold_blocks(lambda: None, add)
        return scores

    def combination(self, v: Array) -> Array:
        """Σ v (z, 1) over the rows; K×(d+1) where v is n×K."""

        def add(total: Array, a: int, b: int, X: Matrix) -> None:
            total[..., :-1] += (X.T @ v[a:b]).T
            total[..., -1] += v[a:b].sum(axis=0)

        shape = (*v.shape[1:], self.matrix.shape[1] + 1)
        return self.scaling.of_blocks(reduce(np.add, self.fold_blocks(lambda: np.zeros(shape), add)))

    def squares(self, h: Array) -> Array:
        """Σ h (z, 1)(z, 1)′ for h ≥ 0; one for each column of h where that is n×m."""
        if h.ndim == 1:
            return np.asarray(self.squares(h[:, None])[0])
        if self.has_few_entries:
            return self._squares_of_entries(h)
        roots, size = np.sqrt(np.ascontiguousarray(h.T)), self.matrix.shape[1] + 1
        shift, inverse_scale = self.scaling.shift, 1.0 / self.scaling.scale
        weigh = self.suited(weigh_scaled_rows)

        def add(total: Array, a: int, b: int, X: Array) -> None:
            weighed = np.empty((b - a, size))
            for part, root in zip(total, roots, strict=True):
                weigh(X, shift, inverse_scale, root[a:b], weighed)
                part += weighed.T @ weighed  # NumPy recognises z′z and calls syrk

        # a d×d sum is added to for every block, so that blocks of many columns must have many rows
        blocks = partial(self._dense_blocks, least=min(size, _ROWS_OF_SQUARES))
        return np.asarray(np.sum(self._fold(lambda: np.zeros((h.shape[1], size, size)), add, blocks), axis=0))

    def suited(self, kernel: Kernel) -> Any:
        """A kernel, or its twin in NumPy for few numbers."""
        return kernel.suited_to(PASSES * self.matrix.size)

    @cached_property
    def has_few_entries(self) -> bool:
        """Whether rows are sparse, about zero, and squared with less work entry by entry than as dense blocks."""
        return not self.scaling.centre.any() and has_few_entries(self.matrix)

    def _squares_of_entries(self, h: Array) -> Array:
        """Sums of squares from the entries of sparse rows alone."""
        size = self.matrix.shape[1] + 1
        columns = np.ascontiguousarray(h.T)
        add_own = self.suited(add_squares)

        def add(total: Array, a: int, b: int, block: Any) -> None:
            for part, own in zip(total, columns, strict=True):
                add_own(block, own[a:b], part)

        lower = np.sum(self.fold(lambda: np.zeros((len(columns), size, size)), add), axis=0)
        scale = np.append(self.scaling.scale, 1.0)
        lower /= scale[:, None] * scale
        return np.asarray(lower + np.tril(lower, -1).transpose(0, 2, 1))

    def diagonal(self, h: Array) -> Array:
        """The diagonal of Σ h (z, 1)(z, 1)′; K×(d+1) where h is n×K."""
        X = self.matrix
        if sparse.issparse(X) and not self.scaling.centre.any():
            scaled = sparse.csr_array(((X.data / self.scaling.scale[X.indices]) ** 2, X.indices, X.indptr), X.shape)
            return np.concatenate([(scaled.T @ h).T, h.sum(axis=0)[..., None]], axis=-1)

        def add(total: Array, a: int, b: int, X: Array) -> None:
            total += h[a:b].T @ self.augmented(X) ** 2

        shape = (*h.shape[1:], self.matrix.shape[1] + 1)
        return np.asarray(np.sum(self.fold_dense(lambda: np.zeros(shape), add), axis=0))

    def augmented(self, X: Array) -> Array:
        """(z, 1) of a dense block."""
        Z = np.empty((len(X), X.shape[1] + 1))
        np.subtract(X, self.scaling.shift, out=Z[:, :-1])
        Z[:, :-1] /= self.scaling.scale
        Z[:, -1] = 1.0
        return Z

    # --- blocks -----------------------------------------------------------------------------------------

    def fold(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Any], None]) -> list[Sums]:
        """One accumulator for each span of rows, to which ``add(sums, start, stop, block)`` has added every block.

        Blocks are as kernels take them: C-ordered floats, or the three arrays of CSR.
        """
        return self._fold(zero, add, self._kernel_blocks)

    def fold_blocks(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Matrix], None]) -> list[Sums]:
        """Fold blocks that can be multiplied by matrices: dense, or CSR where the rows are sparse."""
        if not sparse.issparse(self.matrix):
            rows = _BLOCK_OF_PRODUCTS // self.matrix.shape[1]
            return self._fold(zero, add, partial(self._dense_blocks, least=max(rows, 1)))
        sums = zero()
        add(sums, 0, self.matrix.shape[0], self.matrix)  # parts of it would have to be copied
        return [sums]

    def fold_dense(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Array], None]) -> list[Sums]:
        """Fold blocks of dense floats, small enough to stay in the cache."""
        return self._fold(zero, add, self._dense_blocks)

    def _fold(self, zero: Callable[[], Sums], add: Callable[..., None], blocks: Callable[..., Any]) -> list[Sums]:
        def of_span(start: int, stop: int) -> Sums:
            sums = zero()
            for a, b, block in blocks(start, stop):
                add(sums, a, b, block)
            return sums

        n, d = self.matrix.shape
        return over_spans(of_span, n, self.matrix.nnz // max(n, 1) if sparse.issparse(self.matrix) else d)

    def _kernel_blocks(self, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        form = self._whole
        if isinstance(form, tuple):
            yield start, stop, (form[0], form[1], form[2][start : stop + 1])
        elif form is not None:
            yield start, stop, form[start:stop]
        else:
            yield from self._dense_blocks(start, stop)

    def _dense_blocks(self, start: int, stop: int, least: int = 1) -> Iterator[tuple[int, int, Array]]:
        step = max(_BLOCK_NUMBERS // self.matrix.shape[1], least)
        for a in range(start, stop, step):
            b = min(a + step, stop)
            if self._is_ready:
                yield a, b, self.matrix[a:b]
                continue
            block = dense_block(self.matrix, a, b)
            yield a, b, np.ascontiguousarray(block - self.scaling.centre if self.scaling.subtract else block)

    @cached_property
    def _is_ready(self) -> bool:
        """Whether parts of the matrix are blocks as they are."""
        X = self.matrix
        return not (sparse.issparse(X) or self.scaling.subtract) and X.dtype == np.float64 and X.flags.c_contiguous

    @cached_property
    def _whole(self) -> Any:
        """The whole table as kernels take it, or None where blocks of it must be made."""
        matrix = self.matrix
        ready = sparse.issparse(matrix) or (matrix.flags.c_contiguous and matrix.dtype in (np.float32, np.float64))
        return kernel_form(matrix) if ready and not self.scaling.subtract else None
