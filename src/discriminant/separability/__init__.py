"""A plane between two classes, or a proof that there is none; and how many rows a plane can be expected to part."""

from discriminant.separability.capacity import Capacity, capacity, cover_probability, ripley_probability
from discriminant.separability.proof import CommonPoint
from discriminant.separability.separation import (
    NotSeparableError,
    Separation,
    Separations,
    common_point,
    separate,
    separate_rows,
    separate_source,
    separating_plane,
)

__all__ = [
    "Capacity",
    "CommonPoint",
    "NotSeparableError",
    "Separation",
    "Separations",
    "capacity",
    "common_point",
    "cover_probability",
    "ripley_probability",
    "separate",
    "separate_rows",
    "separate_source",
    "separating_plane",
]
