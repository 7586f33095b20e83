"""Closed-form learners of every fold from one pass over the rows.

Rows are summed by class and fold at once, as if each pair (class, fold) were a class. What a learner needs of the rows
outside fold f is then

    M₋f = Σ_{g ≠ f} M_g = (M₀ + … + M_{f−1}) + (M_{f+1} + … + M_{V−1}),

added from both ends rather than subtracted from the whole, so that no digit is lost to cancellation. Where columns are
so nearly dependent that squares do not suffice, a learner is given the rows outside the fold instead.
"""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.folds import Folds
from discriminant.learners.additive import AdditiveLearner, MomentsLearner
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import Discrimination, MomentEvidence
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.multiclass.shared import SidesEvidence
from discriminant.rows import ArrayRows
from discriminant.statistics.counts import ClassSums
from discriminant.statistics.moments import ClassMoments

# The scatter of every class in every fold is kept while that takes less than 256 MB.
_LARGEST_SCATTERS = 1 << 25

# Which statistic of one pass a learner is a function of.
MOMENTS, VARIANCES, PRESENCE, SUMS = "moments", "variances", "presence", "sums"
_OF_MARGINAL = {"gaussian": VARIANCES, "bernoulli": PRESENCE, "multinomial": SUMS}


def statistic_for(learner: Any, rows: ArrayRows, n_inside: NDArray[np.intp]) -> str | None:
    """The statistic whose sums over folds suffice for a learner; None where it must see the rows.

    ``n_inside`` is the number of rows in each fold.
    """
    if not isinstance(learner, AdditiveLearner) or type(learner).fit is not AdditiveLearner.fit:
        return None
    if isinstance(learner, NaiveBayes):
        return _OF_MARGINAL.get(learner.marginal)
    fewest = rows.n_rows - int(n_inside.max())
    too_large = rows.classes.size * n_inside.size * rows.n_columns**2 > _LARGEST_SCATTERS
    if rows.stays_sparse or fewest < rows.n_columns or too_large:
        return None
    # one that cannot add rows needs them all: Fisher's thresholds by accuracy and gain
    return MOMENTS if isinstance(learner, MomentsLearner) and hasattr(learner, "partial_fit") else None


def statistics_by_fold(wanted: set[str], rows: ArrayRows, folds: Folds) -> dict[str, list[Any]]:
    """The wanted statistics of the rows outside each fold: one pass for moments and variances, one for each other."""
    cells = _by_class_and_fold(rows, folds)
    found: dict[str, list[Any]] = {}
    if MOMENTS in wanted:
        moments = _outside_each(ClassMoments.of_rows(cells.rows, per_class=True), cells, rows.classes)
        found[MOMENTS] = [FoldEvidence.outside(m, rows, folds, f) for f, m in enumerate(moments)]
    if VARIANCES in wanted and MOMENTS in wanted:
        found[VARIANCES] = [evidence.of_classes.diagonal() for evidence in found[MOMENTS]]
    elif VARIANCES in wanted:
        variances = ClassMoments.of_rows(cells.rows, full=False, per_class=True)
        found[VARIANCES] = _outside_each(variances, cells, rows.classes)
    for name in wanted & {PRESENCE, SUMS}:
        found[name] = _outside_each(ClassSums.of_rows(cells.rows, presence=name == PRESENCE), cells, rows.classes)
    return found


@dataclass(frozen=True)
class _Cells:
    """Rows coded by (class, fold), with the class and the fold of each code."""

    rows: ArrayRows
    of_class: NDArray[np.intp]
    of_fold: NDArray[np.intp]
    n_folds: int


def _by_class_and_fold(rows: ArrayRows, folds: Folds) -> _Cells:
    n_folds = int(folds.max()) + 1
    codes = rows.codes * np.int32(n_folds) + folds
    present = np.flatnonzero(np.bincount(codes))
    if present.size < rows.classes.size * n_folds:  # a class without rows in some fold
        places = np.zeros(rows.classes.size * n_folds, dtype=np.int32)
        places[present] = np.arange(present.size)
        codes = places[codes]
    of_class, of_fold = np.divmod(present, n_folds)
    return _Cells(replace(rows, classes=present, codes=codes), of_class, of_fold, n_folds)


def _outside_each(statistics: Any, cells: _Cells, classes: NDArray[Any]) -> list[Any]:
    """Added by code and named afterwards: statistics that add sort their classes, and rows name them in any order."""
    take: Callable[[Any, Any, Any], Any] = _moments_of if isinstance(statistics, ClassMoments) else _sums_of
    inside = [np.flatnonzero(cells.of_fold == f) for f in range(cells.n_folds)]
    parts = [take(statistics, places, cells.of_class[places]) for places in inside]
    from_left = [None, *accumulate(parts, add)][:-1]
    from_right = [None, *accumulate(parts[::-1], add)][:-1][::-1]
    sums = [
        right if left is None else left if right is None else left + right
        for left, right in zip(from_left, from_right, strict=True)
    ]
    return [replace(total, classes=classes[total.classes]) for total in sums]


def _moments_of(m: ClassMoments, places: NDArray[np.intp], classes: NDArray[Any]) -> ClassMoments:
    cubic, quartic = (None if part is None else part[places] for part in (m.cubic, m.quartic))
    return ClassMoments(classes, m.counts[places], m.means[places], m.scatter[places], True, cubic, quartic)


def _sums_of(s: ClassSums, places: NDArray[np.intp], classes: NDArray[Any]) -> ClassSums:
    return ClassSums(classes, s.counts[places], s.sums[places], s.any_negative)


# --- models ---------------------------------------------------------------------------------------------


def models_of_folds(template: Any, statistic: str, outside: list[Any]) -> list[Any]:
    """A model for each fold, from the statistics of the rows outside it; ``template`` knows the columns."""
    learn = _learnt if statistic == MOMENTS else _learnt_from
    return [learn(copy(template), statistics) for statistics in outside]


def _learnt_from(model: Any, statistics: Any) -> Any:
    model.learn(statistics)
    return model


def _learnt(model: Any, evidence: "FoldEvidence") -> Any:
    model.learn_from(evidence, None)
    model.keep(MomentEvidence(evidence.of_classes, evidence.shape))
    return model


@dataclass(frozen=True)
class FoldEvidence(SidesEvidence):
    """The moments of the rows outside a fold; Fisher and LDA ask them the same question, which is answered once."""

    answers: dict[Any, Discrimination] = field(default_factory=dict)

    @classmethod
    def outside(cls, moments: ClassMoments, rows: ArrayRows, folds: Folds, fold: int) -> "FoldEvidence":
        """Of the rows that are not in the fold."""
        class_rows = np.rint(moments.counts) if rows.weight is None else np.bincount(rows.codes[folds != fold])
        float32 = bool(rows.matrix.dtype == np.float32)
        shape = Shape(rows.names, int(class_rows.sum()), class_rows.astype(np.int64), float32)
        return cls(moments, shape, find_rows=lambda: rows.taken(np.flatnonzero(folds != fold)))

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """From the moments, or from the rows."""
        question = shrinkage, divisor
        if question not in self.answers:
            self.answers[question] = super().discriminate(shrinkage, divisor)
        return self.answers[question]
