"""The pocket algorithm: the perceptron, keeping the best weights it passes through."""

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding
from discriminant.learners.class_weights import ClassWeight
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.sequential import (
    MistakeDriven,
    SequentialLearner,
    Start,
    one_or_all,
    positive_codes,
    trace_findings,
)
from discriminant.optimise.sequential.observers import Observers, TraceKeeper
from discriminant.optimise.sequential.perceptron import PerceptronState, run_stochastic
from discriminant.optimise.sequential.pocket import BestSoFar, Pocket, Ratchet
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.optimise.traces import Trace
from discriminant.parameters import read_flag, read_positive, renamed_parameters
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]


@renamed_parameters(max_epochs="max_iter", n_epochs_="n_iter_")
class PocketPerceptron(MistakeDriven, SequentialLearner):
    """The perceptron, with the best weights it has passed through in its pocket.

    Parameters
    ----------
    eta : the step η of the perceptron's rule w += η c x.
    fit_intercept : False for planes through the origin: θ stays 0.
    max_iter : passes over the rows, fewer if one passes without a mistake.
    shuffle : whether rows come in a new random order each epoch (see `Perceptron`).
    init : "zeros", "random" standard normal weights, or the weights to start from: w and then −θ, a row for each plane.
    ratchet : count only when a run of right rows is longer than the pocket's own was (Gallant); much quicker, and
        mostly as good. Without it every update is counted, as the rule in the notes says.
    count_start : whether the weights at the start are counted like all others, so that the pocket is never worse than
        them. The notes begin with a count of h = 0 instead, which the first update that gets a row right replaces.
    trace : keep the perceptron's weights after each update, the criterion E and the rows that are wrong there in
        ``trace_``; those in the pocket are ``trace_[found_after_]``.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``.
    warm_start : begin at the weights of the last fit, if its columns and classes were the same.
    random_state : seed of the shuffles and the random start.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights in the pocket and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    pocket_errors_ : float, the weight of the training rows they get wrong; of K > 2 classes an array of it for each
        plane.
    found_after_ : int, the updates made until they were found; likewise.
    mistakes_ : array of ints, the mistakes of the perceptron in each epoch, over all planes.
    converged_ : bool, whether the last epoch had none.
    n_updates_, n_iter_ : ints, the updates of the perceptron and its epochs.
    n_checks_, n_rows_touched_ : ints, the weights that were counted, and the rows scored for it.
    trace_ : with ``trace``, a `Trace`, or a tuple of one for each plane.

    Notes
    -----
    With c = ±1 for the classes:

        after every update t: h(t) = Σ ω [c (w(t)·x − θ(t)) > 0];  keep w(t) if h(t) is larger than that of the kept

    So it has an answer where the classes overlap and the perceptron never ends.

    ``sample_weight`` multiplies the count, and the step as in `Perceptron`.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
    >>> PocketPerceptron(random_state=0).fit(X, y).pocket_errors_
    1.0
    """

    def __init__(
        self,
        *,
        eta: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 100,
        shuffle: bool = True,
        init: Start = "zeros",
        ratchet: bool = False,
        count_start: bool = True,
        trace: bool = False,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.shuffle = shuffle
        self.init = init
        self.ratchet = ratchet
        self.count_start = count_start
        self.trace = trace
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        super().check_parameters()
        read_positive(self.eta, "eta")
        read_flag(self.shuffle, "shuffle")
        read_flag(self.ratchet, "ratchet")
        read_flag(self.count_start, "count_start")
        read_flag(self.trace, "trace")

    def _shuffled(self) -> bool:
        return self.shuffle

    def _begin(self, start: Array) -> list[PerceptronState]:
        return [PerceptronState.begin(w, averaged=False) for w in start]

    def _advance(self, rows: ArrayRows, visits: RowOrder, max_epochs: int) -> None:
        pockets: list[BestSoFar] = []
        traces: list[Trace] = []
        for positive, state in zip(positive_codes(self.classes_.size), self._state, strict=True):
            sign = visits.signs(positive)
            pocket = self._pocket(rows, visits, sign, state.w)
            keeper = TraceKeeper(state.w, len(self._state)) if self.trace else None
            observer = Observers(pocket, keeper) if keeper else pocket
            run_stochastic(visits, sign, state, eta=float(self.eta), max_epochs=max_epochs, observer=observer)
            pockets.append(pocket)
            if keeper:
                keeper.end(rows, sign)
                traces.append(keeper.trace())
        self._set_planes(np.vstack([pocket.w for pocket in pockets]))
        self.pocket_errors_ = one_or_all([pocket.errors for pocket in pockets])
        self.found_after_ = one_or_all([pocket.found_after for pocket in pockets])
        self._keep_traces(traces)
        self.n_checks_ = sum(pocket.checks for pocket in pockets)
        self.n_rows_touched_ = sum(pocket.rows_touched for pocket in pockets)
        self._report_states(self._state)

    def _pocket(self, rows: ArrayRows, visits: RowOrder, sign: NDArray[np.int8], start: Array) -> BestSoFar:
        if self.ratchet:
            return Ratchet(visits, sign, start, counted=self.count_start)
        return Pocket(rows, visits, sign, start, counted=self.count_start)

    def _keep_traces(self, traces: list[Trace]) -> None:
        self.__dict__.pop("trace_", None)
        if traces:
            self.trace_ = one_or_all(traces)

    def _findings(self, rows: ArrayRows) -> tuple[Finding, ...]:
        kept = self.__dict__.get("trace_", ())
        return trace_findings([kept] if isinstance(kept, Trace) else list(kept))


LEARNERS = (
    LearnerEntry(
        "pocket", "Pocket perceptron", PocketPerceptron, {"ratchet": True},
        order_dependent=True, counts_mistakes=True, passes=100, most_passes=200, row_by_row=True,
        not_offered="its plane depends on the order of the rows, so that figures of one say little about another",
    ),
)  # fmt: skip
