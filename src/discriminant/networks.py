"""Threshold logic: units that fire or do not, and networks of two levels of them.

A unit (McCulloch & Pitts 1943) fires, z = 1, when no inhibitory input is active and Σ_j w_j x_j ≥ θ. One unit is one
plane, so it computes exactly the linearly separable Boolean functions: AND, OR and NAND, but not XOR. Two levels
compute them all: a unit for each product of literals, and one that fires when any of those does.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp

from discriminant.hyperplane import Hyperplane
from discriminant.reals import real_array
from discriminant.rows.threads import over_spans
from discriminant.separability import CommonPoint, common_point

Array = NDArray[np.float64]
Bits = NDArray[np.int8]
Mask = NDArray[np.bool_]

_MOST_TABLE_INPUTS = 16
_MOST_LISTED_INPUTS = 20  # a truth table of a million rows
_MOST_SUMS = 1 << 20
_MOST_LINES = 64
_BLOCK = 1 << 18  # outputs of a level at a time, so that they stay in cache


# --- one unit -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ThresholdUnit:
    """Fires when no inhibitory input is active and Σ_j w_j x_j ≥ θ, for inputs x_j of 0 or 1.

    ``inhibitory`` numbers (from 0) the inputs that keep the unit silent whatever the others are; their weight is 0.

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
        """Fires when all k inputs do: Σx ≥ k."""
        return cls((1.0,) * _at_least_one(k), k)

    @classmethod
    def OR(cls, k: int = 2) -> Self:
        """Fires when any of the k inputs does: Σx ≥ 1."""
        return cls((1.0,) * _at_least_one(k), 1)

    @classmethod
    def NAND(cls, k: int = 2) -> Self:
        """Fires unless all k inputs do: −Σx ≥ 1 − k."""
        return cls((-1.0,) * _at_least_one(k), 1 - k)

    @classmethod
    def NOR(cls, k: int = 2) -> Self:
        """Fires when none of the k inputs does: all of them inhibit, and θ = 0."""
        return cls((0.0,) * _at_least_one(k), 0, tuple(range(k)))

    @classmethod
    def NOT(cls) -> Self:
        """Fires when its one input does not."""
        return cls.NOR(1)

    @classmethod
    def MAJORITY(cls, k: int) -> Self:
        """Fires when more than half of the k inputs do: Σx ≥ ⌊k/2⌋ + 1."""
        return cls((1.0,) * _at_least_one(k), k // 2 + 1)

    @classmethod
    def learn(cls, X: ArrayLike, y: ArrayLike, *, eta: float = 1.0, max_epochs: int = 1000) -> "Learnt":
        """The unit the perceptron rule finds for rows X of 0 and 1 with outputs y; where it finds none, the proof why.

        Zero start, rows in order, w += η c x for each mistake c(w·x − θ) ≤ 0. All weights are then whole numbers of
        steps η, so η/2 above the θ of w·x > θ lies between the sums that fire and those that do not.
        """
        rows, outputs = _examples(X, y)
        step = real_array(eta, "eta")
        if step.ndim != 0 or not 0 < step < np.inf:
            raise ValueError(f"eta must be a positive finite number, got {eta!r}")
        if index(max_epochs) < 1:
            raise ValueError(f"max_epochs must be at least 1, got {max_epochs}")
        w, bias, mistakes = _learn_plane(rows, np.where(outputs, 1.0, -1.0), float(step), max_epochs)
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
        """1 where the unit fires, for one row of inputs or for each row of a table of them."""
        rows = _bits(X, self.n_inputs)
        return _Level.of((self,)).fire(np.atleast_2d(rows))[:, 0].reshape(rows.shape[:-1]).astype(np.int8)

    __call__ = fire

    def truth_table(self) -> Bits:
        """The outputs for the 2^k inputs in the order of `boolean_rows`."""
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
        held = [f"not x{j + 1}" for j in self.inhibitory]
        if any(self.weights):
            return "fires when " + " and ".join([f"{self._sum('x')} ≥ {self.threshold:.6g}", *held])
        if self.threshold > 0:
            return "never fires"
        return "fires when " + " and ".join(held) if held else "always fires"

    def formula(self, name: str = "x") -> str:
        """The unit as a Boolean formula of inputs x1, x2, … (or another name); its sum where it is no simple gate."""
        w, held = np.array(self.weights), [f"¬{name}{j + 1}" for j in self.inhibitory]
        lowest, highest = w[w < 0].sum(), w[w > 0].sum()
        if self.threshold > highest:
            return "0"
        if self.threshold <= lowest:
            return " ∧ ".join(held) or "1"
        if np.isin(w, (-1, 0, 1)).all():
            signs = w.copy()
            signs[list(self.inhibitory)] = -1
            literals = [f"{'¬' * bool(s < 0)}{name}{j + 1}" for j, s in enumerate(signs.tolist()) if s]
            if self.threshold > highest - 1:
                return " ∧ ".join(literals)
            if self.threshold <= lowest + 1 and not held:
                return " ∨ ".join(literals)
        return " ∧ ".join([f"[{self._sum(name)} ≥ {self.threshold:.6g}]", *held])

    def _sum(self, name: str) -> str:
        terms = [f"{'−' if w < 0 else '+'} {_times(abs(w))}{name}{j + 1}" for j, w in enumerate(self.weights) if w]
        first = terms[0].removeprefix("+ ").replace("− ", "−")
        return " ".join([first, *terms[1:]])


def _times(weight: float) -> str:
    return "" if weight == 1 else f"{weight:.6g}·"


def boolean_rows(k: int) -> Bits:
    """The 2^k rows of 0 and 1 in the order of a truth table: 00, 01, 10, 11, with x1 as the leading digit."""
    if not 1 <= index(k) <= _MOST_LISTED_INPUTS:
        raise ValueError(f"a table of all 2^k rows is made for 1 to {_MOST_LISTED_INPUTS} inputs, not for {k}")
    return (np.arange(1 << k)[:, None] >> np.arange(k - 1, -1, -1) & 1).astype(np.int8)


def _at_least_one(k: int) -> int:
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


def _bits(X: ArrayLike, k: int) -> Array:
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
class _Level:
    """Units side by side on the same inputs, as arrays with a column for each unit."""

    weights: NDArray[Any]
    thresholds: NDArray[Any]
    inhibitory: Mask | None  # None where weights do it

    @classmethod
    def of(cls, units: Sequence[ThresholdUnit]) -> Self:
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
    when the rule converged, and when a unit exists but was not reached in ``max_epochs``.

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
    return _bits(table, table.shape[1]), outputs == 1


def _learn_plane(X: Array, c: Array, eta: float, max_epochs: int) -> tuple[Array, float, tuple[int, ...]]:
    """(w, b, mistakes in each epoch) of the perceptron rule from zero: (w, b) += η c (x, 1) where c(w·x + b) ≤ 0.

    From zero η only scales the weights, so the steps are counted in whole numbers and multiplied by η at the end.
    """
    signed = c[:, None] * np.column_stack([X, np.ones(len(X))])
    steps = np.zeros(signed.shape[1])
    mistakes: list[int] = []
    while len(mistakes) < max_epochs and (not mistakes or mistakes[-1]):
        mistakes.append(0)
        for v in signed:
            if v @ steps <= 0:
                steps += v
                mistakes[-1] += 1
    return eta * steps[:-1], eta * float(steps[-1]), tuple(mistakes)


# --- two levels -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ThresholdNetwork:
    """Two levels: ``hidden`` units y1, y2, … on the inputs, and one ``output`` unit z on the y.

    >>> network = ThresholdNetwork.from_truth_table([0, 1, 1, 0])
    >>> print(network)
    y1 = x1 ∧ ¬x2
    y2 = ¬x1 ∧ x2
    z = y1 ∨ y2
    >>> network == ThresholdNetwork.XOR()
    True
    >>> network.fire([[0, 1], [1, 1]]).tolist()
    [1, 0]
    """

    hidden: Sequence[ThresholdUnit]
    output: ThresholdUnit

    def __post_init__(self) -> None:
        hidden = tuple(self.hidden)
        if not hidden:
            raise ValueError("a network needs at least one hidden unit")
        for place, unit in enumerate((*hidden, self.output)):
            if not isinstance(unit, ThresholdUnit):
                which = "output" if place == len(hidden) else f"hidden[{place}]"
                raise TypeError(f"{which} must be a ThresholdUnit, got {type(unit).__name__}")
        for place, unit in enumerate(hidden):
            if unit.n_inputs != hidden[0].n_inputs:
                raise ValueError(f"hidden[{place}] has {unit.n_inputs} inputs, but hidden[0] has {hidden[0].n_inputs}")
        if self.output.n_inputs != len(hidden):
            raise ValueError(f"output has {self.output.n_inputs} inputs, but there are {len(hidden)} hidden units")
        object.__setattr__(self, "hidden", hidden)

    @classmethod
    def XOR(cls) -> Self:
        """x1 ⊕ x2, which no single unit computes: y1 = x1 ∧ ¬x2, y2 = ¬x1 ∧ x2, z = y1 ∨ y2."""
        return cls((ThresholdUnit((1, 0), 1, (1,)), ThresholdUnit((0, 1), 1, (0,))), ThresholdUnit.OR())

    @classmethod
    def from_truth_table(cls, table: ArrayLike | Mapping[Any, Any]) -> Self:
        """A network for the Boolean function with these 2^k outputs, for up to 16 inputs.

        The outputs are in the order of `boolean_rows` (for two inputs: 00, 01, 10, 11), or a mapping from each row of
        inputs to its output. A hidden unit is a product of literals, or a sum of single ones; there are as few as a
        sum of products of the function or of its complement needs (nearly so, where there are many to choose among).

        >>> print(ThresholdNetwork.from_truth_table({(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 1}))
        y1 = x1 ∧ x2
        z = y1
        """
        outputs = _read_table(table)
        ways = ((outputs, ThresholdUnit.OR), (~outputs, ThresholdUnit.NOR))
        covers = [(_minimal_cover(f), gate) for f, gate in ways if f.any()]
        cubes, gate = min(covers, key=lambda cover: _n_units(cover[0]))
        hidden = _hidden(cubes)
        return cls(hidden, gate(len(hidden)))

    @property
    def n_inputs(self) -> int:
        """The number of inputs, k."""
        return self.hidden[0].n_inputs

    @property
    def n_units(self) -> int:
        """The number of units on both levels."""
        return len(self.hidden) + 1

    def fire(self, X: ArrayLike) -> Bits:
        """1 where the output unit fires, for one row of inputs or for each row of a table of them."""
        rows = _bits(X, self.n_inputs)
        table = np.atleast_2d(rows)
        hidden, output = _Level.of(self.hidden), _Level.of((self.output,))
        fired = np.empty(len(table), dtype=np.int8)
        step = max(1, _BLOCK // len(self.hidden))

        def of_span(start: int, stop: int) -> None:
            for a in range(start, stop, step):
                b = min(a + step, stop)
                fired[a:b] = output.fire(hidden.fire(table[a:b]))[:, 0]

        over_spans(of_span, len(table), len(self.hidden))
        return fired.reshape(rows.shape[:-1])

    __call__ = fire

    def truth_table(self) -> Bits:
        """The outputs for the 2^k inputs in the order of `boolean_rows`."""
        return self.fire(boolean_rows(self.n_inputs))

    def __str__(self) -> str:
        shown = self.hidden[:_MOST_LINES]
        lines = [f"y{i + 1} = {unit.formula('x')}" for i, unit in enumerate(shown)]
        left = len(self.hidden) - len(shown)
        if not left:
            return "\n".join([*lines, f"z = {self.output.formula('y')}"])
        return "\n".join([*lines, f"… and {left} more hidden units", f"z = one unit on y1 … y{len(self.hidden)}"])


def _read_table(table: Any) -> Mask:
    """2^k outputs of 0 or 1, checked."""
    if isinstance(table, Mapping):
        table = _table_of_mapping(table)
    outputs = real_array(table, "the truth table")
    if outputs.ndim != 1:
        raise ValueError(f"a truth table is one list of 2^k outputs, got an array of shape {outputs.shape}")
    n = outputs.size
    if n < 2 or n & (n - 1):
        raise ValueError(f"a truth table of k ≥ 1 inputs has 2^k outputs; {n} is not a power of two above 1")
    if n > 1 << _MOST_TABLE_INPUTS:
        raise ValueError(f"the truth table has {n.bit_length() - 1} inputs; at most {_MOST_TABLE_INPUTS} are minimised")
    bad = np.flatnonzero((outputs != 0) & (outputs != 1))
    if bad.size:
        raise ValueError(f"the truth table holds {outputs[bad[0]]:g} at place {bad[0]}; outputs are 0 or 1")
    return np.asarray(outputs == 1)


def _table_of_mapping(outputs: Mapping[Any, Any]) -> list[Any]:
    if not all(isinstance(row, tuple) for row in outputs):
        raise TypeError("a truth table given as a mapping has tuples of inputs for keys, such as (0, 1)")
    k = len(next(iter(outputs), ()))
    if len(outputs) != 1 << k:
        raise ValueError(f"a truth table of {k} inputs has 2^{k} rows, but {len(outputs)} are given")
    for row in (wanted := list(product((0, 1), repeat=k))):
        if row not in outputs:
            raise ValueError(f"the truth table has no output for the inputs {row}")
    return [outputs[row] for row in wanted]


# --- few products: Quine–McCluskey ----------------------------------------------------------------------
#
# A cube is a product of literals: for each input 0 (negated), 1 (as it is) or 2 (absent); as a number, those are its
# digits in base 3. It is an implicant when f is 1 on all its rows, and prime when no larger cube around it is one.

Cubes = NDArray[np.int8]
Numbers = NDArray[np.int64]

_ABSENT = 2
_EXACT_CHOICES = 160  # products among which the fewest are found exactly, in about a second at worst
_MOST_PLACES = 4_000_000  # rows times products that the greedy choice looks at


def _n_units(cubes: Cubes) -> int:
    alone = (cubes != _ABSENT).sum(axis=1) == 1
    return len(cubes) - max(0, int(alone.sum()) - 1)


def _hidden(cubes: Cubes) -> tuple[ThresholdUnit, ...]:
    """A unit for each product; those of a single literal together, for their sum is one unit."""
    cubes = cubes[np.lexsort(np.array([1, 0, 2])[cubes].T[::-1])]  # x1 before ¬x1 before neither
    alone = (cubes != _ABSENT).sum(axis=1) == 1
    if alone.sum() < 2:
        return tuple(_product(cube) for cube in cubes)
    return (_clause(cubes[alone].min(axis=0)), *(_product(cube) for cube in cubes[~alone]))


def _product(cube: Cubes) -> ThresholdUnit:
    """All literals of the cube: the plain ones excite, the negated ones inhibit."""
    plain = cube == 1
    return ThresholdUnit(plain.astype(float), int(plain.sum()), np.flatnonzero(cube == 0).tolist())


def _clause(cube: Cubes) -> ThresholdUnit:
    """Any literal of the cube: Σ x over the plain + Σ (1 − x) over the negated ones ≥ 1."""
    plain, negated = cube == 1, cube == 0
    return ThresholdUnit(plain.astype(float) - negated, 1 - int(negated.sum()))


def _minimal_cover(f: Mask) -> Cubes:
    """Prime implicants that cover the rows where f is 1: as few as can be, or, where they are many, nearly so."""
    cubes = _candidates(f)
    places = _places(cubes)
    essential = _essential(places)
    left = f.copy()
    left[places[essential].indices] = False
    if not left.any():
        return cubes[essential]
    useful = np.flatnonzero(places @ left.astype(float))
    open_places = sparse.csr_array(places[useful][:, left])
    chosen = _greedy(open_places)
    if useful.size <= _EXACT_CHOICES:
        chosen = _fewest(open_places, (cubes[useful] != _ABSENT).sum(axis=1), chosen)
    return np.asarray(cubes[np.concatenate([essential, useful[chosen]])])


def _implicants(f: Mask) -> Mask:
    """For all 3^k cubes, whether f is 1 on all their rows: a cube without x_j is its two halves together."""
    k = f.size.bit_length() - 1
    cubes = f.reshape((2,) * k)
    for j in range(k - 1, -1, -1):  # the last first, so that large arrays are cut along leading axes
        cubes = np.concatenate([cubes, cubes.take([0], axis=j) & cubes.take([1], axis=j)], axis=j)
    return cubes.ravel()


def _primes(implicant: Mask, k: int) -> Numbers:
    """The implicants that are none any more without one of their literals."""
    prime = implicant.copy()
    trailing = min(k, 4)  # short axes: whole arrays along them are slow, so the few cubes left are looked up
    for j in range(k - trailing):
        halves, whole = (cubes.reshape(3**j, 3, -1) for cubes in (prime, implicant))
        np.greater(halves[:, :2], whole[:, 2:], out=halves[:, :2])
    numbers = np.flatnonzero(prime)
    for power in 3 ** np.arange(trailing):
        larger = numbers + (_ABSENT - numbers // power % 3) * power
        numbers = numbers[(larger == numbers) | ~implicant[larger]]
    return numbers


def _candidates(f: Mask) -> Cubes:
    """The prime implicants; only some of them, enough to cover f, where all would be too many."""
    implicant, k = _implicants(f), f.size.bit_length() - 1
    numbers = _primes(implicant, k)
    if numbers.size <= _MOST_PLACES // 4:
        cubes = _digits(numbers, k)
        if (1 << (cubes == _ABSENT).sum(axis=1)).sum() <= _MOST_PLACES:
            return cubes
    return _expanded(implicant, f)


def _digits(numbers: Numbers, k: int) -> Cubes:
    digits = np.empty((numbers.size, k), dtype=np.int8)
    for j in range(k):
        digits[:, j] = numbers // 3 ** (k - 1 - j) % 3
    return digits


def _expanded(implicant: Mask, f: Mask, batch: int = 256) -> Cubes:
    """Primes around rows that no prime of this pass covers yet, by dropping literals in random order; many passes."""
    k = f.size.bit_length() - 1
    power, rows = 3 ** np.arange(k - 1, -1, -1), boolean_rows(k)
    rng = np.random.default_rng(0)
    found, size = [], 0
    while size < _MOST_PLACES:
        open_rows = f.copy()
        while open_rows.any():
            cubes = rows[rng.choice(np.flatnonzero(open_rows), batch)]
            numbers = cubes @ power
            for j in rng.permuted(np.tile(np.arange(k), (batch, 1)), axis=1).T:
                larger = numbers + (_ABSENT - cubes[np.arange(batch), j]) * power[j]
                grows = np.flatnonzero(implicant[larger])
                numbers[grows], cubes[grows, j[grows]] = larger[grows], _ABSENT
            covered = _places(cubes).indices
            open_rows[covered] = False
            found.append(numbers)
            size += covered.size
    return _digits(np.unique(np.concatenate(found)), k)


def _places(cubes: Cubes) -> Any:
    """The rows of the truth table each cube covers, as ones in a sparse matrix."""
    n, k = cubes.shape
    power = 1 << np.arange(k - 1, -1, -1)
    absent = cubes == _ABSENT
    owners, rows = [], []
    for free in np.unique(absent.sum(axis=1)).tolist():
        mine = np.flatnonzero(absent.sum(axis=1) == free)
        covered = ((cubes[mine] == 1) @ power)[:, None]
        for weight in power[np.nonzero(absent[mine])[1].reshape(mine.size, free)].T:
            covered = np.hstack([covered, covered + weight[:, None]])
        owners.append(np.repeat(mine, 1 << free))
        rows.append(covered.ravel())
    owner, row = np.concatenate(owners), np.concatenate(rows)
    return sparse.csr_array((np.ones(row.size), (owner, row)), shape=(n, 1 << k))


def _owners(places: Any) -> NDArray[np.intp]:
    """The cube of each stored place."""
    return np.repeat(np.arange(places.shape[0]), np.diff(places.indptr))


def _essential(places: Any) -> NDArray[np.intp]:
    """The cubes that alone cover some row."""
    times = np.bincount(places.indices, minlength=places.shape[1])
    return np.unique(_owners(places)[times[places.indices] == 1])


def _greedy(places: Any) -> NDArray[np.intp]:
    """Cubes that cover every row, each time those that cover the most new rows; then without the superfluous."""
    open_rows = np.ones(places.shape[1], dtype=bool)
    rarity = 1.0 / np.bincount(places.indices, minlength=places.shape[1])
    chosen: list[int] = []
    while open_rows.any():
        gains = places @ open_rows.astype(float)
        best = np.flatnonzero(gains == gains.max())
        among = places[best]
        new = open_rows[among.indices]
        owner, row = _owners(among)[new], among.indices[new]
        # Of the best, all are taken at once that do not share a new row with one of rarer rows.
        rank = np.argsort(np.argsort(np.bincount(owner, rarity[row]), kind="stable"))
        first = np.full(open_rows.size, -1)
        np.maximum.at(first, row, rank[owner])
        taken = np.bincount(owner[first[row] == rank[owner]], minlength=best.size) == gains.max()
        open_rows[row[taken[owner]]] = False
        chosen += best[taken].tolist()
    return _irredundant(places, chosen)


def _irredundant(places: Any, chosen: Sequence[int]) -> NDArray[np.intp]:
    """The chosen cubes without those whose rows the others cover, the last chosen considered first."""
    times = np.bincount(places[list(chosen)].indices, minlength=places.shape[1])
    kept = []
    for i in reversed(chosen):
        rows = places.indices[places.indptr[i] : places.indptr[i + 1]]
        if (times[rows] > 1).all():
            times[rows] -= 1
        else:
            kept.append(i)
    return np.array(kept, dtype=np.intp)


def _fewest(places: Any, literals: Numbers, fallback: NDArray[np.intp]) -> NDArray[np.intp]:
    """The fewest cubes that cover every row, then the fewest literals: min Σ cost·z s.t. A z ≥ 1, z ∈ {0, 1}."""
    cost = 1 + literals / (1 + literals.sum())
    found = milp(
        cost,
        constraints=LinearConstraint(places.T, lb=1),
        integrality=np.ones(cost.size),
        bounds=Bounds(0, 1),
        options={"mip_rel_gap": 0, "node_limit": 1000},
    )
    if found.x is None:
        return fallback
    chosen = np.flatnonzero(found.x > 0.5)
    return chosen if cost[chosen].sum() <= cost[fallback].sum() else fallback
