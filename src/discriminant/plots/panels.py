"""Axes that were given, checked to be axes."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.plots.canvas import axes_for


def panels(ax: Any, shape: tuple[int, int], size: tuple[float, float]) -> NDArray[Any]:
    """The axes given, in this shape, or those of a new figure of this size in inches."""
    if ax is not None:
        for one in np.array(ax, dtype=object).flat:
            if not hasattr(one, "get_legend_handles_labels"):
                raise TypeError(f"ax must be matplotlib axes, or None for a new figure; got {one!r}")
    return axes_for(ax, shape, size)
