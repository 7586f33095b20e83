"""Products with X′ΩX that never form it, in one pass over the memory."""

from discriminant.kernels.access import Rows, add, dot
from discriminant.kernels.compiled import Array, compiled


@compiled
def add_products(rows: Rows, weight: Array, start: int, stop: int, p: Array, total: Array) -> None:
    """total += Σ ω (p·(x, 1)) (x, 1) over the rows start..stop; an empty ``weight`` means ω = 1."""
    for i in range(start, stop):
        r = dot(rows, i, p)
        add(rows, i, r if weight.size == 0 else weight[i] * r, total)
