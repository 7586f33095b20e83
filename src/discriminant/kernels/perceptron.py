"""Rosenblatt's rules, row by row in a given order.

Signs c are ±1; an empty ``weight`` means ω = 1. Kernels go on from where they stopped, so that whoever calls them can
look at the log when it is full, and a person can interrupt.
"""

from typing import NamedTuple

import numpy as np

from discriminant.kernels.access import Rows, dot, fetch, learn
from discriminant.kernels.compiled import Array, compiled
from discriminant.kernels.ordering import shuffle

# places in a tally: rows visited, mistakes made, entries in the log; rows classified right since the last mistake, the
# run that must be outlasted to pause, and what has become of the present weights
VISITS, MISTAKES, LOGGED, RUN, LONGEST, STANDING = range(6)
# their standing: not looked at since they changed, looked at, or kept (then the longest run is theirs and grows)
NEW, KNOWN, KEPT = range(3)
NEVER = np.iinfo(np.int64).max


class Log(NamedTuple):
    """The row that made each update, the number of rows visited before it, and the weights after it."""

    row: Array
    visit: Array
    weights: Array


def empty_log(capacity: int, n_weights: int) -> Log:
    """A log of no entries; one of capacity 0 is never written."""
    return Log(np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty((capacity, n_weights)))


def new_tally() -> Array:
    """Nothing visited, and no run to outlast."""
    tally = np.zeros(6, np.int64)
    tally[LONGEST] = NEVER
    return tally


@compiled
def perceptron_pass(
    rows: Rows,
    sign: Array,
    weight: Array,
    order: Array,
    ahead: Array,
    at: int,
    eta: float,
    right_on_plane: int,
    intercept: bool,
    w: Array,
    lagged: Array,
    log: Log,
    tally: Array,
) -> int:
    """w += η ω c (x, 1) at each mistake among the rows order[at:]; the place to go on from.

    Without ``intercept`` it is (x, 0). A score of zero is a mistake, but not of the class ``right_on_plane`` (+1, −1,
    or 0 for none). ``lagged`` (unless empty) gathers Σ v·Δw, v rows having been visited before the update Δw: the mean
    of the weights after each of V visits is then w − lagged/V. ``ahead`` (unless empty) says which row to fetch into
    the cache at each visit. Stops early when the log is full, or when new weights classify more rows right in a run
    than tally[LONGEST].
    """
    run, longest, standing, mistakes = tally[RUN], tally[LONGEST], tally[STANDING], 0
    capacity, logged = log.row.size, tally[LOGGED]
    begun = tally[VISITS] - at
    stop = order.size
    for t in range(at, order.size):
        i = order[t]
        if ahead.size > 0:
            fetch(rows, ahead[t])
        c = sign[i]
        s = c * dot(rows, i, w)
        if s <= 0.0 and not (s == 0.0 and c == right_on_plane):
            step = eta * c if weight.size == 0 else eta * c * weight[i]
            learn(rows, i, step, w, intercept)
            if lagged.size > 0:
                learn(rows, i, step * (begun + t), lagged, intercept)
            mistakes += 1
            run, standing = 0, NEW
            if capacity > 0:
                log.row[logged] = i
                log.visit[logged] = begun + t
                for j in range(w.size):  # an assignment of arrays takes the compiler seconds
                    log.weights[logged, j] = w[j]
                logged += 1
                if logged == capacity:
                    stop = t + 1
                    break
        else:
            run += 1
            if run > longest:
                if standing == NEW:
                    stop = t + 1
                    break
                if standing == KEPT:
                    longest = run
    tally[VISITS] = begun + stop
    tally[MISTAKES] += mistakes
    tally[LOGGED], tally[RUN], tally[LONGEST], tally[STANDING] = logged, run, longest, standing
    return stop


@compiled
def perceptron_epochs(
    rows: Rows,
    sign: Array,
    weight: Array,
    order: Array,
    shuffled: bool,
    state: Array,
    eta: float,
    right_on_plane: int,
    intercept: bool,
    w: Array,
    lagged: Array,
    log: Log,
    tally: Array,
    idle: int,
    fewest: float,
    most_idle: int,
    drop: float,
    most_idle_hopeless: int,
    hopeless: float,
    mistakes: Array,
) -> tuple[int, int, float]:
    """`perceptron_pass` over all rows, in a new order each time if ``shuffled``, as often as ``mistakes`` has places.

    Fills the mistakes of each epoch. The last is one without mistakes, one that left weights which are not finite, or
    the one after which ``most_idle`` epochs in a row, of which ``idle`` were made before, had not ``drop`` fewer
    mistakes than the ``fewest`` before (``most_idle_hopeless`` while these are more than ``hopeless``). Returns how
    many epochs there were, and what ``idle`` and ``fewest`` are now.
    """
    for e in range(mistakes.size):
        if shuffled:
            shuffle(order, 0, order.size, state)
        before = tally[MISTAKES]
        perceptron_pass(rows, sign, weight, order, order[:0], 0, eta, right_on_plane, intercept, w, lagged, log, tally)
        made = tally[MISTAKES] - before
        mistakes[e] = made
        if made < fewest - drop:
            fewest, idle = float(made), 0
        else:
            idle += 1
        doubt = 0.0  # 0·w is zero for every finite w, and NaN for the others
        for j in range(w.size):
            doubt += 0.0 * w[j]
        borne = most_idle_hopeless if fewest > hopeless else most_idle
        if made == 0 or idle >= borne or doubt != 0.0:
            return e + 1, idle, fewest
    return mistakes.size, idle, fewest


@compiled
def multiclass_pass(
    rows: Rows,
    codes: Array,
    weight: Array,
    order: Array,
    ahead: Array,
    eta: float,
    intercept: bool,
    W: Array,
    lagged: Array,
    tally: Array,
) -> None:
    """The rule of K classes: where another plane scores as high as a row's own, the row leaves that one for its own.

    W (K×(d+1)) holds a plane a class; ``lagged`` is as in `perceptron_pass`, plane by plane.
    """
    K = W.shape[0]
    for t in range(order.size):
        i = order[t]
        if ahead.size > 0:
            fetch(rows, ahead[t])
        own = codes[i]
        rival = -1
        highest = -np.inf
        for k in range(K):
            s = dot(rows, i, W[k])
            if k != own and s > highest:
                highest = s
                rival = k
        if highest >= dot(rows, i, W[own]):
            step = eta if weight.size == 0 else eta * weight[i]
            learn(rows, i, step, W[own], intercept)
            learn(rows, i, -step, W[rival], intercept)
            if lagged.size > 0:
                learn(rows, i, step * tally[VISITS], lagged[own], intercept)
                learn(rows, i, -step * tally[VISITS], lagged[rival], intercept)
            tally[MISTAKES] += 1
        tally[VISITS] += 1
