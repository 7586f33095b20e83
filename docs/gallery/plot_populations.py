"""
A bad and a good projection
===========================

Two ellipses, the direction of their means and Fisher's, and what is left of the classes on each.
"""

from discriminant import ClassMoments
from discriminant.plots import PopulationsDisplay

means, covariance = [[0, 0], [3, 1]], [[4.0, 3.4], [3.4, 3.2]]
moments = ClassMoments.of_parameters([0.5, 0.5], means, covariance, classes=["a", "b"])
PopulationsDisplay.from_moments(moments)
