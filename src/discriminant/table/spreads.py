"""How the numbers of a column are distributed, in bounded memory, whatever the order and the parts they come in.

A float64 read as a whole number keeps its order. Two numbers fall into one bin where these whole numbers agree but for
their last ``shift`` bits, and ``shift`` is the least for which there are at most `MOST_BINS` bins:

    a coarser bin is a union of finer ones, so that the bins of two parts together are those of the whole.

A bin is told by the least number in it, and how many there are; with few different numbers every one has its own.
"""

from bisect import bisect_left
from dataclasses import dataclass, field
from typing import Self

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MOST_BINS = 4096
_BITS = 63


@dataclass(frozen=True, eq=False)
class Quantiles:
    """Bins in rising order: the least number of each, and how many numbers it holds."""

    values: Array = field(default_factory=lambda: np.empty(0))
    counts: Array = field(default_factory=lambda: np.empty(0))
    shift: int = 0

    @classmethod
    def of(cls, x: Array, counts: Array | None = None) -> Self:
        """The quantiles of finite numbers; ``counts`` says how often each occurs."""
        order = np.argsort(x, kind="stable") if counts is not None else None
        values = np.sort(x) if order is None else x[order]
        return cls._binned(values, np.ones(x.size) if counts is None or order is None else counts[order], 0)

    @classmethod
    def _binned(cls, values: Array, counts: Array, shift: int) -> Self:
        if values.size == 0:
            return cls()
        keys = ordered_keys(values)
        shift = _least_shift(keys, shift)
        bins = keys >> shift
        starts = np.concatenate([[0], np.flatnonzero(bins[1:] != bins[:-1]) + 1])
        return cls(values[starts], np.add.reduceat(counts, starts), shift)

    def __add__(self, other: "Quantiles") -> "Quantiles":
        if not (self.values.size and other.values.size):
            return self if self.values.size else other
        together = np.concatenate([self.values, other.values])
        order = np.argsort(together, kind="stable")
        counts = np.concatenate([self.counts, other.counts])[order]
        return Quantiles._binned(together[order], counts, max(self.shift, other.shift))

    @property
    def n(self) -> float:
        """How many numbers there are."""
        return float(self.counts.sum())

    def at(self, shares: Array) -> Array:
        """The numbers that so large shares of all are not above: each is one that occurs."""
        reached = np.cumsum(self.counts)
        places = np.searchsorted(reached, np.asarray(shares) * reached[-1] * (1 - 1e-12))
        return np.asarray(self.values[np.minimum(places, self.values.size - 1)])

    def mean(self, of: Array) -> float:
        """Σ count·f/n for values f of the bins."""
        return float(self.counts @ of / self.n)

    def without(self, place: int) -> "Quantiles":
        """The values without those of one bin."""
        return Quantiles(np.delete(self.values, place), np.delete(self.counts, place), self.shift)

    @property
    def share_of_half_the_spread(self) -> float:
        """The least share of the numbers that hold half of Σ(x − mean)²: 0.12 of normal ones, less of heavy tails."""
        scale = float(np.abs(self.values).max(initial=0.0)) or 1.0
        unit = self.values / scale
        squares = (unit - self.mean(unit)) ** 2
        order = np.argsort(-squares, kind="stable")
        held = np.cumsum((squares * self.counts)[order])
        if not held.size or held[-1] <= 0:
            return 1.0
        place = int(np.searchsorted(held, held[-1] / 2))
        before = held[place - 1] if place else 0.0
        part = (held[-1] / 2 - before) / (held[place] - before)
        rows = np.concatenate([[0.0], np.cumsum(self.counts[order])])
        return float((rows[place] + part * (rows[place + 1] - rows[place])) / self.n)


@dataclass(frozen=True)
class Spread:
    """How many numbers there are, mean, Σ(x − mean)², least, largest, quantiles, and whether they count one by one."""

    n: int = 0
    mean: float = 0.0
    squares: float = 0.0
    low: float = np.inf
    high: float = -np.inf
    first: float = np.nan
    last: float = np.nan
    counting: bool = True
    quantiles: Quantiles = field(default_factory=Quantiles, compare=False)

    @classmethod
    def of(cls, x: Array, weight: Array | None = None) -> Self:
        """The spread of numbers without blanks (``weight``: how often each occurs)."""
        if x.size == 0:
            return cls()
        low, high = float(x.min()), float(x.max())
        n = int(x.size if weight is None else weight.sum())
        largest = max(abs(low), abs(high), np.finfo(np.float64).tiny)
        exponent = 0 if largest < 1e300 else int(np.frexp(largest)[1])  # sums of the very largest would overflow
        within = np.ldexp(x, -exponent) if exponent else x
        mean = float(np.ldexp(np.average(within, weights=weight), exponent))
        with np.errstate(over="ignore", invalid="ignore"):
            away = x - mean
            squares = float(away @ away if weight is None else weight @ (away * away))
        counting = weight is None and high - low == x.size - 1 and bool((np.diff(x) == 1).all())
        return cls(n, mean, squares, low, high, float(x[0]), float(x[-1]), counting, Quantiles.of(x, weight))

    def __add__(self, other: "Spread") -> "Spread":
        if other.n == 0 or self.n == 0:
            return self if other.n == 0 else other
        n = self.n + other.n
        apart = other.mean - self.mean
        return Spread(
            n,
            self.mean + apart * (other.n / n),
            self.squares + other.squares + apart * apart * (self.n * other.n / n),
            min(self.low, other.low),
            max(self.high, other.high),
            self.first,
            other.last,
            self.counting and other.counting and other.first == self.last + 1,
            self.quantiles + other.quantiles,
        )

    @property
    def deviation(self) -> float:
        """√(Σ(x − mean)²/n)."""
        return float(np.sqrt(self.squares / self.n)) if self.n else 0.0

    @property
    def constant(self) -> bool:
        """Whether all are equal."""
        return self.n > 0 and self.low == self.high


def _least_shift(keys: NDArray[np.int64], least: int) -> int:
    """The least shift from ``least`` on that leaves no more than `MOST_BINS` bins, which fall as it grows."""

    def too_many(shift: int) -> bool:
        bins = keys >> shift
        return int(np.count_nonzero(bins[1:] != bins[:-1])) >= MOST_BINS

    if keys.size <= MOST_BINS or not too_many(least):
        return least
    return least + 1 + bisect_left(range(least + 1, _BITS), True, key=lambda shift: not too_many(shift))


def ordered_keys(values: Array) -> NDArray[np.int64]:
    """Whole numbers in the order of the floats: those of negative floats fall as the float's bits rise."""
    bits = (values + 0.0).view(np.int64)  # −0 is 0
    return bits ^ ((bits >> 63) & np.int64(2**63 - 1))
