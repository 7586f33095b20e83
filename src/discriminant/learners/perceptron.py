"""Rosenblatt's perceptron: learn from mistakes until there are none."""

from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding, MistakesLeft, VotesLost
from discriminant.learners.base import linear_scores
from discriminant.learners.class_weights import ClassWeight
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.sequential import (
    ContinuedLearner,
    MistakeDriven,
    Start,
    one_or_all,
    positive_codes,
    trace_findings,
)
from discriminant.optimise.sequential.novikoff import NovikoffBound, novikoff_bound
from discriminant.optimise.sequential.observers import Observers, TraceKeeper, VoteCounter
from discriminant.optimise.sequential.perceptron import (
    ENDLESS,
    Observer,
    Patience,
    PerceptronState,
    run_batch,
    run_multiclass,
    run_stochastic,
)
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.parameters import read_choice, read_count, read_flag, read_penalty, read_positive, renamed_parameters
from discriminant.rows import ArrayRows
from discriminant.rows.matrix import Matrix

Array = NDArray[np.float64]

PerceptronRule = Literal["stochastic", "batch", "cyclic"]
Reduction = Literal["one-vs-all", "direct"]
Ties = Literal["mistake", "positive", "negative"]

_VOTED_SCORES = 1 << 22  # at a time
_RIGHT_ON_PLANE: dict[Ties, int] = {"mistake": 0, "positive": 1, "negative": -1}
# Epochs without fewer mistakes. Of 400 small separable tables 4 in 100 had twenty in a row on their way to none; where
# rows are few more are waited for, as many as take a quarter of a millisecond.
_PATIENCE, _CHEAP_VISITS = 20, 1 << 13
# Where more than a tenth of the rows, or half as many as the rarer side has, are wrong at best, no plane is right for
# all of them, and what is left is noise: epochs as in scikit-learn.
_PATIENCE_WITH_NOISE, _NOISE, _NOISE_OF_RARER = 5, 0.1, 0.5


