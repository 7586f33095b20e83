"""Gains as people hold them - lists, frames, mappings, text - -> a checked array with names."""

import csv
import io
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import real_array

Array = NDArray[np.float64]

# Differences and products with weights of such gains are still finite.
_LARGEST_GAIN = 1e150


@dataclass(frozen=True)
class GainTable:
    """The numbers, the classes in their order (if named), and the name of the last column if it is for rejecting."""

    matrix: Array
    classes: tuple[Any, ...] | None = None
    reject_label: Any = "reject"

    def with_classes(self, classes: Any) -> "GainTable":
        """Named, or, where it has names already, with these names in this order."""
        if classes is None:
            return self
        names = tuple(classes.tolist() if isinstance(classes, np.ndarray) else classes)
        if len({label_text(n) for n in names}) < len(names):
            raise ValueError(f"classes names a class twice: {list(names)}")
        if self.classes is None:
            if self.matrix.ndim >= 2 and len(names) != self.matrix.shape[-2]:
                raise ValueError(
                    f"classes names {len(names)} classes, but the gain has {self.matrix.shape[-2]} true classes (rows)"
                )
            return replace(self, classes=names)
        own = [label_text(c) for c in self.classes]
        if sorted(own) != sorted(label_text(n) for n in names):
            raise ValueError(f"classes are {list(names)}, but the gain itself names {list(self.classes)}")
        order = [own.index(label_text(n)) for n in names]
        rest = list(range(len(order), self.matrix.shape[-1]))
        return replace(self, classes=names, matrix=self.matrix[..., order, :][..., order + rest])

    def with_reject(self, reject: Any) -> "GainTable":
        """The table with one more column."""
        if reject is None:
            return self
        if self.matrix.shape[-1] != self.matrix.shape[-2]:
            raise ValueError("the gain has a reject column already; leave reject= out")
        column = real_array(reject, "reject")
        if column.shape not in ((), (self.matrix.shape[-2],)):
            raise ValueError(
                f"reject must be one number or one for each of {self.matrix.shape[-2]} true classes, got shape "
                f"{column.shape}"
            )
        wide = np.broadcast_to(column, self.matrix.shape[:-1])[..., None]
        return replace(self, matrix=np.concatenate([self.matrix, wide], axis=-1))

    def negated(self) -> "GainTable":
        """Gains from costs, or costs from gains."""
        return replace(self, matrix=0.0 - self.matrix)

    def checked(self) -> "GainTable":
        """The table with an array of its own, refused unless its shape makes sense and its numbers are finite."""
        shape = self.matrix.shape
        if len(shape) not in (2, 3) or shape[-2] < 2 or shape[-1] - shape[-2] not in (0, 1):
            raise ValueError(
                f"a gain is K×K (true × assigned), K×(K+1) with a reject column, or n×K×K by row, K >= 2; got shape "
                f"{shape}"
            )
        bad = np.argwhere(~np.isfinite(self.matrix))
        if bad.size:
            *row, k, a = bad[0].tolist()
            names = self.classes or tuple(range(shape[-2]))
            where = f"at row {row[0]}, " if row else ""
            value = self.matrix[tuple(bad[0])]
            raise ValueError(
                f"the gain is {value} {where}for true class {names[k]!r} assigned "
                f"{(*names, self.reject_label)[a]!r}; every pair needs a finite gain"
            )
        if np.abs(self.matrix).max(initial=0.0) > _LARGEST_GAIN:
            raise ValueError(
                f"the gain reaches {np.abs(self.matrix).max():.3g}, and sums of such gains overflow; use a larger unit"
            )
        return replace(self, matrix=np.array(self.matrix, order="C"))


