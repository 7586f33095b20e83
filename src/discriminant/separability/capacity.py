"""How many rows a plane can part whatever their labels: Cover's count, and Ripley's approximation beside it.

Of the 2ⁿ ways to label n points in general position, planes through the origin of N dimensions part

    C(n, N) = 2 Σ_{k<N} (n−1 choose k)                                   (Cover 1965)

so labels of a fair coin are separable with probability C(n, N)/2ⁿ = P(B ≤ N − 1), B binomial with n − 1 throws of ½:
certain up to n = N, exactly ½ at n = 2N, and soon hopeless beyond. A plane anywhere in d columns is one through the
origin of N = d + 1 dimensions, the threshold being one more weight. For large N the probability is near Φ((2N − n)/√n)
(Ripley 1996), which Haralick's notes give with Z for n.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import comb, exp, expm1, lgamma, log, log1p, pi, sqrt
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr, ndtr

from discriminant.exact.residues import Echelon, outside_span
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import column_labels, read_matrix, refuse_non_finite
from discriminant.rows.memory import refuse_empty
from discriminant.separability.signed_rows import points_of

_MOST_RANK = 1000  # beyond it, exact ranks take longer than a person waits
_LARGEST = 2**53
_FEW = 100  # rows, of which whole numbers count the labels

# --- the two probabilities ------------------------------------------------------------------------------


def cover_probability(n: ArrayLike, d: ArrayLike, *, homogeneous: bool = False, log: bool = False) -> Any:
    """The probability that n random labels of points in general position in d columns are separable.

    Parameters
    ----------
    n, d : the numbers of points and of columns; arrays are broadcast.
    homogeneous : asks it of planes through the origin only, N = d in place of N = d + 1.
    log : returns its natural logarithm, which is right where the probability underflows.

    Returns
    -------
    float or array
        P(B ≤ N − 1) for B binomial with n − 1 throws of a fair coin.

    Examples
    --------
    >>> cover_probability(4, 2), cover_probability(6, 2), cover_probability(120, 60, homogeneous=True)
    (0.875, 0.5, 0.5)
    """
    return _broadcast(lambda z, N: _log_cover(z, N) if log else _cover(z, N), n, d, homogeneous)


def ripley_probability(n: ArrayLike, d: ArrayLike, *, homogeneous: bool = False, log: bool = False) -> Any:
    """Φ((2N − n)/√n), near `cover_probability` for large N.

    Parameters
    ----------
    n, d, homogeneous, log : as for `cover_probability`.

    Returns
    -------
    float or array
        The approximation, or its logarithm.

    Examples
    --------
    >>> ripley_probability(6, 2), round(ripley_probability(4, 2), 3), cover_probability(4, 2)
    (0.5, 0.841, 0.875)
    """
    phi = log_ndtr if log else ndtr
    return _broadcast(lambda z, N: float(phi((2 * N - z) / sqrt(z))), n, d, homogeneous)


def _broadcast(f: Callable[[int, int], float], n: ArrayLike, d: ArrayLike, homogeneous: bool) -> Any:
    """f(n, N) of each pair; a float for two numbers, an array for arrays."""
    pairs = np.broadcast(np.asarray(n, dtype=object), np.asarray(d, dtype=object))
    more = 0 if homogeneous else 1
    values = [f(_count(a, "n"), _count(b, "d") + more) for a, b in pairs]
    return np.array(values, dtype=float).reshape(pairs.shape) if pairs.shape else values[0]


def _count(value: Any, name: str) -> int:
    try:
        count = index(value.item() if isinstance(value, np.generic) else value)
    except TypeError:
        if not (isinstance(value, float) and value.is_integer()):
            raise TypeError(f"{name} must be a whole number, got {value!r}") from None
        count = int(value)
    if not 1 <= count <= _LARGEST:
        raise ValueError(f"{name} must be a whole number from 1 to 2⁵³, got {value!r}")
    return count


def _cover(n: int, N: int) -> float:
    if n <= _FEW:
        return float(Fraction(sum(comb(n - 1, k) for k in range(min(N, n))), 2 ** (n - 1)))
    if n == 2 * N:
        return 0.5
    return exp(_log_cover(n, N)) if n > 2 * N else 1.0 - exp(_log_lower_tail(n - 1, n - 1 - N))


def _log_cover(n: int, N: int) -> float:
    """Above ½ by the other tail, which is small and so loses nothing in 1 − tail."""
    if n >= 2 * N:
        return _log_lower_tail(n - 1, N - 1)
    return log1p(-exp(_log_lower_tail(n - 1, n - 1 - N)))


def _log_lower_tail(m: int, k: int) -> float:
    """log P(B ≤ k) for k < m/2: the term of k times 1 + k/(m−k+1) + …, whose ratios fall."""
    if k < 0:
        return -np.inf
    total, product, start = 1.0, 1.0, 0
    while product > 1e-18 * total and start < k:
        j = np.arange(start, min(start + 4096, k), dtype=np.float64)
        products = product * np.cumprod((k - j) / (m - k + 1 + j))
        total, product, start = total + float(products.sum()), float(products[-1]), start + j.size
    return _log_binomial(m, k) + log(total)


def _log_binomial(m: int, k: int) -> float:
    """log of (m choose k)/2^m, by Stirling's series and the deviance from m/2: nothing large cancels (Loader 2000)."""
    if k in (0, m):
        return -m * log(2.0)
    left = _stirling_error(m) - _stirling_error(k) - _stirling_error(m - k)
    return left - m * _deviance((2 * k - m) / m) + 0.5 * log(m / (2 * pi * k * (m - k)))