@renamed_parameters(max_epochs="max_iter", n_epochs_="n_iter_")
class Perceptron(MistakeDriven, ContinuedLearner):
    """Rosenblatt's perceptron, by the rule in batches, row by row or in a cycle.

    Parameters
    ----------
    rule : "stochastic", "batch" or "cyclic".
    eta : the step η (δ); with a zero start it only scales the weights.
    fit_intercept : False for planes through the origin: θ stays 0, and (x, 0) takes the place of (x, 1).
    max_iter : passes over the rows after which to give up.
    tol : the share of the rows by which the mistakes of an epoch must fall below the fewest so far to count as fewer;
        None, as in the notes, goes on until there is no mistake or ``max_iter`` is reached.
    n_iter_no_change : epochs without fewer mistakes after which to stop; None is 20, or 5 where so many rows are wrong
        that no plane can be right for all (a tenth of them, or half as many as the rarer class has), and more where
        rows are so few that epochs cost nothing (as many as have 8,192 visits).
    shuffle : whether rows come in a new random order each epoch; None is True for "stochastic". "cyclic" keeps the
        order. A shuffled fit of up to four million numbers does not depend on the order of the rows at all.
    init : "zeros", "random" standard normal weights, or the weights to start from: w and then −θ, a row for each plane.
    average : True takes the mean of the weights after every visit; "vote" lets every weight vector there was vote,
        each with the number of rows it outlived (``coef_`` is then the mean, ``decision_function`` the vote, −1 to 1).
    multiclass : several classes "one-vs-all", or "direct": the planes of all classes at once, where the row's own
        plane gains and the highest of the others loses.
    ties : what a row on the plane, w·x = θ, is answered while learning: "positive" (classes_[1], as some notes have
        it), "negative" (classes_[0]), or "mistake": wrong whatever its class, so that learning leaves w = 0 at once.
        None is "mistake", and "negative" for "cyclic". Predictions on a plane are classes_[0] for every learner.
    trace : keep the weights after each update, the criterion E and the rows that are wrong there in ``trace_``.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``.
    warm_start : begin at the weights of the last fit, if its columns and classes were the same.
    random_state : seed of the shuffles and the random start.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the weights w and −θ.
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    mistakes_ : array of ints, the mistakes of each epoch, over all planes.
    converged_ : bool, whether the last epoch had none.
    n_updates_, n_iter_ : ints, the updates made and the epochs.
    trace_ : with ``trace``, a `Trace`, or a tuple of one for each plane.

    Notes
    -----
    With c = ±1 for the classes:

        mistake: c (w·x − θ) ≤ 0
        "stochastic":  w += η c x, −θ += η c          at each mistake, rows in random order (or in theirs)
        "batch":       w += η Σ c x, −θ += η Σ c      over all mistakes of an epoch at once
        "cyclic":      w += δ (c − y) x, −θ += δ (c − y),   y = +1 if w·x − θ > 0 else −1, rows in their order

        with ties="positive" y = +1 if w·x − θ ≥ 0 else −1, and a row is a mistake where y is not c

    It ends after finitely many updates, at most (R/γ)², where the classes are separable; where they are not it never
    does, and is stopped when epochs no longer bring fewer mistakes (a finding says so).

    ``sample_weight`` multiplies the step; in a shuffled fit of up to four million numbers a row of weight ω is instead
    visited ⌈ω⌉ times an epoch, each time with its share, so that weights are repetitions.

    Examples
    --------
    >>> model = Perceptron(shuffle=False).fit([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    >>> model.converged_, model.predict([[1, 1], [0, 1]]).tolist()
    (True, [1, 0])
    """

    _state: "list[_Plane]"
    _fixed = ("average", "multiclass", "trace", "fit_intercept")

    def __init__(
        self,
        *,
        rule: PerceptronRule = "stochastic",
        eta: float = 1.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float | None = 1e-3,
        n_iter_no_change: int | None = None,
        shuffle: bool | None = None,
        init: Start = "zeros",
        average: bool | Literal["vote"] = False,
        multiclass: Reduction = "one-vs-all",
        ties: Ties | None = None,
        trace: bool = False,
        class_weight: ClassWeight = None,
        warm_start: bool = False,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.rule = rule
        self.eta = eta
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.shuffle = shuffle
        self.init = init
        self.average = average
        self.multiclass = multiclass
        self.ties = ties
        self.trace = trace
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        super().check_parameters()
        read_choice(self.rule, get_args(PerceptronRule), "rule")
        read_positive(self.eta, "eta")
        if self.tol is not None:
            read_penalty(self.tol, "tol")
        if self.n_iter_no_change is not None:
            read_count(self.n_iter_no_change, "n_iter_no_change")
        read_choice(self.multiclass, get_args(Reduction), "multiclass")
        read_flag(self.trace, "trace")
        self._check_ties()
        if self.shuffle is not None and read_flag(self.shuffle, "shuffle") and self.rule == "cyclic":
            raise ValueError("rule='cyclic' keeps the order of the rows; shuffle must be False or None with it")
        voted = isinstance(self.average, str) and self.average == "vote"
        if not (voted or isinstance(self.average, bool | np.bool_)):
            raise ValueError(f"average must be True, False or 'vote', got {self.average!r}")
        if self.multiclass == "direct":
            self._check_direct()

    def _check_ties(self) -> None:
        if self.ties is None:
            return
        read_choice(self.ties, get_args(Ties), "ties")
        if self.ties != "mistake" and (self.rule == "batch" or self.multiclass == "direct"):
            raise ValueError(f"ties={self.ties!r} goes with rules that learn row by row between two classes")
        if self.ties == "mistake" and self.rule == "cyclic":
            raise ValueError(
                "rule='cyclic' learns from its answer, so that ties must have one: 'positive' or 'negative'"
            )

    def _right_on_plane(self) -> int:
        """The class that is right on the plane, as a sign; 0 for none."""
        return _RIGHT_ON_PLANE[self.ties or ("negative" if self.rule == "cyclic" else "mistake")]

    def _check_direct(self) -> None:
        if self.rule != "stochastic":
            raise ValueError(f"multiclass='direct' goes with rule='stochastic', not {self.rule!r}")
        if self.average == "vote" or self.trace:
            raise ValueError("multiclass='direct' has neither votes nor a trace; use multiclass='one-vs-all' for them")

    def _shuffled(self) -> bool:
        return self.rule == "stochastic" if self.shuffle is None else self.shuffle

    # --- learning ---------------------------------------------------------------------------------------

    def _begin(self, start: Array) -> "list[_Plane]":
        averaged = bool(self.average)
        if self._directly(len(start)):
            return [_Plane(PerceptronState.begin(start, averaged=averaged))]
        return [
            _Plane(
                PerceptronState.begin(w, averaged=averaged),
                VoteCounter(w, len(start)) if self.average == "vote" else None,
                TraceKeeper(w, len(start)) if self.trace else None,
            )
            for w in start
        ]

    def _directly(self, n_planes: int) -> bool:
        return self.multiclass == "direct" and n_planes > 1

    def _advance(self, rows: ArrayRows, visits: RowOrder, max_epochs: int) -> None:
        self._weighed = visits.step_weight.size > 0
        chosen = positive_codes(self.classes_.size)
        if self._directly(len(chosen)):
            patience = self._patience(rows.n_rows, rows.n_rows)
            run_multiclass(visits, self._state[0].state, eta=float(self.eta), max_epochs=max_epochs, patience=patience)
        else:
            for positive, plane in zip(chosen, self._state, strict=True):
                sign = visits.signs(positive)
                self._learn_plane(plane, rows, visits, sign, max_epochs)
                if plane.keeper:
                    plane.keeper.end(rows, sign, self._right_on_plane())
        states = [plane.state for plane in self._state]
        self._set_planes(np.vstack([state.mean if self.average else state.w for state in states]))
        self._report_states(states)
        if self.rule == "batch":
            self.n_updates_ = sum(sum(m > 0 for m in state.mistakes) for state in states)
        if self.trace:
            self.trace_ = one_or_all([plane.keeper.trace() for plane in self._state if plane.keeper])
        else:
            self.__dict__.pop("trace_", None)

    def _learn_plane(
        self, plane: "_Plane", rows: ArrayRows, visits: RowOrder, sign: NDArray[np.int8], max_epochs: int
    ) -> None:
        rarer = min(np.count_nonzero(sign > 0), np.count_nonzero(sign < 0))
        eta, observer, patience = float(self.eta), plane.observer, self._patience(rows.n_rows, int(rarer))
        if self.rule == "batch":
            run_batch(
                rows, sign, plane.state, eta=eta, max_epochs=max_epochs, intercept=bool(self.fit_intercept),
                observer=observer, patience=patience,
            )  # fmt: skip
            return
        # where y is wrong, c − y is ±2
        step = 2 * eta if self.rule == "cyclic" else eta
        run_stochastic(
            visits, sign, plane.state, eta=step, max_epochs=max_epochs, right_on_plane=self._right_on_plane(),
            observer=observer, patience=patience,
        )  # fmt: skip

    def _patience(self, n_rows: int, n_rarer: int) -> Patience:
        """For a table of so many rows, of which the smaller side of the plane has ``n_rarer``."""
        if self.tol is None:
            return ENDLESS
        drop = float(self.tol) * n_rows
        if self.n_iter_no_change is not None:
            return Patience(int(self.n_iter_no_change), drop)
        cheap = _CHEAP_VISITS // n_rows
        noise = min(_NOISE * n_rows, _NOISE_OF_RARER * n_rarer)
        return Patience(max(_PATIENCE, cheap), drop, max(_PATIENCE_WITH_NOISE, cheap), noise)

    def _findings(self, rows: ArrayRows) -> tuple[Finding, ...]:
        findings: list[Finding] = []
        if not (self.converged_ or self.average):
            findings.append(self._mistakes_left(rows.n_rows))
        findings += trace_findings([plane.keeper.trace() for plane in self._state if plane.keeper])
        lost = sum(plane.voters.votes_lost for plane in self._state if plane.voters)
        if lost:
            findings.append(
                VotesLost(
                    "Not every weight vector has its vote",
                    f"{lost} votes of the shortest-lived were let go to save memory",
                    "Take average=True, or fewer epochs",
                )
            )
        return tuple(findings)

    def _mistakes_left(self, n_rows: int) -> MistakesLeft:
        states = [plane.state for plane in self._state]
        idle = max((state.idle for state in states if state.gave_up), default=0)
        why = f", {idle} of them without fewer mistakes" if idle else ""
        way_on = "tol=None goes on all the same" if idle else "else raise max_iter"
        return MistakesLeft(
            f"The perceptron still made mistakes when it was stopped after {self.n_iter_} epochs{why}",
            f"{sum(state.mistakes[-1] for state in states)} updates in the last epoch over {n_rows} rows",
            "The classes may overlap: take average=True, a PocketPerceptron or a learner that needs no "
            f"separable classes; {way_on}",
        )

    def novikoff(self, X: Any, y: Any = None) -> NovikoffBound:
        """The bound (R/γ)² for these rows beside the updates this fit made; it is for row-by-row rules from zeros.

        Parameters
        ----------
        X, y : the rows of the fit.

        Returns
        -------
        NovikoffBound
            R, γ and (R/γ)², beside the updates that were made.
        """
        self.check_fitted()
        from_zeros = isinstance(self.init, str) and self.init == "zeros"
        if self.rule == "batch" or not from_zeros or self._weighed:
            raise ValueError(
                "Novikoff's bound is for rules that learn row by row from init='zeros', without sample_weight"
            )
        return replace(novikoff_bound(X, y, intercept=bool(self.fit_intercept)), updates=self.n_updates_)

    # --- votes ------------------------------------------------------------------------------------------

    def score_matrix(self, matrix: Matrix) -> Array:
        """The scores of a checked table, finite or not."""
        polls = [plane.voters.count_votes(plane.state.n_visits) for plane in self._state if plane.voters]
        if not polls:
            return super().score_matrix(matrix)
        return np.column_stack([_votes(matrix, weights, votes) for weights, votes in polls])


@dataclass
class _Plane:
    """One plane's state, and who watches it."""

    state: PerceptronState
    voters: VoteCounter | None = None
    keeper: TraceKeeper | None = None

    @property
    def observer(self) -> Observer | None:
        observers = [w for w in (self.voters, self.keeper) if w]
        return Observers(*observers) if observers else None


def _votes(matrix: Matrix, weights: Array, votes: Array) -> Array:
    """Σ v sgn(w·x − θ) / Σ v over the voters, for each row."""
    total = np.zeros(matrix.shape[0])
    step = max(_VOTED_SCORES // len(votes), 1)
    for a in range(0, matrix.shape[0], step):
        scores = linear_scores(matrix[a : a + step], weights[:, :-1], weights[:, -1])
        with np.errstate(invalid="ignore"):  # what is not finite must not become a vote
            total[a : a + step] = (np.sign(scores) + 0.0 * scores) @ votes
    return total / votes.sum()


LEARNERS = (
    LearnerEntry(  # epochs are bounded: on overlapping classes a perceptron never ends
        "perceptron", "Averaged perceptron", Perceptron, {"average": True, "max_iter": 100, "tol": None},
        order_dependent=True, counts_mistakes=True, sparse=True, wide=True, passes=100, most_passes=100,
        row_by_row=True,
    ),
)  # fmt: skip
