"""Sums of columns by class, and counts of categories by class."""

from discriminant.kernels.compiled import Array, compiled


@compiled
def sum_by_class(
    X: Array, codes: Array, weight: Array, presence: bool, counts: Array, sums: Array
) -> tuple[bool, float]:
    """Add ω to counts and ωx (or ω[x > 0]) to sums of the row's class. Returns (all finite, the least x)."""
    n, d = X.shape
    finite, least = True, 0.0
    for i in range(n):
        k = codes[i]
        omega = 1.0 if weight.size == 0 else weight[i]
        counts[k] += omega
        for j in range(d):
            x = X[i, j]
            finite &= x - x == 0.0
            least = min(least, x)
            if presence:
                sums[k, j] += omega if x > 0.0 else 0.0
            else:
                sums[k, j] += omega * x
    return finite, least


@compiled
def count_categories(X: Array, codes: Array, weight: Array, lows: Array, starts: Array, tables: Array) -> None:
    """tables[k, starts[j] + x − lows[j]] += ω for every cell."""
    n, d = X.shape
    for i in range(n):
        omega = 1.0 if weight.size == 0 else weight[i]
        for j in range(d):
            tables[codes[i], starts[j] + int(X[i, j]) - lows[j]] += omega


@compiled
def add_lookups(X: Array, lows: Array, starts: Array, tables: Array, unseen: Array, scores: Array) -> bool:
    """scores[i] += Σ_j tables[starts[j] + x − lows[j]], or unseen[j] outside the table.

    Returns whether every cell was finite.
    """
    n, d = X.shape
    q = scores.shape[1]
    finite = True
    for i in range(n):
        for j in range(d):
            place = X[i, j] - lows[j]
            finite &= place - place == 0.0
            if 0 <= place < starts[j + 1] - starts[j] and place == int(place):
                for c in range(q):
                    scores[i, c] += tables[starts[j] + int(place), c]
            else:
                for c in range(q):
                    scores[i, c] += unseen[j, c]
    return finite
