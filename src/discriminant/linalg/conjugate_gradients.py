"""Conjugate gradients: A x = c for a positive A that is only ever multiplied, given a rough inverse B.

The size √(r·Br) of what is left, r = c − Ax, is free of units: it is ‖r‖ where B is the identity.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class CGSolution:
    """x so far, the rough step Br that is left, the products it took, and whether what is left is as small as asked."""

    x: Array
    step_left: Array
    n_products: int
    reached: bool


def conjugate_gradients(
    product: Callable[[Array], Array], c: Array, rough: Callable[[Array], Array], fraction: float, most: int
) -> CGSolution:
    """Solve from x = 0 until what is left is this fraction of what was at first, or so many products were made."""
    x, r = np.zeros_like(c), c.copy()
    z = rough(r)
    direction, size = z.copy(), float(r @ z)
    enough, made = fraction**2 * size, 0
    moved = np.empty_like(c)  # vectors may be long, and new ones cost as much as the sums they are for
    while size > enough and made < most:
        along = product(direction)
        made += 1
        bend = float(direction @ along)
        if not bend > 0:
            break
        length = size / bend
        x += np.multiply(direction, length, out=moved)
        r -= np.multiply(along, length, out=moved)
        z = rough(r)
        size, before = float(r @ z), size
        direction *= size / before
        direction += z
    return CGSolution(x, z, made, size <= enough)
