"""What `GainClassifier` learns from a table: the learner fitted to all rows, and held-out scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError
from sklearn.frozen import FrozenEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from discriminant.decisions.held_out import HeldOut, refuse_nan
from discriminant.decisions.rules import Rule, build_calibration
from discriminant.gain import Gain
from discriminant.multiclass.foreign_estimators import fitted_copy
from discriminant.multiclass.metadata import WEIGHTS_ALONE, LearnerMetadata, fit_metadata
from discriminant.rows.memory import refuse_no_rows
from discriminant.validation.estimator_scores import has_probabilities, scores_of, stated_priors
from discriminant.validation.folds import read_folds
from discriminant.validation.out_of_fold import held_out_scores
from discriminant.validation.table import Table, over_table

Array = NDArray[np.float64]

PREFIT = "prefit"
_FOLDS = 5  # in which rules are judged by other rows than they were made from, where the learner asks for none


@dataclass(frozen=True)
class TableFit:
    """The fitted learner and what is known of rows it had not seen; scores and folds at their places in the table."""

    model: Any
    held: HeldOut
    scores: Array
    folds: NDArray[np.int32]


def is_prefitted(learner: Any, cv: Any) -> bool:
    """Whether the learner stays as it is, and has seen none of the rows."""
    return isinstance(learner, FrozenEstimator) or (isinstance(cv, str) and cv == PREFIT)


def learner_metadata(owner: Any, weight: Any, groups: Any, params: dict[str, Any]) -> LearnerMetadata:
    """What the learner of a `GainClassifier` is given beside the rows."""
    if not is_prefitted(owner.learner, owner.cv):
        return fit_metadata(owner, {"sample_weight": weight, "groups": groups}, params)
    if params:
        raise ValueError(f"a fitted learner is not fitted again; leave {next(iter(params))} out")
    return WEIGHTS_ALONE


def fit_table(
    learner: Any, table: Table, gain: Gain, cv: Any, groups: Any, random_state: Any, metadata: LearnerMetadata
) -> TableFit:
    """The learner fitted to all rows, and scores by models that had not seen the row."""
    given = table.given
    before = is_prefitted(learner, cv)
    smallest = int(np.bincount(given.codes).min())
    folds = read_folds(
        min(_FOLDS, smallest) if isinstance(cv, str) and cv == PREFIT else cv,
        table,
        groups,
        0 if random_state is None else random_state,
    )
    if before:
        refuse_unfitted(learner, given.classes)
        model, scores = (
            learner,
            folds.judged_part(scores_of(learner, given.table, given.classes.size, **metadata.score)),
        )
    else:
        model = fitted_copy(learner, given.table, table.labels, given.weight, metadata)
        scores = held_out_scores(learner, model, table, folds, metadata)
    numbers = table.numbers_of(folds.judged)
    refuse_nan(scores, numbers)
    weight = np.ones(given.codes.size) if given.weight is None else given.weight
    held = HeldOut(
        scores,
        folds.judged_part(given.codes),
        folds.judged_part(weight),
        folds.of_judged,
        given.classes,
        gain if numbers is None else gain.take(numbers),
        None if folds.groups is None else folds.judged_part(folds.groups),
    )
    narrow = scores[:, 0] if scores.shape[1] == 1 else scores
    return TableFit(
        model,
        held,
        over_table(narrow, numbers, table.n_given, np.nan),
        over_table(folds.of_judged, numbers, table.n_given, -1),
    )


def refuse_unfitted(learner: Any, classes: NDArray[Any]) -> None:
    """A learner that is to stay as it is must be fitted, to the same classes."""
    name = type(getattr(learner, "estimator", learner)).__name__
    try:
        check_is_fitted(learner)
    except NotFittedError as error:
        raise NotFittedError(
            f"{name} is not fitted, and cv='prefit' leaves it as it is; fit it, or give folds"
        ) from error
    known = np.asarray(learner.classes_).tolist()
    if known != classes.tolist():
        raise ValueError(
            f"{name} was fitted to the classes {known}, and y has {classes.tolist()}; give rows of the same"
        )


def know_columns(owner: Any, X: Any, *, reset: bool) -> None:
    """Record (or, unless ``reset``, compare) the number and names of columns that the learner alone reads."""
    if isinstance(X, Mapping):
        raise TypeError(f"rows must be an array, a sparse matrix, a table or a list, got {type(X).__name__}")
    if isinstance(X, Sequence):
        refuse_no_rows(len(X))
    if reset and type(X) is np.ndarray and X.ndim == 2:
        owner.n_features_in_ = X.shape[1]  # all that scikit-learn would find
        owner.__dict__.pop("feature_names_in_", None)
        return
    validate_data(owner, X, reset=reset, skip_check_array=True)


# --- without rows ---------------------------------------------------------------------------------------


def needs_no_rows(model: Any) -> bool:
    """Whether all is known without them: the learner is fitted, the threshold given, nothing is to be calibrated."""
    plain = model.priors is None and model.gain is None and model.calibration in (None, "auto")
    if isinstance(model.threshold, str) or not plain or not is_prefitted(model.learner, model.cv):
        return False
    try:
        check_is_fitted(model.learner)
    except (NotFittedError, TypeError):
        return False
    return len(model.learner.classes_) == 2


def decided_without_rows(learner: Any, threshold: float) -> dict[str, Any]:
    """What is fitted of a `GainClassifier` then; nothing is known of what its decisions earn."""
    classes = np.asarray(learner.classes_)
    kind = "given" if has_probabilities(learner) else None
    priors = stated_priors(learner, np.full(classes.size, 1.0 / classes.size))
    columns = {
        name: getattr(learner, name) for name in ("n_features_in_", "feature_names_in_") if hasattr(learner, name)
    }
    return {
        "classes_": classes,
        "learner_": learner,
        "calibration_": kind,
        "priors_": priors,
        "findings_": tuple(getattr(learner, "findings_", ())),
        "rule_": Rule(partial(build_calibration, kind, priors, None), priors, threshold),
        **columns,
    }
