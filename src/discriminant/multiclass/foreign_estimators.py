"""A learner of two classes, ours or anybody's: checked, fitted to one problem, and asked for what it knows.

Every problem has the classes 0 and 1, and so have the fitted models.
"""

import sys
from contextlib import nullcontext
from copy import copy, deepcopy
from dataclasses import dataclass, replace
from inspect import isclass, signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.utils import _safe_indexing, get_tags
from sklearn.utils.validation import _num_samples

from discriminant.hyperplane import Planes
from discriminant.multiclass.constant import UnseenProblem
from discriminant.multiclass.merging import SIDES, Side
from discriminant.multiclass.metadata import WEIGHTS_ALONE, LearnerMetadata
from discriminant.multiclass.shared import binary_rows
from discriminant.rows import ArrayRows
from discriminant.rows.labels import code_labels
from discriminant.rows.memory import read_weights, refuse_no_rows
from discriminant.rows.threads import single_threaded_blas
from discriminant.separability.separation import NotSeparableError, Separation
from discriminant.separability.two_classes import REST

Array = NDArray[np.float64]

_WORTH_THREADS = 1 << 24  # numbers of a table


def check_learner(learner: Any, owner: str, *, regressors: bool = False) -> None:
    """Refuse what cannot learn two classes and say how sure it is; with ``regressors``, learners of 0 and 1 may too."""
    if isclass(learner):
        raise TypeError(f"{owner} needs a classifier, got the class {learner.__name__}; pass {learner.__name__}()")
    if not (hasattr(learner, "fit") and hasattr(learner, "get_params") and hasattr(learner, "__sklearn_tags__")):
        raise TypeError(f"{owner} needs a classifier with fit and get_params, got {learner!r}")
    sure = hasattr(learner, "decision_function") or hasattr(learner, "predict_proba")
    if regressors and (is_regressor(learner) or sure):
        return
    if not is_classifier(learner):
        raise TypeError(f"{owner} needs a classifier, and {type(learner).__name__} is none")
    if not sure:
        raise TypeError(
            f"{owner} compares how sure its models are, and {type(learner).__name__} has neither decision_function "
            "nor predict_proba; take a learner that has one"
        )


def tags_through(tags: Any, learner: Any) -> Any:
    """The tags of an estimator that reads rows by a learner: what this says of its rows, and of chance."""
    if hasattr(learner, "__sklearn_tags__") and not isclass(learner):
        theirs = get_tags(learner)
        tags.input_tags = theirs.input_tags
        tags.non_deterministic = theirs.non_deterministic
        if theirs.classifier_tags is not None:
            tags.classifier_tags.poor_score = theirs.classifier_tags.poor_score
            tags.classifier_tags.multi_class = theirs.classifier_tags.multi_class
    return tags


def _refuse_other_length(n_rows: int, n_labels: int) -> None:
    if n_labels != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows and y has {n_labels} "
            "labels"
        )


@dataclass(frozen=True)
class GivenRows:
    """A table as it was given, for learners that read tables in their own way, with coded labels and weights."""

    table: Any
    classes: NDArray[Any]
    codes: NDArray[np.int32]
    weight: Array | None = None
    numbers: NDArray[np.intp] | None = None  # of these rows in the table as it was given, where some have no weight

    @classmethod
    def of(cls, X: Any, y: Any, weight: Any) -> "GivenRows":
        """Labels and weights read; X untouched, but for rows without weight, which are left out."""
        if isinstance(X, ArrayRows):
            return cls(X.matrix, X.classes, X.codes, X.weight)
        table = X.tocsr() if sparse.issparse(X) and X.format not in ("csr", "csc") else X
        n_rows = _num_samples(table)
        refuse_no_rows(n_rows)
        weights = read_weights(weight, n_rows)
        present = None if weights is None or weights.all() else np.flatnonzero(weights)
        if present is not None:
            _refuse_other_length(n_rows, np.shape(y)[0] if np.ndim(y) else 0)
        classes, codes = code_labels(y if present is None else np.asarray(y)[present])
        if present is None:
            _refuse_other_length(n_rows, codes.size)
        if present is None:
            return cls(table, classes, codes, weights)
        assert weights is not None
        return cls(_safe_indexing(table, present), classes, codes, weights[present], present)

    def of_sides(self, side: Side, square: bool) -> tuple[Any, NDArray[np.int64], Array | None]:
        """(table, sides, weights) of the rows that take part; of a square table, their columns too."""
        codes = side[self.codes].astype(np.int64)
        if (codes >= 0).all():
            return self.table, codes, self.weight
        inside = np.flatnonzero(codes >= 0)
        table = _safe_indexing(self.table, inside)
        if square:
            table = _safe_indexing(table, inside, axis=1)
        return table, codes[inside], None if self.weight is None else self.weight[inside]


