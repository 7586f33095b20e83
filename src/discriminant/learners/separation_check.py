"""Likelihoods without a maximum: classes that some plane separates, wholly or up to rows on it.

Near a maximum steps become small. Where there is none every step moves the scores of the separated rows on by about
one, while the gradient dies away all the same. That is how a doubtful fit is recognised. If there is a maximum after
all, the slopes of the loss there prove it (`separability/overlap.py`); if not, a linear program gives the plane.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import expit

from discriminant.findings import Finding, NotConverged, Separable, column_names, listed
from discriminant.optimise.newton import Iteration
from discriminant.rows import ArrayRows, Schema
from discriminant.separability import Separation, separate_rows, separate_source
from discriminant.separability.overlap import prove_overlap
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.score_changes import FindScoreChanges, score_changes
from discriminant.statistics.source_risk import SourceRisk

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
Labels = tuple[str, ...]

_NO_STEP = 1e-6
_FEWEST_STEPS = 8  # by which a score could have gone far
_FAR = 50.0  # of the weights, in the coordinates of the risk
_NOTICEABLE = 0.005  # change of a score; where there is no maximum it is about one, less where a step is shortened
_FAR_FROM_TYPICAL = 50.0
_MOST_PAIRS = 300_000  # rows of the program of several classes
_MOST_NUMBERS = 1 << 24  # of rows that are fetched for it, 128 MB


def separation_finding(rows: ArrayRows, risk: Any, found: Iteration) -> tuple[Finding, ...]:
    """Whether the likelihood has no maximum, with the plane along which it rises for ever."""
    moving = moving_rows(risk, found)
    if not moving.any() or (isinstance(risk, MarginRisk) and prove_overlap(rows, _multipliers(risk, found))):
        return ()
    of_classes = np.bincount(rows.codes[moving], minlength=rows.classes.size)
    return _finding(rows.schema, lambda: _separation(rows.schema, of_classes, _RowsInMemory(rows)))


def _multipliers(risk: MarginRisk, found: Iteration) -> Array:
    """ω(1 − p(own class)) of each row: with them Σ α_i c_i(x_i, 1) is minus the gradient."""
    slopes = np.asarray(expit(-risk.sign * risk.scores(found.u).ravel()))
    return risk.rows.weigh(slopes)


def source_separation_finding(risk: SourceRisk, found: Iteration) -> tuple[Finding, ...]:
    """The finding of rows that are not in memory: rows that matter are fetched by passes over them."""
    of_classes = _moving_rows_of_source(risk, found)
    if of_classes is None:
        return ()
    overview = risk.overview
    schema = Schema(overview.n_columns, overview.sample.names, overview.classes, overview.n_rows)
    return _finding(schema, lambda: _separation(schema, of_classes, _RowsElsewhere(risk)))


def _finding(schema: Schema, separate: Callable[[], tuple[Separation | None, Labels]]) -> tuple[Finding, ...]:
    try:
        separation, classes = separate()
    except ArithmeticError as error:  # no plane in floats, or a program too large
        return (_suspect_separation(str(error), schema),)
    if separation is None or separation.kind == "none":
        return ()
    columns = _columns(separation, schema)
    fact, evidence = _describe(separation, classes, schema.n_rows or 0)
    return (
        Separable(
            f"{fact}, so that the likelihood has no maximum and the weights no limit",
            f"{evidence} strictly on the right side, by {listed(columns)}",
            f"Set {_remedy(schema)} for a finite answer; look for a column that gives the class away",
            columns,
            classes,
            separation=separation,
        ),
    )


def _describe(separation: Separation, classes: tuple[str, ...], n_rows: int) -> tuple[str, str]:
    """What there is, and where the rows are: of a plane between two classes, or of the planes between several."""
    names = listed(classes)
    one = len(classes) == 2
    if separation.kind == "complete":
        fact = f"A plane separates {' from '.join(map(repr, classes))}" if one else f"Planes separate {names}"
        return fact, f"{'It has' if one else 'They have'} every row"
    if one:
        on = len(separation.on_plane)
        both = " and ".join(map(repr, classes))
        fact = (
            f"A plane tells {n_rows - on:,} of {n_rows:,} rows of {both} apart without error and leaves the others open"
        )
        return fact, f"It has {on:,} rows on it and all others"
    fact = f"Planes have no row of {names} on the wrong side, though some on them"
    return fact, "They have some rows on them and all others"


def _remedy(schema: Schema) -> str:
    return "firth=True or alpha > 0" if len(_labels(schema)) == 2 else "alpha > 0"


def _labels(schema: Schema) -> Labels:
    return () if schema.classes is None else tuple(str(c) for c in schema.classes.tolist())


def _suspect_separation(reason: str, schema: Schema) -> Finding:
    return NotConverged(
        "The scores of some rows grow with every step, as if the likelihood had no maximum",
        f"Whether a plane separates the classes could not be settled: {reason}",
        f"Set {_remedy(schema)} for a finite answer",
    )


def moving_rows(risk: Any, found: Iteration) -> Mask:
    """Rows whose scores the last step still changed, if by far more than that of a typical row."""
    none = np.zeros(risk.rows.n_rows, dtype=bool)
    if _has_ended(found):
        return none
    change = score_changes(risk, found.u, found.last_step)
    most = float(change.max())
    return change > 0.5 * most if _is_far(most, found) else none


def _has_ended(found: Iteration) -> bool:
    """Whether the last step was small, or so early that no score could have gone far."""
    if np.linalg.norm(found.last_step) < _NO_STEP:
        return True
    return found.converged and found.n_iterations < _FEWEST_STEPS and bool(np.linalg.norm(found.u) < _FAR)


def _is_far(most: float, found: Iteration) -> bool:
    return most > max(_NOTICEABLE, _FAR_FROM_TYPICAL * found.last_size)


def _moving_rows_of_source(risk: SourceRisk, found: Iteration) -> NDArray[np.int64] | None:
    """How many such rows each class has; None where there are none."""
    if _has_ended(found):
        return None
    moved = FindScoreChanges(risk.criterion, found.u, found.last_step)
    most = risk.source.fold(moved.most, max)
    return risk.source.fold(replace(moved, beyond=0.5 * most).count) if _is_far(most, found) else None


class _RowsToSeparate(Protocol):
    """Rows that can be asked whether a plane has one class on one side."""

    def separate(self, positive: int) -> Separation: ...

    def all_rows(self) -> ArrayRows | None: ...


@dataclass(frozen=True)
class _RowsInMemory:
    rows: ArrayRows

    def separate(self, positive: int) -> Separation:
        return separate_rows(self.rows, positive)

    def all_rows(self) -> ArrayRows:
        return self.rows


@dataclass(frozen=True)
class _RowsElsewhere:
    risk: SourceRisk

    def separate(self, positive: int) -> Separation:
        return separate_source(self.risk.source, self.risk.overview, positive)

    def all_rows(self) -> ArrayRows | None:
        """Fetched, unless they are too many numbers."""
        overview = self.risk.overview
        if overview.n_rows * overview.n_columns > _MOST_NUMBERS:
            return None
        return self.risk.source.collect()


def _separation(schema: Schema, moving: NDArray[np.int64], rows: _RowsToSeparate) -> tuple[Separation | None, Labels]:
    """The separation along which the likelihood rises, and the classes it is about: first those of the moving rows."""
    labels = _labels(schema)
    if len(labels) == 2:
        return rows.separate(1), labels
    for k in np.argsort(-moving, kind="stable").tolist():
        separation = rows.separate(k)
        if separation.kind != "none":
            return separation, (labels[k], "the rest")
    few = (schema.n_rows or 0) * (len(labels) - 1) <= _MOST_PAIRS
    whole = rows.all_rows() if few else None
    return (None if whole is None else separate_rows(_pairs(whole))), labels


def _pairs(rows: ArrayRows) -> ArrayRows:
    """Rows e_y⊗(x, 1) − e_k⊗(x, 1) for each other class k, and their negatives: those of two classes.

    A plane through the origin with none of the former below it is a set of K planes by which no row's own class loses.
    """
    X = sparse.csr_array(sparse.hstack([sparse.csr_array(rows.matrix, dtype=np.float64), np.ones((rows.n_rows, 1))]))
    K, width = rows.classes.size, X.shape[1]
    parts = []
    for k in range(K):
        others = np.flatnonzero(rows.codes != k)
        x = X[others].tocoo()
        own, theirs = (x.col + code * width for code in (rows.codes[others][x.row], k))
        shape = others.size, K * width
        parts.append(
            sparse.csr_array((x.data, (x.row, own)), shape) - sparse.csr_array((x.data, (x.row, theirs)), shape)
        )
    above = sparse.vstack(parts, format="csr")
    codes = np.repeat(np.array([1, 0], dtype=np.int32), above.shape[0])
    return ArrayRows(sparse.csr_array(sparse.vstack([above, -above])), np.array([0, 1]), codes)


def _columns(separation: Separation, schema: Schema) -> tuple[str, ...]:
    """The columns the plane uses; where it stands for several planes, those that any of them uses."""
    width = schema.n_columns + 1
    used = [c if isinstance(c, str) else c % width for c in separation.columns]
    named = [c for c in used if isinstance(c, str)]
    places = sorted({c for c in used if not isinstance(c, str) and c < schema.n_columns})
    return (*named, *column_names(places, schema.names))
