"""What `GainClassifier` learns from a source: the learner fitted to all rows, and held-out scores in bounded memory."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.decisions.held_out import HeldOut
from discriminant.gain import Gain
from discriminant.gain.alignment import gain_of_rows
from discriminant.learners.base import refuse_one_class
from discriminant.rows import Rows
from discriminant.statistics.score_counts import ScoreCounts
from discriminant.validation.source_folds import SourceFolds, read_source_folds
from discriminant.validation.source_scores import HeldOutScores, ScoredRows, rows_of_counts
from discriminant.validation.source_sums import FoldSums, source_statistic


@dataclass(frozen=True)
class SourceFit:
    """The fitted learner, the folds, and what is known of rows that were not seen; counts of two classes alone."""

    model: Any
    folds: SourceFolds
    held: HeldOut
    counts: dict[int, ScoreCounts] | None


def fit_source(learner: Any, rows: Rows, cv: Any, random_state: Any, gain: Any, reject: Any) -> SourceFit:
    """One pass for all models of a closed-form learner, and one for the scores."""
    folds = read_source_folds(cv, random_state, rows)
    statistic = source_statistic(learner, rows, folds)
    models = FoldSums.over(set() if statistic is None else {statistic}, rows, folds).models(learner)
    classes = models.whole.classes_
    refuse_one_class(classes)
    refuse_unknown_classes(models.of_fold, classes)
    gains = one_gain(gain, classes, reject)
    scores = HeldOutScores((models.of_fold,), folds, classes)
    counts = rows.fold(replace(scores, most_rows=1).counted).counts[0] if classes.size == 2 else None
    found = rows.fold(scores) if counts is None else rows_of_counts(counts)
    return SourceFit(models.whole, folds, _held_out(found, classes, gains), counts)


def refuse_unknown_classes(models: tuple[Any, ...], classes: NDArray[Any]) -> None:
    """Every model knows every class."""
    for f, model in enumerate(models):
        unseen = [label for label in classes.tolist() if label not in model.classes_.tolist()]
        if unseen:
            raise ValueError(
                f"all rows of class {unseen[0]!r} lie in fold {f}; a class needs rows in two folds at least, so that "
                "those of one can be judged by what the others say"
            )


def _held_out(found: ScoredRows, classes: NDArray[Any], gain: Gain) -> HeldOut:
    scores = found.scores[0]
    for code, label in enumerate(classes.tolist()):
        if np.unique(found.folds[found.codes == code]).size < 2:
            raise ValueError(f"class {label!r} has rows in fewer than two folds; take other folds, or more rows of it")
    return HeldOut(scores, found.codes, found.weight, found.folds, classes, gain)


def one_gain(gain: Any, classes: NDArray[Any], reject: Any) -> Gain:
    """Gains by row are of tables in memory."""
    found = None if callable(gain) else gain_of_rows(gain, None, classes, reject)
    if found is None or found.per_row:
        raise ValueError("over a rows source one gain holds for all rows; for gains by row pass rows.collect()")
    return found
