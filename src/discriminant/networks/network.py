"""Two levels of threshold units compute any Boolean function: one for each product of literals, and one on top."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.networks.boolean_cover import ABSENT, Cubes, boolean_rows, minimal_cover
from discriminant.networks.unit import Level, ThresholdUnit, read_bits
from discriminant.parameters import real_array
from discriminant.rows.threads import over_spans

Bits = NDArray[np.int8]
Mask = NDArray[np.bool_]

_MOST_TABLE_INPUTS = 16
_MOST_LINES = 64
_BLOCK = 1 << 18  # outputs of a level at a time, so that they stay in cache


@dataclass(frozen=True)
class ThresholdNetwork:
    """Two levels of threshold units.

    Parameters
    ----------
    hidden : the units y1, y2, … on the inputs.
    output : the unit z on the y.

    Examples
    --------
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
        """x1 ⊕ x2, which no single unit computes: y1 = x1 ∧ ¬x2, y2 = ¬x1 ∧ x2, z = y1 ∨ y2.

        Returns
        -------
        ThresholdNetwork
            Of three units.

        Examples
        --------
        >>> ThresholdNetwork.XOR().truth_table().tolist()
        [0, 1, 1, 0]
        """
        return cls((ThresholdUnit((1, 0), 1, (1,)), ThresholdUnit((0, 1), 1, (0,))), ThresholdUnit.OR())

    @classmethod
    def from_truth_table(cls, table: ArrayLike | Mapping[Any, Any]) -> Self:
        """A network for the Boolean function with these 2^k outputs, for up to 16 inputs.

        A hidden unit is a product of literals, or a sum of single ones; there are as few as a sum of products of the
        function or of its complement needs (nearly so, where there are many to choose among).

        Parameters
        ----------
        table : the outputs in the order of `boolean_rows` (for two inputs: 00, 01, 10, 11), or a mapping from each row
            of inputs to its output.

        Returns
        -------
        ThresholdNetwork
            With that table.

        Examples
        --------
        >>> print(ThresholdNetwork.from_truth_table({(0, 0): 0, (0, 1): 0, (1, 0): 0, (1, 1): 1}))
        y1 = x1 ∧ x2
        z = y1
        """
        outputs = _read_table(table)
        ways = ((outputs, ThresholdUnit.OR), (~outputs, ThresholdUnit.NOR))
        covers = [(minimal_cover(f), gate) for f, gate in ways if f.any()]
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
        """1 where the output unit fires, for one row of inputs or for each row of a table of them.

        Parameters
        ----------
        X : inputs of 0 and 1, a row of them or a table.

        Returns
        -------
        ndarray
            0 or 1, or one for each row.

        Examples
        --------
        >>> ThresholdNetwork.XOR().fire([[0, 1], [1, 1]]).tolist()
        [1, 0]
        """
        rows = read_bits(X, self.n_inputs)
        table = np.atleast_2d(rows)
        hidden, output = Level.of(self.hidden), Level.of((self.output,))
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
        """The outputs for the 2^k inputs in the order of `boolean_rows`.

        Returns
        -------
        ndarray
            2^k times 0 or 1.

        Examples
        --------
        >>> ThresholdNetwork.XOR().truth_table().tolist()
        [0, 1, 1, 0]
        """
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


def _n_units(cubes: Cubes) -> int:
    alone = (cubes != ABSENT).sum(axis=1) == 1
    return len(cubes) - max(0, int(alone.sum()) - 1)


def _hidden(cubes: Cubes) -> tuple[ThresholdUnit, ...]:
    """A unit for each product; those of a single literal together, for their sum is one unit."""
    cubes = cubes[np.lexsort(np.array([1, 0, 2])[cubes].T[::-1])]  # x1 before ¬x1 before neither
    alone = (cubes != ABSENT).sum(axis=1) == 1
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
