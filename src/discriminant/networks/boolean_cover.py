"""Few products of literals for a Boolean function: Quine and McCluskey's, exactly where there are few to choose among.

A cube is a product of literals: for each input 0 (negated), 1 (as it is) or 2 (absent); as a number, those are its
digits in base 3. It is an implicant when f is 1 on all its rows, and prime when no larger cube around it is one.
"""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

Bits = NDArray[np.int8]
Mask = NDArray[np.bool_]
Cubes = NDArray[np.int8]
Numbers = NDArray[np.int64]

ABSENT = 2
_MOST_LISTED_INPUTS = 20  # a truth table of a million rows
_EXACT_CHOICES = 160  # products among which the fewest are found exactly, in about a second at worst
_MOST_COVERED = 4_000_000  # rows times products that the greedy choice looks at


def boolean_rows(k: int) -> Bits:
    """The 2^k rows of 0 and 1 in the order of a truth table: 00, 01, 10, 11, with x1 as the leading digit."""
    if not 1 <= index(k) <= _MOST_LISTED_INPUTS:
        raise ValueError(f"a table of all 2^k rows is made for 1 to {_MOST_LISTED_INPUTS} inputs, not for {k}")
    return (np.arange(1 << k)[:, None] >> np.arange(k - 1, -1, -1) & 1).astype(np.int8)


def minimal_cover(f: Mask) -> Cubes:
    """Prime implicants that cover the rows where f is 1: as few as can be, or, where they are many, nearly so."""
    cubes = _prime_implicants(f)
    covers = _covers(cubes)
    essential = _essential(covers)
    left = f.copy()
    left[covers[essential].indices] = False
    if not left.any():
        return cubes[essential]
    useful = np.flatnonzero(covers @ left.astype(float))
    open_covers = sparse.csr_array(covers[useful][:, left])
    chosen = _choose_greedily(open_covers)
    if useful.size <= _EXACT_CHOICES:
        chosen = _choose_fewest(open_covers, (cubes[useful] != ABSENT).sum(axis=1), chosen)
    return np.asarray(cubes[np.concatenate([essential, useful[chosen]])])


def _implicants(f: Mask) -> Mask:
    """For all 3^k cubes, whether f is 1 on all their rows: a cube without x_j is its two halves together."""
    k = f.size.bit_length() - 1
    cubes = f.reshape((2,) * k)
    for j in range(k - 1, -1, -1):  # the last first, so that large arrays are cut along leading axes
        cubes = np.concatenate([cubes, cubes.take([0], axis=j) & cubes.take([1], axis=j)], axis=j)
    return cubes.ravel()


