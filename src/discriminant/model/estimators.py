"""Fitted linear classifiers, ours and scikit-learn's -> `DecisionModel`.

An estimator that scores rows by coef_·x + intercept_ becomes P planes over its columns, with θ = −intercept_. Steps of
a pipeline before it that shift and stretch columns, x -> (x − centre)/scale, become the encoding of those columns. A
`GainClassifier` around it becomes the rule: with its threshold t on scores s of two classes,

    θ + t in place of θ;      log-odds = slope·(s − t) + (offset + slope·t)

and of more classes, or where it may reject, argmax_a Σ_k P(k | x) g[k, a]. Whatever comes out is compared with the
estimator itself (see `agreement`); a model that would answer otherwise is refused, never written.
"""

import platform
import warnings
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import sklearn
from numpy.typing import NDArray
from scipy import sparse
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.utils.validation import check_is_fitted

from discriminant import __version__
from discriminant.decisions.calibration import Isotonic, OwnProbabilities, Platt
from discriminant.decisions.classifier import GainClassifier
from discriminant.findings import Finding
from discriminant.gain.alignment import labels_of
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.model.decision_model import DecisionModel, Decisions, Posterior, RuleName, Target
from discriminant.model.plain_json import ModelFileError, plain
from discriminant.table.encoding import Column, Encoding, Feature, Kind

Array = NDArray[np.float64]

_ROWS = 300
_ROUNDING = 1e-11  # of a sum of products, relative to the sum of their sizes


def decision_model_of(estimator: Any, *, target: str = "class") -> DecisionModel:
    """The decisions of a fitted linear classifier as data; ``target`` names the column it predicts."""
    check_is_fitted(estimator)
    steps, last = _unwrap(estimator)
    inner_steps, inner = _unwrap(last.learner_) if isinstance(last, GainClassifier) else ([], last)
    planes = _planes(inner)
    names = _column_names(estimator, planes.weights.shape[1])
    encoding = _encoding(names, [*steps, *inner_steps], _kinds(inner, len(names)))
    decided = _by_gain(last, planes) if isinstance(last, GainClassifier) else _sign_rule(inner, planes)
    model = DecisionModel(
        Target(target, planes.classes),
        encoding,
        **decided,
        learner=type(inner).__name__,
        parameters={name: _plain_or_text(value) for name, value in inner.get_params(deep=False).items()},
        findings=tuple(_finding(f) for f in getattr(last, "findings_", ())),
        provenance=_provenance(last),
    )
    found = agreement(model, estimator)
    if not isinstance(last, GainClassifier) and found.answers and not found.probabilities:
        # probabilities that are no sigmoid of the scores, such as those of planes learnt one against the rest
        return replace(model, posterior=None)
    _refuse_disagreement(found, estimator, inner)
    return model


@dataclass(frozen=True)
class _ClassPlanes:
    classes: tuple[Any, ...]
    weights: Array
    thresholds: Array


# --- parts of an estimator ------------------------------------------------------------------------------


def _unwrap(estimator: Any) -> tuple[list[tuple[str, Any]], Any]:
    """The steps before the last of a pipeline (of pipelines), and the last."""
    if not isinstance(estimator, Pipeline):
        return [], estimator
    steps, last = _unwrap(estimator[-1])
    return [*estimator.steps[:-1], *steps], last


def _planes(model: Any) -> _ClassPlanes:
    name = type(model).__name__
    missing = [part for part in ("classes_", "coef_", "intercept_") if not hasattr(model, part)]
    if missing:
        raise TypeError(
            f"{name} has no {missing[0]}: a model file holds linear classifiers, which decide by planes (coef_, "
            "intercept_) between classes"
        )
    if getattr(model, "multilabel_", False):
        raise TypeError(f"{name} gives a row several labels; a model file holds classes that exclude one another")
    coef = model.coef_.toarray() if sparse.issparse(model.coef_) else model.coef_
    W = np.atleast_2d(np.asarray(coef, dtype=np.float64))
    b = np.broadcast_to(np.ravel(model.intercept_).astype(np.float64), (len(W),))
    classes = tuple(np.asarray(model.classes_).tolist())
    if len(W) != (1 if len(classes) == 2 else len(classes)):
        raise TypeError(
            f"{name} has {len(W)} planes for {len(classes)} classes; a model file needs a score for each class, as "
            "OneVsAll and the learners themselves have"
        )
    if not (np.isfinite(W).all() and np.isfinite(b).all()):
        raise ValueError(f"the weights of {name} are not all finite; such a model decides by one column alone")
    return _ClassPlanes(classes, W, 0.0 - b)


