"""
A bad and a good projection
===========================

Two ellipses, the direction of their means and Fisher's, and what is left of the classes on each.
"""

from discriminant import ClassMoments
from discriminant.plots import PopulationsDisplay

moments = ClassMoments.of_parameters([0.5, 0.5], [[0, 0], [2, 1]], [[4.0, 0.0], [0.0, 0.2]], classes=["a", "b"])
PopulationsDisplay.from_moments(moments)
