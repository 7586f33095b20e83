"""Naive Bayes with different marginals by column: which column has which, and the statistics of each group of them.

Columns are independent within the classes, so that log P(x | k) is the sum over groups of columns, each with a model
and a statistic of its own.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.findings import Finding, listed
from discriminant.learners.additive import AdditiveLearner
from discriminant.parameters import read_choice
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.matrix import Matrix

Array = NDArray[np.float64]

Marginal = Literal["bernoulli", "gaussian", "multinomial", "categorical"]
MARGINALS: tuple[Marginal, ...] = get_args(Marginal)
Groups = tuple[tuple[str, NDArray[np.intp]], ...]  # the columns of each marginal

# How the names of column types begin, in NumPy, pandas, polars and pyarrow alike.
_OF_TYPES = {"bool": "bernoulli", "int": "categorical", "uint": "categorical"}


def read_marginal(marginal: Any) -> None:
    """Refuse what is no marginal, before any row is touched."""
    if not isinstance(marginal, Mapping):
        read_choice(marginal, (*MARGINALS, "auto", "a mapping of columns to one of these"), "marginal")
        return
    if not marginal:
        raise ValueError("marginal is an empty mapping; give columns and their marginals, such as {None: 'gaussian'}")
    for column, one in marginal.items():
        read_choice(one, MARGINALS, f"marginal of {'other columns' if column is None else repr(column)}")


def columns_by_marginal(marginal: Mapping[Any, str], names: tuple[str, ...] | None, n_columns: int) -> Groups:
    """The columns of each marginal; the key None stands for all that are not named."""
    chosen = [marginal.get(None)] * n_columns
    for column, one in marginal.items():
        if column is not None:
            chosen[_place(column, names, n_columns)] = one
    missing = [names[j] if names else str(j) for j, one in enumerate(chosen) if one is None]
    if missing:
        raise ValueError(
            f"marginal says nothing of {listed(missing)}; name {'it' if len(missing) == 1 else 'them'}, or give all "
            "others one: {None: 'gaussian', ...}"
        )
    groups = ((one, np.flatnonzero([one == other for other in chosen])) for one in MARGINALS)
    return tuple((one, columns) for one, columns in groups if columns.size)


def _place(column: Any, names: tuple[str, ...] | None, n_columns: int) -> int:
    if names and str(column) in names:
        return names.index(str(column))
    if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < n_columns:
        return int(column)
    known = (
        f"the columns are {listed(list(names))}"
        if names
        else f"columns without names are numbered 0 to {n_columns - 1}"
    )
    raise ValueError(f"marginal names a column {column!r} that is not there; {known}")


def marginals_of_types(X: Any) -> dict[Any, str]:
    """The marginal of each column of a table by its type, in their order."""
    if isinstance(X, Rows):
        raise ValueError(
            "marginal='auto' goes by the types of a table's columns, which this source does not tell; name them"
        )
    return {j: _of_type(str(kind).lower()) for j, kind in enumerate(_types(X))}


def _types(X: Any) -> Sequence[Any]:
    if hasattr(X, "column_names") and hasattr(X, "schema"):  # pyarrow
        return list(X.schema.types)
    if hasattr(X, "dtypes"):  # pandas and polars
        return list(X.dtypes)
    table = X if hasattr(X, "dtype") else np.asarray(X)
    return [table.dtype] * table.shape[1]


def _of_type(kind: str) -> str:
    return next((marginal for start, marginal in _OF_TYPES.items() if kind.startswith(start)), "gaussian")


@dataclass(frozen=True)
class ColumnStatistics:
    """A statistic for each group of columns, of the same rows."""

    parts: tuple[Any, ...]

    @property
    def classes(self) -> NDArray[Any]:
        """The classes that have rows."""
        return np.asarray(self.parts[0].classes)

    @property
    def counts(self) -> NDArray[np.float64]:
        """Rows of each class, or their weight."""
        return np.asarray(self.parts[0].counts)

    def __add__(self, other: "ColumnStatistics") -> "ColumnStatistics":
        """The statistics of both sets of rows."""
        return ColumnStatistics(tuple(a + b for a, b in zip(self.parts, other.parts, strict=True)))

    def __sub__(self, other: "ColumnStatistics") -> "ColumnStatistics":
        """The statistics of the rows of self that are not in other."""
        return ColumnStatistics(tuple(a - b for a, b in zip(self.parts, other.parts, strict=True)))


@dataclass(frozen=True)
class _SumColumns:
    """The statistics of a block: of each group of columns what its learner sums."""

    learners: tuple[tuple[NDArray[np.intp], Any], ...]

    def __call__(self, rows: ArrayRows) -> ColumnStatistics:
        """Sum in a pass over the block."""
        return ColumnStatistics(
            tuple(learner.summarise(_select_columns(rows, columns)) for columns, learner in self.learners)
        )


def _select_columns(rows: ArrayRows, columns: NDArray[np.intp]) -> ArrayRows:
    names = None if rows.names is None else tuple(rows.names[j] for j in columns)
    return replace(rows, matrix=rows.matrix[:, columns], names=names)


@dataclass(frozen=True)
class ColumnGroup:
    """Columns of one marginal, their model, and the places of their weights: several for a column of categories."""

    columns: NDArray[np.intp]
    model: Any
    places: NDArray[np.intp]


def _parts(groups: Groups, models: Sequence[Any]) -> tuple[ColumnGroup, ...]:
    widths = np.ones(sum(columns.size for _, columns in groups), dtype=np.intp)
    for (name, columns), model in zip(groups, models, strict=True):
        if name == "categorical":
            widths[columns] = [values.size for values in model.categories_]
    starts = np.cumsum(widths) - widths
    return tuple(
        ColumnGroup(columns, model, np.concatenate([starts[j] + np.arange(widths[j]) for j in columns]))
        for (_, columns), model in zip(groups, models, strict=True)
    )


def side_by_side(parts: Sequence[ColumnGroup], tables: Sequence[Array]) -> Array:
    """The columns of each part's table, in the order of the columns of all."""
    found = np.empty((len(tables[0]), sum(part.places.size for part in parts)))
    for part, table in zip(parts, tables, strict=True):
        found[:, part.places] = table
    return found


