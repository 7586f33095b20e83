"""What every learner says of every row, from the model of all rows outside the row's fold.

Learners that are functions of sums share one pass (see `fold_statistics`), and all planes score a row at once. The
others are fitted fold by fold, in threads if asked. One that fails is an outcome with a reason.
"""

import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import _safe_indexing

from discriminant.comparison.fold_statistics import models_of_folds, statistic_for, statistics_by_fold
from discriminant.comparison.folds import Folds
from discriminant.comparison.warned import WarningLog
from discriminant.findings import Finding
from discriminant.kernels.folds import score_by_fold
from discriminant.learners.base import LinearClassifier, log_posteriors
from discriminant.learners.naive_bayes import NaiveBayes
from discriminant.multiclass.foreign_estimators import GivenRows, fitted_copy, log_probabilities, refuse_weights
from discriminant.multiclass.reduction import Reduction
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import kernel_form
from discriminant.rows.threads import over_spans, single_threaded_blas

Array = NDArray[np.float64]
Progress = Callable[[int, int, str], Any]


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


@dataclass(frozen=True)
class Table:
    """The rows that count: as they were given, and (where learners of ours take part) checked and numeric."""

    given: GivenRows
    rows: ArrayRows | None
    folds: Folds

    @property
    def n_folds(self) -> int:
        """V."""
        return int(self.folds.max()) + 1


def outcomes(learners: dict[str, Any], table: Table, n_jobs: int, progress: Progress | None) -> dict[str, Outcome]:
    """The outcome of each learner."""
    counter = _Counter(progress, len(learners) * table.n_folds)
    with WarningLog() as log, single_threaded_blas() if n_jobs > 1 else nullcontext():
        with single_threaded_blas():  # held all along: to let go and hold again costs more than a fit of few columns
            found = _from_sums(learners, table, counter)
        others = {name: learner for name, learner in learners.items() if name not in found}
        found |= _fold_by_fold(others, table, n_jobs, counter, log)
    return {name: found[name] for name in learners}


@dataclass
class _Counter:
    progress: Progress | None
    total: int
    done: int = 0

    def tell(self, name: str, fits: int = 1) -> None:
        self.done += fits
        if self.progress is not None:
            self.progress(self.done, self.total, name)


def is_ours(learner: Any) -> bool:
    """Whether a learner reads the one checked table; reductions may hold anybody's."""
    return isinstance(learner, LinearClassifier) and not isinstance(learner, Reduction)


# --- from sums ------------------------------------------------------------------------------------------


def _from_sums(learners: dict[str, Any], table: Table, counter: _Counter) -> dict[str, Outcome]:
    """Of the learners that are functions of sums; those for which the sums overflow are left to the rows."""
    rows, folds = table.rows, table.folds
    if rows is None:
        return {}
    n_inside = np.bincount(folds)
    chosen = {name: statistic_for(learner, rows, n_inside) for name, learner in learners.items() if is_ours(learner)}
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
            template = _begun(learners[name], rows)
            models[name] = models_of_folds(template, str(statistic), statistics[str(statistic)])
        except Exception as error:
            found[name] = Outcome(failure=_reason(error))
        else:
            seconds = shared + time.perf_counter() - started
            found[name] = Outcome(seconds=seconds, findings=told_once(m.findings_ for m in models[name]))
        counter.tell(name, table.n_folds)
    return found | _scored(models, found, rows, folds)


def _begun(learner: Any, rows: ArrayRows) -> Any:
    """A model that knows the columns."""
    model = clone(learner)
    model.check_parameters()
    model.read_rows(rows, None, None, reset=True)
    return model


def _scored(
    models: dict[str, list[Any]], begun: dict[str, Outcome], rows: ArrayRows, folds: Folds
) -> dict[str, Outcome]:
    plain = [name for name, of_folds in models.items() if _is_plain(of_folds[0])]
    scores = dict(zip(plain, _scored_together([models[name] for name in plain], rows, folds), strict=True))
    found = {}
    for name, of_folds in models.items():
        own = scores[name] if name in scores else _scored_by_fold(of_folds, rows, folds)
        if np.isfinite(own).all():
            found[name] = _told(of_folds[0], own, begun[name])
        else:
            found[name] = Outcome(failure="the scores overflow; values are too large for this learner")
    return found


def _is_plain(model: Any) -> bool:
    """Whether the score of a row is coef_·x + intercept_."""
    by_planes = type(model).score_matrix is LinearClassifier.score_matrix
    return by_planes or (isinstance(model, NaiveBayes) and model.marginal in ("gaussian", "multinomial"))


def _scored_together(models: list[list[Any]], rows: ArrayRows, folds: Folds) -> list[Array]:
    """Scores of all learners (each n×q) in one pass over the rows."""
    if not models:
        return []
    planes = np.stack([np.vstack([_augmented(m) for m in of_fold]) for of_fold in zip(*models, strict=True)])
    scores = np.empty((planes.shape[1], rows.n_rows))
    matrix = kernel_form(rows.matrix)
    over_spans(
        lambda start, stop: score_by_fold(matrix, folds, planes, start, stop, scores), rows.n_rows, rows.n_columns
    )
    ends = np.cumsum([len(of_learner[0].intercept_) for of_learner in models])
    return [part.T for part in np.split(scores, ends[:-1])]


def _augmented(model: Any) -> Array:
    return np.column_stack([model.coef_, model.intercept_])


