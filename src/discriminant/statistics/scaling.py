"""Rows in coordinates in which columns are alike: z = (x − μ)/s.

A criterion that is minimised by steps is well conditioned in them whatever the units and offsets of the columns. A
plane with weights (u, b) there has w = u/s and intercept b − w·μ in the user's units. The rows themselves stay as
they are; only where a column's offset is large beside its spread is it subtracted from each block, before products
could lose its digits.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.cached import cached_property
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix, dense_block, kernel_form
from discriminant.rows.threads import over_spans

Array = NDArray[np.float64]
Sums = TypeVar("Sums")

_SAMPLE_ROWS = 256
_FAR_OFFSET, _FAR_OFFSET_OF_MANY = 10.0, 1e4  # deviations from zero; so many digits are lost there
_MANY_NUMBERS = 1 << 20  # which take longer to copy than a digit or two are worth
_LEAST_SCALE = 1e-300  # whose reciprocal is finite
_BLOCK_NUMBERS = 1 << 15  # stay in the nearest cache


@dataclass(frozen=True)
class Frame:
    """μ and s, and whether μ must be subtracted from the rows themselves."""

    centre: Array
    scale: Array
    subtract: bool

    @classmethod
    def of(cls, rows: ArrayRows, penalty: float = 0.0) -> "Frame":
        """Means and deviations of some rows; of sparse rows, which stay where zero is, root mean squares of all.

        Under a penalty ½α‖w‖² a scale is at least √(α/Σω), below which not the rows but the penalty says how far to go.
        """
        least = max(float(np.sqrt(penalty / rows.total_weight)), _LEAST_SCALE)
        if sparse.issparse(rows.matrix):
            return cls(np.zeros(rows.n_columns), np.maximum(_root_mean_squares(rows), least), False)
        chosen = np.unique(np.linspace(0, rows.n_rows - 1, min(rows.n_rows, _SAMPLE_ROWS)).astype(np.intp))
        sample = dense_block(rows.matrix[chosen], 0, chosen.size)
        share = np.ones(chosen.size) if rows.weight is None else rows.weight[chosen]
        share = share / share.sum()
        from_first = sample - sample[0]  # so that a constant column is exactly its mean
        centre = sample[0] + share @ from_first
        scale = _deviations(sample - centre, share)
        scale = np.where(scale > 0, scale, np.where(centre != 0, np.abs(centre), 1.0))
        far = _FAR_OFFSET if rows.n_rows * rows.n_columns < _MANY_NUMBERS else _FAR_OFFSET_OF_MANY
        return cls(centre, np.maximum(scale, least), bool((np.abs(centre) > far * scale).any()))

    @property
    def shift(self) -> Array:
        """What blocks have not had subtracted yet."""
        return np.zeros_like(self.centre) if self.subtract else self.centre

    def to_user(self, u: Array) -> Array:
        """Augmented weights (…, d+1) of the rows as they are, from those of z."""
        w = u[..., :-1] / self.scale
        return np.concatenate([w, u[..., -1:] - (w @ self.centre)[..., None]], axis=-1)

    def from_user(self, v: Array) -> Array:
        """Augmented weights of z."""
        b = v[..., -1:] + (v[..., :-1] @ self.centre)[..., None]
        return np.concatenate([v[..., :-1] * self.scale, b], axis=-1)

    def for_blocks(self, u: Array) -> Array:
        """Augmented weights of the blocks, from those of z."""
        w = u[..., :-1] / self.scale
        return np.concatenate([w, u[..., -1:] - (w @ self.shift)[..., None]], axis=-1)

    def of_blocks(self, g: Array) -> Array:
        """A gradient by the weights of z, from that by the weights of the blocks."""
        return np.concatenate([(g[..., :-1] - g[..., -1:] * self.shift) / self.scale, g[..., -1:]], axis=-1)

    def map_to_user(self) -> Array:
        """The matrix A of `to_user`: v = A u."""
        d = self.scale.size
        A = np.zeros((d + 1, d + 1))
        A[np.arange(d), np.arange(d)] = 1.0 / self.scale
        A[-1, :-1] = -self.centre / self.scale
        A[-1, -1] = 1.0
        return A


def _deviations(centred: Array, share: Array) -> Array:
    """√ of mean squares, of columns first divided by their largest value so that no square underflows."""
    largest = np.abs(centred).max(axis=0)
    largest[largest == 0] = 1.0
    return np.asarray(largest * np.sqrt(share @ (centred / largest) ** 2))


def _root_mean_squares(rows: ArrayRows) -> Array:
    X = rows.matrix
    largest = float(np.abs(X.data).max(initial=0.0)) or 1.0
    squares = (X.data / largest) ** 2
    if rows.weight is not None:
        squares *= np.repeat(rows.weight, np.diff(X.indptr))
    scale = largest * np.sqrt(np.bincount(X.indices, squares, minlength=rows.n_columns) / rows.total_weight)
    return np.where(scale > 0, scale, 1.0)


@dataclass(frozen=True)
class FramedRows:
    """Rows with the frame in which a criterion over them is minimised."""

    rows: ArrayRows
    frame: Frame

    def fold(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Any], None]) -> list[Sums]:
        """One accumulator for each span of rows, to which ``add(sums, start, stop, block)`` has added every block.

        Blocks are as kernels take them: C-ordered floats, or the three arrays of CSR.
        """
        return self._fold(zero, add, self._kernel_blocks)

    def fold_blocks(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Matrix], None]) -> list[Sums]:
        """The same with blocks that can be multiplied by matrices: dense, or CSR where the rows are sparse."""
        return self._fold(zero, add, self._sparse_blocks if sparse.issparse(self.rows.matrix) else self._dense_blocks)

    def fold_dense(self, zero: Callable[[], Sums], add: Callable[[Sums, int, int, Array], None]) -> list[Sums]:
        """The same with blocks of dense floats, small enough to stay in the cache."""
        return self._fold(zero, add, self._dense_blocks)

    def _fold(self, zero: Callable[[], Sums], add: Callable[..., None], blocks: Callable[..., Any]) -> list[Sums]:
        def of_span(start: int, stop: int) -> Sums:
            sums = zero()
            for a, b, block in blocks(start, stop):
                add(sums, a, b, block)
            return sums

        matrix = self.rows.matrix
        entries = matrix.nnz // max(self.rows.n_rows, 1) if sparse.issparse(matrix) else self.rows.n_columns
        return over_spans(of_span, self.rows.n_rows, entries)

    def _kernel_blocks(self, start: int, stop: int) -> Iterator[tuple[int, int, Any]]:
        form = self._whole
        if isinstance(form, tuple):
            yield start, stop, (form[0], form[1], form[2][start : stop + 1])
        elif form is not None:
            yield start, stop, form[start:stop]
        else:
            yield from self._dense_blocks(start, stop)

    def _dense_blocks(self, start: int, stop: int) -> Iterator[tuple[int, int, Array]]:
        step = max(_BLOCK_NUMBERS // self.rows.n_columns, 1)
        for a in range(start, stop, step):
            b = min(a + step, stop)
            block = dense_block(self.rows.matrix, a, b)
            yield a, b, np.ascontiguousarray(block - self.frame.centre if self.frame.subtract else block)

    def _sparse_blocks(self, start: int, stop: int) -> Iterator[tuple[int, int, Matrix]]:
        yield start, stop, self.rows.matrix[start:stop]

    @cached_property
    def _whole(self) -> Any:
        """The whole table as kernels take it, or None where blocks of it must be made."""
        matrix = self.rows.matrix
        ready = sparse.issparse(matrix) or (matrix.flags.c_contiguous and matrix.dtype in (np.float32, np.float64))
        return kernel_form(matrix) if ready and not self.frame.subtract else None