def _primes(implicant: Mask, k: int) -> Numbers:
    """The implicants that are none any more without one of their literals."""
    prime = implicant.copy()
    trailing = min(k, 4)  # short axes: whole arrays along them are slow, so the few cubes left are looked up
    for j in range(k - trailing):
        halves, whole = (cubes.reshape(3**j, 3, -1) for cubes in (prime, implicant))
        np.greater(halves[:, :2], whole[:, 2:], out=halves[:, :2])
    numbers = np.flatnonzero(prime)
    for power in 3 ** np.arange(trailing):
        larger = numbers + (ABSENT - numbers // power % 3) * power
        numbers = numbers[(larger == numbers) | ~implicant[larger]]
    return numbers


def _prime_implicants(f: Mask) -> Cubes:
    """The prime implicants; only some of them, enough to cover f, where all would be too many."""
    implicant, k = _implicants(f), f.size.bit_length() - 1
    numbers = _primes(implicant, k)
    if numbers.size <= _MOST_COVERED // 4:
        cubes = _cubes_of(numbers, k)
        if (1 << (cubes == ABSENT).sum(axis=1)).sum() <= _MOST_COVERED:
            return cubes
    return _random_primes(implicant, f)


def _cubes_of(numbers: Numbers, k: int) -> Cubes:
    digits = np.empty((numbers.size, k), dtype=np.int8)
    for j in range(k):
        digits[:, j] = numbers // 3 ** (k - 1 - j) % 3
    return digits


def _random_primes(implicant: Mask, f: Mask, batch: int = 256) -> Cubes:
    """Primes around rows that no prime of this pass covers yet, by dropping literals in random order; many passes."""
    k = f.size.bit_length() - 1
    power, rows = 3 ** np.arange(k - 1, -1, -1), boolean_rows(k)
    rng = np.random.default_rng(0)
    found, size = [], 0
    while size < _MOST_COVERED:
        open_rows = f.copy()
        while open_rows.any():
            cubes = rows[rng.choice(np.flatnonzero(open_rows), batch)]
            numbers = cubes @ power
            for j in rng.permuted(np.tile(np.arange(k), (batch, 1)), axis=1).T:
                larger = numbers + (ABSENT - cubes[np.arange(batch), j]) * power[j]
                grows = np.flatnonzero(implicant[larger])
                numbers[grows], cubes[grows, j[grows]] = larger[grows], ABSENT
            covered = _covers(cubes).indices
            open_rows[covered] = False
            found.append(numbers)
            size += covered.size
    return _cubes_of(np.unique(np.concatenate(found)), k)


def _covers(cubes: Cubes) -> Any:
    """The rows of the truth table each cube covers, as ones in a sparse matrix."""
    n, k = cubes.shape
    power = 1 << np.arange(k - 1, -1, -1)
    absent = cubes == ABSENT
    owners, rows = [], []
    for free in np.unique(absent.sum(axis=1)).tolist():
        mine = np.flatnonzero(absent.sum(axis=1) == free)
        covered = ((cubes[mine] == 1) @ power)[:, None]
        for weight in power[np.nonzero(absent[mine])[1].reshape(mine.size, free)].T:
            covered = np.hstack([covered, covered + weight[:, None]])
        owners.append(np.repeat(mine, 1 << free))
        rows.append(covered.ravel())
    owner, row = np.concatenate(owners), np.concatenate(rows)
    return sparse.csr_array((np.ones(row.size), (owner, row)), shape=(n, 1 << k))


def _owner_of_each(covers: Any) -> NDArray[np.intp]:
    """The cube of each entry."""
    return np.repeat(np.arange(covers.shape[0]), np.diff(covers.indptr))


def _essential(covers: Any) -> NDArray[np.intp]:
    """The cubes that alone cover some row."""
    times = np.bincount(covers.indices, minlength=covers.shape[1])
    return np.unique(_owner_of_each(covers)[times[covers.indices] == 1])


def _choose_greedily(covers: Any) -> NDArray[np.intp]:
    """Cubes that cover every row, each time those that cover the most new rows; then without the superfluous."""
    open_rows = np.ones(covers.shape[1], dtype=bool)
    rarity = 1.0 / np.bincount(covers.indices, minlength=covers.shape[1])
    chosen: list[int] = []
    while open_rows.any():
        gains = covers @ open_rows.astype(float)
        best = np.flatnonzero(gains == gains.max())
        among = covers[best]
        new = open_rows[among.indices]
        owner, row = _owner_of_each(among)[new], among.indices[new]
        # Of the best, all are taken at once that do not share a new row with one of rarer rows.
        rank = np.argsort(np.argsort(np.bincount(owner, rarity[row]), kind="stable"))
        first = np.full(open_rows.size, -1)
        np.maximum.at(first, row, rank[owner])
        taken = np.bincount(owner[first[row] == rank[owner]], minlength=best.size) == gains.max()
        open_rows[row[taken[owner]]] = False
        chosen += best[taken].tolist()
    return _drop_superfluous(covers, chosen)


def _drop_superfluous(covers: Any, chosen: Sequence[int]) -> NDArray[np.intp]:
    """The chosen cubes without those whose rows the others cover, the last chosen considered first."""
    times = np.bincount(covers[list(chosen)].indices, minlength=covers.shape[1])
    kept = []
    for i in reversed(chosen):
        rows = covers.indices[covers.indptr[i] : covers.indptr[i + 1]]
        if (times[rows] > 1).all():
            times[rows] -= 1
        else:
            kept.append(i)
    return np.array(kept, dtype=np.intp)


def _choose_fewest(covers: Any, literals: Numbers, fallback: NDArray[np.intp]) -> NDArray[np.intp]:
    """The fewest cubes that cover every row, then the fewest literals: min Σ cost·z s.t. A z ≥ 1, z ∈ {0, 1}."""
    cost = 1 + literals / (1 + literals.sum())
    found = milp(
        cost,
        constraints=LinearConstraint(covers.T, lb=1),
        integrality=np.ones(cost.size),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0, "node_limit": 1000},
    )
    if found.x is None:
        return fallback
    chosen = np.flatnonzero(found.x > 0.5)
    return chosen if cost[chosen].sum() <= cost[fallback].sum() else fallback
