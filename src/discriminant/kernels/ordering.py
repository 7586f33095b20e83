"""The order in which rows are visited: fingerprints that tell rows by their content, and shuffles."""

from typing import Any

import numpy as np

from discriminant.kernels.access import Rows, column, entries, value
from discriminant.kernels.compiled import Array, compiled

_MIX_A, _MIX_B, _GOLDEN = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15)
_THIRTY_ONE, _TWENTY_SEVEN, _THIRTY, _THIRTY_TWO = np.uint64(31), np.uint64(27), np.uint64(30), np.uint64(32)


@compiled
def _mix(z: Any) -> Any:
    """The finaliser of the splitmix64 generator: every bit of z stirs every bit of the result."""
    z = (z ^ (z >> _THIRTY)) * _MIX_A
    z = (z ^ (z >> _TWENTY_SEVEN)) * _MIX_B
    return z ^ (z >> _THIRTY_ONE)


@compiled
def fingerprints(rows: Rows, codes: Array, prints: Array) -> None:
    """64 bits for each row that depend on its class and its numbers other than zero, and on nothing else.

    So they are the same for dense and sparse rows, and whatever stands before or after a row.
    """
    bits = np.empty(1, np.float64)
    as_integer = bits.view(np.uint64)
    for i in range(prints.size):
        total = _mix(np.uint64(codes[i]) + _GOLDEN)
        first, last = entries(rows, i)
        for p in range(first, last):
            bits[0] = value(rows, i, p)
            if bits[0] != 0.0:
                total += _mix(as_integer[0] ^ _mix(np.uint64(column(rows, p)) + _GOLDEN))
        prints[i] = total


@compiled
def _random_below(n: int, state: Array) -> Any:
    """A number from 0 to n − 1; state[0] moves on."""
    state[0] += _GOLDEN
    return np.int64(((_mix(state[0]) >> _THIRTY_TWO) * np.uint64(n)) >> _THIRTY_TWO)


@compiled
def shuffle(order: Array, first: int, last: int, state: Array) -> None:
    """Put order[first:last] into random order."""
    for i in range(last - 1, first, -1):
        j = first + _random_below(i - first + 1, state)
        kept = order[i]
        order[i] = order[j]
        order[j] = kept


@compiled
def shuffle_in_lanes(piece: int, chunks: Array, lanes: int, order: Array, ahead: Array, state: Array) -> None:
    """All rows: several chunks of neighbours at a time, a piece of each to a window, at random within the window.

    Row numbers are laid out chunk by chunk, ``chunks`` being their numbers, in random order, and this line is cut into
    ``lanes`` of equal length; a window takes the next ``piece`` rows of every lane. ``ahead[t]`` is the row to fetch at
    visit t: those of the next window, as memory has them, so that a row is near when its turn comes.
    """
    shuffle(chunks, 0, chunks.size, state)
    n = order.size
    chunk = -(-n // chunks.size)
    place = 0
    for k in chunks:
        for i in range(k * chunk, min(k * chunk + chunk, n)):
            ahead[place] = i
            place += 1
    lane = -(-n // lanes)
    place = 0
    for first in range(0, lane, piece):
        for start in range(first, n, lane):
            for t in range(start, min(start + piece, start - first + lane, n)):
                order[place] = ahead[t]
                place += 1
    window = min(lanes * piece, n)
    for t in range(n):  # an assignment of slices takes the compiler seconds
        ahead[t] = order[t + window] if t + window < n else order[t + window - n]
    for first in range(0, n, window):
        shuffle(order, first, min(first + window, n), state)
