"""Pictures, as scikit-learn's displays: made from a fitted model or from rows, drawn on axes given or new.

matplotlib is asked for only when something is drawn.
"""

from discriminant.plots.capacity import CapacityDisplay
from discriminant.plots.comparison import ComparisonDisplay
from discriminant.plots.confusion import ConfusionDisplay
from discriminant.plots.decision_line import DecisionLineDisplay
from discriminant.plots.diagrams import UnitDiagramDisplay
from discriminant.plots.discriminant_scatter import DiscriminantScatterDisplay
from discriminant.plots.epochs import EpochsDisplay
from discriminant.plots.gain import GainDisplay
from discriminant.plots.losses import LossesDisplay
from discriminant.plots.operating import OperatingCurveDisplay
from discriminant.plots.plane_lines import GeometryDisplay, PlanesDisplay
from discriminant.plots.populations import PopulationsDisplay
from discriminant.plots.projection import ProjectionDisplay
from discriminant.plots.regions import RegionsDisplay
from discriminant.plots.slopes import SlopeDisplay
from discriminant.plots.spaces import SpacesDisplay
from discriminant.plots.step_sizes import StepSizesDisplay
from discriminant.plots.weights import WeightsDisplay

__all__ = [
    "CapacityDisplay",
    "ComparisonDisplay",
    "ConfusionDisplay",
    "DecisionLineDisplay",
    "DiscriminantScatterDisplay",
    "EpochsDisplay",
    "GainDisplay",
    "GeometryDisplay",
    "LossesDisplay",
    "OperatingCurveDisplay",
    "PlanesDisplay",
    "PopulationsDisplay",
    "ProjectionDisplay",
    "RegionsDisplay",
    "SlopeDisplay",
    "SpacesDisplay",
    "StepSizesDisplay",
    "UnitDiagramDisplay",
    "WeightsDisplay",
]
