"""Likelihoods without a maximum: classes that some plane separates, wholly or up to rows on it.

Near a maximum steps become small. Where there is none every step moves the scores of the separated rows on by about
one, while the gradient dies away all the same. That is how a doubtful fit is recognised; a linear program then proves
it and gives the plane.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.findings import Finding, NotConverged, Separable, column_names, listed
from discriminant.optimise.newton import Iteration
from discriminant.rows import ArrayRows
from discriminant.separability import Separation, separate_rows

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

_NO_STEP = 1e-6
_FEWEST_STEPS = 8  # by which a score could have gone far
_NOTICEABLE = 0.05  # change of a score; where there is no maximum it is about one
_FAR_FROM_TYPICAL = 50.0
_MOST_PAIRS = 300_000  # rows of the program of several classes


def separation_finding(rows: ArrayRows, risk: Any, found: Iteration) -> tuple[Finding, ...]:
    """Whether the likelihood has no maximum, with the plane along which it rises for ever."""
    moving = _moving(risk, found)
    if not moving.any():
        return ()
    try:
        separation, classes = _separation(rows, moving)
    except ArithmeticError as error:  # no plane in floats, or a program too large
        return (_suspected(str(error), rows),)
    if separation is None or separation.kind == "none":
        return ()
    columns = _columns(separation, rows)
    fact, evidence = _told(separation, classes, rows.n_rows)
    return (
        Separable(
            f"{fact}, so that the likelihood has no maximum and the weights no limit",
            f"{evidence} strictly on the right side, by {listed(columns)}",
            f"Set {_remedy(rows)} for a finite answer; look for a column that gives the class away",
            columns,
            classes,
            separation=separation,
        ),
    )


def _told(separation: Separation, classes: tuple[str, ...], n_rows: int) -> tuple[str, str]:
    """What there is, and where the rows are: of a plane between two classes, or of the planes between several."""
    names = listed(classes)
    one = len(classes) == 2
    if separation.kind == "complete":
        fact = f"A plane separates {names}" if one else f"Planes separate {names}"
        return fact, f"{'It has' if one else 'They have'} every row"
    if one:
        on = len(separation.on_plane)
        fact = f"A plane tells {n_rows - on:,} of {n_rows:,} rows of {names} apart without error, and nothing of others"
        return fact, f"It has {on:,} rows on it and all others"
    fact = f"Planes have no row of {names} on the wrong side, though some on them"
    return fact, "They have some rows on them and all others"


def _remedy(rows: ArrayRows) -> str:
    return "firth=True or alpha > 0" if rows.classes.size == 2 else "alpha > 0"


def _suspected(reason: str, rows: ArrayRows) -> Finding:
    return NotConverged(
        "The scores of some rows grow with every step, as if the likelihood had no maximum",
        f"Whether a plane separates the classes could not be settled: {reason}",
        f"Set {_remedy(rows)} for a finite answer",
    )


def _moving(risk: Any, found: Iteration) -> Mask:
    """Rows whose scores the last step still changed, if by far more than that of a typical row."""
    none = np.zeros(risk.rows.n_rows, dtype=bool)
    if np.linalg.norm(found.last_step) < _NO_STEP or (found.converged and found.n_iterations < _FEWEST_STEPS):
        return none
    change = np.abs(risk.scores(found.u) - risk.scores(found.u - found.last_step)).reshape(none.size, -1).max(axis=1)
    most = float(change.max())
    return change > 0.5 * most if most > max(_NOTICEABLE, _FAR_FROM_TYPICAL * found.last_size) else none


def _separation(rows: ArrayRows, moving: Mask) -> tuple[Separation | None, tuple[str, ...]]:
    """The separation along which the likelihood rises, and the classes it is about: first those of the moving rows."""
    labels = tuple(str(c) for c in rows.classes.tolist())
    if rows.classes.size == 2:
        return separate_rows(rows), labels
    of_moving = np.bincount(rows.codes[moving], minlength=len(labels))
    for k in np.argsort(-of_moving, kind="stable").tolist():
        separation = separate_rows(rows, k)
        if separation.kind != "none":
            return separation, (labels[k], "the rest")
    if rows.n_rows * (rows.classes.size - 1) > _MOST_PAIRS:
        return None, labels
    return separate_rows(_pairs(rows)), labels


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


def _columns(separation: Separation, rows: ArrayRows) -> tuple[str, ...]:
    """The columns the plane uses; where it stands for several planes, those that any of them uses."""
    width = rows.n_columns + 1
    used = [c if isinstance(c, str) else c % width for c in separation.columns]
    named = [c for c in used if isinstance(c, str)]
    places = sorted({c for c in used if not isinstance(c, str) and c < rows.n_columns})
    return (*named, *column_names(places, rows.names))
