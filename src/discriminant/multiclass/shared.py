"""Problems between two sides whose closed-form learners share one pass over the rows.

A closed-form learner is a function of class statistics, and the statistics of a side are merged from those of its
classes. So the rows are read once, whatever the number of problems. The rows themselves are looked at again only
where a learner would do so alone: where columns are so nearly dependent that squares do not suffice.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from discriminant.learners.additive import AdditiveLearner, MomentsLearner
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import ClassRegression, Discrimination, MomentEvidence
from discriminant.learners.moment_backends.row_space import RowSpaceEvidence
from discriminant.linalg.metric import CholeskyMetric, Metric, metric_of_scatter
from discriminant.multiclass.merging import SIDES, Side, can_merge_sides, merge_sides
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.statistics.shifted_sums import rounding_scatter

Array = NDArray[np.float64]

# The scatter of every class, which pairs need, is kept while that takes less than 256 MB.
_LARGEST_SCATTERS = 1 << 25
# Standardised columns of a worse condition send a learner back to the rows.
_WELL_CONDITIONED = 100.0


def fitted_together(learner: Any, rows: ArrayRows, sides: NDArray[np.int32]) -> list[Any] | None:
    """A fitted model for each problem (row of ``sides``), from one pass; None where the learner does not allow it."""
    if not isinstance(learner, AdditiveLearner) or type(learner).fit is not AdditiveLearner.fit:
        return None
    if not learner.adds_up():  # classes are balanced in each problem on its own
        return None
    template: Any = clone(learner)
    template.check_parameters()
    template.read_rows(rows, None, None, reset=True)
    if isinstance(learner, MomentsLearner):
        return _from_moments(template, rows, sides)
    statistics = template.summarise(rows)
    if not can_merge_sides(statistics):
        return None
    return [_of_statistics(template, merge_sides(statistics, side)) for side in sides]


def binary_rows(rows: ArrayRows, side: Side) -> ArrayRows:
    """The rows that take part, with classes 0 and 1."""
    codes = side[rows.codes]
    if (side < 0).any():
        inside = np.flatnonzero(codes >= 0)
        rows, codes = rows.take(inside), codes[inside]
    return replace(rows, classes=SIDES, codes=codes)


def _of_statistics(template: Any, statistics: Any) -> Any:
    model = _start_model(template)
    model.learn(statistics)
    return model


def _start_model(template: Any) -> Any:
    """A model that knows the columns."""
    model = clone(template)
    for name in ("n_features_in_", "feature_names_in_"):
        if name in template.__dict__:
            setattr(model, name, template.__dict__[name])
    return model


# --- moments --------------------------------------------------------------------------------------------


def _from_moments(template: Any, rows: ArrayRows, sides: NDArray[np.int32]) -> list[Any] | None:
    if rows.stays_sparse:
        return None
    wide = rows.n_rows < rows.n_columns
    too_large = rows.classes.size * rows.n_columns**2 > _LARGEST_SCATTERS
    if not (sides < 0).any():
        per_class = template.wants_each_class()
        if wide:
            return _in_row_space(template, rows, sides)
        if per_class is None and rows.classes.size > 2 * len(sides):
            per_class = False  # the scatter of many small classes, merged for each problem, costs more than it tells
        return None if per_class and too_large else _of_one_pass(template, rows, sides, per_class)
    if wide or too_large or _needs_rows(template):
        return None
    return _of_one_pass(template, rows, sides, per_class=True)


def _needs_rows(template: Any) -> bool:
    """A learner that moments do not suffice for cannot add rows to them either."""
    return not hasattr(template, "partial_fit")


def _of_one_pass(template: Any, rows: ArrayRows, sides: NDArray[np.int32], per_class: bool | None) -> list[Any]:
    with single_threaded_blas():
        whole = MomentEvidence.of(rows, per_class=per_class)
        return [_of_sides(template, whole, rows, side) for side in sides]


def _of_sides(template: Any, whole: MomentEvidence, rows: ArrayRows, side: Side) -> Any:
    shape = _shape(whole.shape, side)
    if shape.n_rows < rows.n_columns:  # these few rows span a space of their own
        return clone(template).fit(binary_rows(rows, side))
    moments = merge_sides(whole.of_classes, side)
    evidence = SidesEvidence(moments, shape, find_rows=partial(binary_rows, rows, side))
    looked_at = evidence.find_rows() if _needs_rows(template) else None
    return _start_model(template).learn_evidence(evidence, looked_at)


def _in_row_space(template: Any, rows: ArrayRows, sides: NDArray[np.int32]) -> list[Any]:
    """All problems have all rows, so one rotation serves them all, and all models share the space it found."""
    whole = RowSpaceEvidence.of(rows).without_rows()
    models = []
    for side in sides:
        evidence = replace(whole, inner=merge_sides(whole.inner, side), shape=_shape(whole.shape, side))
        models.append(_start_model(template).learn_evidence(evidence, binary_rows(rows, side)))
    return models


def _shape(shape: Shape, side: Side) -> Shape:
    class_rows = np.array([shape.class_rows[side == s].sum() for s in SIDES], dtype=np.int64)
    return replace(shape, n_rows=int(class_rows.sum()), class_rows=class_rows)


@dataclass(frozen=True)
class SidesEvidence(MomentEvidence):
    """The moments of two sides; their rows are looked up where the moments do not suffice."""

    find_rows: Callable[[], ArrayRows] = field(kw_only=True)

    def _with_rows(self) -> MomentEvidence:
        return MomentEvidence(self.of_classes, self.shape, self.find_rows())

    def reweighted(self, priors: Array) -> MomentEvidence:
        """The population form."""

        def rows_by_priors() -> ArrayRows:
            found = self._with_rows().reweighted(priors).rows
            assert isinstance(found, ArrayRows)
            return found

        return SidesEvidence(self.of_classes.reweighted(priors), self.shape, find_rows=rows_by_priors)

    def discriminate(self, shrinkage: float | str | None, divisor: float) -> Discrimination:
        """From the moments, or from the rows."""
        found = super().discriminate(shrinkage, divisor)
        if found.shrinkage > 0 or _well_conditioned(found.metric):
            return found
        return self._with_rows().discriminate(shrinkage, divisor)

    def regress(self, targets: Array, alpha: float) -> ClassRegression:
        """From the moments, or from the rows."""
        m, total = self.of_classes, self.of_classes.total
        total[np.diag_indices(len(total))] += alpha
        trusted = _well_conditioned(metric_of_scatter(total, rounding_scatter(m.n, m.means, 4)))
        return super().regress(targets, alpha) if trusted else self._with_rows().regress(targets, alpha)


def _well_conditioned(metric: Metric | None) -> bool:
    return isinstance(metric, CholeskyMetric) and metric.condition <= _WELL_CONDITIONED
