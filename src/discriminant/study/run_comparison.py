"""Two or more saved runs side by side: figures, and what changed in their columns and weights since the first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

Run = Mapping[str, Any]

_MOST_WEIGHTS = 5
_MATTERS = 0.1  # of the largest weight: changes below this are too small to be told


def compared_runs(names: Sequence[str], runs: Sequence[Run]) -> dict[str, Any]:
    """Plain data: a row for each run, and for each but the first what differs from the first."""
    return {
        "runs": [_row(name, run) for name, run in zip(names, runs, strict=True)],
        "changes": [
            {"run": name, "since": names[0], **_changes(runs[0], run)}
            for name, run in zip(names[1:], runs[1:], strict=True)
        ],
        "comparable": [_doubts(runs[0], run) for run in runs[1:]],
    }


def _row(name: str, run: Run) -> dict[str, Any]:
    best: Run = next((entry for entry in run["comparison"] if entry["name"] == run["best"]), {"figures": {}})
    figures = best["figures"]
    return {
        "run": name,
        "learner": run["learner"]["name"],
        "text": run["learner"]["text"],
        "rows": run["data"]["used_rows"],
        "columns": sum(column["kind"] != "dropped" for column in run["columns"]),
        "criterion": run["criterion"],
        "unit": run["unit"],
        "expected": run["expected"],
        "accuracy": figures.get("accuracy"),
        "auc": figures.get("auc"),
        "threshold": _threshold(run),
        "test": run["test"]["figures"].get(run["criterion"]) if "test" in run else None,
    }


def _threshold(run: Run) -> float | None:
    """The probability of the positive class from which on it is answered."""
    two = run.get("two")
    return None if two is None else 1 / (1 + math.exp(-two["offset"])) if abs(two["offset"]) < 700 else None


def _changes(first: Run, run: Run) -> dict[str, Any]:
    before, after = _used(first), _used(run)
    return {
        "columns_added": [name for name in after if name not in before],
        "columns_gone": [name for name in before if name not in after],
        "columns_changed": [
            {"column": name, "before": before[name], "after": after[name]}
            for name in after
            if name in before and before[name] != after[name]
        ],
        "weights": _weights(first, run),
    }


def _used(run: Run) -> dict[str, str]:
    return {column["name"]: column["done"] for column in run["columns"] if column["kind"] != "dropped"}


def _weights(first: Run, run: Run) -> list[dict[str, Any]]:
    """Weights that moved most, as shares of the largest of their run: planes of some learners have any length."""
    if first["weights"]["planes"] != run["weights"]["planes"]:
        return []
    before, after = _shares(first), _shares(run)
    moved: list[dict[str, Any]] = []
    for name in dict.fromkeys([*before, *after]):
        old, new = before.get(name, 0.0), after.get(name, 0.0)
        if abs(new - old) >= _MATTERS:
            moved.append({"feature": name, "before": old, "after": new, "turned": old * new < 0})
    return sorted(moved, key=lambda change: (not change["turned"], -abs(change["after"] - change["before"])))[
        :_MOST_WEIGHTS
    ]


def _shares(run: Run) -> dict[str, float]:
    features = run["weights"]["features"]
    largest = {f["name"]: max(f["standardised"], key=abs) for f in features}
    top = max(map(abs, largest.values()), default=0.0) or 1.0
    return {name: weight / top for name, weight in largest.items()}


def _doubts(first: Run, run: Run) -> list[str]:
    """Why the figures of two runs cannot be set against each other."""
    said = []
    if first["data"]["target"] != run["data"]["target"]:
        said.append(f"they predict different columns: {first['data']['target']} and {run['data']['target']}")
    if first["criterion"] != run["criterion"] or first["gain"]["matrix"] != run["gain"]["matrix"]:
        said.append("they were made for different gains")
    if first["data"]["sha256"] != run["data"]["sha256"]:
        said.append("they were made from different data")
    return said
