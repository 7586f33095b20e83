"""How many rows weights get wrong: of one vector with doubles, of many with products in single precision."""

from discriminant.kernels.access import Rows, dot
from discriminant.kernels.compiled import Array, compiled


@compiled
def count_errors(rows: Rows, sign: Array, weight: Array, order: Array, w: Array, enough: float) -> tuple[float, int]:
    """The weight of the rows with c w·(x, 1) ≤ 0, and how many were looked at; stops at ``enough`` errors."""
    errors = 0.0
    for t in range(order.size):
        i = order[t]
        if sign[i] * dot(rows, i, w) <= 0.0:
            errors += 1.0 if weight.size == 0 else weight[i]
            if errors >= enough:
                return errors, t + 1
    return errors, order.size


@compiled
def add_errors(
    cosines: Array,
    doubt: float,
    rows: Rows,
    sign: Array,
    weight: Array,
    order: Array,
    first: int,
    W: Array,
    errors: Array,
) -> None:
    """errors[k] += the weight of those among the rows order[first:first + n] that W[k] gets wrong.

    ``cosines`` (n×m) are those between c(x, 1) and the weights, right to within ``doubt``; where that leaves the sign
    open, the product is formed anew from the numbers themselves. ``errors`` in single precision are counted faster.
    """
    n, m = cosines.shape
    for t in range(n):
        i = order[first + t]
        omega = errors.dtype.type(1.0 if weight.size == 0 else weight[i])
        clear = True
        for k in range(m):
            errors[k] += omega if cosines[t, k] < -doubt else errors.dtype.type(0.0)
            clear &= abs(cosines[t, k]) > doubt
        if not clear:
            for k in range(m):
                if not abs(cosines[t, k]) > doubt and sign[i] * dot(rows, i, W[k]) <= 0.0:
                    errors[k] += omega
