"""
Cover's curve
=============

How likely it is that random labels are separable, for one's own rows and columns.
"""

from sklearn.datasets import load_iris

from discriminant.plots import CapacityDisplay

CapacityDisplay.from_data(load_iris().data)
