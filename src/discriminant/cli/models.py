"""The model a command is given (its file, or the folder of a run) and the new rows it is to read."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from discriminant.cli.tables import FILES_ALONE, Query, open_data
from discriminant.findings import listed
from discriminant.table.errors import FileError, OptionError, TableError

_MOST_TOLD = 2


@dataclass(frozen=True)
class RowOptions:
    """How new rows are read, and what is said of them, as typed."""

    on_error: str = "stop"
    delimiter: str | None = None
    strict: bool = False
    json: bool = False
    query: Query = FILES_ALONE
    engine: str | None = None


def differences_text(found: Sequence[Any]) -> str:
    """The worst two, and how many more there are."""
    told = "; ".join(difference.text for difference in found[:_MOST_TOLD])
    more = len(found) - _MOST_TOLD
    return f"these rows differ from training: {told}" + (f"; and {more} more: --json lists them" if more > 0 else "")


class NewRowsDiffer(TableError):
    """Rows that differ from those of training, where --strict asks that they do not."""

    def __init__(self, found: Sequence[Any], counts: Any = None, seen: Any = None) -> None:
        super().__init__(differences_text(found), "without --strict this is only said")
        self.counts = counts
        self.seen = seen


def load_model(path: Path) -> Any:
    """Read a model from its file, or from the folder of a run."""
    from discriminant.model import load

    if not path.exists():
        raise FileError(f"{path}: there is no such model", "give model.json, or the folder that fit wrote")
    return load(path / "model.json" if path.is_dir() else path)


def open_rows(model: Any, data: Sequence[str], delimiter: str | None, query: Query = FILES_ALONE) -> Any:
    """The tables a model is to read; one of sparse rows reads nothing else, and one of columns no sparse rows."""
    indexed = model.encoding.layout == "svmlight"
    source = open_data(data, delimiter, query, "svmlight" if indexed else None)
    if indexed and source.format != "svmlight":
        raise OptionError("the model reads svmlight files, and a query has named columns", hint="name files")
    if source.format == "svmlight" and not indexed:
        raise TableError(
            f"{source.files[0]} has indices and no named columns, which the model needs",
            hint=f"give a table with the columns {listed([c.name for c in model.encoding.used], 4)}",
        )
    return source


def read_on_error(value: str) -> str:
    """Read what to do about bad rows: "stop" or "skip"."""
    if value not in ("stop", "skip"):
        raise OptionError(f"--on-error {value!r} is neither stop nor skip")
    return value


@dataclass(frozen=True)
class Decision:
    """How rows are to be decided otherwise than the model says, as typed."""

    threshold: float | None = None
    priors: str | None = None
    gain: str | None = None

    @property
    def given(self) -> bool:
        """Whether any of the three is given."""
        return any(option is not None for option in (self.threshold, self.priors, self.gain))


def with_decision(model: Any, decision: Decision) -> Any:
    """The model with another gain, other priors and another threshold, in this order."""
    if not decision.given:
        return model
    from discriminant.model.settings import (
        read_priors,
        with_column_gain,
        with_gain,
        with_note,
        with_priors,
        with_threshold,
    )
    from discriminant.study.gains import read_column_gain, read_gain_option

    if decision.gain is not None:
        by_row = read_column_gain(decision.gain, model.classes)
        if by_row is None:
            model = with_gain(model, read_gain_option(decision.gain, model.classes))
        else:
            model = with_note(with_column_gain(model, by_row), {"gain": decision.gain})
    if decision.priors is not None:
        model = with_priors(model, read_priors(decision.priors, model.classes))
    return model if decision.threshold is None else with_threshold(model, decision.threshold)
