"""Closed-form learners of every fold from one pass over the rows.

Rows are summed by class and part at once, as if each pair (class, part) were a class. Where every model learns from all
rows outside its fold, the parts are the folds, and what a learner needs for fold f is

    M₋f = Σ_{g ≠ f} M_g = (M₀ + … + M_{f−1}) + (M_{f+1} + … + M_{V−1}),

added from both ends rather than subtracted from the whole, so that no digit is lost to cancellation. Otherwise a part
is the rows that the same models learn from, and each model adds up its parts. Where columns are so nearly dependent
that squares do not suffice, a learner is given the rows instead.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from discriminant.kernels.folds import score_by_fold
from discriminant.learners.additive import AdditiveLearner, MomentsLearner
from discriminant.learners.base import LinearClassifier
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import Discrimination
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.multiclass.shared import SidesEvidence
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import kernel_form
from discriminant.rows.threads import over_spans
from discriminant.statistics.alignment import sums_of_others
from discriminant.statistics.counts import ClassSums
from discriminant.statistics.moments import ClassMoments
from discriminant.validation.folds import Folds

Array = NDArray[np.float64]

# The scatter of every class in every fold is kept while that takes less than 256 MB.
_LARGEST_SCATTERS = 1 << 25
# Of models that learn from parts of the rows: beyond, finding the parts takes as long as fitting the models.
_MOST_PARTIAL_MODELS = 64

# Which statistic of one pass a learner is a function of.
MOMENTS, VARIANCES, PRESENCE, SUMS = "moments", "variances", "presence", "sums"
OF_MARGINAL = {"gaussian": VARIANCES, "bernoulli": PRESENCE, "multinomial": SUMS}


def statistic_for(learner: Any, rows: ArrayRows, folds: Folds) -> str | None:
    """The statistic whose sums over folds suffice for a learner; None where it must see the rows."""
    if not isinstance(learner, AdditiveLearner) or type(learner).fit is not AdditiveLearner.fit:
        return None
    if not learner.adds_up():
        return None
    if folds.learnt is not None and folds.n_folds > _MOST_PARTIAL_MODELS:
        return None
    if isinstance(learner, NaiveBayes):
        return marginal_statistic(learner)
    too_large = rows.classes.size * folds.n_folds * rows.n_columns**2 > _LARGEST_SCATTERS
    if rows.stays_sparse or folds.fewest_learnt < rows.n_columns or too_large:
        return None
    # one that cannot add rows needs them all: Fisher's thresholds by accuracy and gain
    return MOMENTS if isinstance(learner, MomentsLearner) and hasattr(learner, "partial_fit") else None


def marginal_statistic(learner: NaiveBayes) -> str | None:
    """The statistic of a naive Bayes learner; None where columns have different marginals."""
    return OF_MARGINAL.get(learner.marginal) if isinstance(learner.marginal, str) else None


def statistics_by_fold(wanted: set[str], rows: ArrayRows, folds: Folds) -> dict[str, list[Any]]:
    """The wanted statistics of the rows each model learns from: one pass for moments and variances, one for others."""
    cells = _by_class_and_part(rows, folds)
    found: dict[str, list[Any]] = {}
    if MOMENTS in wanted:
        moments = _of_each_model(ClassMoments.of_rows(cells.rows, per_class=True), cells, folds, rows.classes)
        found[MOMENTS] = [FoldEvidence.of_model(m, rows, folds, f) for f, m in enumerate(moments)]
    if VARIANCES in wanted and MOMENTS in wanted:
        found[VARIANCES] = [evidence.of_classes.diagonal() for evidence in found[MOMENTS]]
    elif VARIANCES in wanted:
        variances = ClassMoments.of_rows(cells.rows, full=False, per_class=True)
        found[VARIANCES] = _of_each_model(variances, cells, folds, rows.classes)
    for name in wanted & {PRESENCE, SUMS}:
        sums = ClassSums.of_rows(cells.rows, presence=name == PRESENCE)
        found[name] = _of_each_model(sums, cells, folds, rows.classes)
    return found


@dataclass(frozen=True)
class _Cells:
    """Rows coded by (class, part), with the class and the part of each code, and the parts each model learns from."""

    rows: ArrayRows
    of_class: NDArray[np.intp]
    of_part: NDArray[np.intp]
    learnt: NDArray[np.bool_]  # models × parts


def _by_class_and_part(rows: ArrayRows, folds: Folds) -> _Cells:
    part, learnt = _parts(folds)
    n_parts = learnt.shape[1]
    codes = rows.codes * np.int32(n_parts) + part
    present = np.flatnonzero(np.bincount(codes))
    if present.size < rows.classes.size * n_parts:  # a class without rows in some part
        places = np.zeros(rows.classes.size * n_parts, dtype=np.int32)
        places[present] = np.arange(present.size)
        codes = places[codes]
    of_class, of_part = np.divmod(present, n_parts)
    return _Cells(replace(rows, classes=present, codes=codes), of_class, of_part, learnt)


def _parts(folds: Folds) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """(the part of each row, the parts each model learns from: models × parts)."""
    V = folds.n_folds
    if folds.learnt is None:
        part = np.where(folds.of_row < 0, np.int32(V), folds.of_row)
        return part, ~np.eye(V, int(part.max()) + 1, dtype=np.bool_)
    models = np.zeros((folds.of_row.size, V), dtype=np.bool_)
    for f, learnt in enumerate(folds.learnt):
        models[learnt, f] = True
    found, part = np.unique(np.packbits(models, axis=1), axis=0, return_inverse=True)
    return part.reshape(-1).astype(np.int32), np.unpackbits(found, axis=1, count=V).T.astype(np.bool_)


def _of_each_model(statistics: Any, cells: _Cells, folds: Folds, classes: NDArray[Any]) -> list[Any]:
    """The sum of what each model learns from.

    Classes are named last: statistics that add sort them, and rows name them in any order.
    """
    take: Callable[[Any, Any, Any], Any] = _moments_of if isinstance(statistics, ClassMoments) else _sums_of
    inside = [np.flatnonzero(cells.of_part == p) for p in range(cells.learnt.shape[1])]
    parts = [take(statistics, places, cells.of_class[places]) for places in inside]
    if folds.learnt is None:
        always, parts = parts[folds.n_folds :], parts[: folds.n_folds]  # rows that are never judged
        sums = [reduce(add, always, others) for others in sums_of_others(parts)]
    else:
        sums = [reduce(add, (parts[p] for p in np.flatnonzero(learnt))) for learnt in cells.learnt]
    return [replace(total, classes=classes[total.classes]) for total in sums]


def _moments_of(m: ClassMoments, places: NDArray[np.intp], classes: NDArray[Any]) -> ClassMoments:
    cubic, quartic, low = (None if part is None else part[places] for part in (m.cubic, m.quartic, m.remainders))
    parts = m.counts[places], m.means[places], m.scatter[places]
    return ClassMoments(classes, *parts, True, cubic, quartic, low, m.names)


def _sums_of(s: ClassSums, places: NDArray[np.intp], classes: NDArray[Any]) -> ClassSums:
    return ClassSums(classes, s.counts[places], s.sums[places], s.any_negative)


# --- models ---------------------------------------------------------------------------------------------


def models_of_folds(learner: Any, rows: ArrayRows, statistic: str, by_fold: dict[str, list[Any]]) -> list[Any]:
    """A model for each fold, from the statistics of the rows it learns from."""
    template = clone(learner)  # which knows the columns
    template.check_parameters()
    template.read_source(rows, None, None, reset=True)
    if statistic == MOMENTS:
        return [copy(template).learn_evidence(evidence) for evidence in by_fold[statistic]]
    return [_learn_sums(copy(template), sums) for sums in by_fold[statistic]]


def _learn_sums(model: Any, statistics: Any) -> Any:
    model.learn(statistics)
    return model


@dataclass(frozen=True)
class FoldEvidence(SidesEvidence):
    """The moments of the rows a model learns from; what Fisher and LDA both ask of them is answered once."""

    answers: dict[Any, Discrimination] = field(default_factory=dict)

    @classmethod
    def of_model(cls, moments: ClassMoments, rows: ArrayRows, folds: Folds, fold: int) -> "FoldEvidence":
        """The evidence of the rows that the model of a fold learns from."""
        counted = rows.weight is None
        class_rows = np.rint(moments.counts) if counted else np.bincount(rows.codes[folds.training(fold)])
        float32 = bool(rows.matrix.dtype == np.float32)
        shape = Shape(rows.names, int(class_rows.sum()), class_rows.astype(np.int64), float32)
        return cls(moments, shape, find_rows=lambda: rows.take(folds.training(fold)))

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """Solve from the moments, or from the rows."""
        question = shrinkage, divisor
        if question not in self.answers:
            self.answers[question] = super().discriminate(shrinkage, divisor)
        return self.answers[question]


# --- scores ---------------------------------------------------------------------------------------------


def scores_of_folds(models: list[list[Any]], rows: ArrayRows, folds: Folds) -> list[Array]:
    """Scores (n×q) by each learner's models of the folds; all planes score a row in one pass.

    Rows that are never judged have scores of no meaning.
    """
    plain = [of_folds for of_folds in models if _is_plain(of_folds[0])]
    together = iter(_scored_together(plain, rows, folds) if plain else ())
    return [next(together) if _is_plain(m[0]) else _scored_by_fold(m, rows, folds) for m in models]


def _is_plain(model: Any) -> bool:
    """Whether the score of a row is coef_·x + intercept_."""
    by_planes = type(model).score_matrix is LinearClassifier.score_matrix
    return by_planes or (isinstance(model, NaiveBayes) and model.marginal in ("gaussian", "multinomial"))


def _scored_together(models: list[list[Any]], rows: ArrayRows, folds: Folds) -> list[Array]:
    planes = np.concatenate(
        [np.stack([np.column_stack([m.coef_, m.intercept_]) for m in of_folds]) for of_folds in models], axis=1
    )
    scores = np.empty((planes.shape[1], rows.n_rows))
    matrix, fold = kernel_form(rows.matrix), np.maximum(folds.of_row, 0)
    score = score_by_fold.suited_to(rows.numbers_so_far)
    over_spans(lambda start, stop: score(matrix, fold, planes, start, stop, scores), rows.n_rows, rows.n_columns)
    ends = np.cumsum([len(of_learner[0].intercept_) for of_learner in models])
    return [part.T for part in np.split(scores, ends[:-1])]


def _scored_by_fold(models: list[Any], rows: ArrayRows, folds: Folds) -> Array:
    scores = np.zeros((rows.n_rows, len(models[0].intercept_)))
    for f, model in enumerate(models):
        inside = folds.tested(f)
        scores[inside] = model.score_matrix(rows.matrix[inside])
    return scores
