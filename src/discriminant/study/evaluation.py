"""A saved model judged by rows whose class is known."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discriminant.comparison.inference import mean_estimate, share_estimate
from discriminant.comparison.ranking import area_estimate, ranking
from discriminant.decisions.interval import estimated_gain
from discriminant.gain.alignment import least_and_largest
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import label_text
from discriminant.model.decision_model import DecisionModel, Target
from discriminant.study.class_making import cut_codes, cut_names
from discriminant.study.evidence import figure
from discriminant.study.judged_rows import JudgedRows
from discriminant.study.question import code_cells, matched_text
from discriminant.table.cells import numbers_of_cells
from discriminant.table.errors import TableError
from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


def evaluation(model: DecisionModel, rows: JudgedRows, gain: Gain) -> dict[str, Any]:
    """Accuracy, gain, area under the curve and log loss with intervals, and the confusion matrix."""
    scores, codes, times = rows.whole()
    known = codes >= 0
    without_class = rows.without_class + int((~known).sum())
    scores, codes, gain, times = scores[known], codes[known], gain.take(known), times[known]
    if codes.size == 0:
        raise TableError(
            "no row has a class that the model knows", hint=f"it knows {', '.join(map(str, model.classes))}"
        )
    assigned = model.decide_scores(scores, gain if gain.per_row else None).assigned
    even = RowWeights(None if (times == 1.0).all() else times)
    K, A = len(model.classes), len(model.answers)
    found: dict[str, Any] = {
        "rows": int(times.sum()),
        "without_class": without_class,
        "accuracy": figure(share_estimate(assigned == codes, even)),
        "gain": _gain_figure(gain.realised(codes, np.minimum(assigned, gain.matrix.shape[-1] - 1)), codes, gain, times),
        "confusion": _counts(codes * A + assigned, times, K * A).reshape(K, A).tolist(),
        "answers": list(model.answers),
    }
    ranks = ranking(scores[:, 0] if K == 2 else scores, codes, np.zeros(codes.size, dtype=np.int32), even)
    if ranks is not None:
        found["auc"] = _clip_interval(figure(area_estimate(ranks, even)), 0.0, 1.0)
    if model.posterior is not None:
        logs = model.posterior.log_posteriors(scores)
        found["log_loss"] = _clip_interval(
            figure(mean_estimate(-logs[np.arange(codes.size), codes], even)), 0.0, np.inf
        )
    return found


def _counts(places: Any, times: Array, n: int) -> NDArray[np.int64]:
    return np.bincount(places, weights=times, minlength=n).astype(np.int64)


def _gain_figure(earned: Array, codes: Codes, gain: Gain, times: Array) -> dict[str, float]:
    """The mean, with an interval that knows what a row can gain and lose even where none did."""
    estimate = estimated_gain(earned, codes, times, least_and_largest(gain))
    return {"value": estimate.mean, "low": min(estimate.low, estimate.mean), "high": max(estimate.high, estimate.mean)}


def _clip_interval(found: dict[str, float], least: float, largest: float) -> dict[str, float]:
    """An interval short of what cannot be."""
    return {**found, "low": max(found["low"], least), "high": min(found["high"], largest)}


def codes_of_cells(cells: Any, classes: Sequence[Any], name: str) -> Codes:
    """The place of each cell among the classes; −1 where it is blank or another."""
    if len(cells) == 0:
        return np.empty(0, dtype=np.int32)
    places, values = code_cells(pa.chunked_array([cells]) if isinstance(cells, pa.Array) else cells, name)
    return _places_among(values, classes)[places]


def codes_of_target(cells: Any, target: Target) -> Codes:
    """The place of each cell among the classes of a target, which its numbers may be cut into."""
    if not target.cut:
        return codes_of_cells(cells, target.classes, target.name)
    values, wrong = numbers_of_cells(cells, (), target.number_format)
    places = _places_among(cut_names(target.cut), target.classes)
    codes = places[cut_codes(values, target.cut)]
    if wrong.any():  # the names of the classes themselves
        named = _places_among([str(cell) for cell in cells], target.classes)[:-1]
        codes = np.where(wrong, named, codes)
    return codes


def _places_among(values: Sequence[Any], classes: Sequence[Any]) -> Codes:
    """The places of labels by their text, for a text file knows no types; the last entry, for places of −1, is −1."""
    known = {label_text(c): k for k, c in enumerate(classes)}
    return np.array([*(known.get(matched_text(v, classes), -1) for v in values), -1], dtype=np.int32)
