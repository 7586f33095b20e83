"""What a threshold may be chosen for beside a gain: any score of scikit-learn that compares true and assigned classes.

A gain is a mean over rows; F1, Matthews' correlation and their like are not. But at each threshold θ they too are
functions of four sums: of the rows of either class, those assigned to it and those not. Of the commonest scores the
functions are written down here, and taken of every θ at once. Any other score is asked for at up to 128 thresholds: of
a table of four rows with the sums as their weights or, where it takes no weights, of as many rows as the sums say.
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from inspect import Parameter, signature
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from discriminant.forks import importing
from discriminant.gain.choices import first_best
from discriminant.gain.curve import OperatingCurve

Array = NDArray[np.float64]

_MOST_ASKED = 128  # thresholds; a score of scikit-learn's takes about a millisecond


class Sums(NamedTuple):
    """Σω of rows of the positive class that are assigned to it and of others that are; the same of all not assigned."""

    detected: Array
    alarms: Array
    missed: Array
    rejected: Array

    def reweighted(self, factors: Array) -> "Sums":
        """The sums when rows of the negative and of the positive class are counted so often."""
        negative, positive = factors.tolist()
        return Sums(positive * self.detected, negative * self.alarms, positive * self.missed, negative * self.rejected)

    def swapped(self) -> "Sums":
        """The sums with the other class as the positive one."""
        return Sums(self.rejected, self.missed, self.alarms, self.detected)


@dataclass(frozen=True)
class Aim:
    """A score of true and assigned classes, to be made as large as possible."""

    metric: Callable[..., Any]
    classes: tuple[Any, Any]
    sign: int = 1
    options: dict[str, Any] = field(default_factory=dict)
    formula: Callable[[Sums], Array] | None = None
    first_is_positive: bool = False
    priors: Array | None = None  # where the classes are not as common as among the rows

    @property
    def name(self) -> str:
        """The name of the function."""
        return str(getattr(self.metric, "__name__", self.metric))

    def values(self, sums: Sums) -> Array:
        """The score for each set of sums, those of the second class as the positive one."""
        if self.formula is not None:
            return self.sign * self.formula(sums.swapped() if self.first_is_positive else sums)
        return np.array([self.sign * self._score_of(*four) for four in zip(*map(np.ravel, sums), strict=True)])

    def along(self, curve: OperatingCurve) -> tuple[NDArray[np.intp], Array]:
        """Points of a curve, all or as many as can be asked for, and the score at each."""
        points = curve.steps(_MOST_ASKED) if self.formula is None else np.arange(len(curve))
        return points, self.values(sums_of(curve, points, self.priors))

    def best_threshold(self, curve: OperatingCurve) -> float:
        """Where the score is largest; of equals, where the fewest rows are assigned."""
        points, values = self.along(curve)
        return curve.robust_threshold(int(points[first_best(values)]))

    def curve(self, curve: OperatingCurve) -> "ThresholdCurve":
        """The score at each threshold."""
        points, values = self.along(curve)
        return ThresholdCurve(curve.thresholds[points][::-1].copy(), values[::-1].copy())

    def of_assignments(self, codes: NDArray[Any], assigned: NDArray[Any], weight: Array) -> float:
        """The score of given assignments."""
        table = np.bincount(2 * codes + assigned, weights=weight, minlength=4).reshape(2, 2)
        (rejected, alarms), (missed, detected) = table[:, :, None]
        sums = Sums(detected, alarms, missed, rejected)
        if self.priors is not None:
            sums = sums.reweighted(self.priors * table.sum() / table.sum(axis=1))
        return float(self.values(sums)[0])

    def _score_of(self, detected: float, alarms: float, missed: float, rejected: float) -> float:
        negative, positive = self.classes
        truth = np.array([positive, negative, positive, negative])
        assigned = np.array([positive, positive, negative, negative])
        counts = np.array([detected, alarms, missed, rejected])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of classes that nothing is assigned to
            if _takes(self.metric, "sample_weight"):
                return float(self.metric(truth, assigned, sample_weight=counts, **self.options))
            whole = np.rint(counts)
            if np.abs(whole - counts).max() > 1e-9 * max(counts.sum(), 1.0):
                raise ValueError(
                    f"{self.name} takes no sample_weight; leave weights and priors out, or take one that does"
                )
            repeated = whole.astype(np.intp)
            return float(self.metric(np.repeat(truth, repeated), np.repeat(assigned, repeated), **self.options))


@dataclass(frozen=True, eq=False)
class ThresholdCurve:
    """What the decisions are worth at each threshold: the second class is assigned where the score is larger.

    thresholds : those that matter, rising; between two neighbours the value is that at the lower one.
    values : the expected gain, or the score that was asked for, of held-out rows.

    Examples
    --------
    >>> curve = ThresholdCurve(np.array([-np.inf, 0.1, 0.4]), np.array([0.5, 0.75, 0.5]))
    >>> curve.at([0.0, 0.2, 1.0]).tolist()
    [0.5, 0.75, 0.5]
    """

    thresholds: Array
    values: Array

    def at(self, thresholds: Any) -> Array:
        """The values at any thresholds."""
        places = np.searchsorted(self.thresholds, np.asarray(thresholds, dtype=np.float64), side="right") - 1
        return np.asarray(self.values[np.maximum(places, 0)])


def sums_of(curve: OperatingCurve, points: NDArray[np.intp], priors: Array | None = None) -> Sums:
    """The sums at points of a curve whose positive class is the second; with priors, as common as these say."""
    detected, alarms = curve.detected[points], curve.alarms[points]
    sums = Sums(detected, alarms, curve.positive_weight - detected, curve.negative_weight - alarms)
    return sums if priors is None else sums.reweighted(priors / curve.shares)


# --- reading --------------------------------------------------------------------------------------------


def read_aim(scoring: Any, classes: NDArray[Any], priors: Array | None) -> Aim:
    """The aim that a name of scikit-learn's, a scorer of its, or a function of true and assigned classes means."""
    if classes.size != 2:
        raise ValueError(
            f"Only binary classification is supported with scoring=, and there are {classes.size} classes; for more, "
            "say by gain= what answers earn"
        )
    scorer = _metrics().get_scorer(scoring) if isinstance(scoring, str) else scoring
    if not hasattr(scorer, "_score_func"):
        return _aim(_check_scoring(scorer), classes.tolist(), 1, {}, priors)
    if scorer._response_method != "predict":
        raise ValueError(
            f"{scorer._score_func.__name__} judges scores, which no threshold changes; let scoring= compare true and "
            "assigned classes, such as 'f1' or 'balanced_accuracy'"
        )
    return _aim(scorer._score_func, classes.tolist(), int(scorer._sign), dict(scorer._kwargs), priors)


