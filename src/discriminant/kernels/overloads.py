"""Which loop numba takes for rows of either form, when it compiles a kernel that uses the accessors of `access.py`."""

from collections.abc import Callable
from typing import Any

from numba import types
from numba.extending import overload

from discriminant.kernels import access
from discriminant.kernels.access import Rows
from discriminant.kernels.compiled import INLINED, Array
from discriminant.kernels.prefetch import fetch_line

_LINE = 64  # bytes in a cache line


def _choose_by_form(accessor: Any, dense: Callable[..., Any], csr: Callable[..., Any]) -> None:
    @overload(accessor, jit_options=INLINED, strict=False)
    def _choose(rows: Any, *rest: Any) -> Any:
        return csr if isinstance(rows, types.BaseTuple) else dense


for _forms in access.FORMS:
    _choose_by_form(*_forms)


@overload(access.dot, jit_options=INLINED)
def _dot(rows: Rows, i: int, w: Array) -> Any:
    chosen = access.csr_dot if isinstance(rows, types.BaseTuple) else access.dense_dot

    def product(rows: Rows, i: int, w: Array) -> Any:
        return chosen(rows, i, w)

    return product


@overload(access.add, jit_options=INLINED)
def _add(rows: Rows, i: int, a: float, w: Array) -> Any:
    chosen = access.csr_add if isinstance(rows, types.BaseTuple) else access.dense_add

    def increase(rows: Rows, i: int, a: float, w: Array) -> Any:
        return chosen(rows, i, a, w)

    return increase


@overload(access.fetch, jit_options=INLINED)
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
