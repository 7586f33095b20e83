"""Step sizes δ(t) of the updates t = 0, 1, 2, …, and whether they are fit for stochastic steps.

A stochastic rule approaches its optimum where the steps are long enough to get there from anywhere, Σδ(t) = ∞, and
fall fast enough for the noise to die out, Σδ(t)² < ∞ (Robbins and Monro). For δ(t) ~ t^−p that is ½ < p ≤ 1.

>>> step = Power(0.1, decay=70)
>>> step(np.array([0, 70])).tolist()
[0.1, 0.05]
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.parameters import real_array

Array = NDArray[np.float64]

_EXPECTED = "a schedule must give one finite positive step for every update t = 0, 1, 2, …"
_FARTHEST = 1e15  # about the last t a float counts exactly
_PER_DECADE = 8
# Local exponents that agree this well over the last two decades are those of a power.
_SETTLED = 1e-5
# A factor (log t)^q, of any q, is still 7.5 times as far from its limit as it moved over those decades.
_LOGARITHMS = 10.0


class Schedule(ABC):
    """δ(t) of an array of update numbers t."""

    def __call__(self, t: ArrayLike) -> Array:
        """δ(t), in the shape of t."""
        numbers = real_array(t, "t")
        bad = ~((numbers >= 0) & np.isfinite(numbers))
        if bad.any():
            raise ValueError(f"t is {numbers[bad].flat[0]}; updates are numbered 0, 1, 2, …")
        return self._steps(numbers)

    def of_updates(self, first: int, n: int) -> Array:
        """δ(first), …, δ(first + n − 1)."""
        return self._steps(np.arange(first, first + n, dtype=np.float64))

    @abstractmethod
    def _steps(self, t: Array) -> Array: ...


@dataclass(frozen=True)
class Constant(Schedule):
    """δ(t) = eta."""

    eta: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", _positive(self.eta, "eta"))

    def of_updates(self, first: int, n: int) -> Array:
        """The steps of the next n updates, all the same."""
        return np.full(n, self.eta)

    def _steps(self, t: Array) -> Array:
        return np.full(t.shape, self.eta)


@dataclass(frozen=True)
class Power(Schedule):
    """δ(t) = eta/(1 + t/decay)^exponent.

    >>> Power(0.5, decay=100, exponent=1)([0, 100, 300]).tolist()
    [0.5, 0.25, 0.125]
    """

    eta: float
    decay: float = 1.0
    exponent: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "eta", _positive(self.eta, "eta"))
        object.__setattr__(self, "decay", _positive(self.decay, "decay"))
        object.__setattr__(self, "exponent", _positive(self.exponent, "exponent", or_zero=True))

    def _steps(self, t: Array) -> Array:
        with np.errstate(over="ignore", under="ignore"):  # a step too short for a float is zero
            return np.asarray(self.eta / (1.0 + t / self.decay) ** self.exponent)


def Inverse(eta: float, decay: float = 1.0) -> Power:
    """δ(t) = eta/(1 + t/decay), which halves after ``decay`` updates."""
    return Power(eta, decay, 1.0)


@dataclass(frozen=True)
class Custom(Schedule):
    """δ(t) = function(t), for a function of an array of update numbers or of one (then an int) at a time."""

    function: Callable[[Any], Any]

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise TypeError(f"function must be callable, got {self.function!r}; {_EXPECTED}")

    def _steps(self, t: Array) -> Array:
        steps = self._given(t)
        _refuse(t, steps, ~(steps > 0))
        return steps

    def _given(self, t: Array) -> Array:
        """What the function gives: finite, and not below zero."""
        flat = t.ravel()
        steps = self._together(flat)
        if steps is None:
            steps = np.array([self._single(int(v) if v.is_integer() else v) for v in flat.tolist()], dtype=np.float64)
        steps = steps.reshape(t.shape)
        _refuse(t, steps, ~((steps >= 0) & np.isfinite(steps)))
        return steps

    def _together(self, t: Array) -> Array | None:
        """All steps from one call, or None for a function that takes one t at a time."""
        # two at least, or an array of one hides a function that always gives one; a copy, for it may be written to
        asked = np.repeat(t, 2) if t.size == 1 else t.copy()
        try:
            with np.errstate(all="ignore"):  # looked for afterwards, in the steps
                steps = np.asarray(self.function(asked))
        except Exception:
            return None
        if steps.shape != asked.shape or steps.dtype.kind not in "fiu":
            return None
        return steps[: t.size].astype(np.float64)

    def _single(self, t: float) -> float:
        try:
            with np.errstate(all="ignore"):
                given = self.function(t)
        except Exception as error:
            raise ValueError(f"the schedule fails at t = {t} ({type(error).__name__}: {error}); {_EXPECTED}") from error
        value = given.item() if isinstance(given, np.generic | np.ndarray) and given.ndim == 0 else given
        if not isinstance(value, Real) or isinstance(value, bool):
            raise ValueError(f"the schedule gives {given!r} at t = {t}; {_EXPECTED}")
        try:
            return float(value)
        except OverflowError:  # an integer beyond the floats
            return math.inf


def read_schedule(schedule: Any, eta: float, *, decay: float = 1.0) -> Schedule:
    """The schedule of a name, with first step eta; a Schedule as it is; any other callable as δ(t) itself.

    "constant" is eta, "inverse" eta/(1 + t/decay) and "inverse-sqrt" eta/√(1 + t/decay). With the number of rows for
    ``decay``, "inverse" has halved the step after one epoch.
    """
    if isinstance(schedule, Schedule):
        return schedule
    if callable(schedule) and not isinstance(schedule, type):
        return Custom(schedule)
    match schedule.replace("_", "-") if isinstance(schedule, str) else None:
        case "constant":
            return Constant(eta)
        case "inverse":
            return Inverse(eta, decay)
        case "inverse-sqrt":
            return Power(eta, decay, 0.5)
    raise ValueError(
        "schedule must be 'constant', 'inverse', 'inverse-sqrt', a Schedule or a function of the update number t, "
        f"got {schedule!r}"
    )


# --- the conditions for stochastic steps ----------------------------------------------------------------


@dataclass(frozen=True)
class StochasticConditions:
    """Whether Σδ(t) = ∞ and Σδ(t)² < ∞, where δ(t) falls like t^−exponent; None where it cannot be told.

    ``proved`` says that this follows from the formula; else it was estimated from values of δ.
    """

    sum_diverges: bool | None
    squares_converge: bool | None
    proved: bool
    exponent: float

    @property
    def satisfied(self) -> bool | None:
        """Whether both hold; None where it cannot be told."""
        both = (self.sum_diverges, self.squares_converge)
        if False in both:
            return False
        return None if None in both else True

    def __str__(self) -> str:
        sums = {True: "Σδ(t) = ∞", False: "Σδ(t) < ∞", None: "whether Σδ(t) = ∞ cannot be told"}
        squares = {True: "Σδ(t)² < ∞", False: "Σδ(t)² = ∞", None: "whether Σδ(t)² < ∞ cannot be told"}
        verdict = {
            True: "the conditions for stochastic steps hold",
            False: "the conditions for stochastic steps fail",
            None: "whether the conditions for stochastic steps hold is open",
        }
        if self.exponent == 0:
            falls = "δ(t) does not fall"
        elif math.isinf(self.exponent):
            falls = "δ(t) falls to nothing"
        else:
            falls = f"δ(t) {'falls' if self.exponent > 0 else 'grows'} like t^{-self.exponent:.4g}"
        ground = "" if self.proved else f", judged by its values up to t = {_FARTHEST:.0e}"
        first, second = sums[self.sum_diverges], squares[self.squares_converge]
        return f"{first} and {second}: {verdict[self.satisfied]} ({falls}{ground})"


def robbins_monro(schedule: Schedule | Callable[[Any], Any]) -> StochasticConditions:
    """Whether Σδ(t) = ∞ and Σδ(t)² < ∞: from the exponent of a known family, else estimated from values of δ.

    Parameters
    ----------
    schedule : a `Schedule`, or a function of t that gives δ(t).

    Returns
    -------
    StochasticConditions
        The verdict on both sums, with what it rests on.

    Examples
    --------
    >>> print(robbins_monro(Power(1.0, exponent=0.75)))
    Σδ(t) = ∞ and Σδ(t)² < ∞: the conditions for stochastic steps hold (δ(t) falls like t^-0.75)
    """
    match schedule:
        case Constant():
            return StochasticConditions(True, False, True, 0.0)
        case Power(exponent=exponent):
            return StochasticConditions(exponent <= 1.0, exponent > 0.5, True, exponent)
        case Schedule():
            return _estimate_conditions(schedule)
    return _estimate_conditions(Custom(schedule))


def _estimate_conditions(schedule: Schedule) -> StochasticConditions:
    """Judge by the local exponents −d log δ/d log t of the last two decades before the farthest t."""
    t = np.append(np.arange(100.0), np.round(np.logspace(2, np.log10(_FARTHEST), 13 * _PER_DECADE + 1)))
    steps = schedule._given(t) if isinstance(schedule, Custom) else schedule(t)
    vanished = np.flatnonzero(steps == 0)
    if vanished.size:
        # δ that is too short for a float from some t on has finite sums; one that is zero now and then is a mistake
        _refuse(t, steps, (steps == 0) & ((t == 0) | (t < t[steps > 0].max(initial=0))))
        return StochasticConditions(False, True, False, math.inf)
    window = slice(-2 * _PER_DECADE - 1, None)
    local = -np.diff(np.log(steps[window])) / np.diff(np.log(t[window]))
    below_one, below_half = _at_most(1.0, local), _at_most(0.5, local)
    overall = float(np.average(local, weights=np.diff(np.log(t[window]))))
    return StochasticConditions(below_one, None if below_half is None else not below_half, False, overall + 0.0)


def _at_most(border: float, local: Array) -> bool | None:
    """Whether the exponents tend to the border or less; None where logarithms could carry them across it."""
    spread = float(np.ptp(local))
    if max(spread, abs(float(local[-1]) - border)) <= _SETTLED:
        return True
    reach = min(_LOGARITHMS * spread, 1.0)
    if local.max() < border - reach:
        return True
    return False if local.min() > border + reach else None


def _refuse(t: Array, steps: Array, bad: NDArray[np.bool_]) -> None:
    if bad.any():
        raise ValueError(f"the schedule gives {steps[bad][0]} at t = {t[bad][0]:.17g}; {_EXPECTED}")


def _positive(value: Any, name: str, or_zero: bool = False) -> float:
    number = real_array(value, name)
    fits = number.ndim == 0 and np.isfinite(number) and (number > 0 or (or_zero and number == 0))
    if not fits or isinstance(value, bool):
        raise ValueError(f"{name} must be one finite number {'≥ 0' if or_zero else '> 0'}, got {value!r}")
    return float(number)
