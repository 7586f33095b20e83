"""
Perceptron and Adaline as block diagrams
========================================

Both are a sum and a threshold. The perceptron learns from its answer, after the threshold; Adaline from the
sum, before it.
"""

from discriminant import ThresholdUnit
from discriminant.plots import UnitDiagramDisplay

perceptron = UnitDiagramDisplay.of("perceptron")

# %%
# Adaline's wire begins before the threshold.
adaline = UnitDiagramDisplay.of("adaline")

# %%
# A threshold unit with its own weights: AND.

UnitDiagramDisplay.from_estimator(ThresholdUnit.AND())