def _kinds(model: Any, d: int) -> tuple[Kind, ...]:
    """Bernoulli naive Bayes asks whether a value is there; all others multiply it."""
    learner = model.estimators_[0] if hasattr(model, "learner") and hasattr(model, "estimators_") else model
    kinds: list[Kind] = ["number"] * d
    if isinstance(learner, NaiveBayes):
        for j, marginal in enumerate(learner.marginals_of_columns()):
            kinds[j] = "flag" if marginal == "bernoulli" else "number"
    return tuple(kinds)


def _column_names(estimator: Any, d: int) -> tuple[str, ...]:
    given = getattr(estimator, "feature_names_in_", None)
    names = tuple(f"x{j}" for j in range(d)) if given is None else tuple(str(name) for name in given)
    if len(names) != d:
        raise TypeError(f"{type(estimator).__name__} sees {len(names)} columns, but its planes have {d}")
    twice = next((name for j, name in enumerate(names) if name in names[:j]), None) if len(set(names)) < d else None
    if twice is not None:
        raise ValueError(f"two columns are named {twice!r}; a saved model finds its columns by name")
    return names


def _encoding(names: tuple[str, ...], steps: list[tuple[str, Any]], kinds: tuple[Kind, ...]) -> Encoding:
    """All steps as one: ((x − c₁)/s₁ − c₂)/s₂ = (x − (c₁ + s₁c₂))/(s₁s₂)."""
    centres, scales = np.zeros(len(names)), np.ones(len(names))
    for name, step in steps:
        centre, scale = _scaling(name, step, len(names))
        centres, scales = centres + scales * centre, scales * scale
    return Encoding(
        tuple(
            Column(name, kind, (Feature(name, "value", centre, scale),), reason=f"a blank counts as {centre:.6g}")
            for name, kind, centre, scale in zip(names, kinds, centres.tolist(), scales.tolist(), strict=True)
        )
    )


def _scaling(name: str, step: Any, d: int) -> tuple[Array, Array]:
    """Centre and scale of a step that shifts and stretches each column by itself; any other is refused by its name."""
    zeros, ones = np.zeros(d), np.ones(d)
    if step is None or step == "passthrough" or (isinstance(step, FunctionTransformer) and step.func is None):
        return (zeros, ones)
    if isinstance(step, StandardScaler):
        return (_value_or(step.mean_ if step.with_mean else None, zeros), _value_or(step.scale_, ones))
    if isinstance(step, RobustScaler):
        return (_value_or(step.center_, zeros), _value_or(step.scale_, ones))
    if isinstance(step, MaxAbsScaler) and not getattr(step, "clip", False):
        return (zeros, _value_or(step.scale_, ones))
    if isinstance(step, MinMaxScaler) and not step.clip:
        return (-step.min_ / step.scale_, 1.0 / step.scale_)
    raise TypeError(
        f"the step {name!r} ({type(step).__name__}) of the pipeline does more than shift and stretch columns; a model "
        "file holds StandardScaler, RobustScaler, MinMaxScaler and MaxAbsScaler before a linear classifier"
    )


def _value_or(values: Any, otherwise: Array) -> Array:
    return otherwise if values is None else np.asarray(values, dtype=np.float64)


# --- rules ----------------------------------------------------------------------------------------------


def _sign_rule(model: Any, planes: _ClassPlanes) -> dict[str, Any]:
    """The second class where the score is positive; of more classes, the one of the largest score."""
    K = len(planes.classes)
    posterior = Posterior(1.0, (0.0,) * K) if hasattr(model, "predict_proba") else None
    priors = np.asarray(getattr(model, "priors_", ()), dtype=np.float64)
    rule: RuleName = "threshold" if K == 2 else "largest"
    shares = tuple(priors.tolist()) if priors.shape == (K,) else None
    return _fields(planes, rule, Gain(GainTable(np.eye(K))), posterior, shares)


def _fields(
    planes: _ClassPlanes, rule: RuleName, gain: Gain, posterior: Posterior | None, priors: tuple[float, ...] | None
) -> dict[str, Any]:
    """What a model says of its decisions."""
    own = {"weights": planes.weights, "thresholds": planes.thresholds}
    return {**own, "rule": rule, "gain": gain, "posterior": posterior, "priors": priors}


