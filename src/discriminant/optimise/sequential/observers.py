"""Observers of the perceptron: a trace to draw, voters to ask."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.kernels.perceptron import Log
from discriminant.optimise.sequential.perceptron import Observer

Array = NDArray[np.float64]

_LOG_NUMBERS = 1 << 20  # shown at once
_TRACE_NUMBERS = 1 << 23
_VOTER_NUMBERS = 1 << 23


class Observers(Observer):
    """Several observers of one state."""

    def __init__(self, *observers: Observer) -> None:
        self._observers = observers
        self.capacity = min((observer.capacity for observer in observers), default=0)

    def see(self, log: Log, n_visits: int) -> None:
        """Show it to each."""
        for observer in self._observers:
            observer.see(log, n_visits)


@dataclass(frozen=True)
class Trace:
    """The weights after each update: ``row`` that made it (−1 where all rows did together), ``w`` and ``theta``.

    The first entry (row −1) is the start. ``complete`` is False where there were too many updates to keep them all.
    """

    row: NDArray[np.int64]
    w: Array
    theta: Array
    complete: bool

    def __len__(self) -> int:
        return len(self.row)

    def __iter__(self) -> Iterator[tuple[int, Array, float]]:
        return zip(self.row.tolist(), self.w, self.theta.tolist(), strict=True)

    def __getitem__(self, update: int) -> tuple[int, Array, float]:
        """(row, w, θ) after an update; 0 is the start, −1 the last one kept."""
        return int(self.row[update]), self.w[update], float(self.theta[update])


class TraceKeeper(Observer):
    """Keeps the first updates, as many as a modest memory holds."""

    def __init__(self, start: Array, n_planes: int = 1) -> None:
        self._most = max(_TRACE_NUMBERS // (start.size * n_planes), 2)
        self.capacity = min(self._most, max(_LOG_NUMBERS // start.size, 1), 256)
        self._rows = [np.array([-1])]
        self._weights = [start[None].copy()]
        self._kept, self._seen = 1, 1

    def see(self, log: Log, n_visits: int) -> None:
        """Keep what there is room for."""
        room = min(self._most - self._kept, len(log.row))
        if room > 0:
            self._rows.append(log.row[:room].copy())
            self._weights.append(log.weights[:room].copy())
        self._kept += max(room, 0)
        self._seen += len(log.row)

    def trace(self, row_numbers: NDArray[np.intp] | None = None) -> Trace:
        """What was kept; ``row_numbers`` are those of the user's table, where some rows were left out."""
        weights, row = np.concatenate(self._weights), np.concatenate(self._rows)
        if row_numbers is not None:
            row = np.where(row < 0, -1, row_numbers[row])
        return Trace(row, weights[:, :-1], 0.0 - weights[:, -1], self._kept == self._seen)


class Voters(Observer):
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

    def polled(self, n_visits: int) -> tuple[Array, Array]:
        """Weights (m×(d+1)) and votes (m), the present weights having lived to the last of ``n_visits``."""
        votes = np.append(np.concatenate(self._votes), n_visits - self._last_visit)
        heard = votes > 0
        return np.concatenate(self._weights)[heard], votes[heard].astype(np.float64)