def _check_scoring(scoring: Any) -> Any:
    if not callable(scoring):
        raise TypeError(
            f"scoring must be a name, a scorer, or a function of true and assigned classes, got {scoring!r}"
        )
    needed = [p for p in signature(scoring).parameters.values() if p.default is p.empty and p.kind in _POSITIONAL]
    if len(needed) != 2:
        raise TypeError(
            f"scoring as a function compares true and assigned classes, metric(y_true, y_pred), and this one needs "
            f"{len(needed)} arguments; sklearn.metrics.make_scorer makes a scorer of a metric"
        )
    return scoring


def _aim(metric: Any, classes: list[Any], sign: int, options: dict[str, Any], priors: Array | None) -> Aim:
    pair, formula = (classes[0], classes[1]), _formula(metric, options)
    if not _takes(metric, "pos_label") or options.get("average", "binary") != "binary":
        return Aim(metric, pair, sign, options, formula, priors=priors)
    default = signature(metric).parameters["pos_label"].default
    positive = options.get("pos_label", default if default in classes else classes[1])
    if positive not in classes:
        raise ValueError(f"pos_label={positive!r} of scoring is not one of the classes {classes}")
    return Aim(metric, pair, sign, {**options, "pos_label": positive}, formula, positive == classes[0], priors)


def _takes(metric: Any, name: str) -> bool:
    return name in signature(metric).parameters


_POSITIONAL = (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


# --- formulas -------------------------------------------------------------------------------------------


def _formula(metric: Any, options: dict[str, Any]) -> Callable[[Sums], Array] | None:
    """The function of four sums that a metric is with these options; None where it has to be asked."""
    plain = {"pos_label"} | ({"average"} if options.get("average") == "binary" else set())
    metrics = _metrics()
    if metric is metrics.fbeta_score and set(options) <= plain | {"beta"} and "beta" in options:
        return partial(_f_beta, beta=float(options["beta"]))
    known = [formula for name, formula in _FORMULAS.items() if metric is getattr(metrics, name)]
    return known[0] if known and set(options) <= plain else None


def _metrics() -> Any:
    """scikit-learn's metrics, which take long to import: for those alone who ask for a score."""
    with importing:
        from sklearn import metrics
    return metrics


def _ratio(part: Array, whole: Array) -> Array:
    """0 where the whole is nothing, as scikit-learn has it."""
    return np.divide(part, whole, out=np.zeros_like(np.asarray(part, dtype=np.float64)), where=whole > 0)


def _f_beta(s: Sums, beta: float = 1.0) -> Array:
    right = (1.0 + beta**2) * s.detected
    return _ratio(right, right + beta**2 * s.missed + s.alarms)


def _accuracy(s: Sums) -> Array:
    return _ratio(s.detected + s.rejected, s.detected + s.alarms + s.missed + s.rejected)


def _balanced_accuracy(s: Sums) -> Array:
    return (_recall(s) + _recall(s.swapped())) / 2.0


def _precision(s: Sums) -> Array:
    return _ratio(s.detected, s.detected + s.alarms)


def _recall(s: Sums) -> Array:
    return _ratio(s.detected, s.detected + s.missed)


def _jaccard(s: Sums) -> Array:
    return _ratio(s.detected, s.detected + s.alarms + s.missed)


def _matthews(s: Sums) -> Array:
    assigned, left = s.detected + s.alarms, s.missed + s.rejected
    positives, negatives = s.detected + s.missed, s.alarms + s.rejected
    size = np.sqrt(assigned) * np.sqrt(left) * np.sqrt(positives) * np.sqrt(negatives)
    return _ratio(s.detected * s.rejected - s.alarms * s.missed, size)


_FORMULAS: dict[str, Callable[[Sums], Array]] = {
    "accuracy_score": _accuracy,
    "balanced_accuracy_score": _balanced_accuracy,
    "precision_score": _precision,
    "recall_score": _recall,
    "jaccard_score": _jaccard,
    "f1_score": _f_beta,
    "matthews_corrcoef": _matthews,
}
