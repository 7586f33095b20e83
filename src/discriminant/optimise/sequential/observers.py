"""Observers of the perceptron: a trace to draw, voters to ask."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.perceptron import Log
from discriminant.losses import PERCEPTRON
from discriminant.optimise.sequential.perceptron import Observer
from discriminant.optimise.traces import Trace, measure, most_measured
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]

_LOG_NUMBERS = 1 << 20  # shown at once
_TRACE_NUMBERS = 1 << 23
_VOTER_NUMBERS = 1 << 23


class Observers(Observer):
    """Several observers of one state."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers
        self.capacity = min((observer.capacity for observer in observers if observer.capacity), default=0)

    def begin(self, tally: NDArray[np.int64]) -> None:
        """Let each observer say what it waits for."""
        for observer in self._observers:
            observer.begin(tally)

    def look(self, w: Array, tally: NDArray[np.int64]) -> None:
        """Show it to each observer."""
        for observer in self._observers:
            observer.look(w, tally)

    def see(self, log: Log, n_visits: int) -> None:
        """Show it to each observer."""
        for observer in self._observers:
            observer.see(log, n_visits)


class TraceKeeper(Observer):
    """Keeps the first updates, as many as a modest memory holds, and measures them on the rows they were made of."""

    def __init__(self, start: Array, n_planes: int = 1) -> None:
        self._most = max(_TRACE_NUMBERS // (start.size * n_planes), 2)
        self.capacity = min(self._most, max(_LOG_NUMBERS // start.size, 1), 256)
        self._rows = [np.array([-1])]
        self._weights = [start[None].copy()]
        self._kept, self._seen = 1, 1
        self._measured: list[tuple[Array, NDArray[np.int64]]] = []

    def see(self, log: Log, n_visits: int) -> None:
        """Keep what there is room for."""
        room = min(self._most - self._kept, len(log.row))
        if room > 0:
            self._rows.append(log.row[:room].copy())
            self._weights.append(log.weights[:room].copy())
        self._kept += max(room, 0)
        self._seen += len(log.row)

    def end(self, rows: ArrayRows, sign: NDArray[np.int8], right_on_plane: int = 0) -> None:
        """Measure the updates that were made of these rows; those that would take too long are let go."""
        weights, done = np.concatenate(self._weights), sum(len(values) for values, _ in self._measured)
        self._kept = min(self._kept, done + most_measured(rows))
        self._weights, self._rows = [weights[: self._kept]], [np.concatenate(self._rows)[: self._kept]]
        self._rows[0][done:] = _renumber(self._rows[0][done:], rows.row_numbers)
        if self._kept > done:
            self._measured.append(measure(rows, sign, PERCEPTRON, weights[done : self._kept], right_on_plane))

    def trace(self) -> Trace:
        """The updates that were kept."""
        values, mistakes = (np.concatenate(part) for part in zip(*self._measured, strict=True))
        kept = Trace.of_weights(np.concatenate(self._weights), values, mistakes, np.concatenate(self._rows))
        return replace(kept, complete=self._kept == self._seen)


def _renumber(row: NDArray[np.int64], numbers: NDArray[np.intp] | None) -> NDArray[np.int64]:
    """Rows by their numbers in the user's table, where some rows were left out."""
    return row if numbers is None else np.where(row < 0, -1, numbers[row])


class VoteCounter(Observer):
    """Every weight vector there was, with the number of rows it outlived: its votes.

    Where memory does not hold them all, those with the fewest votes go; ``votes_lost`` counts theirs.
    """

    def __init__(self, start: Array, n_planes: int = 1) -> None:
        self._most = max(_VOTER_NUMBERS // (start.size * n_planes), 2)
        self.capacity = min(self._most, max(_LOG_NUMBERS // start.size, 1))
        self._weights, self._votes = [start[None].copy()], [np.empty(0, np.int64)]
        self._n_voters, self._last_visit = 1, 0
        self.votes_lost = 0

    def see(self, log: Log, n_visits: int) -> None:
        """Each update ends the life of the weights before it."""
        self._votes.append(np.diff(log.visit, prepend=self._last_visit))
        self._weights.append(log.weights.copy())
        self._last_visit = int(log.visit[-1])
        self._n_voters += len(log.visit)
        if self._n_voters > self._most:
            self._let_go()

    def _let_go(self) -> None:
        """Halve the voters; the present weights (without votes yet) stay."""
        weights, votes = np.concatenate(self._weights), np.concatenate(self._votes)
        ranked = np.argsort(-votes, kind="stable")
        stay, go = np.sort(ranked[: self._most // 2]), ranked[self._most // 2 :]
        self.votes_lost += int(votes[go].sum())
        self._weights, self._votes = [weights[stay], weights[-1:]], [votes[stay]]
        self._n_voters = len(stay) + 1

    def count_votes(self, n_visits: int) -> tuple[Array, Array]:
        """Weights (m×(d+1)) and votes (m), the present weights having lived to the last of ``n_visits``."""
        votes = np.append(np.concatenate(self._votes), n_visits - self._last_visit)
        heard = votes > 0
        return np.concatenate(self._weights)[heard], votes[heard].astype(np.float64)
