"""Scores of the rows of a source by models that have not seen them, in bounded memory: one pass.

Of two classes the scores of all rows are counted (`ScoreCounts`), fold by fold. Where scores of several learners, or of
several classes, belong together, the scores of some rows are kept (`ScoredRows`): of all of them up to ``most_rows``,
and beyond that of so many drawn by their numbers.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.rows import ArrayRows
from discriminant.rows.labels import places_of
from discriminant.rows.protocol import draw_numbers
from discriminant.statistics.score_counts import ScoreCounts
from discriminant.validation.source_folds import SourceFolds

Array = NDArray[np.float64]
Counts = dict[int, ScoreCounts]

MOST_ROWS = 1 << 18
MOST_CELLS = 1 << 16
_SEED = 1 << 20  # of which rows are kept: another draw than that of the folds


@dataclass(frozen=True)
class ScoredRows:
    """Some rows with their scores by each learner (n×1 of two classes, n×K of more), in the order of the source.

    ``n_rows`` is how many there were to draw from.
    """

    draws: NDArray[np.uint64]
    folds: NDArray[np.int32]
    codes: NDArray[np.int32]
    weight: Array
    scores: tuple[Array, ...]
    n_rows: int
    most_rows: int = MOST_ROWS

    def __add__(self, other: "ScoredRows") -> "ScoredRows":
        """The scores of both sets of rows, or as many of them as are kept."""
        joined = ScoredRows(
            np.concatenate([self.draws, other.draws]),
            np.concatenate([self.folds, other.folds]),
            np.concatenate([self.codes, other.codes]),
            np.concatenate([self.weight, other.weight]),
            tuple(np.concatenate(pair) for pair in zip(self.scores, other.scores, strict=True)),
            self.n_rows + other.n_rows,
            self.most_rows,
        )
        return joined.drawn()

    def drawn(self) -> "ScoredRows":
        """No more rows than are kept: those with the smallest draws, whatever the blocks were."""
        if self.draws.size <= self.most_rows:
            return self
        kept = np.sort(np.argpartition(self.draws, self.most_rows)[: self.most_rows])
        scores = tuple(own[kept] for own in self.scores)
        arrays = self.draws[kept], self.folds[kept], self.codes[kept], self.weight[kept]
        return ScoredRows(*arrays, scores, self.n_rows, self.most_rows)


@dataclass(frozen=True)
class CountedScores:
    """The scores of two classes by each learner, counted for each fold over all rows, and those of some rows."""

    some: ScoredRows
    counts: tuple[Counts, ...]

    def __add__(self, other: "CountedScores") -> "CountedScores":
        """The scores of both sets of rows."""
        counts = tuple(add_counts(a, b) for a, b in zip(self.counts, other.counts, strict=True))
        return CountedScores(self.some + other.some, counts)


@dataclass(frozen=True)
class HeldOutScores:
    """The scores of a block by the models of its folds: ``models`` has a tuple of them for each learner."""

    models: tuple[tuple[Any, ...], ...]
    folds: SourceFolds
    classes: NDArray[Any]
    most_rows: int = MOST_ROWS

    def __call__(self, block: ArrayRows) -> ScoredRows:
        """The scores of the block's rows that are judged, or as many of them as are kept."""
        return replace(self._of(block), most_rows=self.most_rows).drawn()

    def counted(self, block: ArrayRows) -> CountedScores:
        """The scores of two classes by each learner, counted for each fold; of some rows, the scores themselves."""
        found = self._of(block)
        names, labels = self.classes.tolist(), self.classes[found.codes]
        inside = {int(f): np.flatnonzero(found.folds == f) for f in np.unique(found.folds)}

        def of_learner(score: Array) -> Counts:
            return {
                f: ScoreCounts.of(score[own], labels[own], found.weight[own], classes=names, most_cells=MOST_CELLS)
                for f, own in inside.items()
            }

        kept = replace(found, most_rows=self.most_rows).drawn()
        return CountedScores(kept, tuple(of_learner(own[:, 0]) for own in found.scores))

    def _of(self, block: ArrayRows) -> ScoredRows:
        fold = self.folds(block)
        if fold.size and fold.min() < 0:
            block, fold = block.take(np.flatnonzero(fold >= 0)), fold[fold >= 0]
        width = 1 if self.classes.size == 2 else self.classes.size
        scores = tuple(np.empty((block.n_rows, width)) for _ in self.models)
        for f in np.unique(fold):
            inside = np.flatnonzero(fold == f)
            for own, of_learner in zip(scores, self.models, strict=True):
                own[inside] = of_learner[f].score_matrix(block.matrix[inside])
        for own in scores:
            _refuse_overflow(own, block)
        codes = places_of(block.classes, self.classes)[block.codes].astype(np.int32)
        arrays = draw_numbers(block.numbers, _SEED), fold.astype(np.int32), codes, block.weights
        return ScoredRows(*arrays, scores, block.n_rows, max(block.n_rows, 1))


def add_counts(a: Counts, b: Counts) -> Counts:
    """Add the counts of two passes, fold by fold."""
    return {f: a[f] + b[f] if f in a and f in b else (a.get(f) or b[f]) for f in sorted({*a, *b})}


def rows_of_counts(counts: Counts) -> ScoredRows:
    """An entry for each cell, class and fold, with the weight of its rows and the score in the middle of its cell."""
    parts = [
        (fold, code, own.lowest + (own.highest - own.lowest) / 2 if own.dropped_bits else own.lowest, weight)
        for fold, own in counts.items()
        for code, weight in enumerate((own.negative, own.positive))
    ]
    folds, codes, scores, weights = zip(
        *((np.full(w.size, f), np.full(w.size, c), s, w) for f, c, s, w in parts), strict=True
    )
    weight = np.concatenate(weights)
    some = np.flatnonzero(weight)
    taken = partial(_take, some)
    n_rows = sum(own.n_rows for own in counts.values())
    draws = np.zeros(some.size, dtype=np.uint64)
    arrays = taken(folds).astype(np.int32), taken(codes).astype(np.int32), weight[some]
    return ScoredRows(draws, *arrays, (taken(scores)[:, None],), n_rows, max(some.size, 1))


def _take(places: NDArray[np.intp], parts: tuple[NDArray[Any], ...]) -> NDArray[Any]:
    return np.concatenate(parts)[places]


def _refuse_overflow(scores: Array, block: ArrayRows) -> None:
    bad = np.flatnonzero(~np.isfinite(scores).all(axis=1))
    if bad.size:
        block.refuse_non_finite()
        raise ValueError(
            f"the score of row {block.numbers[bad[0]]} overflows; its values are too large for this learner"
        )
