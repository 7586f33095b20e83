"""
Geometry of a plane
===================

A point, the nearest point of the plane, the distance, and the parts along w and along the plane.
"""

from discriminant import Hyperplane
from discriminant.plots import GeometryDisplay

shown = GeometryDisplay.from_plane(Hyperplane([3, 4], 10), [1, 5])
shown.ax_.set_title(f"distance {shown.distance:g}")