def _stirling_error(n: int) -> float:
    """log n! − log(√(2πn) (n/e)ⁿ)."""
    if n < 16:
        return lgamma(n + 1.0) - (n + 0.5) * log(n) + n - 0.5 * log(2 * pi)
    s = 1.0 / (n * n)
    return (1 / 12 - s * (1 / 360 - s * (1 / 1260 - s * (1 / 1680 - s * (1 / 1188 - s * 691 / 360360))))) / n


def _deviance(t: float) -> float:
    """½((1 + t) log(1 + t) + (1 − t) log(1 − t)) = ½ Σ t²ʲ/(j(2j − 1))."""
    if abs(t) < 0.1:
        return 0.5 * sum(t ** (2 * j) / (j * (2 * j - 1)) for j in range(12, 0, -1))
    return 0.5 * ((1 + t) * log1p(t) + (1 - t) * log1p(-t))


# --- of a table -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Capacity:
    """What n rows in d columns have room for.

    ``rank`` is the number of columns that count: constant columns, and columns that are combinations of others, give a
    plane no further freedom. ``probability`` is Cover's that random labels of such rows are separable
    (``log_probability`` its logarithm), ``ripley`` the approximation, ``half`` the number of rows at which it is ½.
    """

    n: int
    d: int
    rank: int
    probability: float
    log_probability: float
    ripley: float
    half: int

    def __str__(self) -> str:
        counted = "" if self.rank == self.d else f", of which {self.rank} count{'s' * (self.rank == 1)}"
        table = f"{self.n:,} row{'s' * (self.n != 1)} in {self.d:,} column{'s' * (self.d != 1)}{counted}"
        if self.n <= self.rank + 1:
            return f"{table}: a plane parts them whatever their labels, so it means nothing that one does"
        chance = _in_words(self.probability, self.log_probability)
        if self.probability > 0.5:
            so = "is to be expected and says little about them"
        else:
            so = "may well be luck" if self.probability > 0.01 else "is hardly luck"
        return (
            f"{table}: random labels are separable with probability {chance} (½ at {self.half:,} rows), so a plane "
            f"that parts the classes {so}"
        )


def capacity(X: Any, d: int | None = None) -> Capacity:
    """How surprising it is that a plane separates rows like these: for a table, or for n rows in d columns.

    Parameters
    ----------
    X : a table; or the number of rows n; or the pair (n, d).
    d : the number of columns, where X is the number of rows.

    Returns
    -------
    Capacity
        The probability that random labels of such rows are separable, and what follows from it.

    Examples
    --------
    >>> print(capacity(208, 60))
    208 rows in 60 columns: random labels are separable with probability 6.5e-10 (½ at 122 rows), so a plane that \
parts the classes is hardly luck
    """
    if d is None and isinstance(X, tuple) and len(X) == 2 and not any(np.ndim(v) for v in X):
        X, d = X
    if d is not None:
        n, d = _count(X, "n"), _count(d, "d")
        rank = d
    else:
        matrix = X.matrix if isinstance(X, ArrayRows) else read_matrix(X)
        refuse_empty(matrix)
        refuse_non_finite(matrix, X.names if isinstance(X, ArrayRows) else column_labels(X))
        (n, d), rank = matrix.shape, affine_rank(matrix)
    N = rank + 1
    return Capacity(n, d, rank, _cover(n, N), _log_cover(n, N), float(ndtr((2 * N - n) / sqrt(n))), half=2 * N)


def affine_rank(matrix: Any) -> int:
    """The number of columns that count: the dimension of the smallest plane that holds all rows.

    Found from a few rows, to which rows outside what they span are added. In very large tables, 1000 rows and columns
    and more, all columns are taken to count.
    """
    n, d = matrix.shape
    if min(n, d) > _MOST_RANK:
        return int(min(n - 1, d))
    places = np.linspace(0, n - 1, min(n, 2 * (d + 1))).astype(np.intp)
    while True:
        points = points_of(matrix, np.unique(places))
        outside = np.flatnonzero(outside_span(matrix, points))
        if not outside.size:
            return Echelon.of(points).rank - 1
        places = np.concatenate([places, outside[: 2 * (d + 1)]])


def _in_words(probability: float, log_probability: float) -> str:
    if probability > 0.999:
        return f"1 − {-expm1(log_probability):.2g}"
    return f"{probability:.2g}" if probability > 1e-300 else f"10^{log_probability / log(10):.0f}"