def _scored_by_fold(models: list[Any], rows: ArrayRows, folds: Folds) -> Array:
    scores = np.empty((rows.n_rows, len(models[0].intercept_)))
    for f, model in enumerate(models):
        inside = np.flatnonzero(folds == f)
        scores[inside] = model.score_matrix(rows.matrix[inside])
    return scores


def _told(model: Any, scores: Array, outcome: Outcome) -> Outcome:
    """With the scores (n×q) of a learner of ours."""
    return replace(
        outcome,
        scores=scores[:, 0] if scores.shape[1] == 1 else scores,
        scores_are_log_odds=hasattr(model, "predict_log_proba"),
    )


# --- fold by fold ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Said:
    """What one fit said of the rows of its fold (all n×q), or why it failed."""

    scores: Array | None = None
    assigned: NDArray[np.intp] | None = None
    log_posteriors: Array | None = None
    log_odds: bool = False
    seconds: float = 0.0
    findings: tuple[Finding, ...] = ()
    failure: str | None = None


def _fold_by_fold(
    learners: dict[str, Any], table: Table, n_jobs: int, counter: _Counter, log: WarningLog
) -> dict[str, Outcome]:
    failed: set[str] = set()
    said: dict[str, list[Any]] = {name: [_Said()] * table.n_folds for name in learners}

    def work(name: str, fold: int) -> tuple[str, int, _Said]:
        return name, fold, _Said() if name in failed else _fit_and_score(learners[name], table, fold, log)

    for name, fold, one in _each(work, [(name, f) for name in learners for f in range(table.n_folds)], n_jobs):
        said[name][fold] = one
        if one.failure is not None:
            failed.add(name)
        counter.tell(name)
    return {name: _put_together(parts, table.folds) for name, parts in said.items()}


def _each(work: Callable[..., Any], tasks: list[tuple[Any, ...]], n_jobs: int) -> Iterable[Any]:
    """Results as they come."""
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


def _fit_and_score(learner: Any, table: Table, fold: int, log: WarningLog) -> _Said:
    inside, outside = np.flatnonzero(table.folds == fold), np.flatnonzero(table.folds != fold)
    with log.heard() as warned:
        try:
            said = (_by_ours if is_ours(learner) else _by_theirs)(learner, table, inside, outside)
        except Exception as error:
            return _Said(failure=_reason(error))
    return replace(said, findings=(*said.findings, *warned))


def _by_ours(learner: Any, table: Table, inside: NDArray[np.intp], outside: NDArray[np.intp]) -> _Said:
    rows = table.rows
    assert rows is not None
    started = time.perf_counter()
    model = clone(learner).fit(rows.taken(outside))
    seconds = time.perf_counter() - started
    scores = model.score_matrix(rows.matrix[inside])
    if not np.isfinite(scores).all():
        raise ValueError("the scores overflow; values are too large for this learner")
    has_posteriors = hasattr(model, "predict_log_proba")
    return _Said(scores, None, None, has_posteriors, seconds, tuple(model.findings_))


def _by_theirs(learner: Any, table: Table, inside: NDArray[np.intp], outside: NDArray[np.intp]) -> _Said:
    given = table.given
    labels = given.classes[given.codes]
    if given.weight is not None:
        refuse_weights(learner)
    weight = None if given.weight is None else given.weight[outside]
    started = time.perf_counter()
    model = fitted_copy(learner, _safe_indexing(given.table, outside), labels[outside], weight)
    seconds = time.perf_counter() - started
    tested = _safe_indexing(given.table, inside)
    posteriors = log_probabilities(model, tested) if hasattr(model, "predict_proba") else None
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(tested), dtype=np.float64)
    else:
        assert posteriors is not None
        scores = posteriors
        with np.errstate(invalid="ignore"):
            scores = scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores
    assigned = _codes_of(model.predict(tested), given.classes)
    findings = tuple(getattr(model, "findings_", ()))
    return _Said(scores.reshape(inside.size, -1), assigned, posteriors, False, seconds, findings)


def _codes_of(labels: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """Places among the classes; one beyond them for a label that is none, such as that of rejecting."""
    places = {label: place for place, label in enumerate(classes.tolist())}
    return np.array([places.get(label, classes.size) for label in np.asarray(labels).tolist()], dtype=np.intp)


def _put_together(parts: list[_Said], folds: Folds) -> Outcome:
    failure = next((part.failure for part in parts if part.failure is not None), None)
    if failure is not None:
        return Outcome(failure=failure, seconds=sum(part.seconds for part in parts))
    scores = _gathered([part.scores for part in parts], folds)
    assert scores is not None
    assigned = _gathered([part.assigned for part in parts], folds)
    return Outcome(
        scores[:, 0] if scores.shape[1] == 1 else scores,
        assigned,
        _gathered([part.log_posteriors for part in parts], folds),
        parts[0].log_odds,
        sum(part.seconds for part in parts),
        told_once(part.findings for part in parts),
    )


def _gathered(parts: list[Any], folds: Folds) -> Any:
    if parts[0] is None:
        return None
    whole = np.empty((folds.size, *parts[0].shape[1:]), dtype=parts[0].dtype)
    for f, part in enumerate(parts):
        whole[folds == f] = part
    return whole


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def told_once(findings: Iterable[Iterable[Finding]]) -> tuple[Finding, ...]:
    """The findings of all folds; of those that differ in their figures only, the first."""
    told: dict[Any, Finding] = {}
    for of_fold in findings:
        for finding in of_fold:
            told.setdefault((type(finding), finding.columns, finding.classes), finding)
    return tuple(told.values())
