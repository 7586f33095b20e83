"""What the passes over a table have found, in files, so that an interrupted run need not read it again.

Plain data: numbers and texts in JSON, with the names of the few types that they belong to, and cells in Arrow's format.
Nothing in them is run. A folder holds

    passes.json    summaries of columns, classes, totals, and ``key``, which says of which files and options
    cells.arrow    the drawn rows as the table has them
    rows.arrow     their codes, weights and numbers
    values.arrow   the different cells of the target
    complete.txt   the hashes of the others, written last: without it, or with another, none of them counts
"""

import contextlib
import hashlib
import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.study.drawn_rows import DrawnRows
from discriminant.study.question import ClassTotals, CodedTarget
from discriminant.study.table_passes import TableSummary
from discriminant.study.target_counts import TargetCoding
from discriminant.table.number_format import NumberFormat
from discriminant.table.spreads import Quantiles, Spread
from discriminant.table.summaries import ColumnSummary
from discriminant.table.written_numbers import NumberReading

_TYPES = {
    t.__name__: t for t in (ClassTotals, CodedTarget, ColumnSummary, NumberFormat, NumberReading, Quantiles, Spread)
}
_FILES = _PASSES, _CELLS, _ROWS, _VALUES = "passes.json", "cells.arrow", "rows.arrow", "values.arrow"
_COMPLETE = "complete.txt"


def save_passes(folder: Path, key: str, coding: TargetCoding, found: TableSummary, notes: Mapping[str, Any]) -> None:
    """Write what was found of a table; ``notes`` are plain data of the caller's."""
    drawn = found.drawn
    folder.mkdir(parents=True, exist_ok=True)
    _remove_files(folder)
    _write(folder / _CELLS, drawn.table)
    weight = pa.nulls(drawn.codes.size, pa.float64()) if drawn.weight is None else pa.array(drawn.weight)
    _write(folder / _ROWS, pa.table({"codes": drawn.codes, "numbers": drawn.numbers, "weight": weight}))
    _write(folder / _VALUES, pa.table({"values": coding.values}))
    document = {
        "key": key,
        "target": [coding.name, coding.weight_name, to_plain(coding.target)],
        "columns": to_plain(found.columns),
        "totals": to_plain(found.totals),
        "n_rows": found.n_rows,
        "first_rows": dict(found.first_rows),
        "notes": dict(notes),
    }
    (folder / _PASSES).write_text(json.dumps(document))
    (folder / _COMPLETE).write_text(_hashes(folder))


def load_passes(folder: Path, key: str) -> tuple[TargetCoding, TableSummary, dict[str, Any]] | None:
    """What `save_passes` wrote under this key; None where there is nothing, or of other files and options."""
    try:
        if (folder / _COMPLETE).read_text() != _hashes(folder):
            return None
        document = json.loads((folder / _PASSES).read_text())
        if document["key"] != key:
            return None
        name, weight_name, target = document["target"]
        rows, values = _read(folder / _ROWS), _read(folder / _VALUES)
        weight = rows.column("weight")
        drawn = DrawnRows(
            _read(folder / _CELLS),
            rows.column("codes").to_numpy(),
            None if weight.null_count else weight.to_numpy(),
            rows.column("numbers").to_numpy(),
        )
        coding = TargetCoding(name, weight_name, from_plain(target), values.column("values").combine_chunks())
        found = TableSummary(
            from_plain(document["columns"]),
            from_plain(document["totals"]),
            drawn,
            document["n_rows"],
            document["first_rows"],
        )
        return coding, found, document["notes"]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError, pa.ArrowException):
        return None


def has_passes(folder: Path) -> bool:
    """Whether `save_passes` came to its end there."""
    return (folder / _COMPLETE).exists()


def remove_passes(folder: Path) -> None:
    """Remove what `save_passes` wrote, and the folder unless something else is in it."""
    with contextlib.suppress(OSError):
        _remove_files(folder)
        folder.rmdir()


def _remove_files(folder: Path) -> None:
    """What they are links to stays."""
    for name in (_COMPLETE, *_FILES):
        (folder / name).unlink(missing_ok=True)


def _hashes(folder: Path) -> str:
    lines = []
    for name in _FILES:
        with (folder / name).open("rb") as file:
            lines.append(f"{hashlib.file_digest(file, 'sha256').hexdigest()}  {name}\n")
    return "".join(lines)


def _write(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)


def _read(path: Path) -> pa.Table:
    with pa.OSFile(str(path), "rb") as file:
        table = pa.ipc.open_file(file).read_all()
    table.validate(full=True)
    return table


def to_plain(value: Any) -> Any:
    """Values of the known types as data that JSON can hold.

    >>> from_plain(to_plain(Counter(a=2))), from_plain(to_plain((1, 2.5, "x", None)))
    (Counter({'a': 2}), (1, 2.5, 'x', None))
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return to_plain(value.item())
    if isinstance(value, np.ndarray):
        return {"array": [value.dtype.str, value.tolist()]}
    if isinstance(value, tuple | list | frozenset):
        return {type(value).__name__: [to_plain(each) for each in value]}
    if isinstance(value, Counter | dict):
        pairs = [[to_plain(key), to_plain(each)] for key, each in value.items()]
        return {"Counter" if isinstance(value, Counter) else "dict": pairs}
    if is_dataclass(value) and type(value).__name__ in _TYPES:
        return {type(value).__name__: {f.name: to_plain(getattr(value, f.name)) for f in fields(value) if f.init}}
    raise TypeError(f"{type(value).__name__} is not among the types that are saved")


def from_plain(data: Any) -> Any:
    """The value that `to_plain` was given."""
    if not isinstance(data, dict):
        return data
    ((kind, content),) = data.items()
    if kind == "array":
        return _array(*content)
    if kind in ("tuple", "list", "frozenset"):
        return {"tuple": tuple, "list": list, "frozenset": frozenset}[kind](from_plain(each) for each in content)
    if kind in ("Counter", "dict"):
        pairs = {from_plain(key): from_plain(each) for key, each in content}
        return Counter(pairs) if kind == "Counter" else pairs
    return _TYPES[kind](**{name: from_plain(each) for name, each in content.items()})


def _array(dtype: str, numbers: Any) -> NDArray[Any]:
    if np.dtype(dtype).kind not in "fiub":
        raise ValueError(f"{dtype} are no numbers")
    return np.array(numbers, dtype=dtype)