def read_table(value: Any) -> GainTable:
    """Read a gain in whatever form it is given."""
    if isinstance(value, GainTable):
        return value
    if isinstance(value, Mapping):
        return _of_mapping(value)
    if not isinstance(value, np.ndarray | list | tuple):
        frame = nw.from_native(value, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return _of_frame(frame)
    matrix = real_array(value, "gain")
    return GainTable(matrix)


def label_text(label: Any) -> str:
    """What labels are matched by, so that a file may name the classes 0 and 1, or 0.0 and 1.0, or "0" and "1"."""
    return str(int(label)) if isinstance(label, float) and label.is_integer() else str(label)


def read_places(values: Any, labels: Sequence[Any], name: str) -> NDArray[np.intp]:
    """Places among the labels, from places or from texts that name them."""
    given = np.asarray(values)
    if given.ndim != 1:
        raise ValueError(f"{name} must be one class for each row, got shape {given.shape}")
    if given.dtype.kind not in "iubf":
        return _places_of_names(given.tolist(), labels, name)
    with np.errstate(invalid="ignore"):
        places = given.astype(np.intp, copy=False)
    bad = np.flatnonzero((places != given) | (places < 0) | (places >= len(labels)))
    if bad.size:
        raise ValueError(
            f"{name} is {given[bad[0]]} at row {bad[0]}; numbers are places among {list(labels)}, from 0 to "
            f"{len(labels) - 1} (classes that are numbers themselves: np.searchsorted(classes, y))"
        )
    return places


def _places_of_names(names: list[Any], labels: Sequence[Any], name: str) -> NDArray[np.intp]:
    known = {label_text(label): place for place, label in enumerate(labels)}
    places = np.array([known.get(label_text(label), -1) for label in names], dtype=np.intp)
    bad = np.flatnonzero(places < 0)
    if bad.size:
        raise ValueError(f"{name} is {names[bad[0]]!r} at row {bad[0]}, which is not one of {list(labels)}")
    return places


def row_count(X: Any) -> int:
    """How many rows a table has."""
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def named_table(matrix: Array, true: Sequence[Any], assigned: Sequence[Any]) -> GainTable:
    """Columns brought into the order of the rows; one more column is the gain of rejecting."""
    for names, what in ((true, "true"), (assigned, "assigned")):
        texts = [label_text(n) for n in names]
        twice = [t for t in texts if texts.count(t) > 1]
        if twice:
            raise ValueError(f"the gain has the {what} class {twice[0]!r} twice")
    places = {label_text(a): i for i, a in enumerate(assigned)}
    missing = [t for t in true if label_text(t) not in places]
    if missing:
        raise ValueError(
            f"the gain has no column for assigning {missing[0]!r}; its true classes are {list(true)} and its assigned "
            f"classes {list(assigned)}"
        )
    extra = [a for a in assigned if label_text(a) not in {label_text(t) for t in true}]
    if len(extra) > 1:
        raise ValueError(
            f"the gain has no true class for the columns {extra}; one column beyond the classes may stand for rejecting"
        )
    order = [places[label_text(t)] for t in true] + [places[label_text(a)] for a in extra]
    return GainTable(matrix[:, order], tuple(true), extra[0] if extra else "reject")


def _of_mapping(rows: Mapping[Any, Any]) -> GainTable:
    if not rows or not all(isinstance(r, Mapping) for r in rows.values()):
        raise TypeError("a gain as a mapping is {true class: {assigned class: gain}}")
    true = list(rows)
    assigned = list(dict.fromkeys(a for row in rows.values() for a in row))
    for k, row in rows.items():
        for a in assigned:
            if a not in row:
                raise ValueError(f"the gain of assigning {a!r} to true class {k!r} is missing")
    return named_table(real_array([[rows[k][a] for a in assigned] for k in true], "gain"), true, assigned)


def _of_frame(frame: Any) -> GainTable:
    columns = list(frame.columns)
    true = _index_labels(frame)
    if true is None and columns and not frame.schema[columns[0]].is_numeric():
        true = frame.get_column(columns[0]).to_list()
        columns = columns[1:]
    for name in columns:
        if not frame.schema[name].is_numeric():
            raise TypeError(f"column {name!r} of the gain holds {frame.schema[name]}, not numbers")
    matrix = np.column_stack([frame.get_column(c).to_numpy() for c in columns]).astype(np.float64)
    if true is not None:
        return named_table(matrix, true, columns)
    if columns == list(range(len(columns))):  # names a data frame gives by itself
        return GainTable(matrix)
    if len(columns) - len(matrix) not in (0, 1):
        return GainTable(matrix)  # refused for its shape
    return named_table(matrix, columns[: len(matrix)], columns)


def _index_labels(frame: Any) -> list[Any] | None:
    index = nw.maybe_get_index(frame)
    if index is None:
        return None
    labels = list(index.tolist())
    return None if labels == list(range(len(labels))) else labels


# --- text -----------------------------------------------------------------------------------------------


class GainText(NamedTuple):
    """The parts of a gain that is written as text."""

    table: GainTable
    classes: Any
    unit: str
    reject: Any
    costs: bool


def read_text(text: str) -> GainText:
    """TOML where it is TOML, CSV otherwise."""
    if not isinstance(text, str):
        raise TypeError(f"text must be CSV or TOML text, got {type(text).__name__}")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if "=" in text:
            raise ValueError(f"the gain is not valid TOML: {error}") from error
        return _of_csv(text)
    if not document:
        raise ValueError("the text of the gain is empty")
    return _of_toml(document)


def _of_toml(document: dict[str, Any]) -> GainText:
    known = {"gain", "costs", "classes", "unit", "reject"}
    unknown = sorted(set(document) - known)
    if unknown:
        raise ValueError(f"the gain has the key {unknown[0]!r}; the keys are {', '.join(sorted(known))}")
    given = [key for key in ("gain", "costs") if key in document]
    if len(given) != 1:
        raise ValueError("the text must have either a table 'gain' or a table 'costs'")
    table = read_table(document[given[0]])
    unit = document.get("unit", "")
    return GainText(table, document.get("classes"), unit, document.get("reject"), given[0] == "costs")


def _of_csv(text: str) -> GainText:
    first = text.strip().splitlines()[0]
    delimiter = max(",;\t", key=first.count)
    lines = [line for line in csv.reader(io.StringIO(text.strip()), delimiter=delimiter) if line]
    cells = [[cell.strip() for cell in line] for line in lines]
    header = cells[0]
    rows: list[list[float]] = []
    for number, line in enumerate(cells[1:], start=2):
        if len(line) != len(header):
            raise ValueError(f"line {number} of the gain has {len(line)} cells, the first line has {len(header)}")
        rows.append([_number(cell, number, name) for cell, name in zip(line[1:], header[1:], strict=True)])
    if not rows or len(header) < 2:
        raise ValueError(
            "the gain as CSV has a first line with the assigned classes and a line for each true class, such as "
            "',a,b' / 'a,1,0' / 'b,0,1'"
        )
    table = named_table(np.array(rows), [line[0] for line in cells[1:]], header[1:])
    return GainText(table, None, header[0], None, False)


def _number(cell: str, line: int, column: str) -> float:
    try:
        return float(cell)
    except ValueError as error:
        raise ValueError(f"line {line} of the gain holds {cell!r} under {column!r}, not a number") from error
