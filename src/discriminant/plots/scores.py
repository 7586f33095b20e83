"""What a picture of two classes takes from a fitted classifier: a score for each row, and what it decides."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from discriminant.gain.curve import OperatingCurve
from discriminant.gain.rates import joint_table
from discriminant.gain.thresholds import Threshold
from discriminant.rows.labels import code_labels
from discriminant.rows.memory import read_weights

Array = NDArray[np.float64]


class Rates(NamedTuple):
    """A false-alarm rate and a misdetect rate."""

    false_alarm: float
    misdetect: float


def checked_classifier(model: Any) -> list[Any]:
    """The classes of a fitted classifier."""
    check_is_fitted(model)
    if not hasattr(model, "classes_"):
        raise TypeError(f"{type(model).__name__} has no classes_; the picture needs a classifier")
    return list(np.asarray(model.classes_).tolist())


def place_of(label: Any, classes: list[Any]) -> int:
    """The place of a class among those of the model."""
    if label not in classes:
        raise ValueError(f"positive={label!r} is not one of the classes {classes} of the model")
    return classes.index(label)


def score_of(model: Any, X: Any, positive: Any = None) -> tuple[Array, Any]:
    """(a score for each row that is high where the model leans to the positive class, that class)."""
    classes = checked_classifier(model)
    if positive is None:
        if len(classes) != 2:
            raise ValueError(
                f"{type(model).__name__} tells {len(classes)} classes apart, {classes[:6]}; the picture is of two: say "
                "which one is to be detected among the rest with positive="
            )
        positive = classes[1]
    place = place_of(positive, classes)
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
        if scores.ndim == 1:
            return (scores if place == 1 else -scores), positive
    elif hasattr(model, "predict_proba"):
        scores = np.asarray(model.predict_proba(X), dtype=np.float64)
    else:
        raise TypeError(f"{type(model).__name__} has neither decision_function nor predict_proba; there is no score")
    if scores.shape[1] != len(classes):
        raise ValueError(
            f"{type(model).__name__} gives {scores.shape[1]} scores for {len(classes)} classes; one each is needed"
        )
    return scores[:, place], positive


def rates_of_decisions(y: Any, decided: Any, positive: Any, sample_weight: Any = None) -> Rates | None:
    """The rates of the decisions themselves; None where a class has no rows."""
    seen, codes = code_labels(y)
    is_positive = np.array([label == positive for label in seen.tolist()])[codes]
    taken = np.array([label == positive for label in np.asarray(decided).tolist()])
    weight = read_weights(sample_weight, codes.size)
    weight = np.ones(codes.size) if weight is None else weight
    totals = weight[~is_positive].sum(), weight[is_positive].sum()
    if not all(totals):
        return None
    return Rates(
        float(weight[~is_positive & taken].sum() / totals[0]), float(weight[is_positive & ~taken].sum() / totals[1])
    )


def threshold_at(curve: OperatingCurve, theta: Any) -> Threshold:
    """A θ someone has chosen, and what it does; a `Threshold` is taken as it is."""
    if isinstance(theta, Threshold):
        return theta
    try:
        value = float(theta)
    except (TypeError, ValueError) as error:
        raise TypeError(f"threshold must be a number or what best_threshold returns, got {theta!r}") from error
    index = curve.index_at(value)
    at = curve.point(index)
    missed, alarms = float(at.misdetect[0]), float(at.false_alarm[0])
    joint = joint_table(missed, alarms, curve.shares, positive=curve.positive_place)
    assigned = float(joint[:, curve.positive_place].sum())
    return Threshold(value, index, "given", missed, alarms, None, joint, assigned, curve.classes, curve.positive)


def shown_places(curve: OperatingCurve, most: int = 3000) -> NDArray[np.intp]:
    """Points enough to draw a curve by, evenly along it, among them both ends."""
    if len(curve) <= most:
        return np.arange(len(curve))
    along = curve.false_alarm - curve.misdetect
    wanted = np.linspace(along[0], along[-1], most)
    places = np.unique(np.searchsorted(along, wanted))
    return np.unique(np.concatenate([[0], np.minimum(places, len(curve) - 1), [len(curve) - 1]])).astype(np.intp)
