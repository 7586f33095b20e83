"""Does a model answer as the estimator it was made of? Both are asked about rows that were made up for it.

Rows are normal in encoded units, of three sizes: as the encoding standardises them, so that each column moves the score
by about one, and so that scores are about as large as thresholds. Answers must be equal wherever the score is further
from a tie than rounding; scores and probabilities must be equal up to rounding.
"""

import warnings
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.model.decision_model import DecisionModel, Decisions
from discriminant.table.encoding import Encoding

Array = NDArray[np.float64]

_ROWS = 300
_ROUNDING = 1e-11  # of a sum of products, relative to the sum of their sizes


class Agreement(NamedTuple):
    """Whether answers (and scores) are those of the estimator, whether probabilities are, and what was seen."""

    answers: bool
    probabilities: bool
    why: str


def agreement(model: DecisionModel, estimator: Any) -> Agreement:
    """Compare a model with the estimator it was made of."""
    assert isinstance(model.encoding, Encoding)
    Z, X = probe_rows(model)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that an array has not
        try:
            theirs = np.asarray(estimator.predict(X))
            scores = _scores(model, estimator, X)
            p = np.asarray(estimator.predict_proba(X)) if model.posterior is not None else None
        except (ValueError, TypeError) as error:
            return Agreement(False, False, f"it refused rows of numbers: {' '.join(str(error).split())[:100]}")
    ours = model.decide(Z)
    noise = _noise(model, Z)
    sure = _sure(model, ours, noise)
    sure |= not sure.any()  # one score for all rows: equal to the last digit
    differ = np.flatnonzero((model.labels(ours.assigned) != theirs) & sure)
    if differ.size:
        return Agreement(False, False, f"{differ.size} of {len(X)} made-up rows are answered otherwise")
    if scores is not None and (np.abs(scores - ours.scores) > noise + 1e-9 * np.abs(scores)).any():
        return Agreement(False, False, "its decision_function gives other scores")
    if p is None or ours.posteriors is None:
        return Agreement(True, True, "")
    return Agreement(True, bool((np.abs(p - ours.posteriors) <= 1e-7 + noise).all()), "predict_proba differs")


def probe_rows(model: DecisionModel) -> tuple[Array, Array]:
    """Rows as the model encodes them, and as the estimator takes them."""
    encoding = model.encoding
    assert isinstance(encoding, Encoding)
    rng = np.random.default_rng(0)
    d = encoding.n_features
    centre = np.array([feature.centre for feature in encoding.features])
    scale = np.array([feature.scale for feature in encoding.features])
    if any(column.kind == "flag" for column in encoding.columns):
        X = rng.integers(0, 2, (_ROWS, d)).astype(np.float64)
        return (X - centre) / scale, X
    largest = np.abs(model.weights).max(axis=0)
    reach = np.divide(1.0, largest, out=np.ones(d), where=largest > 1e-300)
    sizes = np.resize([0.0, 1.0, max(float(np.abs(model.thresholds).max()), 1e-300)], _ROWS)
    Z = rng.standard_normal((_ROWS, d)) * np.where(sizes[:, None] > 0, sizes[:, None] * reach / np.sqrt(d), 1.0)
    with np.errstate(over="ignore", invalid="ignore"):
        X = centre + scale * Z
        Z = (X - centre) / scale
        usable = (np.isfinite(X) & np.isfinite(Z)).all(axis=1) & np.isfinite(Z @ model.weights.T).all(axis=1)
    return Z[usable], X[usable]


def _scores(model: DecisionModel, estimator: Any, X: Array) -> Array | None:
    """The estimator's scores where they are to be the model's own."""
    if model.rule == "gain" or not hasattr(estimator, "decision_function"):
        return None
    scores = np.asarray(estimator.decision_function(X), dtype=np.float64).reshape(len(X), -1)
    return scores if np.isfinite(scores).all() and scores.shape[1] == len(model.weights) else None


def _noise(model: DecisionModel, Z: Array) -> Array:
    """What rounding can do to the scores of each row (n×1)."""
    assert isinstance(model.encoding, Encoding)
    offset = np.array([abs(feature.centre) / feature.scale for feature in model.encoding.features])
    sizes = (np.abs(Z) + offset) @ np.abs(model.weights).T + np.abs(model.thresholds)
    return np.asarray(_ROUNDING * sizes.max(axis=1, keepdims=True))


def _sure(model: DecisionModel, ours: Decisions, noise: Array) -> NDArray[np.bool_]:
    """Rows that are no tie but for rounding."""
    if model.rule == "threshold":
        return np.asarray(np.abs(ours.scores[:, 0]) > noise[:, 0])
    values = ours.scores
    if model.rule == "gain" and ours.posteriors is not None:
        values = ours.posteriors @ model.gain.matrix
        noise = noise * np.ptp(model.gain.matrix) + 1e-9 * np.abs(model.gain.matrix).max()
    top = np.sort(values, axis=1)[:, -2:]
    return np.asarray(top[:, 1] - top[:, 0] > noise[:, 0])
