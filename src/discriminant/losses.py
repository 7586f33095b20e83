"""Losses of the margin m = c(w·x − θ), side by side: value, slope and curvature, one line each.

A row is a mistake where m ≤ 0. What a loss lacks (convexity, a slope everywhere, a bound on the number of mistakes)
is part of it, so that whoever minimises it can refuse the wrong one clearly.

>>> {name: loss.value(np.array([-1.0, 0.5])).round(3).tolist() for name, loss in LOSSES.items() if loss.convex}
{'perceptron': [1.0, 0.0], 'squared': [4.0, 0.25], 'hinge': [2.0, 0.5], 'squared hinge': [4.0, 0.25], \
'logistic': [1.313, 0.474]}
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit

Array = NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Loss:
    """ℓ(m), ℓ′(m) and ℓ″(m) of arrays of margins.

    Where ℓ has a kink, ``slope`` is the one-sided slope that learns from a row on the kink's wrong side, and
    ``curvature`` leaves the kink out.

    Attributes
    ----------
    name : by which other functions take it.
    convex, smooth : whether ℓ is convex; whether it has a continuous slope.
    steepest_curvature : the largest ℓ″ where ℓ is smooth, else infinity.
    bound_factor : the least a with a·ℓ(m) ≥ 1 for every mistake (so that a·Σℓ bounds their number); infinity if none.

    Examples
    --------
    >>> HINGE.value(np.array([-1.0, 0.5, 2.0])).tolist(), HINGE.smooth
    ([2.0, 0.5, 0.0], False)
    """

    name: str
    value: Callable[[Array], Array]
    slope: Callable[[Array], Array]
    curvature: Callable[[Array], Array]
    convex: bool
    smooth: bool
    steepest_curvature: float
    bound_factor: float

    @property
    def bounds_zero_one(self) -> bool:
        """Whether ℓ itself lies nowhere below the zero-one loss."""
        return self.bound_factor <= 1.0

    def require(self, *, by: str, convex: bool = False, smooth: bool = False) -> None:
        """Raise where this loss lacks what a method needs of it.

        Parameters
        ----------
        by : what asks for it, for the message.
        convex, smooth : what it needs.

        Examples
        --------
        >>> HINGE.require(by="subgradient descent", convex=True)
        """
        fit = _names(lambda loss: (loss.convex or not convex) and (loss.smooth or not smooth))
        if convex and not self.convex:
            raise ValueError(
                f"{by} cannot minimise the {self.name} loss: it is flat except for a jump, so no slope leads downhill; "
                f"take one of {fit}"
            )
        if smooth and not self.smooth:
            # what is convex is continuous, so only the others can jump
            raise ValueError(
                f"{by} needs a loss with a continuous slope, and the {self.name} loss has a "
                f"{'kink' if self.convex else 'jump'}; take one of {fit}"
            )


def zeros(m: Array) -> Array:
    """The slope of what is flat and the curvature of what is straight."""
    return np.zeros_like(m, dtype=np.float64)


ZERO_ONE = Loss(
    "zero-one",
    value=lambda m: np.where(m <= 0, 1.0, 0.0),
    slope=zeros,
    curvature=zeros,
    convex=False,
    smooth=False,
    steepest_curvature=np.inf,
    bound_factor=1.0,
)
PERCEPTRON = Loss(
    "perceptron",
    value=lambda m: np.maximum(0.0, -m),
    slope=lambda m: np.where(m <= 0, -1.0, 0.0),
    curvature=zeros,
    convex=True,
    smooth=False,
    steepest_curvature=np.inf,
    bound_factor=np.inf,
)
SQUARED = Loss(
    "squared",
    value=lambda m: (1.0 - m) ** 2,
    slope=lambda m: -2.0 * (1.0 - m),
    curvature=lambda m: np.full_like(m, 2.0, dtype=np.float64),
    convex=True,
    smooth=True,
    steepest_curvature=2.0,
    bound_factor=1.0,
)
HINGE = Loss(
    "hinge",
    value=lambda m: np.maximum(0.0, 1.0 - m),
    slope=lambda m: np.where(m < 1, -1.0, 0.0),
    curvature=zeros,
    convex=True,
    smooth=False,
    steepest_curvature=np.inf,
    bound_factor=1.0,
)
SQUARED_HINGE = Loss(
    "squared hinge",
    value=lambda m: np.maximum(0.0, 1.0 - m) ** 2,
    slope=lambda m: -2.0 * np.maximum(0.0, 1.0 - m),
    curvature=lambda m: np.where(m < 1, 2.0, 0.0),
    convex=True,
    smooth=True,
    steepest_curvature=2.0,
    bound_factor=1.0,
)
LOGISTIC = Loss(
    "logistic",
    value=lambda m: np.logaddexp(0.0, -m),
    slope=lambda m: -expit(-m),
    curvature=lambda m: expit(m) * expit(-m),
    convex=True,
    smooth=True,
    steepest_curvature=0.25,
    bound_factor=1.0 / np.log(2.0),
)

LOSSES = {loss.name: loss for loss in (ZERO_ONE, PERCEPTRON, SQUARED, HINGE, SQUARED_HINGE, LOGISTIC)}


def loss_named(name: str | Loss) -> Loss:
    """The loss of this name ("squared_hinge" and "squared hinge" are one), or a clear error."""
    if isinstance(name, Loss):
        return name
    found = LOSSES.get(name.replace("_", " ")) if isinstance(name, str) else None
    if found is None:
        raise ValueError(f"loss must be one of {', '.join(map(repr, LOSSES))}, got {name!r}")
    return found


def _names(which: Callable[[Loss], bool]) -> str:
    return ", ".join(repr(loss.name) for loss in LOSSES.values() if which(loss))


def log_softmax(scores: Array, slope: float = 1.0, offsets: ArrayLike = 0.0) -> Array:
    """log of exp(slope·s_k + o_k)/Σ_j exp(slope·s_j + o_j) of each row, whatever the size of the scores.

    Measured from the largest term, or what all scores have in common would swallow the logarithm of the sum.

    >>> np.exp(log_softmax(np.array([[1e16, 1e16, 0.0]]))).tolist()
    [[0.5, 0.5, 0.0]]
    """
    first = scores.max(axis=1, keepdims=True) if slope >= 0 else scores.min(axis=1, keepdims=True)
    with np.errstate(over="ignore"):
        apart = np.clip(scores - first, -_LARGEST, _LARGEST)
        terms = slope * apart + np.asarray(offsets)
        terms = terms - terms.max(axis=1, keepdims=True)
    return np.asarray(terms - np.logaddexp.reduce(terms, axis=1)[:, None])
