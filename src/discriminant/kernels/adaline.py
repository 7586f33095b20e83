"""The Widrow–Hoff rule, row by row in a given order."""

from discriminant.kernels.access import Rows, dot, fetch, learn, square
from discriminant.kernels.compiled import Array, compiled


@compiled
def adaline_pass(
    rows: Rows,
    sign: Array,
    weight: Array,
    order: Array,
    ahead: Array,
    steps: Array,
    normalised: bool,
    intercept: bool,
    w: Array,
) -> None:
    """w += δ ω (c − w·(x, 1)) (x, 1) at each visit t, with δ = steps[t], or steps[t]/‖(x, 1)‖² if ``normalised``.

    Without ``intercept`` (x, 0) takes the place of (x, 1).
    A normalised step goes no farther for a large weight than to where the row is right. An empty ``weight`` means 1.
    ``ahead`` (unless empty) says which row to fetch into the cache at each visit.
    """
    for t in range(order.size):
        i = order[t]
        if ahead.size > 0:
            fetch(rows, ahead[t])
        step = steps[t] if weight.size == 0 else steps[t] * weight[i]
        if normalised:
            length = square(rows, i, 1.0 if intercept else 0.0)
            step = min(step, max(steps[t], 1.0)) / length if length > 0.0 else 0.0
        learn(rows, i, step * (sign[i] - dot(rows, i, w)), w, intercept)


@compiled
def squared_errors(rows: Rows, sign: Array, weight: Array, start: int, stop: int, w: Array) -> float:
    """Σ ω (c − w·(x, 1))² of the rows start..stop."""
    total = 0.0
    for i in range(start, stop):
        error = sign[i] - dot(rows, i, w)
        total += error * error if weight.size == 0 else weight[i] * error * error
    return total