def fit_learner(
    learner: Any,
    rows: ArrayRows | GivenRows,
    side: Side,
    names: tuple[Any, Any],
    metadata: LearnerMetadata = WEIGHTS_ALONE,
) -> Any:
    """A copy of the learner, fitted to the rows of two sides, which have these names; metadata are those of all."""
    if (side < 0).any():
        metadata = metadata.take(rows.codes, np.flatnonzero(side[rows.codes] >= 0))
    if isinstance(rows, ArrayRows):
        try:
            return clone(learner).fit(binary_rows(rows, side), **metadata.fit)
        except NotSeparableError as error:
            raise NotSeparableError(_of_classes(error.separation, names)) from None
    table, codes, weight = rows.of_sides(side, compares_rows(learner))
    return fitted_copy(learner, table, codes, weight, metadata)


def fit_further(model: Any, rows: ArrayRows | GivenRows, side: Side) -> Any:
    """A copy of the model that has learnt from the rows of two sides too."""
    if not (side[rows.codes] >= 0).any():
        return model
    model = model.learner if isinstance(model, UnseenProblem) else model
    if isinstance(rows, ArrayRows):
        return copy(model).partial_fit(_of_present_sides(binary_rows(rows, side)), classes=SIDES)
    table, codes, weight = rows.of_sides(side, False)
    options = WEIGHTS_ALONE.fit_options(weight)
    if "classes" in signature(model.partial_fit).parameters:  # those of regressors take none
        options["classes"] = SIDES
    return deepcopy(model).partial_fit(table, codes, **options)


def _of_present_sides(rows: ArrayRows) -> ArrayRows:
    present, codes = np.unique(rows.codes, return_inverse=True)
    return replace(rows, classes=rows.classes[present], codes=codes.astype(np.int32))


def compares_rows(learner: Any) -> bool:
    """Whether columns stand for rows: of a table of similarities between them, as precomputed kernels are."""
    return bool(get_tags(learner).input_tags.pairwise)


def fitted_copy(
    learner: Any, table: Any, labels: Any, weight: Array | None, metadata: LearnerMetadata = WEIGHTS_ALONE
) -> Any:
    """A copy of the learner, fitted to a table as it was given, with all that stands beside its rows."""
    with single_threaded_blas() if _is_slowed_by_threads(learner, table) else nullcontext():
        return clone(learner).fit(table, labels, **metadata.fit_options(weight))


def _is_slowed_by_threads(learner: Any, table: Any) -> bool:
    """Whether the threads of BLAS take longer to wake than they work.

    scikit-learn's linear learners multiply a matrix by a vector, over and over.
    """
    size = table.nnz if hasattr(table, "nnz") else np.prod(getattr(table, "shape", (np.inf,)))
    linear_models = sys.modules.get("sklearn.linear_model._base")  # who has one of its learners has imported it
    linear = linear_models is not None and isinstance(last_step(learner), linear_models.LinearClassifierMixin)
    return linear and bool(size < _WORTH_THREADS)


def last_step(model: Any) -> Any:
    """The classifier itself, where others prepare the columns for it."""
    return model.steps[-1][1] if hasattr(model, "steps") else model


def _of_classes(separation: Separation, names: tuple[Any, Any]) -> Separation:
    """The proof with the names of the classes in place of the sides 0 and 1."""
    negative, positive = names
    against_rest = negative is REST  # a class may be called so
    shown = (REST, str(positive)) if against_rest else names
    proof = separation.certificate
    assert proof is not None  # of what is not separable
    return replace(
        separation,
        negative=negative,
        positive=positive,
        certificate=replace(proof, classes=tuple(shown[k] for k in proof.classes)),
        against_rest=against_rest,
    )


# --- what a fitted model knows --------------------------------------------------------------------------


def confidence(model: Any, X: Any) -> Array:
    """How sure the model is that each row belongs to class 1: positive if it says so."""
    if is_regressor(model):
        return np.asarray(model.predict(X), dtype=np.float64).reshape(-1) - 0.5
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), dtype=np.float64).reshape(-1)
    return np.asarray(model.predict_proba(X)[:, 1], dtype=np.float64) - 0.5


def log_probabilities(model: Any, X: Any, **options: Any) -> Array:
    """log P(0 | x), log P(1 | x)."""
    with np.errstate(divide="ignore"):
        if hasattr(model, "predict_log_proba"):
            return np.asarray(model.predict_log_proba(X, **options), dtype=np.float64)
        return np.log(np.asarray(model.predict_proba(X, **options), dtype=np.float64))


def stacked_planes(models: list[Any]) -> Planes | None:
    """A plane for each model; None where a model is none, or lives in a space of its own."""
    if not all(hasattr(model, "coef_") and hasattr(model, "intercept_") for model in models):
        return None
    weights = [model.coef_.toarray() if sparse.issparse(model.coef_) else np.asarray(model.coef_) for model in models]
    offsets = [np.ravel(model.intercept_) for model in models]
    if any(w.shape != (1, weights[0].shape[-1]) for w in weights) or any(b.size != 1 for b in offsets):
        return None
    return Planes(np.vstack(weights).astype(np.float64), np.concatenate(offsets).astype(np.float64))
