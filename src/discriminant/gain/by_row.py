"""Gains that differ by row: what a missed fraud costs is its amount.

    g_i[k, a]   gain of assigning a to row i when its true class is k

as a function of the table, or as one entry for each pair (k, a): a column, a function of the table, or a number.
"""

from collections.abc import Callable, Mapping
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable, row_count
from discriminant.parameters import real_array

Array = NDArray[np.float64]


class RowGain:
    """Gains as a function of a table, evaluated by ``for_table``.

    Parameters
    ----------
    gains : a function of the table that returns n×K×K (or n×K×(K + 1)) numbers; or a mapping
        {(true, assigned): entry}, where an entry is the name of a column, a function of the table that returns one
        number a row, or a number.
    classes : the names of the classes in order. Default for a mapping: the true classes in the order they come.
    default : the gain of pairs a mapping leaves out; without it they are an error.
    costs : whether the entries are costs.

    >>> gain = Gain.by_row({("fraud", "ok"): lambda t: -t[:, 0], ("ok", "fraud"): -5}, default=0, unit="EUR")
    >>> gain.for_table(np.array([[10.0], [2000.0]])).decide([[0.01, 0.99], [0.01, 0.99]]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        gains: Callable[[Any], Any] | Mapping[tuple[Any, Any], Any],
        classes: Any = None,
        unit: str = "",
        *,
        default: float | None = None,
        costs: bool = False,
    ) -> None:
        if not callable(gains) and not isinstance(gains, Mapping):
            raise TypeError(
                "gains must be a function of the table, or a mapping {(true, assigned): column or function}"
            )
        if isinstance(gains, Mapping):
            _refuse_keys(gains)
        self.gains = gains
        self.classes = None if classes is None else tuple(np.asarray(classes, dtype=object).tolist())
        self.unit = unit
        self.default = default
        self.costs = costs

    def for_table(self, X: Any) -> Gain:
        """The gains of the rows of a table, n×K×K.

        Parameters
        ----------
        X : the table.

        Returns
        -------
        Gain
            A matrix for each row.

        Examples
        --------
        >>> RowGain(lambda t: np.ones((len(t), 2, 2))).for_table([[1.0], [2.0]]).matrix.shape
        (2, 2, 2)
        """
        table = self._of_mapping(X) if isinstance(self.gains, Mapping) else self._of_function(X)
        return Gain(table.negated() if self.costs else table, None, self.unit)

    def __repr__(self) -> str:
        return f"Gain.by_row({self.gains!r})"

    def _of_function(self, X: Any) -> GainTable:
        assert callable(self.gains)
        values = _call(self.gains, X, "the gain function")
        n = row_count(X)
        if values.ndim != 3 or len(values) != n:
            raise ValueError(
                f"the gain function {_name(self.gains)} returned shape {values.shape}; it must return {n}×K×K, one "
                "matrix (true × assigned) for each row"
            )
        return GainTable(values).with_classes(self.classes)

    def _of_mapping(self, X: Any) -> GainTable:
        assert isinstance(self.gains, Mapping)
        true = list(self.classes or dict.fromkeys(k for k, _ in self.gains))
        if len(true) < 2:
            raise ValueError(
                f"the mapping of gains names one true class only ({true[0]!r}); give classes= with all of them"
            )
        rejecting = list(dict.fromkeys(a for _, a in self.gains if a not in true))
        if len(rejecting) > 1:
            raise ValueError(
                f"the assignments {rejecting} are no true classes ({true}); one such column may stand for rejecting"
            )
        unknown = [k for k, _ in self.gains if k not in true]
        if unknown:
            raise ValueError(f"the mapping of gains names the true class {unknown[0]!r}; classes are {true}")
        rows = [np.stack([self._entry(X, k, a) for a in (*true, *rejecting)], axis=-1) for k in true]
        return GainTable(np.stack(rows, axis=-2), tuple(true), rejecting[0] if rejecting else "reject")

    def _entry(self, X: Any, true: Any, assigned: Any) -> Array:
        assert isinstance(self.gains, Mapping)
        n = row_count(X)
        if (true, assigned) not in self.gains:
            if self.default is None:
                raise ValueError(
                    f"the gain of assigning {assigned!r} to true class {true!r} is missing; add it, or give default=0"
                )
            return np.full(n, float(self.default))
        entry = self.gains[true, assigned]
        what = f"the gain of ({true!r}, {assigned!r})"
        values = _evaluate(entry, X, what)
        if values.shape not in ((), (n,)):
            raise ValueError(f"{what} has shape {values.shape}; it must be one number for each of {n} rows")
        values = np.broadcast_to(values, (n,))
        missing = np.flatnonzero(~np.isfinite(values))
        if missing.size:
            raise ValueError(f"{what} is {values[missing[0]]} at row {missing[0]}; every row needs a finite gain")
        return values


def _evaluate(entry: Any, X: Any, what: str) -> Array:
    if callable(entry):
        return _call(entry, X, what)
    if isinstance(entry, int | float | np.number) and not isinstance(entry, bool):
        return np.asarray(float(entry))
    return column_of(X, entry, what)


def column_of(X: Any, name: Any, what: str) -> Array:
    """One column of a data frame as numbers."""
    frame = None if isinstance(X, np.ndarray | list | tuple) else nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            f"{what} is the column {name!r}, but the table has no column names; give a function such as "
            "lambda X: X[:, 0]"
        )
    if name not in frame.columns:
        raise ValueError(f"{what} is the column {name!r}, which the table does not have: {list(frame.columns)[:20]}")
    return real_array(frame.get_column(name).to_numpy(), f"{what} (column {name!r})")


def _call(function: Callable[[Any], Any], X: Any, what: str) -> Array:
    try:
        values = function(X)
    except Exception as error:
        raise ValueError(f"{what}, {_name(function)}, raised {type(error).__name__}: {error}") from error
    return real_array(values, f"what {_name(function)} returned")


def _name(function: Any) -> str:
    return str(getattr(function, "__qualname__", None) or type(function).__name__)


def _refuse_keys(gains: Mapping[Any, Any]) -> None:
    if not gains:
        raise ValueError("the mapping of gains is empty")
    for key in gains:
        if not isinstance(key, tuple) or len(key) != 2:
            raise TypeError(f"a mapping of gains by row has keys (true, assigned), got {key!r}")
