"""What learners say of rows that their models have not seen.

Learners that are functions of sums share one pass (see `fold_sums`), and all planes score a row at once. The others are
fitted fold by fold: in threads if asked, and from the weights of the whole where a model of all rows is known. Of many
learners, one that fails is an outcome with a reason.
"""

import time
import warnings
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from discriminant.findings import Finding, FindingWarning
from discriminant.learners.additive import AdditiveLearner
from discriminant.learners.base import log_posteriors
from discriminant.multiclass.foreign_estimators import fitted_copy, log_probabilities
from discriminant.multiclass.metadata import LearnerMetadata, weight_name
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.validation.estimator_scores import as_columns, as_log_odds, scores_of
from discriminant.validation.fold_sums import models_of_folds, scores_of_folds, statistic_for, statistics_by_fold
from discriminant.validation.folds import Folds
from discriminant.validation.learner_warnings import WarningLog
from discriminant.validation.table import Table, is_ours

Array = NDArray[np.float64]
Numbers = NDArray[np.intp]
Progress = Callable[[int, int, str], Any]

_CHEAP_FITS = 1 << 15  # numbers that closed-form fits of all folds read, in no more time than sums over folds take

_OVERFLOW = "the scores overflow; values are too large for this learner"


@dataclass(frozen=True)
class Outcome:
    """What a learner said: scores (n, or n×K), the codes it assigned, log P(class | x) where it has probabilities.

    Of learners that assign by the sign of the score, or by the largest, the codes are found when asked for.
    """

    scores: Array | None = None
    given_codes: NDArray[np.intp] | None = None
    given_log_posteriors: Array | None = None
    scores_are_log_odds: bool = False
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    failure: str | None = None

    @property
    def assigned(self) -> NDArray[np.integer[Any]]:
        """The code of the class each row is assigned."""
        if self.given_codes is not None:
            return self.given_codes
        assert self.scores is not None
        return (self.scores > 0).view(np.int8) if self.scores.ndim == 1 else self.scores.argmax(axis=1)

    @property
    def has_posteriors(self) -> bool:
        """Whether the learner gives probabilities."""
        return self.scores_are_log_odds or self.given_log_posteriors is not None

    def class_scores(self, n_classes: int) -> Array | None:
        """(n,) for two classes, (n, K) for more; None where scores are of something else, without probabilities."""
        scores = self.scores
        assert scores is not None
        if n_classes == 2 and scores.ndim == 1:
            return scores
        if scores.ndim == 2 and scores.shape[1] == n_classes and _single_out(scores, self.assigned):
            return scores
        return self.log_posteriors() if self.has_posteriors else None

    def log_posteriors(self) -> Array:
        """log P(class | x), n×K."""
        if self.given_log_posteriors is not None:
            return self.given_log_posteriors
        assert self.scores is not None
        return log_posteriors(self.scores.reshape(len(self.scores), -1))


def _single_out(scores: Array, assigned: NDArray[np.integer[Any]]) -> bool:
    """Whether the largest score is that of the assigned class; three classes have as many pairs as classes."""
    return bool(np.mean(scores.argmax(axis=1) == assigned) > 0.9)


def outcomes(
    learners: dict[str, Any], table: Table, folds: Folds, n_jobs: int, progress: Progress | None
) -> dict[str, Outcome]:
    """The outcome of each learner, of the rows that are judged."""
    counter = _Counter(progress, len(learners) * folds.n_folds)
    with WarningLog() as log, single_threaded_blas() if n_jobs > 1 else nullcontext():
        found = {}
        if any(map(is_ours, learners.values())):
            with single_threaded_blas():  # held all along: to let go and hold again costs more than a small fit
                found = _from_sums(learners, table.rows, folds, counter)
        others = {name: learner for name, learner in learners.items() if name not in found}
        found |= _fold_by_fold(others, table, folds, n_jobs, counter, log)
    return {name: found[name] for name in learners}


