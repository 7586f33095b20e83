"""Memory of blocks that nobody refers to any more, for the next ones of the same thread.

Large arrays come as fresh pages of the system, which sets every one of them to zero first: that takes as long as
decoding the numbers or summing them. A view of an array refers to the array it was made of, so that references tell
whether somebody still reads what stands in it.
"""

import sys
import threading

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_LEAST_NUMBERS = 1 << 17  # below, the C library has memory at hand
_MOST_HELD = 2  # arrays of a thread: one is read while the next is filled

_own = threading.local()


def numbers_for(size: int) -> Array:
    """So many floats, of any value.

    >>> numbers_for(3).shape
    (3,)
    """
    if size < _LEAST_NUMBERS:
        return np.empty(size)
    held: list[Array] = _own.__dict__.setdefault("held", [])
    for k in range(len(held)):
        if held[k].size >= size and _references(held, k) == _UNUSED:
            return held[k][:size]
    held[:] = [np.empty(size), *held[: _MOST_HELD - 1]]
    return held[0][:size]


def forget_numbers() -> None:
    """Give back what this thread holds."""
    _own.__dict__.pop("held", None)


def _references(arrays: list[Array], k: int) -> int:
    return sys.getrefcount(arrays[k])


_UNUSED = _references([np.empty(0)], 0)  # of an array that stands in a list alone, as this Python counts
