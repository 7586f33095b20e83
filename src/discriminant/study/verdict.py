"""The outcome in a sentence, and what the best answer without any learner earns."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import Estimate, RowWeights, mean_estimate
from discriminant.study.learner_texts import TEXTS
from discriminant.study.study import Study

Array = NDArray[np.float64]


def baseline_of(study: Study, codes: NDArray[np.integer[Any]], weight: Array) -> dict[str, Any]:
    """The one answer to all rows that earns most, what it earns a row, and whether the learner, paired, earns more."""
    mass = np.bincount(codes, weights=weight, minlength=len(study.model.classes))
    earned = mass / mass.sum() @ study.gain.matrix
    best = int(earned.argmax())
    decided = study.gain.matrix[codes, study.comparison.decisions[study.best]]
    more = mean_estimate(decided - study.gain.matrix[codes, best], RowWeights(study.comparison.weight))
    return {"label": study.model.answers[best], "value": float(earned[best]), "clearly_less": bool(more.low > 0)}


def verdict_of(study: Study, expected: Estimate, baseline: dict[str, Any]) -> str:
    """Who is best, what it earns, and whether that is more than an answer without looking."""
    name = TEXTS[study.best]
    always = f"always answering {baseline['label']}"
    if study.fitted.constant is not None:
        return f"No column helps: the best answer is always {study.model.classes[study.fitted.constant]}."
    if study.gain_given:
        unit = f" {study.gain.unit}" if study.gain.unit else ""
        fact = f"{name} earns {_amount(expected.value)}{unit} a row"
        span = f"{_amount(expected.low)} to {_amount(expected.high)}"
        other = f"{_amount(baseline['value'])}{unit}"
    else:
        fact = f"{name} is right in {expected.value:.1%} of rows"
        span = f"{expected.low:.1%} to {expected.high:.1%}"
        other = f"{baseline['value']:.1%}"
    if baseline["clearly_less"]:
        return f"{fact} (95%: {span}), judged by rows it had not seen; {always} would give {other}."
    return f"{fact} (95%: {span}), judged by rows it had not seen: not clearly more than {always}, {other}."


def _amount(value: float) -> str:
    """Three digits, or whole units above a thousand."""
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