def held_out_scores(
    learner: Any, model: Any, table: Table, folds: Folds, metadata: LearnerMetadata | None = None
) -> Array:
    """Scores of one learner, n×1 or n×K, of the rows that are judged; ``model`` is it, fitted to all rows.

    ``metadata`` stand beside the rows that count, where there is more than weights.
    """
    if metadata is not None and not metadata.is_plain:
        return _held_out_with(learner, table, folds, metadata)
    K, given = table.given.classes.size, table.given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # the fit of all rows has told what is to be told
        if folds.leave_one_out and hasattr(model, "loo_decision_function"):
            return as_columns(model.loo_decision_function(given.table, table.labels, given.weight), K, model)
        if isinstance(learner, AdditiveLearner) and table.rows.matrix.size * folds.n_folds <= _CHEAP_FITS:
            return _refitted_scores(learner, table.rows, folds)
        if is_ours(learner) and (statistic := statistic_for(learner, table.rows, folds)) is not None:
            with suppress(ValueError), single_threaded_blas():
                statistics = statistics_by_fold({statistic}, table.rows, folds)
                models = models_of_folds(learner, table.rows, statistic, statistics)
                return folds.judged_part(scores_of_folds([models], table.rows, folds)[0])
        if folds.learnt is None and hasattr(model, "kfold_decision_function"):
            scores = model.kfold_decision_function(given.table, table.labels, folds.of_row, given.weight)
            return folds.judged_part(as_columns(scores, K, model))
        parts = [
            scores_of(_fitted_to(learner, table, learnt, metadata), _safe_indexing(given.table, tested), K)
            for learnt, tested in folds.split()
        ]
        return np.asarray(_join_in_order(parts, folds))


def _refitted_scores(learner: Any, rows: ArrayRows, folds: Folds) -> Array:
    """Fold by fold, with a fit to the rows of the others."""
    parts = [
        clone(learner).fit(rows.take(learnt)).score_matrix(rows.matrix[tested]) for learnt, tested in folds.split()
    ]
    return np.asarray(_join_in_order(parts, folds))


def _held_out_with(learner: Any, table: Table, folds: Folds, metadata: LearnerMetadata) -> Array:
    """Fold by fold, with all that stands beside the rows of each."""
    X, K = table.given.table, table.given.classes.size
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        parts = [
            scores_of(
                _fitted_to(learner, table, learnt, metadata.take(X, learnt)),
                _safe_indexing(X, tested),
                K,
                **metadata.take(X, tested).score,
            )
            for learnt, tested in folds.split()
        ]
    return np.asarray(_join_in_order(parts, folds))


@dataclass
class _Counter:
    progress: Progress | None
    total: int
    done: int = 0

    def tell(self, name: str, fits: int = 1) -> None:
        self.done += fits
        if self.progress is not None:
            self.progress(self.done, self.total, name)


# --- from sums ------------------------------------------------------------------------------------------


def _from_sums(learners: dict[str, Any], rows: ArrayRows, folds: Folds, counter: _Counter) -> dict[str, Outcome]:
    """The outcomes of learners that are functions of sums; those for which the sums overflow are left to the rows."""
    chosen = {name: statistic_for(learner, rows, folds) for name, learner in learners.items() if is_ours(learner)}
    chosen = {name: statistic for name, statistic in chosen.items() if statistic is not None}
    if not chosen:
        rows.refuse_non_finite()
        return {}
    started = time.perf_counter()
    try:
        statistics = statistics_by_fold({s for s in chosen.values() if s}, rows, folds)
    except ValueError:
        rows.refuse_non_finite()  # no learner could help that
        return {}
    shared = (time.perf_counter() - started) / len(chosen)
    models: dict[str, list[Any]] = {}
    found: dict[str, Outcome] = {}
    for name, statistic in chosen.items():
        started = time.perf_counter()
        try:
            models[name] = models_of_folds(learners[name], rows, str(statistic), statistics)
        except Exception as error:
            found[name] = Outcome(failure=_reason(error))
        else:
            seconds = shared + time.perf_counter() - started
            found[name] = Outcome(seconds=seconds, findings=merge_findings(m.findings_ for m in models[name]))
        counter.tell(name, folds.n_folds)
    for (name, own), scores in zip(models.items(), scores_of_folds(list(models.values()), rows, folds), strict=True):
        found[name] = _with_scores(found[name], own[0], folds.judged_part(scores))
    return found


def _with_scores(outcome: Outcome, model: Any, scores: Array) -> Outcome:
    """The outcome with the scores (n×q) of a learner of ours."""
    if not np.isfinite(scores).all():
        return Outcome(failure=_OVERFLOW)
    return replace(outcome, scores=_narrow_scores(scores), scores_are_log_odds=hasattr(model, "predict_log_proba"))


def _narrow_scores(scores: Array) -> Array:
    return scores[:, 0] if scores.shape[1] == 1 else scores


# --- fold by fold ---------------------------------------------------------------------------------------


def _fold_by_fold(
    learners: dict[str, Any], table: Table, folds: Folds, n_jobs: int, counter: _Counter, log: WarningLog
) -> dict[str, Outcome]:
    failed: set[str] = set()
    said: dict[str, list[Any]] = {name: [Outcome()] * folds.n_folds for name in learners}

    def work(name: str, fold: int) -> tuple[str, int, Outcome]:
        if name in failed:
            return name, fold, Outcome()
        return name, fold, _fit_and_score(learners[name], table, folds.training(fold), folds.tested(fold), log)

    for name, fold, one in _each(work, [(name, f) for name in learners for f in range(folds.n_folds)], n_jobs):
        said[name][fold] = one
        if one.failure is not None:
            failed.add(name)
        counter.tell(name)
    return {name: _put_together(parts, folds) for name, parts in said.items()}


