"""Rows as kernels see them: a C-ordered matrix, or the three arrays of a CSR matrix; one source for both.

Numba chooses the loop of `dot`, `add` and the rest when it compiles a kernel, so every kernel is written once. Weights
are augmented: w has d + 1 entries, the last of which meets a constant 1 in every row.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from discriminant.kernels.compiled import Array, compiled_inline, compiled_inline_reassociating

# a matrix, or (data, indices, indptr)
Rows = Any
# a place in memory; unsigned within CSR rows, so that no code is made for negative ones
Place = Any

# (an accessor, its function of dense rows, that of CSR rows), for numba to choose from in `overloads.py`
FORMS: list[tuple[Any, Callable[..., Any], Callable[..., Any]]] = []

_ONE, _TWO, _THREE, _FOUR = (np.uint64(k) for k in (1, 2, 3, 4))


def _by_form(dense: Callable[..., Any], csr: Callable[..., Any]) -> Any:
    """One function for both forms of rows, of which numba takes the right one at compile time."""

    def accessor(rows: Rows, *rest: Any) -> Any:
        return (csr if isinstance(rows, tuple) else dense)(rows, *rest)

    FORMS.append((accessor, dense, csr))
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
    return csr_dot(rows, i, w) if isinstance(rows, tuple) else dense_dot(rows, i, w)


@compiled_inline_reassociating
def dense_dot(rows: Rows, i: int, w: Array) -> float:
    """`dot` of a matrix."""
    total = 0.0
    for j in range(rows.shape[1]):
        total += rows[i, j] * w[j]
    return total + w[w.size - 1]


@compiled_inline
def csr_dot(rows: Rows, i: int, w: Any) -> Any:
    """`dot` of CSR rows, in four sums: left to itself the compiler gathers into vectors, which takes twice as long."""
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


def add(rows: Rows, i: int, a: float, w: Array) -> None:
    """w += a(x, 1) of row i."""
    (csr_add if isinstance(rows, tuple) else dense_add)(rows, i, a, w)


@compiled_inline
def dense_add(rows: Rows, i: int, a: float, w: Array) -> None:
    """`add` of a matrix."""
    for j in range(rows.shape[1]):
        w[j] += a * rows[i, j]
    w[w.size - 1] += a


@compiled_inline
def csr_add(rows: Rows, i: int, a: float, w: Array) -> None:
    """`add` of CSR rows."""
    first, last = entries(rows, i)
    for p in range(first, last):
        w[column(rows, p)] += a * value(rows, i, p)
    w[w.size - 1] += a


@compiled_inline
def learn(rows: Rows, i: int, a: float, w: Array, intercept: bool) -> None:
    """w += a(x, 1) of row i, or a(x, 0) without an intercept."""
    constant = w[w.size - 1]
    add(rows, i, a, w)
    if not intercept:
        w[w.size - 1] = constant


@compiled_inline_reassociating
def square(rows: Rows, i: int, constant: float) -> float:
    """‖(x, constant)‖² of row i."""
    first, last = entries(rows, i)
    total = constant * constant
    for p in range(first, last):
        total += value(rows, i, p) ** 2
    return total


# --- memory ---------------------------------------------------------------------------------------------


def fetch(rows: Rows, i: int) -> None:
    """Ask for the memory of row i ahead of its use."""
