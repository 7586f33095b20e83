"""Pictures, as scikit-learn's displays: made from a fitted model or from rows, drawn on axes given or new.

matplotlib is asked for only when something is drawn.
"""

from discriminant.plots.decision_line import DecisionLineDisplay
from discriminant.plots.epochs import EpochsDisplay
from discriminant.plots.losses import LossesDisplay
from discriminant.plots.step_sizes import StepSizesDisplay

__all__ = ["DecisionLineDisplay", "EpochsDisplay", "LossesDisplay", "StepSizesDisplay"]
