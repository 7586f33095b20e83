"""Rows as kernels see them: a C-ordered matrix, or the three arrays of a CSR matrix; one source for both.

Numba chooses the loop of `dot`, `add` and the rest when it compiles a kernel, so every kernel is written once. Weights
are augmented: w has d + 1 entries, the last of which meets a constant 1 in every row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from discriminant.kernels.compiled import INLINED, Array, compiled_inline, compiled_inline_reassociating
from discriminant.kernels.prefetch import fetch_line

# a matrix, or (data, indices, indptr)
Rows = Any
# a place in memory; unsigned within CSR rows, so that no code is made for negative ones
Place = Any

_LINE = 64  # bytes in a cache line
_ONE, _TWO, _THREE, _FOUR = (np.uint64(k) for k in (1, 2, 3, 4))


def _by_form(dense: Callable[..., Any], csr: Callable[..., Any]) -> Any:
    """One function for both forms of rows, of which numba takes the right one at compile time."""

    def accessor(rows: Rows, *rest: Any) -> Any:
        return (csr if isinstance(rows, tuple) else dense)(rows, *rest)

    @overload(accessor, jit_options=INLINED, strict=False)
    def _choose(rows: Any, *rest: Any) -> Any:
        return csr if isinstance(rows, types.BaseTuple) else dense

    return accessor


# --- the entries of a row -------------------------------------------------------------------------------


def _dense_entries(rows: Rows, i: int) -> tuple[Place, Place]:
    return 0, rows.shape[1]


def _csr_entries(rows: Rows, i: int) -> tuple[Place, Place]:
    return np.uint64(rows[2][i]), np.uint64(rows[2][i + 1])


def _dense_column(rows: Rows, p: Place) -> Place:
    return p


def _csr_column(rows: Rows, p: Place) -> Place:
    return np.uint64(rows[1][p])


def _dense_value(rows: Rows, i: int, p: Place) -> float:
    return rows[i, p]


def _csr_value(rows: Rows, i: int, p: Place) -> float:
    return rows[0][p]


entries = _by_form(_dense_entries, _csr_entries)  # (rows, i): where the entries of row i begin and end
column = _by_form(_dense_column, _csr_column)  # (rows, p): the column of entry p
value = _by_form(_dense_value, _csr_value)  # (rows, i, p): the number at entry p of row i


# --- products with a row --------------------------------------------------------------------------------


def dot(rows: Rows, i: int, w: Array) -> float:
    """w·(x, 1) of row i."""
    return _csr_dot(rows, i, w) if isinstance(rows, tuple) else _dense_dot(rows, i, w)


@compiled_inline_reassociating
def _dense_dot(rows: Rows, i: int, w: Array) -> float:
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * w[j]
    return total + w[w.size - 1]


@compiled_inline
def _csr_dot(rows: Rows, i: int, w: Any) -> Any:
    """In four sums by hand: left to itself the compiler gathers into vectors, which takes twice as long."""
    first, last = entries(rows, i)
    fours = first + (last - first) // _FOUR * _FOUR
    a = b = c = e = 0.0
    for p in range(first, fours, _FOUR):
        q, r, s = p + _ONE, p + _TWO, p + _THREE
        a += value(rows, i, p) * w[column(rows, p)]
        b += value(rows, i, q) * w[column(rows, q)]
        c += value(rows, i, r) * w[column(rows, r)]
        e += value(rows, i, s) * w[column(rows, s)]
    for p in range(fours, last):
        a += value(rows, i, p) * w[column(rows, p)]
    return (a + b) + (c + e) + w[w.size - 1]


@overload(dot, jit_options=INLINED)
def _dot(rows: Rows, i: int, w: Array) -> Any:
    chosen = _csr_dot if isinstance(rows, types.BaseTuple) else _dense_dot

    def product(rows: Rows, i: int, w: Array) -> Any:
        return chosen(rows, i, w)

    return product


def add(rows: Rows, i: int, a: float, w: Array) -> None:
    """w += a(x, 1) of row i."""
    (_csr_add if isinstance(rows, tuple) else _dense_add)(rows, i, a, w)


@compiled_inline
def _dense_add(rows: Rows, i: int, a: float, w: Array) -> None:
    for j in range(rows.shape[1]):
        w[j] += a * rows[i, j]
    w[w.size - 1] += a


@compiled_inline
def _csr_add(rows: Rows, i: int, a: float, w: Array) -> None:
    first, last = entries(rows, i)
    for p in range(first, last):
        w[column(rows, p)] += a * value(rows, i, p)
    w[w.size - 1] += a


@overload(add, jit_options=INLINED)
def _add(rows: Rows, i: int, a: float, w: Array) -> Any:
    chosen = _csr_add if isinstance(rows, types.BaseTuple) else _dense_add

    def increase(rows: Rows, i: int, a: float, w: Array) -> Any:
        return chosen(rows, i, a, w)

    return increase


@compiled_inline_reassociating
def square(rows: Rows, i: int) -> float:
    """‖(x, 1)‖² of row i."""
    first, last = entries(rows, i)
    total = 1.0
    for p in range(first, last):
        total += value(rows, i, p) ** 2
    return total


# --- memory ---------------------------------------------------------------------------------------------


def fetch(rows: Rows, i: int) -> None:
    """Ask for the memory of row i ahead of its use."""


@overload(fetch, jit_options=INLINED)
def _fetch(rows: Rows, i: int) -> Any:
    def fetch_dense(rows: Rows, i: int) -> None:
        d = rows.shape[1]
        for place in range(i * d, i * d + d, _LINE // rows.itemsize):
            fetch_line(rows, place)

    def fetch_csr(rows: Rows, i: int) -> None:
        first, last = rows[2][i], rows[2][i + 1]
        for place in range(first, last, _LINE // rows[0].itemsize):
            fetch_line(rows[0], place)
        for place in range(first, last, _LINE // rows[1].itemsize):
            fetch_line(rows[1], place)

    return fetch_csr if isinstance(rows, types.BaseTuple) else fetch_dense
