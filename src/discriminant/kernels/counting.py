"""Sums of columns by class, counts of categories by class, and scores looked up from them."""

import numpy as np

from discriminant.kernels.compiled import Array, compiled, compiled_reassociating


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


@sum_by_class.in_numpy
def _sum_by_class(
    X: Array, codes: Array, weight: Array, presence: bool, counts: Array, sums: Array
) -> tuple[bool, float]:
    inside = (codes == np.arange(counts.size)[:, None]) * (weight if weight.size else 1.0)
    counts += inside.sum(axis=1)
    sums += inside @ ((X > 0).astype(np.float64) if presence else X)
    return bool(np.isfinite(X).all()), float(X.min(initial=0.0))


@compiled
def count_categories(X: Array, codes: Array, weight: Array, lows: Array, starts: Array, tables: Array) -> None:
    """tables[k, starts[j] + x − lows[j]] += ω for every cell."""
    n, d = X.shape
    for i in range(n):
        omega = 1.0 if weight.size == 0 else weight[i]
        for j in range(d):
            tables[codes[i], starts[j] + int(X[i, j]) - lows[j]] += omega


@count_categories.in_numpy
def _count_categories(X: Array, codes: Array, weight: Array, lows: Array, starts: Array, tables: Array) -> None:
    places = X.astype(np.int64) + (starts[: X.shape[1]] - lows) + codes[:, None] * np.int64(tables.shape[1])
    repeated = np.repeat(weight, X.shape[1]) if weight.size else None
    tables += np.bincount(places.ravel(), repeated, minlength=tables.size).reshape(tables.shape)


@compiled
def widen_ranges(X: Array, lows: Array, highs: Array) -> tuple[bool, bool]:
    """Widen (lows, highs) of the columns to take X in. Returns whether all cells are finite, and whole numbers."""
    n, d = X.shape
    finite, whole = True, True
    for i in range(n):
        for j in range(d):
            x = X[i, j]
            finite &= x - x == 0.0
            whole &= x == np.floor(x)
            lows[j] = min(lows[j], x)
            highs[j] = max(highs[j], x)
    return finite, whole


@widen_ranges.in_numpy
def _widen_ranges(X: Array, lows: Array, highs: Array) -> tuple[bool, bool]:
    np.minimum(lows, X.min(axis=0), out=lows)
    np.maximum(highs, X.max(axis=0), out=highs)
    return bool(np.isfinite(X).all()), bool((np.floor(X) == X).all())


@compiled
def add_lookups(
    X: Array, lows: Array, starts: Array, tables: Array, unseen: Array, intercept: Array, scores: Array
) -> bool:
    """scores[i, c] = intercept[c] + Σ_j tables[c, starts[j] + x − lows[j]], or unseen[c, j] outside the table.

    Returns whether every cell was finite.
    """
    n, d = X.shape
    finite = True
    for i in range(n):
        for c in range(intercept.size):
            score = intercept[c]
            for j in range(d):
                place = X[i, j] - lows[j]
                finite &= place - place == 0.0
                if 0 <= place < starts[j + 1] - starts[j] and place == np.floor(place):
                    score += tables[c, starts[j] + int(place)]
                else:
                    score += unseen[c, j]
            scores[i, c] = score
    return finite


@add_lookups.in_numpy
def _add_lookups(
    X: Array, lows: Array, starts: Array, tables: Array, unseen: Array, intercept: Array, scores: Array
) -> bool:
    place = X - lows
    with np.errstate(invalid="ignore"):
        known = (place >= 0) & (place < np.diff(starts)) & (place == np.floor(place))
    slots = starts[:-1] + np.where(known, place, 0.0).astype(np.int64)
    for c, start in enumerate(intercept):
        scores[:, c] = start + np.where(known, tables[c, slots], unseen[c]).sum(axis=1)
    return bool(np.isfinite(place).all())


@compiled_reassociating
def score_present(X: Array, coef: Array, intercept: Array, scores: Array) -> bool:
    """scores[i, c] = intercept[c] + Σ_j coef[c, j][x > 0]. Returns whether every cell was finite."""
    n, d = X.shape
    doubt = 0.0  # x − x is zero for every finite x, and NaN for the others
    for i in range(n):
        for j in range(d):
            doubt += X[i, j] - X[i, j]
        for c in range(intercept.size):
            score = intercept[c]
            for j in range(d):
                score += coef[c, j] if X[i, j] > 0.0 else 0.0
            scores[i, c] = score
    return doubt == 0.0


@score_present.in_numpy
def _score_present(X: Array, coef: Array, intercept: Array, scores: Array) -> bool:
    np.matmul((X > 0.0).astype(np.float64), coef.T, out=scores)
    scores += intercept
    return bool(np.isfinite(X).all())
