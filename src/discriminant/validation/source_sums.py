"""Models of every fold of a source: closed-form learners from one pass, the others by fits to the rest of the rows.

The sums of each fold are kept, and the model of a fold is learnt from those of all others (see `fold_sums`); the model
of all rows comes from the same pass. Where columns nearly depend on one another the rows are asked again, as in a fit.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from discriminant.findings import FindingWarning, warn_of
from discriminant.learners.additive import AdditiveLearner, MomentsLearner
from discriminant.learners.base import LinearClassifier, refuse_one_class
from discriminant.learners.moment_backends import MomentEvidence
from discriminant.learners.moment_backends.shaped_moments import ShapedMoments
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.multiclass.reduction import Reduction
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.memory import DENSE_COLUMNS
from discriminant.statistics.counts import ClassSums
from discriminant.statistics.moments import ClassMoments
from discriminant.validation.fold_sums import MOMENTS, PRESENCE, VARIANCES, marginal_statistic
from discriminant.validation.source_folds import SourceFolds, sum_of


@dataclass(frozen=True)
class SourceModels:
    """A learner fitted to all rows of a source, and to the rows outside each fold."""

    whole: Any
    of_fold: tuple[Any, ...]


@dataclass(frozen=True)
class FoldSums:
    """The statistics of each fold, by name; those without rows are not there."""

    rows: Rows
    folds: SourceFolds
    by_name: Mapping[str, Mapping[int, Any]]

    @classmethod
    def over(cls, wanted: set[str], rows: Rows, folds: SourceFolds) -> "FoldSums":
        """Sum in one pass for all of them."""
        if not wanted:
            return cls(rows, folds, {})
        found = rows.assign(folds, _Statistics(tuple(sorted(wanted))))
        empty = [f for f in range(folds.n_folds) if f not in found]
        if empty:
            raise ValueError(f"fold {empty[0]} of {folds.n_folds} has no rows; take fewer folds")
        return cls(rows, folds, {name: {f: part.values[name] for f, part in found.items()} for name in wanted})

    def models(self, learner: Any) -> SourceModels:
        """The models of a learner whose statistic is among the wanted ones, or of any other."""
        name = source_statistic(learner, self.rows, self.folds)
        rests = [self.folds.learnt(self.rows, f) for f in range(self.folds.n_folds)]
        if name is None:
            whole = clone(learner).fit(self.rows)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FindingWarning)  # the fit of all rows has told what is to be told
                return SourceModels(whole, tuple(clone(learner).fit(rest) for rest in rests))
        parts = self.by_name[name]
        whole = _model(learner, sum_of(parts), self.rows)
        warn_of(whole.findings_)
        return SourceModels(
            whole, tuple(_model(learner, *pair) for pair in zip(self.folds.sums_learnt(parts), rests, strict=True))
        )


def source_statistic(learner: Any, rows: Rows, folds: SourceFolds) -> str | None:
    """The statistic whose sums over folds suffice for a learner; None where it is fitted without each fold."""
    if not isinstance(learner, LinearClassifier) or isinstance(learner, Reduction):
        raise TypeError(
            f"{type(learner).__name__} takes tables, not a rows source; pass rows.collect(), or take a learner of ours"
        )
    if not isinstance(learner, AdditiveLearner) or type(learner).fit is not AdditiveLearner.fit:
        return None
    if not learner.adds_up():
        return None
    if isinstance(learner, NaiveBayes):
        return marginal_statistic(learner)
    wide = rows.schema.n_columns > DENSE_COLUMNS
    return MOMENTS if isinstance(learner, MomentsLearner) and not wide else None


@dataclass(frozen=True)
class _StatisticsOfBlock:
    values: dict[str, Any]

    def __add__(self, other: "_StatisticsOfBlock") -> "_StatisticsOfBlock":
        return _StatisticsOfBlock({name: value + other.values[name] for name, value in self.values.items()})


@dataclass(frozen=True)
class _Statistics:
    """Some statistics of a block."""

    names: tuple[str, ...]

    def __call__(self, block: ArrayRows) -> _StatisticsOfBlock:
        return _StatisticsOfBlock({name: self._of(name, block) for name in self.names})

    def _of(self, name: str, block: ArrayRows) -> Any:
        if name == MOMENTS:
            return ShapedMoments.of_rows(block, per_class=True)
        if name == VARIANCES:
            return ClassMoments.of_rows(block, full=False, per_class=True)
        return ClassSums.of_rows(block, presence=name == PRESENCE)


def _model(learner: Any, statistics: Any, rows: Rows) -> Any:
    """The learner, from the statistics of rows that it may ask again."""
    model = clone(learner)
    model.check_parameters()
    if isinstance(statistics, ShapedMoments):
        if int(statistics.class_rows.sum()) < rows.schema.n_columns:
            return model.fit(rows)
        model.read_source(rows, None, None, reset=True)
        evidence = MomentEvidence(statistics.moments, statistics.shape(rows.schema.names), rows)
        refuse_one_class(evidence.classes)
        with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
            return model.learn_evidence(evidence, rows)
    model.read_source(rows, None, None, reset=True)
    refuse_one_class(statistics.classes)
    model.learn(statistics)
    return model
