"""The gain matrix: what each assignment earns in each true class.

    g[k, a]   gain of assigning a to a row whose true class is k          (K×K, or K×(K + 1) with a reject column)

A row with posteriors p is assigned argmax_a Σ_k p_k g[k, a]. The decision does not change when a constant is added to
a row of g (a true class), nor when all of g is multiplied by a positive number.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding
from discriminant.forks import importing
from discriminant.gain.explanation import INVARIANCE, decision_rule, findings_of, gain_table_text
from discriminant.gain.reading import GainTable, label_text, read_places, read_table, read_text, row_count
from discriminant.parameters import read_count, real_array, renamed_method

if TYPE_CHECKING:
    from discriminant.gain.by_row import RowGain

Array = NDArray[np.float64]


class Gain:
    """Gains of true × assigned classes: a value that does not change.

    Parameters
    ----------
    matrix : nested lists or an array (K×K; K×(K + 1) with the gains of rejecting last; n×K×K for gains that differ by
        row), a data frame (true classes in its index or first column, assigned ones as columns), or a mapping
        {true: {assigned: gain}}. An assigned name that is no true class is the reject column.
    classes : names in the order of the matrix; without them, the order of a learner's ``classes_``.
    unit : such as "EUR".
    reject : the gain of deciding nothing: one number, or one for each true class; becomes the last column.

    Examples
    --------
    >>> gain = Gain({"churn": {"churn": 50, "stay": -20}, "stay": {"churn": -4, "stay": 0}}, unit="EUR")
    >>> print(gain)
    gain in EUR   assigned
    true          churn  stay
    churn            50   -20
    stay             -4     0
    >>> gain.decide([[0.05, 0.95], [0.06, 0.94]]).tolist()
    [1, 0]
    """

    __slots__ = ("classes", "matrix", "reject_label", "unit")

    matrix: Array
    classes: tuple[Any, ...] | None
    unit: str
    reject_label: Any

    def __init__(self, matrix: Any, classes: Any = None, unit: str = "", reject: Any = None) -> None:
        if isinstance(matrix, Gain):
            table = GainTable(matrix.matrix, matrix.classes, matrix.reject_label)
            unit = unit or matrix.unit
        else:
            table = read_table(matrix)
        if not isinstance(unit, str):
            raise TypeError(f"unit must be text such as 'EUR', got {unit!r}")
        table = table.with_classes(classes).with_reject(reject).checked()
        table.matrix.flags.writeable = False
        for name, value in zip(self.__slots__, (table.classes, table.matrix, table.reject_label, unit), strict=True):
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Gain does not change; make a new one instead of setting {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Gain does not change; {name} cannot be deleted")

    # --- other ways to say it ---------------------------------------------------------------------------

    @classmethod
    def identity(cls, K: int, classes: Any = None) -> "Gain":
        """One for a right assignment, nothing for a wrong one: expected gain is accuracy.

        Parameters
        ----------
        K : the number of classes.
        classes : names in the order of the matrix.

        Returns
        -------
        Gain
            K×K.

        Examples
        --------
        >>> Gain.identity(2).matrix.tolist()
        [[1.0, 0.0], [0.0, 1.0]]
        """
        return cls(np.eye(read_count(K, "K")), classes)

    @classmethod
    def binary(cls, *, tp: float, fp: float, fn: float, tn: float, classes: Any = None, unit: str = "") -> "Gain":
        """Two classes by the names of the outcomes.

        Parameters
        ----------
        tp, fp, fn, tn : the gain of a true positive, a false positive, a false negative, a true negative.
        classes : their names, (negative, positive).
        unit : such as "EUR".

        Returns
        -------
        Gain
            2×2, the negative class first.

        Examples
        --------
        >>> Gain.binary(tp=50, fp=-4, fn=-20, tn=0).matrix.tolist()
        [[0.0, -4.0], [-20.0, 50.0]]
        """
        return cls([[tn, fp], [fn, tp]], classes, unit)

    @classmethod
    def from_costs(cls, costs: Any, classes: Any = None, unit: str = "", reject: Any = None) -> "Gain":
        """Costs in place of gains.

        Parameters
        ----------
        costs : in any form that a gain can have.
        classes : names in the order of the matrix.
        unit : such as "EUR".
        reject : the cost of deciding nothing, or one for each true class.

        Returns
        -------
        Gain
            Costs with the sign turned.

        Examples
        --------
        >>> Gain.from_costs([[0, 1], [5, 0]]).matrix.tolist()
        [[0.0, -1.0], [-5.0, 0.0]]
        """
        table = read_table(costs).with_classes(classes).with_reject(reject)
        return cls(table.negated(), None, unit)

    @classmethod
    def from_text(cls, text: str) -> "Gain":
        """CSV or TOML.

        CSV has assigned classes in its first line and a true class at the start of each other line; the corner may hold
        the unit. TOML has a table ``gain`` (or ``costs``) of tables, or of rows beside ``classes``, and perhaps
        ``unit`` and ``reject``.

        Parameters
        ----------
        text : what a CSV or TOML file holds.

        Returns
        -------
        Gain
            With the classes and the unit that the text names.

        Examples
        --------
        >>> Gain.from_text("EUR,churn,stay\\nchurn,50,-20\\nstay,-4,0").unit
        'EUR'
        """
        read = read_text(text)
        make = cls.from_costs if read.costs else cls
        return make(read.table, read.classes, read.unit, read.reject)

    @staticmethod
    def by_row(
        gains: Callable[[Any], Any] | Mapping[tuple[Any, Any], Any],
        classes: Any = None,
        unit: str = "",
        *,
        default: float | None = None,
        costs: bool = False,
    ) -> "RowGain":
        """Gains that differ by row, as a function of the table; see `RowGain`.

        Parameters
        ----------
        gains : a function of the table that returns n×K×K numbers; or a mapping {(true, assigned): column, function or
            number}.
        classes : names in order; by default, of a mapping, the true classes in the order they come.
        unit : such as "EUR".
        default : the gain of pairs that a mapping leaves out.
        costs : whether the entries are costs.

        Returns
        -------
        RowGain
            Gains for tables to come.

        Examples
        --------
        >>> gain = Gain.by_row({("fraud", "ok"): lambda t: -t[:, 0], ("ok", "fraud"): -5}, default=0)
        >>> gain.for_table(np.array([[10.0], [2000.0]])).matrix[:, 0, 1].tolist()
        [-10.0, -2000.0]
        """
        with importing:
            from discriminant.gain.by_row import RowGain

        return RowGain(gains, classes, unit, default=default, costs=costs)

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def n_classes(self) -> int:
        """K, the number of classes."""
        return int(self.matrix.shape[-2])

    @property
    def per_row(self) -> bool:
        """Whether the gains differ by row (n×K×K)."""
        return self.matrix.ndim == 3

    @property
    def has_reject(self) -> bool:
        """Whether the last column is the gain of deciding nothing."""
        return bool(self.matrix.shape[-1] > self.n_classes)

    @property
    def reject_code(self) -> int | None:
        """What `decide` gives a row it rejects: K, one beyond the codes of the classes."""
        return self.n_classes if self.has_reject else None

    @property
    def labels(self) -> tuple[Any, ...]:
        """The names of the classes, or their places."""
        return tuple(range(self.n_classes)) if self.classes is None else self.classes

    @property
    def assigned_labels(self) -> tuple[Any, ...]:
        """The names of the assignments: the classes, and perhaps the reject column."""
        return (*self.labels, self.reject_label) if self.has_reject else self.labels

    def place_of(self, label: Any) -> int:
        """The place of a class.

        Parameters
        ----------
        label : the name of a class.

        Returns
        -------
        int
            From 0.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.place_of("bad")
        1
        """
        texts = [label_text(c) for c in self.labels]
        if label_text(label) not in texts:
            raise ValueError(f"{label!r} is not one of the classes of the gain: {list(self.labels)}")
        return texts.index(label_text(label))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return np.array(self.matrix, dtype=dtype) if copy is not False else np.asarray(self.matrix, dtype=dtype)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Gain)
            and (self.classes, self.unit, self.reject_label) == (other.classes, other.unit, other.reject_label)
            and np.array_equal(self.matrix, other.matrix)
        )

    def __hash__(self) -> int:
        return hash((self.classes, self.unit, self.matrix.shape, self.matrix.tobytes()))

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def __setstate__(self, state: dict[str, Any]) -> None:
        state["matrix"].flags.writeable = False
        for name in self.__slots__:
            object.__setattr__(self, name, state[name])

    def __repr__(self) -> str:
        named = f", classes={list(self.classes)!r}" if self.classes is not None else ""
        unit = f", unit={self.unit!r}" if self.unit else ""
        values = f"<{self.matrix.shape[0]} rows>" if self.per_row else self.matrix.tolist()
        return f"Gain({values}{named}{unit})"

    def __str__(self) -> str:
        return gain_table_text(self.matrix, self.labels, self.assigned_labels, self.unit)

    def findings(self) -> tuple[Finding, ...]:
        """What is odd: assignments that are never best, classes for which nothing matters, rewards for errors.

        Returns
        -------
        tuple of Finding
            Nothing where nothing is odd.

        Examples
        --------
        >>> Gain([[1, 1], [0, 2]]).findings()[0].fact
        'Every assignment earns the same where the true class is 0'
        """
        return findings_of(self.matrix, self.labels, self.assigned_labels)

    def explain(self) -> str:
        """The table, what it makes one do, what does not matter, and its findings.

        Returns
        -------
        str
            Some lines.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> print(gain.explain().splitlines()[0])
        gain   assigned
        """
        parts = [str(self), decision_rule(self.matrix, self.labels, self.assigned_labels), INVARIANCE]
        return "\n".join([*parts, *map(str, self.findings())])

    # --- in another order, for other rows ---------------------------------------------------------------

    def aligned(self, classes: Any) -> "Gain":
        """The gain with classes in a learner's order, matched by name (by their text where types differ).

        Parameters
        ----------
        classes : of a learner, ``classes_``.

        Returns
        -------
        Gain
            Rows and columns in that order.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.aligned(["bad", "good"]).matrix.tolist()
        [[0.0, -20.0], [-1.0, 5.0]]
        """
        wanted = list(classes.tolist() if isinstance(classes, np.ndarray) else classes)
        if self.classes is None and len(wanted) != self.n_classes:
            raise ValueError(
                f"the gain is for {self.n_classes} classes, but there are {len(wanted)}: {wanted}; give one "
                "row and one column for each, in this order"
            )
        if self.classes is not None and sorted(map(label_text, wanted)) != sorted(map(label_text, self.classes)):
            raise ValueError(
                f"the gain names the classes {list(self.classes)}, but the classes are {wanted}; rename or complete "
                "the gain so that both are the same"
            )
        return Gain(self, wanted)

    def for_table(self, X: Any) -> "Gain":
        """The gains of the rows of a table: itself, checked where it differs by row.

        Parameters
        ----------
        X : the table.

        Returns
        -------
        Gain
            Itself.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.for_table([[1.0], [2.0]]) is gain
        True
        """
        if self.per_row and row_count(X) != len(self.matrix):
            raise ValueError(f"there are gains for {len(self.matrix)} rows but the table has {row_count(X)}")
        return self

    def take(self, rows: Any) -> "Gain":
        """The gains of some of the rows (itself, where they do not differ by row).

        Parameters
        ----------
        rows : numbers of rows, or a mask.

        Returns
        -------
        Gain
            Of these rows, in this order.

        Examples
        --------
        >>> Gain(np.arange(12.0).reshape(3, 2, 2)).take([2]).matrix.tolist()
        [[[8.0, 9.0], [10.0, 11.0]]]
        """
        if not self.per_row:
            return self
        return _rebuild(self.matrix[rows], self.classes, self.unit, self.reject_label)

    taken = renamed_method("taken", take)

    def canonical(self) -> "Gain":
        """Shifted and scaled: the least gain of each true class is 0, the largest of all is 1.

        Gains with equal canonical forms decide alike everywhere.

        Returns
        -------
        Gain
            Without a unit.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.canonical().matrix.tolist()
        [[0.3, 0.0], [0.0, 1.0]]
        """
        shifted = self.matrix - self.matrix.min(axis=-1, keepdims=True)
        largest = shifted.max(axis=(-2, -1), keepdims=True)
        return _rebuild(shifted / np.where(largest > 0, largest, 1.0), self.classes, "", self.reject_label)

    # --- decisions --------------------------------------------------------------------------------------

    def decide(self, posteriors: ArrayLike) -> NDArray[np.intp]:
        """The assignment of largest expected gain for each row of P(class | x); the first of equals.

        Codes are places among the classes; K stands for the reject column.

        Parameters
        ----------
        posteriors : rows × classes, P(class | x); each row sums to one.

        Returns
        -------
        ndarray
            A code for each row.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.decide([[0.9, 0.1], [0.5, 0.5]]).tolist()
        [0, 1]
        """
        p = self._read_posteriors(posteriors)
        # without what a true class earns in any case, which would only cost digits
        return np.asarray(_expected_gains(p, self.matrix - self.matrix.min(axis=-1, keepdims=True)).argmax(axis=1))

    def expected(self, posteriors: ArrayLike) -> Array:
        """Σ_k p_k g[k, a] of every row and assignment a.

        Parameters
        ----------
        posteriors : rows × classes, P(class | x); each row sums to one.

        Returns
        -------
        ndarray
            Rows × assignments.

        Examples
        --------
        >>> gain = Gain([[5, -1], [-20, 0]], classes=["good", "bad"])
        >>> gain.expected([[0.5, 0.5]]).tolist()
        [[-7.5, -0.5]]
        """
        return _expected_gains(self._read_posteriors(posteriors), self.matrix)

    def realised(self, true: Any, assigned: Any) -> Array:
        """The gain of each row, from its true class and its assignment.

        Parameters
        ----------
        true, assigned : places among the classes, as `decide` gives them, or names where the gain has names that are
            texts.

        Returns
        -------
        ndarray
            A number for each row.

        Examples
        --------
        >>> Gain([[5, -1], [-20, 0]], classes=["good", "bad"]).realised(["good", "bad"], ["good", "good"]).tolist()
        [5.0, -20.0]
        """
        k = read_places(true, self.labels, "true")
        a = read_places(assigned, self.assigned_labels, "assigned")
        if k.shape != a.shape:
            raise ValueError(f"true and assigned need one class a row each, got {k.size} and {a.size}")
        if not self.per_row:
            return np.asarray(self.matrix[k, a])
        self._refuse_other_rows(k.size)
        return np.asarray(self.matrix[np.arange(k.size), k, a])

    def _read_posteriors(self, posteriors: Any) -> Array:
        p = real_array(posteriors, "posteriors")
        if p.ndim != 2 or p.shape[1] != self.n_classes:
            raise ValueError(f"posteriors must be rows × {self.n_classes} classes, got shape {p.shape}")
        bad = np.flatnonzero(~((p >= 0) & np.isfinite(p)).all(axis=1))
        if bad.size:
            raise ValueError(f"the posteriors of row {bad[0]} are {p[bad[0]].tolist()}; they must be finite and >= 0")
        off = np.flatnonzero(np.abs(p.sum(axis=1) - 1.0) > 1e-6)
        if off.size:
            raise ValueError(
                f"the posteriors of row {off[0]} sum to {p[off[0]].sum():.6g}, not to one; scores become posteriors in "
                "a GainClassifier"
            )
        if self.per_row:
            self._refuse_other_rows(len(p))
        return p

    def _refuse_other_rows(self, n: int) -> None:
        if n != len(self.matrix):
            raise ValueError(f"there are gains for {len(self.matrix)} rows but {n} rows to decide")


def read_gain(gain: Any) -> Gain:
    """A gain, or whatever can become one."""
    if hasattr(gain, "for_table") and not isinstance(gain, Gain):
        raise TypeError(
            "these gains are a function of a table; evaluate them with gain.for_table(X), or let a GainClassifier do it"
        )
    return gain if isinstance(gain, Gain) else Gain(gain)


def _expected_gains(posteriors: Array, matrix: Array) -> Array:
    if matrix.ndim == 2:
        return np.asarray(posteriors @ matrix)
    return np.asarray(np.einsum("nk,nka->na", posteriors, matrix))


def _rebuild(matrix: Array, classes: tuple[Any, ...] | None, unit: str, reject_label: Any) -> Gain:
    return Gain(GainTable(np.array(matrix), classes, reject_label), None, unit)
