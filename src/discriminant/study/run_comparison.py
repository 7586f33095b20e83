"""Two or more saved runs side by side: figures, and what changed in their columns and weights since the first."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from discriminant.model.plain_json import Field, ModelFileError
from discriminant.study.run_file import RunFileError

Figure = dict[str, float]

_ENDS = ("value", "low", "high")
_MOST_WEIGHTS = 5
_MATTERS = 0.1  # of the largest weight: changes below this are too small to be told


@dataclass(frozen=True)
class ComparedRun:
    """What is compared of a run; each field of the file is checked, since anybody may have written it."""

    row: dict[str, Any]  # its figures, as plain data
    columns: dict[str, str]  # that are used, and what was done with each
    planes: tuple[str, ...]
    weights: dict[str, float]  # the largest of each feature
    target: str
    sha256: str
    gain: Any

    @classmethod
    def of(cls, name: str, run: dict[str, Any]) -> "ComparedRun":
        """Read from the content of a run file; what is wrong with it is named by its place."""
        try:
            return cls._read(name, Field(run))
        except ModelFileError as error:
            raise RunFileError(f"{name}: {error}; give the run.json that discriminant fit wrote") from None

    @classmethod
    def _read(cls, name: str, run: Field) -> "ComparedRun":
        criterion, best = run.at("criterion").choice(("gain", "accuracy")), run.at("best").text()
        figures = next(
            (e.at("figures") for e in run.at("comparison").items() if e.at("name").text() == best), Field({})
        )
        columns = _used_columns(run)
        row = {
            "run": name,
            "learner": run.at("learner", "name").text(),
            "text": run.at("learner", "text").text(),
            "rows": run.at("data", "used_rows").count(),
            "columns": len(columns),
            "criterion": criterion,
            "unit": run.at("unit").text(),
            "expected": _figure(run.at("expected")),
            "accuracy": _optional_figure(figures, "accuracy"),
            "auc": _optional_figure(figures, "auc"),
            "threshold": _threshold(run),
            "test": _optional_figure(run.at("test", "figures"), criterion) if "test" in run.value else None,
        }
        return cls(
            row,
            columns,
            tuple(str(plane.label()) for plane in run.at("weights", "planes").items()),
            _largest_weights(run),
            run.at("data", "target").text(),
            run.at("data", "sha256").text(),
            run.at("gain", "matrix").value,
        )


def compared_runs(names: Sequence[str], runs: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Plain data: a row for each run, and for each but the first what differs from the first."""
    first, *others = (ComparedRun.of(name, run) for name, run in zip(names, runs, strict=True))
    return {
        "runs": [run.row for run in (first, *others)],
        "changes": [{"run": run.row["run"], "since": first.row["run"], **_changes(first, run)} for run in others],
        "comparable": [_doubts(first, run) for run in others],
    }


# --- fields of a run ------------------------------------------------------------------------------------


def _figure(field: Field) -> Figure:
    return {end: field.at(end).number() for end in _ENDS}


def _optional_figure(figures: Field, name: str) -> Figure | None:
    if not isinstance(figures.value, dict):
        figures.refuse("an object")
    if figures.value.get(name) is None:
        return None
    figure = figures.at(name)
    known = {"value": figure.at("value").number()}
    return known | {end: figure.at(end).number() for end in _ENDS if figure.value.get(end) is not None}


def _threshold(run: Field) -> float | None:
    """The probability of the positive class from which on it is answered."""
    two = run.value.get("two")
    if two is None or run.at("two", "offset").value is None:
        return None
    offset = run.at("two", "offset").number()
    return 1 / (1 + math.exp(-offset)) if abs(offset) < 700 else None


def _used_columns(run: Field) -> dict[str, str]:
    columns = run.at("columns").items()
    return {c.at("name").text(): c.at("done").text() for c in columns if c.at("kind").text() != "dropped"}


def _largest_weights(run: Field) -> dict[str, float]:
    found = {}
    for feature in run.at("weights", "features").items():
        weights = [weight.number() for weight in feature.at("standardised").items()]
        found[feature.at("name").text()] = max(weights, key=abs, default=0.0)
    return found


# --- what differs ---------------------------------------------------------------------------------------


def _changes(first: ComparedRun, run: ComparedRun) -> dict[str, Any]:
    before, after = first.columns, run.columns
    return {
        "columns_added": [name for name in after if name not in before],
        "columns_gone": [name for name in before if name not in after],
        "columns_changed": [
            {"column": name, "before": before[name], "after": after[name]}
            for name in after
            if name in before and before[name] != after[name]
        ],
        "weights": _moved_weights(first, run),
    }


def _moved_weights(first: ComparedRun, run: ComparedRun) -> list[dict[str, Any]]:
    """Weights that moved most, as shares of the largest of their run: planes of some learners have any length."""
    if first.planes != run.planes:
        return []
    before, after = _shares(first.weights), _shares(run.weights)
    moved: list[dict[str, Any]] = []
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, 0.0), after.get(name, 0.0)
        if abs(new - old) >= _MATTERS:
            moved.append({"feature": name, "before": old, "after": new, "turned": old * new < 0})
    return sorted(moved, key=lambda change: (not change["turned"], -abs(change["after"] - change["before"])))[
        :_MOST_WEIGHTS
    ]


def _shares(weights: dict[str, float]) -> dict[str, float]:
    top = max(map(abs, weights.values()), default=0.0) or 1.0
    return {name: weight / top for name, weight in weights.items()}


def _doubts(first: ComparedRun, run: ComparedRun) -> list[str]:
    """Why the figures of two runs cannot be set against each other."""
    said = []
    if first.target != run.target:
        said.append(f"they predict different columns ({run.target} and {first.target})")
    if first.row["criterion"] != run.row["criterion"] or first.gain != run.gain:
        said.append("they were made for different gains")
    if first.sha256 != run.sha256:
        said.append("they were made from different data")
    return said
