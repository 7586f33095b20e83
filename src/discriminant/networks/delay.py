"""Threshold units with a delay, as McCulloch and Pitts (1943) have them.

    a unit fires at time t + 1 if at time t its sum reaches its threshold and no inhibitory input is active

Their postulates: all or none; a fixed number of active inputs suffices, whatever went before; one step of delay at each
unit and nowhere else; an active inhibitory input absolutely prevents firing; the net does not change. Units may listen
to one another in circles, which is how such a net remembers.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.networks.unit import ThresholdUnit, read_bits

Bits = NDArray[np.int8]


@dataclass(frozen=True)
class DelayNetwork:
    """Threshold units that answer one step later, evaluated over time.

    Parameters
    ----------
    units : by name, each a pair of the `ThresholdUnit` and the names of what it listens to, in the order of its inputs:
        other units, itself, or names that belong to no unit and are therefore inputs of the net.

    Examples
    --------
    A unit that fires where its input has been active twice in a row:

    >>> relay, both = ThresholdUnit.OR(1), ThresholdUnit.AND(2)
    >>> net = DelayNetwork({"before": (relay, ["x"]), "twice": (both, ["x", "before"])})
    >>> net.run({"x": [1, 0, 1, 1, 1, 0]})["twice"].tolist()
    [0, 0, 0, 0, 1, 1, 0]
    """

    units: Mapping[str, tuple[ThresholdUnit, Sequence[str]]]

    def __post_init__(self) -> None:
        if not self.units:
            raise ValueError("a net needs at least one unit")
        for name, (unit, listens) in self.units.items():
            if isinstance(listens, str) or len(listens) != unit.n_inputs:
                raise ValueError(
                    f"unit {name!r} has {unit.n_inputs} inputs, so it listens to as many names; got {listens!r}"
                )

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names that belong to no unit, in the order in which they are first listened to."""
        heard = [name for _, listens in self.units.values() for name in listens]
        return tuple(dict.fromkeys(name for name in heard if name not in self.units))

    def run(self, inputs: Mapping[str, ArrayLike], start: Mapping[str, int] | None = None) -> dict[str, Bits]:
        """The activity of every unit over time.

        Parameters
        ----------
        inputs : by name, 0 or 1 at times 0 to T − 1.
        start : by name of a unit, what it does at time 0; silent where it is not named.

        Returns
        -------
        dict
            By name of a unit, 0 or 1 at times 0 to T.

        Examples
        --------
        >>> net = DelayNetwork({"later": (ThresholdUnit.OR(1), ["x"])})
        >>> net.run({"x": [1, 0, 1]})["later"].tolist()
        [0, 1, 0, 1]
        """
        given = self._read_inputs(inputs)
        T = len(next(iter(given.values()), ())) if given else 0
        activity = {name: np.zeros(T + 1, np.int8) for name in self.units}
        for name, value in (start or {}).items():
            if name not in self.units:
                raise ValueError(f"start names {name!r}, which is no unit; the units are {list(self.units)}")
            activity[name][0] = read_bits([value], 1)[0]
        for t in range(T):
            for name, (unit, listens) in self.units.items():
                heard = [activity[one][t] if one in self.units else given[one][t] for one in listens]
                activity[name][t + 1] = unit.fire(np.array(heard))
        return activity

    def _read_inputs(self, inputs: Mapping[str, ArrayLike]) -> dict[str, Any]:
        unknown, missing = set(inputs) - set(self.inputs), set(self.inputs) - set(inputs)
        if unknown or missing:
            word, names = ("no inputs of the net", unknown) if unknown else ("missing", missing)
            raise ValueError(f"{sorted(names)} are {word}; its inputs are {list(self.inputs)}")
        read = {name: np.asarray([read_bits([v], 1)[0] for v in np.ravel(bits)]) for name, bits in inputs.items()}
        if len({len(bits) for bits in read.values()}) > 1:
            raise ValueError("every input must be given for as many steps as the others")
        return read

    def __str__(self) -> str:
        lines = []
        for name, (unit, listens) in self.units.items():
            said = str(unit)
            for j in reversed(range(unit.n_inputs)):
                said = said.replace(f"x{j + 1}", f"{listens[j]}(t)")
            lines.append(f"{name}(t+1) {said}")
        return "\n".join(lines)