def _each(work: Callable[..., Any], tasks: list[tuple[Any, ...]], n_jobs: int) -> Iterable[Any]:
    """The results of tasks as they come."""
    if n_jobs == 1:
        yield from (work(*task) for task in tasks)
        return
    with ThreadPoolExecutor(n_jobs) as pool:
        futures = [pool.submit(work, *task) for task in tasks]
        try:
            yield from (future.result() for future in as_completed(futures))
        finally:  # where the progress callback raises, nothing new is begun
            for future in futures:
                future.cancel()


def _fit_and_score(learner: Any, table: Table, learnt: Numbers, tested: Numbers, log: WarningLog) -> Outcome:
    with log.collect() as warned:
        try:
            said = (_by_ours if is_ours(learner) else _by_theirs)(learner, table, learnt, tested)
        except Exception as error:
            return Outcome(failure=_reason(error))
    return replace(said, findings=(*said.findings, *warned))


def _by_ours(learner: Any, table: Table, learnt: Numbers, tested: Numbers) -> Outcome:
    rows = table.rows
    started = time.perf_counter()
    model = clone(learner).fit(rows.take(learnt))
    seconds = time.perf_counter() - started
    scores = model.score_matrix(rows.matrix[tested])
    if not np.isfinite(scores).all():
        raise ValueError(_OVERFLOW)
    return Outcome(scores, None, None, hasattr(model, "predict_log_proba"), seconds, tuple(model.findings_))


def _by_theirs(learner: Any, table: Table, learnt: Numbers, tested: Numbers) -> Outcome:
    started = time.perf_counter()
    model = _fitted_to(learner, table, learnt)
    seconds = time.perf_counter() - started
    X = _safe_indexing(table.given.table, tested)
    posteriors = log_probabilities(model, X) if hasattr(model, "predict_proba") else None
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X), dtype=np.float64)
    else:
        assert posteriors is not None
        scores = as_log_odds(posteriors)
    assigned = _codes_of(model.predict(X), table.given.classes)
    findings = tuple(getattr(model, "findings_", ()))
    return Outcome(scores.reshape(tested.size, -1), assigned, posteriors, False, seconds, findings)


def _fitted_to(learner: Any, table: Table, learnt: Numbers, metadata: LearnerMetadata | None = None) -> Any:
    """A copy of anybody's learner, fitted to some of the rows as they were given."""
    given = table.given
    if metadata is None:
        metadata = LearnerMetadata("sample_weight" if given.weight is None else weight_name(learner))
    weight = None if given.weight is None else given.weight[learnt]
    labels = given.classes[given.codes[learnt]]
    return fitted_copy(learner, _safe_indexing(given.table, learnt), labels, weight, metadata)


def _codes_of(labels: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Places among the classes; one beyond them for a label that is none, such as that of rejecting."""
    places = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([places.get(label, classes.size) for label in np.asarray(labels).tolist()], dtype=np.intp)


def _put_together(parts: list[Outcome], folds: Folds) -> Outcome:
    failure = next((part.failure for part in parts if part.failure is not None), None)
    seconds = sum(part.seconds for part in parts)
    if failure is not None:
        return Outcome(failure=failure, seconds=seconds)
    fields = ("scores", "given_codes", "given_log_posteriors")
    scores, codes, posteriors = (_join_in_order([getattr(part, field) for part in parts], folds) for field in fields)
    findings = merge_findings(part.findings for part in parts)
    return Outcome(_narrow_scores(scores), codes, posteriors, parts[0].scores_are_log_odds, seconds, findings)


def _join_in_order(parts: list[Any], folds: Folds) -> Any:
    """What was said of each fold's rows, in the order of the judged rows."""
    if parts[0] is None:
        return None
    fold = folds.of_judged
    whole = np.empty((fold.size, *parts[0].shape[1:]), dtype=parts[0].dtype)
    for f, part in enumerate(parts):
        whole[fold == f] = part
    return whole


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def merge_findings(findings: Iterable[Iterable[Finding]]) -> tuple[Finding, ...]:
    """The findings of all folds; of those that differ in their figures only, the first."""
    told: dict[Any, Finding] = {}
    for of_fold in findings:
        for finding in of_fold:
            told.setdefault((type(finding), finding.columns, finding.classes), finding)
    return tuple(told.values())
