"""A study -> plain data with everything a page shows: the content of run.json.

All of it is text and numbers; its size is bounded whatever the table, so that the page stays small.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import Estimate
from discriminant.learners.registry import known_learners, title_of
from discriminant.separability.capacity import capacity
from discriminant.study import evidence
from discriminant.study.claims import claimed_accuracy, claimed_gain, why_not_offered
from discriminant.study.column_texts import cells_of, column_records, shapes_of
from discriminant.study.data_findings import is_covered
from discriminant.study.study import Study, finding_record
from discriminant.study.verdict import baseline_of, trees_record, verdict_of
from discriminant.study.weights import interval, weight_errors
from discriminant.table.encoding import Column, Feature, IndexedEncoding

Array = NDArray[np.float64]
_Origin = tuple[str, str, float, str]

VERSION = 1
_MOST_FEATURES = 200
_MOST_ROWS = 10
_LEVEL = 0.05  # of all learners together
_KIN = {"RedundantColumns": "SingularCovariance", "OneRowClass": "RareClass"}  # different words for the same fact


def run_of(study: Study, about: dict[str, Any]) -> dict[str, Any]:
    """What is shown; ``about`` says where the table came from and how it was studied (see `cli.fitting.about_of`)."""
    question, comparison = study.design.question, study.comparison
    held = _HeldOutRows(study)
    expected = expected_of(study, study.best)
    baseline = baseline_of(study, held.codes, held.weight)
    return {
        "format": "discriminant run",
        "version": VERSION,
        **{key: about[key] for key in ("title", "made", "command", "seed", "versions")},
        "data": _data(study, about),
        **column_records(study.design),
        "verdict": verdict_of(study, expected, baseline),
        "criterion": study.criterion,
        "unit": study.gain.unit,
        "gain": _gain(study),
        "priors": {"rows": question.shares.tolist(), "used": list(study.model.priors or ())},
        "separation": {**study.separation, "capacity": _capacity(study)},
        "best": study.best,
        "learner": {
            "name": study.best,
            "text": title_of(study.best),
            "kind": known_learners()[study.best].kind,
            "parameters": dict(study.model.parameters),
        },
        "comparison": _comparison(study),
        "baseline": baseline,
        "expected": evidence.figure(expected),
        "trees": trees_record(study),
        "importance": _importance(study),
        "shapes": shapes_of(study.model),
        "two": _two_class_figures(study, held) if len(question.classes) == 2 else None,
        "many": _many_class_figures(study, held) if len(question.classes) > 2 else None,
        "confusion": {
            "assigned": list(study.model.answers),
            "counts": evidence.confusion(
                held.codes, held.decided, held.weight, len(question.classes), len(study.model.answers)
            ),
        },
        "weights": _weights(study),
        "rows": _rows(study, held),
        "calibration": _calibration(held),
        "findings": _findings(study),
        "reproduce": about["reproduce"],
        "compared_rows": int(comparison.codes.size),
        "validation": study.design.holding_out.describe(comparison.cv),
    }


class _HeldOutRows:
    """Held-out rows of the comparison: codes, weights, scores and posteriors of the chosen rule, assignments."""

    def __init__(self, study: Study) -> None:
        comparison = study.comparison
        self.codes = comparison.codes
        self.weight = comparison.weights
        self.scores = study.fitted.held_scores
        self.posteriors = study.fitted.held_out_posteriors()
        self.assigned = study.delivered_answers
        self.decided = study.decisions_of(study.best)  # by rules that had not seen the row either
        self.tested = study.fitted.tested
        self.places = study.judged  # among the used rows
        self.numbers = study.design.row_numbers[self.places]  # in the table


def expected_of(study: Study, name: str) -> Estimate:
    """The figure of the criterion: each row decided by what the other folds say."""
    claimed = claimed_gain if study.gain_given else claimed_accuracy
    return claimed(study.comparison, name, study.decisions_of(name))


def _data(study: Study, about: dict[str, Any]) -> dict[str, Any]:
    question = study.design.question
    shares, counts = question.shares, question.counts
    notes = [*about["notes"], *question.notes]
    notes += sampling_notes(study)
    if text := study.design.holding_out.describe(study.comparison.cv)["text"]:
        notes.append(text)
    return {
        **{key: about[key] for key in ("files", "rows", "columns", "sha256")},
        "used_rows": question.n_rows,
        "drawn_rows": None if study.design.whole is None else int(question.codes.size),
        "target": question.name,
        "weight": about.get("weight"),
        "classes": [
            {"label": label, "rows": int(n), "share": float(s)}
            for label, n, s in zip(question.classes, counts, shares, strict=True)
        ],
        "positive": question.classes[1] if len(question.classes) == 2 else None,
        "notes": notes,
    }


def sampling_notes(study: Study) -> list[str]:
    """What was learnt from how many rows, where that is not all of them."""
    question, drawn, notes = study.design.question, study.design.drawn, []
    if study.design.whole is not None:
        figures = f"figures are of {question.codes.size:,} of {question.n_rows:,} rows, drawn by their numbers"
        kept = "the columns are described and the weights learnt from all"
        notes.append(f"the table was read in passes; {figures}; {kept}" if drawn else "the table was read in passes")
    if study.compared is not None:
        of = "of these" if drawn else f"of {question.n_rows:,} rows"
        fitted = "" if drawn else "; the chosen one was fitted to all"
        weighed = study.comparison.weight is not None and study.design.question.weight is None
        how = "drawn class by class" + ", classes weighed by their shares" * weighed
        notes.append(f"learners were compared on {study.compared.size:,} {of}, {how}{fitted}")
    return notes


def _capacity(study: Study) -> str:
    """How likely it is that a plane separates rows like these whatever their labels; empty where none does."""
    if study.separation["kind"] != "complete":
        return ""
    told = str(capacity(study.design.question.n_rows, study.design.X.shape[1]))
    return told if len(study.model.classes) == 2 else f"One class against the rest, {told}"


def _gain(study: Study) -> dict[str, Any]:
    return {
        "given": study.gain_given,
        "classes": list(study.model.classes),
        "assigned": list(study.model.answers),
        "matrix": study.gain.matrix.tolist(),
        "unit": study.gain.unit,
    }


# --- learners -------------------------------------------------------------------------------------------


def _comparison(study: Study) -> list[dict[str, Any]]:
    comparison = study.comparison
    entries = []
    figures = {name: expected_of(study, name) for name in comparison.gain}
    n_others = max(len(figures) - 1, 1)
    for name in sorted(figures, key=lambda n: (n != study.best, -figures[n].value)):
        own = {"gain": evidence.figure(figures[name])} if study.gain_given else {}
        delivered = study.delivered_answers if name == study.best and study.gain_given else None
        own["accuracy"] = evidence.figure(claimed_accuracy(comparison, name, study.decisions_of(name), delivered))
        others = {"log_loss": comparison.log_loss, "auc": comparison.auc}
        own |= {figure: evidence.figure(of[name]) for figure, of in others.items() if name in of}
        gap = study.more_earned(name)
        entries.append(
            {
                "name": name,
                "text": title_of(name),
                "tied": bool(gap.p_value * n_others >= _LEVEL),
                "not_offered": why_not_offered(comparison, name) if name != study.best else "",
                "figures": own,
                "difference": None if name == study.best else {**evidence.figure(gap), "p": gap.p_value},
                "seconds": comparison.seconds[name],
                "failure": None,
            }
        )
    failed = {**comparison.failures, **study.left_out}
    return entries + [_failure_entry(name, reason) for name, reason in failed.items()]


def _failure_entry(name: str, reason: str) -> dict[str, Any]:
    none = {"tied": False, "not_offered": "", "figures": {}, "difference": None, "seconds": None}
    return {"name": name, "text": title_of(name), **none, "failure": reason}


# --- scores ---------------------------------------------------------------------------------------------


def _two_class_figures(study: Study, held: _HeldOutRows) -> dict[str, Any]:
    s = held.scores[:, 0]
    posterior = study.fitted.posterior
    auc = study.comparison.auc.get(study.best)
    return {
        **evidence.operating_points(s, held.codes, held.weight),
        "histogram": evidence.histogram(s, held.codes, held.weight),
        "slope": posterior.slope,
        "offset": posterior.offsets[1] - posterior.offsets[0],
        "bends": [[float(at), float(change)] for at, change in posterior.bends],
        "auc": None if auc is None else evidence.figure(auc),
    }


def _many_class_figures(study: Study, held: _HeldOutRows) -> dict[str, Any]:
    rows = evidence.few_rows(held.codes.size, study.seed)
    return {
        "rows": int(rows.size),
        "sampled": bool(rows.size < held.codes.size),
        "true": held.codes[rows].tolist(),
        "posteriors": [[round(float(p), 5) for p in row] for row in held.posteriors[rows]],
        "points": _round_points(_projection(study, held, rows)),
    }


def _round_points(points: Array) -> list[list[float]]:
    """Round points to four digits of the spread: enough for a picture."""
    spread = float(np.abs(points).max(initial=0.0)) or 1.0
    return (np.round(points / spread, 4) * spread).tolist()  # type: ignore[no-any-return]


def _projection(study: Study, held: _HeldOutRows, rows: NDArray[np.intp]) -> Array:
    """Held-out scores in the two directions in which class means differ most."""
    s = held.scores - held.scores.mean(axis=1, keepdims=True)
    means = np.stack([s[held.codes == k].mean(axis=0) for k in range(len(study.model.classes))])
    _, _, directions = np.linalg.svd(means - s.mean(axis=0))
    return np.asarray((s[rows] - s.mean(axis=0)) @ directions[:2].T)


def _calibration(held: _HeldOutRows) -> list[dict[str, float]]:
    if held.tested.shape[1] == 2:
        return evidence.calibration(held.tested[:, 1], held.codes == 1, held.weight)
    likeliest = held.tested.argmax(axis=1)
    return evidence.calibration(held.tested.max(axis=1), likeliest == held.codes, held.weight)


# --- weights and rows -----------------------------------------------------------------------------------


def _weights(study: Study) -> dict[str, Any]:
    design, model = study.design, study.model
    W = model.weights
    if not study.fitted.ranks:
        errors, how = None, "the decision is the same for every row"
    else:
        errors, how = weight_errors(
            study.best, study.learner, design.X, design.question.codes, design.question.weight, study.seed,
            n_rows=design.question.n_rows, length=float(np.linalg.norm(W)),
        )  # fmt: skip
    ends = interval(W, errors)
    order = np.argsort(-np.abs(W).max(axis=0), kind="stable")[:_MOST_FEATURES]
    classes, origins = model.classes, _origins(study)
    return {
        "planes": [f"{classes[1]} against {classes[0]}"] if len(classes) == 2 else list(classes),
        "features": [_feature(study, int(j), origins(int(j)), ends) for j in order],
        "features_left_out": int(W.shape[1] - order.size),
        "intervals": how if errors is not None else None,
        "why": "" if errors is not None else how,
    }


def _importance(study: Study) -> dict[str, Any] | None:
    if not study.importance:
        return None
    return {
        "text": "Each was left out in turn, and the learner judged again on the same folds.",
        "columns": [
            {"column": name, "cost": cost.value, "low": cost.low, "high": cost.high}
            for name, cost in study.importance.items()
        ],
    }


def _feature(study: Study, j: int, origin: _Origin, ends: tuple[Array, Array] | None) -> dict[str, Any]:
    model = study.model
    w = model.weights[:, j]
    low, high = (None, None) if ends is None else (ends[0][:, j].tolist(), ends[1][:, j].tolist())
    column, kind, scale, unit = origin
    return {
        "name": model.encoding.feature_names[j] if model.encoding.layout == "table" else column,
        "column": column,
        "kind": kind,
        "standardised": w.tolist(),
        "low": low,
        "high": high,
        "per_unit": (w / scale).tolist(),
        "unit_text": unit,
    }


def _origins(study: Study) -> Callable[[int], _Origin]:
    """The origin of each feature by its place: column, kind, scale and what one unit is."""
    encoding = study.model.encoding
    if isinstance(encoding, IndexedEncoding):
        return lambda j: (f"index {j + encoding.first_index}", "number", 1.0, "per unit")
    columns = [column for column, start, stop in encoding.places() for _ in range(start, stop)]
    return lambda j: _origin(columns[j], encoding.features[j])


def _origin(column: Column, feature: Feature) -> _Origin:
    if feature.role == "blank":
        return column.name, column.kind, feature.scale, "if blank"
    if column.kind == "category":
        return column.name, column.kind, feature.scale, f"instead of {column.reference}"
    if feature.unit is not None:
        return column.name, column.kind, feature.scale, "per unit of its logarithm"
    return column.name, column.kind, feature.scale, {"date": "per day", "flag": "if true"}.get(column.kind, "per unit")


def _rows(study: Study, held: _HeldOutRows) -> dict[str, Any]:
    """Rows nearest the boundary, and those whose held-out answer was worst."""
    n = held.codes.size
    p = held.posteriors
    if p.shape[1] == 2:
        margin = np.abs(held.scores[:, 0])
    else:
        earned = np.sort(p @ study.gain.matrix, axis=1)
        margin = earned[:, -1] - earned[:, -2]
    lost = study.gain.matrix.max(axis=1)[held.codes] - study.gain.matrix[held.codes, held.assigned]
    wrong = np.flatnonzero(lost > 0)
    order = np.lexsort((p[wrong, held.codes[wrong]], -lost[wrong]))
    nearest = np.argsort(margin, kind="stable")[: min(_MOST_ROWS, n)]
    return {
        "nearest": [_row(study, held, int(i)) for i in nearest],
        "worst": [_row(study, held, int(i)) for i in wrong[order][:_MOST_ROWS]],
    }


def _row(study: Study, held: _HeldOutRows, i: int) -> dict[str, Any]:
    two = held.posteriors.shape[1] == 2
    k = 1 if two else int(held.posteriors[i].argmax())
    return {
        "row": int(held.numbers[i]) + 1,
        "true": study.model.classes[int(held.codes[i])],
        "assigned": study.model.answers[int(held.assigned[i])],
        "score": float(held.scores[i, 0] if two else held.scores[i, k]),
        "probability": float(held.posteriors[i, k]),
        "cells": cells_of(study, int(held.places[i])),
    }


def _findings(study: Study) -> list[dict[str, Any]]:
    """Findings of the table and the chosen learner, and those of other learners that are of a kind not told yet."""
    found = [finding_record(about, finding) for about, finding in study.findings]
    seen = {_KIN.get(entry["kind"], entry["kind"]) for entry in found}
    for name, findings in study.comparison.findings.items():
        for finding in findings:
            if name == study.best or is_covered(study.findings, finding, study.design.encoding):
                continue
            entry = finding_record(name, finding)
            kind = _KIN.get(entry["kind"], entry["kind"])
            if kind not in seen:
                seen.add(kind)
                found.append(entry | {"evidence": f"On the rows of a fold: {entry['evidence']}", "doubtful": False})
    return found
