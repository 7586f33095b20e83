"""One threshold unit, and how the perceptron rule learns it.

A unit (McCulloch & Pitts 1943) fires, z = 1, when no inhibitory input is active and Σ_j w_j x_j ≥ θ. One unit is one
plane, so it computes exactly the linearly separable Boolean functions: AND, OR and NAND, but not XOR.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.hyperplane import Hyperplane
from discriminant.networks.boolean_cover import boolean_rows
from discriminant.optimise.sequential.perceptron import PerceptronState, run_stochastic
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.parameters import real_array, renamed_keywords
from discriminant.rows import ArrayRows
from discriminant.separability import CommonPoint, common_point

Array = NDArray[np.float64]
Bits = NDArray[np.int8]
Mask = NDArray[np.bool_]

_MOST_SUMS = 1 << 20


@dataclass(frozen=True)
class ThresholdUnit:
    """Fires when no inhibitory input is active and Σ_j w_j x_j ≥ θ, for inputs x_j of 0 or 1.

    Parameters
    ----------
    weights : w_j, one for each input.
    threshold : θ.
    inhibitory : numbers (from 0) of the inputs that keep the unit silent whatever the others are; their weight is 0.

    Examples
    --------
    >>> unit = ThresholdUnit([2, 1, 0], threshold=1.5, inhibitory=[2])
    >>> print(unit)
    fires when 2·x1 + x2 ≥ 1.5 and not x3
    >>> unit.fire([[1, 0, 0], [0, 1, 0], [1, 1, 1]]).tolist()
    [1, 0, 0]
    >>> ThresholdUnit.NAND().truth_table().tolist()
    [1, 1, 1, 0]
    """

    weights: Sequence[float]
    threshold: float
    inhibitory: Sequence[int] = ()

    def __post_init__(self) -> None:
        weights, threshold = real_array(self.weights, "weights"), real_array(self.threshold, "threshold")
        if weights.ndim != 1 or weights.size == 0:
            raise ValueError(f"weights must be a one-dimensional, non-empty vector, got shape {weights.shape}")
        bad = np.flatnonzero(~np.isfinite(weights))
        if bad.size:
            raise ValueError(f"weights[{bad[0]}] is {weights[bad[0]]}; every weight must be a finite number")
        with np.errstate(over="ignore"):
            if not np.isfinite(np.abs(weights).sum()):
                raise ValueError("the sum of the weights overflows; divide weights and threshold by a power of ten")
        if threshold.ndim != 0 or not np.isfinite(threshold):
            raise ValueError(f"threshold must be one finite real number, got {self.threshold!r}")
        inhibitory = _input_numbers(self.inhibitory, weights.size)
        for j in inhibitory:
            if weights[j] != 0:
                raise ValueError(f"weights[{j}] is {weights[j]:g}, but input {j} is inhibitory; give it weight 0")
        object.__setattr__(self, "weights", tuple(weights.tolist()))
        object.__setattr__(self, "threshold", float(threshold))
        object.__setattr__(self, "inhibitory", inhibitory)

    # --- the gates --------------------------------------------------------------------------------------

    @classmethod
    def AND(cls, k: int = 2) -> Self:
        """Fires when all k inputs do: Σx ≥ k.

        Parameters
        ----------
        k : how many inputs.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.AND().truth_table().tolist()
        [0, 0, 0, 1]
        """
        return cls((1.0,) * _refuse_no_inputs(k), k)

    @classmethod
    def OR(cls, k: int = 2) -> Self:
        """Fires when any of the k inputs does: Σx ≥ 1.

        Parameters
        ----------
        k : how many inputs.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.OR().truth_table().tolist()
        [0, 1, 1, 1]
        """
        return cls((1.0,) * _refuse_no_inputs(k), 1)

    @classmethod
    def NAND(cls, k: int = 2) -> Self:
        """Fires unless all k inputs do: −Σx ≥ 1 − k.

        Parameters
        ----------
        k : how many inputs.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.NAND().truth_table().tolist()
        [1, 1, 1, 0]
        """
        return cls((-1.0,) * _refuse_no_inputs(k), 1 - k)

    @classmethod
    def NOR(cls, k: int = 2) -> Self:
        """Fires when none of the k inputs does: all of them inhibit, and θ = 0.

        Parameters
        ----------
        k : how many inputs.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.NOR().truth_table().tolist()
        [1, 0, 0, 0]
        """
        return cls((0.0,) * _refuse_no_inputs(k), 0, tuple(range(k)))

    @classmethod
    def NOT(cls) -> Self:
        """Fires when its one input does not.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.NOT().truth_table().tolist()
        [1, 0]
        """
        return cls.NOR(1)

    @classmethod
    def MAJORITY(cls, k: int) -> Self:
        """Fires when more than half of the k inputs do: Σx ≥ ⌊k/2⌋ + 1.

        Parameters
        ----------
        k : how many inputs.

        Returns
        -------
        ThresholdUnit
            The gate.

        Examples
        --------
        >>> ThresholdUnit.MAJORITY(3).fire([[1, 1, 0], [1, 0, 0]]).tolist()
        [1, 0]
        """
        return cls((1.0,) * _refuse_no_inputs(k), k // 2 + 1)

    @classmethod
    @renamed_keywords(max_epochs="max_iter")
    def learn(cls, X: ArrayLike, y: ArrayLike, *, eta: float = 1.0, max_iter: int = 1000) -> "Learnt":
        """The unit the perceptron rule finds for rows X of 0 and 1 with outputs y; where it finds none, the proof why.

        Zero start, rows in order, w += η c x for each mistake c(w·x − θ) ≤ 0. All weights are then whole numbers of
        steps η, so η/2 above the θ of w·x > θ lies between the sums that fire and those that do not.

        Parameters
        ----------
        X : rows of 0 and 1.
        y : 0 or 1 for each row.
        eta : the step η.
        max_iter : the most epochs.

        Returns
        -------
        Learnt
            The unit, whether it is right on every row, the mistakes of each epoch, and perhaps the proof.

        Examples
        --------
        >>> learnt = ThresholdUnit.learn([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
        >>> learnt.converged, learnt.unit.truth_table().tolist()
        (True, [0, 0, 0, 1])
        """
        rows, outputs = _examples(X, y)
        step = real_array(eta, "eta")
        if step.ndim != 0 or not 0 < step < np.inf:
            raise ValueError(f"eta must be a positive finite number, got {eta!r}")
        if index(max_iter) < 1:
            raise ValueError(f"max_iter must be at least 1, got {max_iter}")
        w, bias, mistakes = _learn_plane(rows, outputs, float(step), max_iter)
        unit = cls(w.tolist(), -bias + float(step) / 2)
        converged = mistakes[-1] == 0
        doubtful = not converged and 0 < outputs.sum() < outputs.size
        return Learnt(unit, converged, mistakes, common_point(rows, outputs.astype(np.int8)) if doubtful else None)

    # --- what it does -----------------------------------------------------------------------------------

    @property
    def n_inputs(self) -> int:
        """The number of inputs, k."""
        return len(self.weights)

    def fire(self, X: ArrayLike) -> Bits:
        """1 where the unit fires, for one row of inputs or for each row of a table of them.

        Parameters
        ----------
        X : inputs of 0 and 1, a row of them or a table.

        Returns
        -------
        ndarray
            0 or 1, or one for each row.

        Examples
        --------
        >>> ThresholdUnit.AND().fire([[1, 1], [1, 0]]).tolist()
        [1, 0]
        """
        rows = read_bits(X, self.n_inputs)
        return Level.of((self,)).fire(np.atleast_2d(rows))[:, 0].reshape(rows.shape[:-1]).astype(np.int8)

    __call__ = fire

    def truth_table(self) -> Bits:
        """The outputs for the 2^k inputs in the order of `boolean_rows`.

        Returns
        -------
        ndarray
            2^k times 0 or 1.

        Examples
        --------
        >>> ThresholdUnit.OR().truth_table().tolist()
        [0, 1, 1, 1]
        """
        return self.fire(boolean_rows(self.n_inputs))

    @property
    def hyperplane(self) -> Hyperplane:
        """The plane w·x = θ with just the firing 0/1 inputs on its positive side, and none on it.

        θ lies midway between the sums next to the threshold, and an inhibitory input weighs enough to bring the
        largest sum down to the one below it: on 0/1 inputs absolute inhibition is a weight like any other.
        """
        sums = _subset_sums([w for w in self.weights if w])
        firing, silent = sums[sums >= self.threshold], sums[sums < self.threshold]
        gap = max(1.0, float(np.abs(sums).max()))  # where there are no sums beyond the threshold
        high = firing[0] if firing.size else silent[-1] + gap
        low = silent[-1] if silent.size else high - gap
        w = np.array(self.weights)
        w[list(self.inhibitory)] = low - sums[-1]
        if not w.any():  # constant: any direction will do, with all inputs on one side
            return Hyperplane(np.ones(w.size), -0.5 if firing.size else w.size + 0.5)
        return Hyperplane(w, low + (high - low) / 2)

    # --- words ------------------------------------------------------------------------------------------

    def __str__(self) -> str:
        inhibited = [f"not x{j + 1}" for j in self.inhibitory]
        if any(self.weights):
            return "fires when " + " and ".join([f"{self._sum('x')} ≥ {self.threshold:.6g}", *inhibited])
        if self.threshold > 0:
            return "never fires"
        return "fires when " + " and ".join(inhibited) if inhibited else "always fires"

    def formula(self, name: str = "x") -> str:
        """The unit as a Boolean formula of inputs x1, x2, … (or another name); its sum where it is no simple gate.

        Parameters
        ----------
        name : what the inputs are called.

        Returns
        -------
        str
            One line.

        Examples
        --------
        >>> ThresholdUnit.AND().formula(), ThresholdUnit.MAJORITY(3).formula()
        ('x1 ∧ x2', '[x1 + x2 + x3 ≥ 2]')
        """
        w, inhibited = np.array(self.weights), [f"¬{name}{j + 1}" for j in self.inhibitory]
        lowest, highest = w[w < 0].sum(), w[w > 0].sum()
        if self.threshold > highest:
            return "0"
        if self.threshold <= lowest:
            return " ∧ ".join(inhibited) or "1"
        if np.isin(w, (-1, 0, 1)).all():
            signs = w.copy()
            signs[list(self.inhibitory)] = -1
            literals = [f"{'¬' * bool(s < 0)}{name}{j + 1}" for j, s in enumerate(signs.tolist()) if s]
            if self.threshold > highest - 1:
                return " ∧ ".join(literals)
            if self.threshold <= lowest + 1 and not inhibited:
                return " ∨ ".join(literals)
        return " ∧ ".join([f"[{self._sum(name)} ≥ {self.threshold:.6g}]", *inhibited])

    def _sum(self, name: str) -> str:
        terms = [f"{'−' if w < 0 else '+'} {_times(abs(w))}{name}{j + 1}" for j, w in enumerate(self.weights) if w]
        first = terms[0].removeprefix("+ ").replace("− ", "−")
        return " ".join([first, *terms[1:]])


def _times(weight: float) -> str:
    return "" if weight == 1 else f"{weight:.6g}·"


def _refuse_no_inputs(k: int) -> int:
    if index(k) < 1:
        raise ValueError(f"a gate needs at least one input, got k={k}")
    return k


def _input_numbers(numbers: Any, k: int) -> tuple[int, ...]:
    try:
        places = sorted({index(j) for j in numbers})
    except TypeError as error:
        raise TypeError(f"inhibitory must be a sequence of input numbers 0 to {k - 1}, got {numbers!r}") from error
    for j in places:
        if not 0 <= j < k:
            raise ValueError(f"inhibitory names input {j}, but the inputs are 0 to {k - 1}")
    return tuple(places)


def read_bits(X: ArrayLike, k: int) -> Array:
    """One row or a table of k inputs, each 0 or 1."""
    rows = real_array(X, "inputs")
    if rows.ndim not in (1, 2) or rows.shape[-1] != k:
        raise ValueError(f"inputs must have {k} columns, x1 to x{k}; got an array of shape {rows.shape}")
    bad = np.argwhere((rows != 0) & (rows != 1))
    if bad.size:
        *row, column = bad[0].tolist()
        where = f" in row {row[0]}" if row else ""
        raise ValueError(f"x{column + 1} is {rows[tuple(bad[0])]:g}{where}; inputs are 0 or 1")
    return rows


def _subset_sums(weights: Sequence[float]) -> Array:
    """The sums Σ w_j x_j over all 0/1 inputs, ascending; added in the order in which a unit adds."""
    sums = np.zeros(1)
    for w in weights:
        sums = np.unique(np.concatenate([sums, sums + w]))
        if sums.size > _MOST_SUMS:
            raise ValueError(f"the weights have more than {_MOST_SUMS} different sums, too many to put a plane between")
    return sums


@dataclass(frozen=True, eq=False)
class Level:
    """Units side by side on the same inputs, as arrays with a column for each unit."""

    weights: NDArray[Any]
    thresholds: NDArray[Any]
    inhibitory: Mask | None  # None where weights do it

    @classmethod
    def of(cls, units: Sequence[ThresholdUnit]) -> Self:
        """A level made of these units."""
        weights = np.array([u.weights for u in units]).T
        thresholds = np.array([u.threshold for u in units])
        inhibitory = np.zeros(weights.shape, dtype=bool)
        for j, unit in enumerate(units):
            inhibitory[list(unit.inhibitory), j] = True
        reach = np.abs(weights).sum(axis=0)
        if reach.max() > 1 << 22 or (weights != np.floor(weights)).any():
            return cls(weights, thresholds, inhibitory)
        # Sums of small whole numbers are exact in any order, in float32 too; there a large weight inhibits.
        weights = np.where(inhibitory, -2 * reach - 1, weights).astype(np.float32)
        return cls(weights, np.clip(np.ceil(thresholds), -reach, reach + 1).astype(np.float32), None)

    def fire(self, rows: NDArray[Any]) -> Mask:
        """Whether each unit (columns) fires on each row."""
        if self.inhibitory is None:
            return np.asarray(rows.astype(np.float32) @ self.weights >= self.thresholds)
        # Added in the order of the inputs, so that whether a sum reaches its threshold does not depend on how
        # many rows are asked for at once.
        total = np.zeros((len(rows), self.thresholds.size))
        for j, weights in enumerate(self.weights):
            total += rows[:, j, None] * weights
        return np.asarray((total >= self.thresholds) & ~(rows.astype(bool) @ self.inhibitory))


# --- learning a unit ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Learnt:
    """What came of learning one unit: the unit, whether it is right on every row, and the mistakes of each epoch.

    ``proof`` is a point common to the hulls of both outputs, after which no unit could have learnt them; it is None
    when the rule converged, and when a unit exists but was not reached in ``max_iter`` epochs.

    >>> learnt = ThresholdUnit.learn([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    >>> learnt.converged
    False
    >>> print(learnt.proof)
    no plane separates 0 from 1: both have the mean (0.5, 0.5)
      0: ½·(0, 0) + ½·(1, 1)  [rows 0, 3]
      1: ½·(0, 1) + ½·(1, 0)  [rows 1, 2]
    """

    unit: ThresholdUnit
    converged: bool
    mistakes: tuple[int, ...]
    proof: CommonPoint | None = None

    def __str__(self) -> str:
        epochs = f"{len(self.mistakes)} epoch{'s' * (len(self.mistakes) != 1)}"
        if self.converged:
            return f"learnt in {epochs}: {self.unit}"
        return f"not learnt in {epochs}: {self.proof or 'a unit exists; allow more epochs'}"


def _examples(X: ArrayLike, y: ArrayLike) -> tuple[Array, Mask]:
    """Rows of 0 and 1, and whether each is to fire."""
    table = real_array(X, "inputs")
    if table.ndim != 2 or 0 in table.shape:
        raise ValueError(f"inputs must be a table of rows and columns, got an array of shape {table.shape}")
    outputs = real_array(y, "y")
    if outputs.shape != table.shape[:1]:
        raise ValueError(f"y must have one output for each of the {len(table)} rows, got shape {outputs.shape}")
    bad = np.flatnonzero((outputs != 0) & (outputs != 1))
    if bad.size:
        raise ValueError(f"y is {outputs[bad[0]]:g} in row {bad[0]}; outputs are 0 or 1")
    return read_bits(table, table.shape[1]), outputs == 1


def _learn_plane(X: Array, outputs: Mask, eta: float, max_epochs: int) -> tuple[Array, float, tuple[int, ...]]:
    """(w, b, mistakes in each epoch) of the perceptron rule from zero.

    From zero η only scales the weights, so the steps are counted in whole numbers and multiplied by η at the end.
    """
    visits = RowOrder.of(ArrayRows(X, np.arange(2), outputs.astype(np.int32)), shuffled=False, seed=0)
    state = PerceptronState.begin(np.zeros(X.shape[1] + 1), averaged=False)
    run_stochastic(visits, visits.signs(1), state, eta=1.0, max_epochs=max_epochs)
    return eta * state.w[:-1], eta * float(state.w[-1]), tuple(state.mistakes)