def _by_gain(model: GainClassifier, planes: _ClassPlanes) -> dict[str, Any]:
    gain = _kept_gain(model)
    rule, K = model.rule_, len(planes.classes)
    posterior = _posterior(model)
    priors = tuple(model.priors_.tolist())
    if rule.threshold is None or gain.has_reject or (np.isinf(rule.threshold) and posterior is not None):
        return _fields(planes, "gain", gain, posterior, priors)
    if np.isinf(rule.threshold):  # one answer for all rows
        flat = _ClassPlanes(planes.classes, np.zeros_like(planes.weights), np.full(1, np.sign(rule.threshold)))
        return _fields(flat, "threshold", gain, None, priors)
    moved = _ClassPlanes(planes.classes, planes.weights, planes.thresholds + rule.threshold)
    if posterior is not None:
        offsets = np.array(posterior.offsets) + posterior.slope * rule.threshold * np.arange(K)
        posterior = Posterior(posterior.slope, tuple(offsets.tolist()))
    return _fields(moved, "threshold", gain, posterior, priors)


def _kept_gain(model: GainClassifier) -> Gain:
    gain = model.gain_
    if gain.per_row:
        raise ValueError(
            "the gains of this GainClassifier differ by row, and a model file has one gain for all rows; save a "
            "GainClassifier with a single gain (calibration='platt'), or its learner_ alone"
        )
    if not gain.has_reject:
        return gain
    label = labels_of(np.array([gain.n_classes]), model.classes_, gain, model.reject).tolist()[0]
    return Gain(GainTable(gain.matrix, gain.classes, label), None, gain.unit)


def _posterior(model: GainClassifier) -> Posterior | None:
    """Slope and offsets, with the change of priors in them."""
    calibration = model.rule_.calibration
    if calibration is None:
        return None
    if isinstance(calibration, Isotonic) or not isinstance(calibration, OwnProbabilities | Platt):
        raise ValueError(
            "this GainClassifier calibrates by isotonic regression, whose steps a model file does not hold; fit it "
            "with calibration='platt'"
        )
    slope = calibration.slope if isinstance(calibration, Platt) else 1.0
    offsets = calibration.offsets if isinstance(calibration, Platt) else np.zeros(len(calibration.priors))
    shift = np.log(model.rule_.priors / calibration.priors)
    return Posterior(float(slope), tuple((offsets + shift).tolist()))


# --- what is said of it ---------------------------------------------------------------------------------


def _refuse_disagreement(found: "Agreement", estimator: Any, inner: Any) -> None:
    if found.answers and found.probabilities:
        return
    what = "answers" if not found.answers else "probabilities"
    raise TypeError(
        f"the {what} of this {type(estimator).__name__} do not follow from coef_·x + intercept_ of "
        f"{type(inner).__name__} ({found.why}); only classifiers that are linear in their columns can be saved"
    )


def _plain_or_text(value: Any) -> Any:
    try:
        return plain(value.tolist() if isinstance(value, np.ndarray) else value, "parameters")
    except ModelFileError:
        return repr(value)[:200]


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "kind": type(finding).__name__,
        "fact": finding.fact,
        "evidence": finding.evidence,
        "remedy": finding.remedy,
        "doubtful": finding.doubtful,
    }


def _provenance(last: Any) -> dict[str, Any]:
    versions = {
        "discriminant": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scikit-learn": sklearn.__version__,
    }
    return {"estimator": type(last).__name__, "versions": versions}


# --- does the model answer as the estimator does? ----------------------------------------------------------


class Agreement(NamedTuple):
    """Whether answers (and scores) are those of the estimator, whether probabilities are, and what was seen."""

    answers: bool
    probabilities: bool
    why: str


def agreement(model: DecisionModel, estimator: Any) -> Agreement:
    """Compare a model with the estimator it was made of, on rows that were made up for it.

    Rows are normal in encoded units, of three sizes: as the encoding standardises them, so that each column moves the
    score by about one, and so that scores are about as large as thresholds. Answers must be equal wherever the score is
    further from a tie than rounding; scores and probabilities must be equal up to rounding.
    """
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
    sure = _rows_without_ties(model, ours, noise)
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


def _rows_without_ties(model: DecisionModel, ours: Decisions, noise: Array) -> NDArray[np.bool_]:
    """Rows that are no tie but for rounding."""
    if model.rule == "threshold":
        return np.asarray(np.abs(ours.scores[:, 0]) > noise[:, 0])
    values = ours.scores
    if model.rule == "gain" and ours.posteriors is not None:
        values = ours.posteriors @ model.gain.matrix
        noise = noise * np.ptp(model.gain.matrix) + 1e-9 * np.abs(model.gain.matrix).max()
    top = np.sort(values, axis=1)[:, -2:]
    return np.asarray(top[:, 1] - top[:, 0] > noise[:, 0])