class MarginalsByColumn(AdditiveLearner):
    """What a naive Bayes learner does where columns have different marginals: its own kind, for each group of them."""

    marginal: Any
    alpha: Any
    var_smoothing: float
    categories: Any
    min_categories: Any
    marginals_: dict[str, Any]
    _groups: Groups
    _parts: tuple[ColumnGroup, ...]

    def _by_column(self) -> bool:
        """Whether columns may have different marginals."""
        return not (isinstance(self.marginal, str) and self.marginal in MARGINALS)

    def read_source(self, X: Any, y: Any, sample_weight: ArrayLike | None, *, reset: bool) -> Rows:
        """Checked rows; the first of them say which columns have which marginal."""
        rows = super().read_source(X, y, sample_weight, reset=reset)
        if reset and self._by_column():
            names, n_columns = self.column_names_in(), self.n_features_in_
            chosen = marginals_of_types(X) if isinstance(self.marginal, str) else self.marginal
            self._groups = columns_by_marginal(chosen, names, n_columns)
            self._refuse_lists_of_another_length(n_columns)
        return rows

    def _refuse_lists_of_another_length(self, n_columns: int) -> None:
        lists = {"alpha": self.alpha, "min_categories": self.min_categories, "categories": self.categories}
        for name, given in lists.items():
            if (name == "categories" or np.ndim(given)) and given is not None and len(given) != n_columns:
                raise ValueError(f"{name} has {len(given)} entries for {n_columns} columns; give one for each")
        if np.ndim(self.alpha) and any(name == "categorical" for name, _ in self._groups):
            raise ValueError("a column with marginal='categorical' takes one alpha for all; give one number")

    def _refuse_merging(self, other: AdditiveLearner) -> None:
        super()._refuse_merging(other)
        if not isinstance(other, MarginalsByColumn):
            return
        if self._known() is None and "_groups" in other.__dict__:
            self._groups = other._groups
        elif self._marginals_of_sums() != other._marginals_of_sums():
            raise ValueError(f"models with marginals {self.marginal!r} and {other.marginal!r} cannot be merged")

    def marginals_of_columns(self) -> tuple[str, ...]:
        """The marginal of each column of a fitted model, in their order."""
        self.check_fitted()
        found = self._marginals_of_sums()
        return (found,) * self.n_features_in_ if isinstance(found, str) else found

    def _marginals_of_sums(self) -> str | tuple[str, ...]:
        """One marginal of all columns, or that of each; known from the first rows on, before there is a model."""
        if not self._by_column():
            return str(self.marginal)
        named = {int(j): name for name, columns in self._groups for j in columns}
        return tuple(named[j] for j in range(self.n_features_in_))

    def _summarise_by_column(self, rows: Rows) -> ColumnStatistics:
        return rows.fold(_SumColumns(tuple((columns, self._of_some(name, columns)) for name, columns in self._groups)))

    def _of_some(self, marginal: str, columns: NDArray[np.intp]) -> Any:
        """The learner of the columns that have one marginal."""

        def of_these(given: Any) -> Any:
            return given if given is None or not np.ndim(given) else [given[j] for j in columns]

        own: Any = type(self)(
            marginal=marginal,
            alpha=of_these(self.alpha),
            var_smoothing=self.var_smoothing,
            categories=None if self.categories is None else [self.categories[j] for j in columns],
            min_categories=of_these(self.min_categories),
        )
        own.n_features_in_ = columns.size
        if "feature_names_in_" in self.__dict__:
            own.feature_names_in_ = self.feature_names_in_[columns]
        return own

    def _learn_by_column(self, statistics: ColumnStatistics) -> tuple[Array, Array, tuple[Finding, ...]]:
        """Independent columns: weights side by side, in the order of the columns, and offsets added."""
        self.marginals_ = {name: self._of_some(name, columns) for name, columns in self._groups}
        models = tuple(self.marginals_.values())
        for model, own in zip(models, statistics.parts, strict=True):
            model.learn(own)
        self._parts = _parts(self._groups, models)
        weights = side_by_side(self._parts, [model._joint[0] for model in models])
        offsets = np.sum([model._joint[1] - model.class_log_prior_ for model in models], axis=0)
        return weights, offsets, tuple(finding for model in models for finding in model.findings_)

    def _linear_by_column(self, matrix: Matrix, coef: Array, intercept: Array) -> Array:
        scores, none = np.zeros((matrix.shape[0], intercept.size)) + intercept, np.zeros_like(intercept)
        for part in self._parts:
            scores += part.model._linear(matrix[:, part.columns], np.ascontiguousarray(coef[:, part.places]), none)
        return scores

    def _declare_by_column(self, classes: NDArray[Any]) -> None:
        """Classes without rows, in the models of all parts."""
        for part in self._parts if self._by_column() else ():
            part.model._declare(classes)
            part.model._include_declared()
