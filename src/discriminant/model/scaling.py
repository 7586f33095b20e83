"""Steps of a pipeline that shift and stretch each column by itself: x -> (x − centre)/scale.

Two in a row are one: ((x − c₁)/s₁ − c₂)/s₂ = (x − (c₁ + s₁c₂))/(s₁s₂).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Scaling:
    """(x − centre)/scale of each column."""

    centre: Array
    scale: Array

    def then(self, other: "Scaling") -> "Scaling":
        """This one first, the other next."""
        return Scaling(self.centre + self.scale * other.centre, self.scale * other.scale)


def scaling_of(steps: list[tuple[str, Any]], d: int) -> Scaling:
    """What all steps together do to d columns; a step that does anything else is refused by its name."""
    whole = Scaling(np.zeros(d), np.ones(d))
    for name, step in steps:
        whole = whole.then(_of_step(name, step, d))
    return whole


def _of_step(name: str, step: Any, d: int) -> Scaling:
    zeros, ones = np.zeros(d), np.ones(d)
    if step is None or step == "passthrough" or (isinstance(step, FunctionTransformer) and step.func is None):
        return Scaling(zeros, ones)
    if isinstance(step, StandardScaler):
        return Scaling(_or(step.mean_ if step.with_mean else None, zeros), _or(step.scale_, ones))
    if isinstance(step, RobustScaler):
        return Scaling(_or(step.center_, zeros), _or(step.scale_, ones))
    if isinstance(step, MaxAbsScaler) and not getattr(step, "clip", False):
        return Scaling(zeros, _or(step.scale_, ones))
    if isinstance(step, MinMaxScaler) and not step.clip:
        return Scaling(-step.min_ / step.scale_, 1.0 / step.scale_)
    raise TypeError(
        f"the step {name!r} ({type(step).__name__}) of the pipeline does more than shift and stretch columns; a model "
        "file holds StandardScaler, RobustScaler, MinMaxScaler and MaxAbsScaler before a linear classifier"
    )


def _or(values: Any, otherwise: Array) -> Array:
    return otherwise if values is None else np.asarray(values, dtype=np.float64)
