"""The same question for rows that stay where they are: decided for a few of them, checked by passes over all.

A verdict on some rows is one on all of them if no row speaks against it:

    complete   every row is strictly on its side of the plane
    quasi      none is on the wrong side, and those on the plane are affine combinations of the rows of the proof
    none       every row is an affine combination of the rows of the proof, whose weights are as good for all rows

Rows that do, the farthest on the wrong side first, join the few, and the question is asked again.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.exact.residues import outside_span
from discriminant.exact.whole_numbers import Whole
from discriminant.rows import ArrayRows, Rows
from discriminant.separability.extreme_columns import decide_at_any_size
from discriminant.separability.faces import Verdict
from discriminant.separability.planes import exact_sides, exact_weights
from discriminant.separability.program import UndecidedError
from discriminant.separability.signed_rows import Array
from discriminant.separability.two_classes import TwoClasses

Numbers = NDArray[np.intp]

_MOST_JOINED = 1000  # rows a pass
_MOST_PASSES = 40


@dataclass(frozen=True)
class Objections:
    """Rows that speak against a verdict, with how far each is on the wrong side; and the numbers of rows on a plane."""

    rows: ArrayRows | None
    wrong_by: Array
    on_plane: Numbers

    def __add__(self, other: "Objections") -> "Objections":
        on_plane = np.concatenate([self.on_plane, other.on_plane])
        if self.rows is None or other.rows is None:
            one = other if self.rows is None else self
            return Objections(one.rows, one.wrong_by, on_plane)
        wrong_by = np.concatenate([self.wrong_by, other.wrong_by])
        return _worst(self.rows.join(other.rows), wrong_by, on_plane)


def _worst(rows: ArrayRows, wrong_by: Array, on_plane: Numbers) -> Objections:
    """The rows that are farthest on the wrong side, in the order of the rows, where there are many."""
    worst = np.sort(np.argsort(-wrong_by, kind="stable")[:_MOST_JOINED])
    return Objections(rows.take(worst) if worst.size else None, wrong_by[worst], on_plane)


@dataclass(frozen=True)
class FindObjections:
    """Finds the rows of a block that speak against a verdict: what a fold takes."""

    view: TwoClasses
    verdict: Verdict

    def __call__(self, block: ArrayRows) -> Objections:
        """The rows of the block that speak against it."""
        block.refuse_non_finite()
        rows = self.view.of(block)
        if not rows.n_rows:
            return Objections(None, np.empty(0), np.empty(0, np.intp))
        against, on_plane = self._against(rows)
        places = np.flatnonzero(against)
        wrong_by = self._wrong_by(rows.take(places)) if places.size else np.empty(0)
        # in the classes of all, so that blocks can be joined and seen as two classes anew
        whole = block.take(_places_of(block, rows.numbers[places]))
        return _worst(whole, wrong_by, rows.numbers[on_plane])

    def _against(self, rows: ArrayRows) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        c = np.where(rows.codes == 1, 1, -1)
        nowhere = np.zeros(rows.n_rows, dtype=bool)
        weights = self._weights()
        if weights is None:
            return self._outside(rows), nowhere
        sides = exact_sides(rows.matrix, weights) * c
        if self.verdict.plane is not None:
            return sides <= 0, nowhere
        return (sides < 0) | ((sides == 0) & self._outside(rows)), sides == 0

    def _outside(self, rows: ArrayRows) -> NDArray[np.bool_]:
        assert self.verdict.proof is not None
        return outside_span(rows.matrix, self.verdict.proof.coordinates)

    def _weights(self) -> Whole | None:
        return self.verdict.weak if self.verdict.plane is None else exact_weights(self.verdict.plane)

    def _wrong_by(self, rows: ArrayRows) -> Array:
        """−c(w·x − θ) in floats; 0 where there is no plane."""
        weights = self._weights()
        if weights is None:
            return np.zeros(rows.n_rows)
        largest = max(abs(v) for v in weights)
        w = np.array([float(v / largest) for v in weights])
        with np.errstate(over="ignore", invalid="ignore"):
            scores = np.asarray(rows.matrix @ w[:-1]) + w[-1]
        return np.asarray(np.nan_to_num(np.where(rows.codes == 1, -scores, scores)))


def _places_of(block: ArrayRows, numbers: Numbers) -> Numbers:
    """Where rows of these numbers, in the order of the block, stand in it."""
    return np.flatnonzero(np.isin(block.numbers, numbers))


@dataclass(frozen=True)
class SourceVerdict:
    """The verdict on all rows of a source, and the numbers of the rows on a weak plane."""

    verdict: Verdict
    on_plane: tuple[int, ...]


def decide_over(source: Rows, view: TwoClasses, some: ArrayRows) -> SourceVerdict:
    """Which of the three it is, from some rows of a source that have both classes."""
    for _ in range(_MOST_PASSES):
        verdict = decide_at_any_size(view.of(some))
        if verdict.plane is None and verdict.weak is None and _spans_everything(verdict):
            return SourceVerdict(verdict, ())  # the proof needs no further row
        found = source.fold(FindObjections(view, verdict))
        if found.rows is None:
            return SourceVerdict(verdict, tuple(found.on_plane.tolist()))
        some = some.join(found.rows)
    raise UndecidedError(
        f"whether a plane separates the classes was not decided in {_MOST_PASSES} passes over the rows; "
        "pass rows.collect(), if they fit into memory"
    )


def _spans_everything(verdict: Verdict) -> bool:
    """Whether the rows of a proof have any point of the space as an affine combination."""
    assert verdict.proof is not None
    points = verdict.proof.coordinates
    d = points.shape[1]
    # the corners of a simplex span the space, so that nothing is outside if none of them is
    corners = np.vstack([np.zeros(d), np.eye(d)])
    return len(points) > d and not outside_span(corners, points).any()
