"""Learners compared over a source: models of all folds from one pass where sums suffice, scores from one more.

Tests look at the scores of all learners for the same rows. Those of all rows are kept up to `source_scores.MOST_ROWS`;
of more, so many drawn by their numbers. Figures of two classes are then of the scores of all rows, counted in cells.
"""

import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from discriminant.cached import cached_property
from discriminant.comparison.candidates import read_candidates
from discriminant.comparison.comparison import Comparison, Figure
from discriminant.comparison.inference import Estimate
from discriminant.decisions.rules import refuse_rewarded_errors
from discriminant.decisions.source_fit import one_gain, refuse_unknown_classes
from discriminant.findings import FindingWarning
from discriminant.gain import Gain
from discriminant.learners.base import refuse_one_class
from discriminant.multiclass.foreign_estimators import GivenRows
from discriminant.rows import Rows
from discriminant.validation.folds import Folds
from discriminant.validation.out_of_fold import Outcome, merge_findings
from discriminant.validation.source_folds import read_source_folds
from discriminant.validation.source_scores import CountedScores, Counts, HeldOutScores, ScoredRows, rows_of_counts
from discriminant.validation.source_sums import FoldSums, SourceModels, source_statistic
from discriminant.validation.table import Table

Progress = Callable[[int, int, str], Any]


def compare_source(
    rows: Rows, gain: Any, learners: Any, cv: Any, random_state: Any, progress: Progress | None
) -> Comparison:
    """What `compare` does for a source."""
    folds = read_source_folds(cv, random_state, rows)
    candidates = read_candidates(learners, None, _seed(random_state))
    statistics = {source_statistic(learner, rows, folds) for learner in candidates.values()}
    started = time.perf_counter()
    sums = FoldSums.over({name for name in statistics if name is not None}, rows, folds)
    shared = (time.perf_counter() - started) / len(candidates)
    outcomes, models = {}, {}
    for done, (name, learner) in enumerate(candidates.items(), start=1):
        outcomes[name], found = _fit_from_sums(learner, sums, shared)
        if found is not None:
            models[name] = found
        if progress is not None:
            progress(done * folds.n_folds, len(candidates) * folds.n_folds, name)
    if not models:
        reasons = "; ".join(f"{name}: {outcome.failure}" for name, outcome in outcomes.items())
        raise ValueError(f"every learner failed, so there is nothing to compare. {reasons}")
    classes = next(iter(models.values())).whole.classes_
    asked = HeldOutScores(tuple(m.of_fold for m in models.values()), folds, classes)
    counted = rows.fold(asked.counted) if classes.size == 2 else CountedScores(rows.fold(asked), ())
    for name, scores in zip(models, counted.some.scores, strict=True):
        outcomes[name] = _with_scores(outcomes[name], models[name], scores)
    table, gains = _table(counted.some, classes, rows), _one_gain(gain, classes)
    counts = dict(zip(models, counted.counts, strict=False)) if _tell_more(counted) else {}
    return SourceComparison(candidates, outcomes, table, Folds(counted.some.folds), gains, counts)


def _tell_more(counted: CountedScores) -> bool:
    """Whether counts are of more rows than are kept; weights that are no repetitions do not add up in cells."""
    every_whole = all(own.whole for of_learner in counted.counts for own in of_learner.values())
    return every_whole and counted.some.n_rows > counted.some.codes.size


@dataclass(frozen=True, eq=False)
class SourceComparison(Comparison):
    """A comparison over a source of two classes: figures from counts of all rows, tests from the rows that are kept.

    ``counts`` has those of each learner by fold; it is empty where all rows are kept.
    """

    counts: Mapping[str, Counts] = field(default_factory=dict, repr=False)

    @property
    def n_rows(self) -> int:
        """How many rows are judged, all of them where they are counted."""
        first = next(iter(self.counts.values()), None)
        return self.codes.size if first is None else sum(own.n_rows for own in first.values())

    @cached_property
    def accuracy(self) -> dict[str, Estimate]:
        """The share of rows each learner assigns to their class, by its own rule; Wilson's interval."""
        return self._of_all_rows("accuracy")

    @cached_property
    def gain(self) -> dict[str, Estimate]:
        """The mean gain of a row, decided by gain from what the other folds say; empty without a gain."""
        return self._of_all_rows("gain")

    @cached_property
    def log_loss(self) -> dict[str, Estimate]:
        """The mean of −log P(true class), of learners with probabilities."""
        return self._of_all_rows("log_loss")

    @cached_property
    def auc(self) -> dict[str, Estimate]:
        """The chance that a row of the second class scores above one of the first, within a fold."""
        return self._of_all_rows("auc")

    def _of_all_rows(self, figure: Figure) -> dict[str, Estimate]:
        if not self.counts:
            kept = Comparison(self.learners, self.outcomes, self.data, self.cv, self.gains)
            return kept.figures(figure)
        found = {name: own.figures(figure) for name, own in self._cells.items()}
        return {name: figures[name] for name, figures in found.items() if name in figures}

    @cached_property
    def _cells(self) -> dict[str, Comparison]:
        """A comparison of each learner alone, over the cells of its scores."""
        cells = {name: rows_of_counts(own) for name, own in self.counts.items()}
        return {name: self._alone(name, own) for name, own in cells.items()}

    def _alone(self, name: str, cells: ScoredRows) -> Comparison:
        outcome = replace(self.outcomes[name], scores=cells.scores[0][:, 0])
        table = _table(cells, self.classes, self.data.source[0])
        return Comparison({name: self.learners[name]}, {name: outcome}, table, Folds(cells.folds), self.gains)


def _seed(random_state: Any) -> int:
    return 0 if random_state is None else int(random_state)


def _fit_from_sums(learner: Any, sums: FoldSums, shared: float) -> tuple[Outcome, SourceModels | None]:
    started = time.perf_counter()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)
            models = sums.models(learner)
        refuse_one_class(models.whole.classes_)
        refuse_unknown_classes(models.of_fold, models.whole.classes_)
    except Exception as error:
        return Outcome(failure=f"{type(error).__name__}: {error}"), None
    seconds = shared + time.perf_counter() - started
    return Outcome(seconds=seconds, findings=merge_findings(m.findings_ for m in models.of_fold)), models


def _with_scores(outcome: Outcome, models: SourceModels, scores: Any) -> Outcome:
    narrow = scores[:, 0] if scores.shape[1] == 1 else scores
    log_odds = hasattr(models.whole, "predict_log_proba")
    return Outcome(narrow, None, None, log_odds, outcome.seconds, outcome.findings)


def _table(scored: ScoredRows, classes: Any, rows: Rows) -> Table:
    weight = None if (scored.weight == 1.0).all() else scored.weight
    return Table(GivenRows(None, classes, scored.codes, weight), scored.codes.size, None, (rows, None, None))


def _one_gain(gain: Any, classes: Any) -> Gain | None:
    if gain is None:
        return None
    found = one_gain(gain, classes, None)
    refuse_rewarded_errors(found, classes)
    return found
