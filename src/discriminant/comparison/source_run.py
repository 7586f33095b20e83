"""Learners compared over a source: models of all folds from one pass where sums suffice, scores from one more.

Figures and tests look at the scores of all learners for the same rows. Those of all rows are kept up to
`source_scores.MOST_ROWS`; of more, so many drawn by their numbers, and the intervals are those of that many rows.
"""

import time
import warnings
from collections.abc import Callable
from typing import Any

from discriminant.comparison.candidates import read_candidates
from discriminant.comparison.comparison import Comparison
from discriminant.decisions.rules import refuse_rewarded_errors
from discriminant.decisions.source_fit import one_gain, refuse_unknown_classes
from discriminant.findings import FindingWarning
from discriminant.gain import Gain
from discriminant.learners.base import refuse_one_class
from discriminant.multiclass.foreign_estimators import GivenRows
from discriminant.rows import Rows
from discriminant.validation.folds import Folds
from discriminant.validation.out_of_fold import Outcome, told_once
from discriminant.validation.source_folds import read_source_folds
from discriminant.validation.source_scores import HeldOutScores, ScoredRows
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
        outcomes[name], found = _fitted(learner, sums, shared)
        if found is not None:
            models[name] = found
        if progress is not None:
            progress(done * folds.n_folds, len(candidates) * folds.n_folds, name)
    if not models:
        reasons = "; ".join(f"{name}: {outcome.failure}" for name, outcome in outcomes.items())
        raise ValueError(f"every learner failed, so there is nothing to compare. {reasons}")
    classes = next(iter(models.values())).whole.classes_
    scored = rows.fold(HeldOutScores(tuple(m.of_fold for m in models.values()), folds, classes))
    for name, scores in zip(models, scored.scores, strict=True):
        outcomes[name] = _with_scores(outcomes[name], models[name], scores)
    table = _table(scored, classes, rows)
    return Comparison(candidates, outcomes, table, Folds(scored.folds), _one_gain(gain, classes))


def _seed(random_state: Any) -> int:
    return 0 if random_state is None else int(random_state)


def _fitted(learner: Any, sums: FoldSums, shared: float) -> tuple[Outcome, SourceModels | None]:
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
    return Outcome(seconds=seconds, findings=told_once(m.findings_ for m in models.of_fold)), models


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
