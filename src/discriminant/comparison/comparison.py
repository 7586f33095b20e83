"""What a comparison tells: every learner's figures with intervals, and who can be told apart from the best."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.comparison.candidates import kind_of
from discriminant.comparison.cross_decisions import decide_across_folds
from discriminant.comparison.display import as_frame, as_html, as_text, columns_of
from discriminant.comparison.inference import (
    Difference,
    Estimate,
    mean_difference,
    mean_estimate,
    share_difference,
    share_estimate,
)
from discriminant.comparison.ranking import Ranking, area_difference, area_estimate, ranking
from discriminant.decisions.interval import estimated_gain
from discriminant.findings import Finding
from discriminant.gain import Gain
from discriminant.gain.alignment import least_and_largest
from discriminant.parameters import read_choice, renamed_method
from discriminant.validation.folds import Folds
from discriminant.validation.out_of_fold import Outcome
from discriminant.validation.row_weights import RowWeights
from discriminant.validation.table import Table, over_table

Array = NDArray[np.float64]

Figure = Literal["gain", "accuracy", "log_loss", "auc"]
FIGURES: tuple[Figure, ...] = get_args(Figure)
_LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Comparison:
    """Learners judged on the same rows, each by models that had not seen them; see `compare`.

    Figures are mappings from names of learners to an `Estimate` (value, low, high: a 95% interval): ``accuracy``,
    ``gain`` (if one was given), ``log_loss`` (of learners with probabilities), ``auc``. They are computed when first
    asked for. Learners that failed are in ``failures`` only, with the reason.

    ``differences(figure)`` compares each learner with the best (or with another, ``to=``), row by row:

    accuracy         McNemar's exact test of the rows only one of the two gets right
    gain, log_loss   paired t over the rows
    auc              DeLong's test, of ranks within folds

    A t-test of the averages of the folds, common elsewhere, is avoided: folds share their training rows, so that it
    finds differences where there are none. The p-values are those of a single comparison. Because the best is chosen by
    the same rows, ``distinguishable`` multiplies them by the number of other learners (Bonferroni, as in multiple
    comparisons with the best): with probability 95% or more the truly best learner is not told apart from ``best``.

    Intervals and tests take the out-of-fold answers of rows as independent, which holds for learners that a single row
    does not upset (see `inference`); they say how good models of this many rows are, not one model in particular.

    Examples
    --------
    >>> from discriminant import compare
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
    >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
    >>> found.accuracy["lda"].value
    1.0
    """

    learners: Mapping[str, Any]
    outcomes: Mapping[str, Outcome]
    data: Table = field(repr=False)
    cv: Folds = field(repr=False)  # of the rows with weight, those that are never judged among them
    gains: Gain | None
    _differences: dict[tuple[str, str], dict[str, Difference]] = field(default_factory=dict, init=False, repr=False)

    # --- the rows that are judged -----------------------------------------------------------------------

    @property
    def classes(self) -> NDArray[Any]:
        """The classes in the order of their codes."""
        return self.data.given.classes

    @cached_property
    def codes(self) -> NDArray[np.int32]:
        """The class of each judged row, as its place among the classes."""
        return self.cv.judged_part(self.data.given.codes)

    @property
    def n_rows(self) -> int:
        """How many rows are judged."""
        return int(self.codes.size)

    @cached_property
    def weight(self) -> Array | None:
        """The weights of the judged rows; None where each counts once."""
        weight = self.data.given.weight
        return None if weight is None else self.cv.judged_part(weight)

    @property
    def weights(self) -> Array:
        """The weight of each judged row, 1 where each counts once."""
        return self.row_weights.counts(self.codes.size)

    @cached_property
    def fold_of_row(self) -> NDArray[np.int32]:
        """The fold of each judged row."""
        return self.cv.of_judged

    @cached_property
    def row_numbers(self) -> NDArray[np.intp] | None:
        """The numbers of the judged rows in the table as it was given; None where all rows are judged."""
        return self.data.numbers_of(self.cv.judged)

    def _over_table(self, values: Any, absent: Any) -> Any:
        return over_table(values, self.row_numbers, self.data.n_given, absent)

    # --- what is known without arithmetic ---------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        """The names of the learners, in the order they were given."""
        return list(self.learners)

    @property
    def criterion(self) -> Figure:
        """What the best is best in: gain if one was given, else accuracy."""
        return "accuracy" if self.gains is None else "gain"

    @property
    def kinds(self) -> dict[str, str]:
        """Generative (models the rows of each class) or discriminative (looks for the boundary alone)."""
        return {name: kind_of(learner) for name, learner in self.learners.items()}

    @property
    def failures(self) -> dict[str, str]:
        """Why learners failed, of those that did."""
        return {name: o.failure for name, o in self.outcomes.items() if o.failure is not None}

    @property
    def seconds(self) -> dict[str, float]:
        """The time of all fits of a learner; a pass over the rows that learners shared is divided among them."""
        return {name: o.seconds for name, o in self.outcomes.items()}

    @property
    def findings(self) -> dict[str, tuple[Finding, ...]]:
        """What the fits found, each kind of finding once."""
        return {name: o.findings for name, o in self.outcomes.items()}

    @property
    def folds(self) -> NDArray[np.int32]:
        """The fold of each row of the table; −1 for rows without weight and rows that are never judged."""
        return np.asarray(self._over_table(self.fold_of_row, -1))

    @cached_property
    def scores(self) -> dict[str, Array]:
        """Out-of-fold scores: (n,) for two classes, (n, K) for more; NaN for rows that are not judged."""
        return {name: self._over_table(o.scores, np.nan) for name, o in self._done.items()}

    @cached_property
    def predictions(self) -> dict[str, NDArray[Any]]:
        """The class each learner itself assigns, of the judged rows; None for a label that is no class."""
        labels = np.array([*self.classes.tolist(), None], dtype=object)
        return {name: labels[o.assigned] for name, o in self._done.items()}

    @cached_property
    def decisions(self) -> dict[str, NDArray[np.integer[Any]]]:
        """The assignment that gains most, of the judged rows: a place among the classes, or K for rejecting."""
        if self.gains is None:
            return {name: o.assigned for name, o in self._done.items()}
        return {
            name: decide_across_folds(o, self.gains, self.codes, self.fold_of_row, self.weight)
            for name, o in self._done.items()
        }

    @property
    def _done(self) -> dict[str, Outcome]:
        return {name: o for name, o in self.outcomes.items() if o.failure is None}

    @property
    def row_weights(self) -> RowWeights:
        """How much each judged row counts, and which of them go together."""
        return self.cv.row_weights(self.weight)

    # --- figures of each row ----------------------------------------------------------------------------

    @cached_property
    def _right(self) -> dict[str, NDArray[np.bool_]]:
        return {name: o.assigned == self.codes for name, o in self._done.items()}

    @cached_property
    def _earned(self) -> dict[str, Array]:
        if self.gains is None:
            return {}
        return {name: self.gains.realised(self.codes, assigned) for name, assigned in self.decisions.items()}

    @cached_property
    def _losses(self) -> dict[str, Array]:
        return {name: _log_losses(o, self.codes) for name, o in self._done.items() if o.has_posteriors}

    @cached_property
    def _rankings(self) -> dict[str, Ranking]:
        found = {}
        for name, o in self._done.items():
            scores = o.class_scores(self.classes.size)
            ranks = None if scores is None else ranking(scores, self.codes, self.fold_of_row, self.row_weights)
            if ranks is not None:
                found[name] = ranks
        return found

    # --- figures ----------------------------------------------------------------------------------------

    @cached_property
    def accuracy(self) -> dict[str, Estimate]:
        """The share of rows each learner assigns to their class, by its own rule; Wilson's interval."""
        return {name: share_estimate(right, self.row_weights) for name, right in self._right.items()}

    @cached_property
    def gain(self) -> dict[str, Estimate]:
        """The mean gain of a row, decided by gain from what the other folds say; empty without a gain.

        The interval is that of `GainClassifier`, which knows what a row can lose even where none did.
        """
        return {name: self.gain_estimate(earned) for name, earned in self._earned.items()}

    def gain_estimate(self, earned: Array) -> Estimate:
        """The mean of what rows earn, with the interval of `gain`.

        Parameters
        ----------
        earned : what each judged row earns.

        Returns
        -------
        Estimate
            The mean with its interval.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0, gain=[[1, 0], [0, 1]])
        >>> found.gain_estimate(np.ones(8)).value
        1.0
        """
        assert self.gains is not None
        counts = self.weights * (self.row_weights.worth(earned) / self.weights.sum())
        found = estimated_gain(earned, self.codes, counts, least_and_largest(self.gains))
        return Estimate(found.mean, min(found.low, found.mean), max(found.high, found.mean))

    @cached_property
    def log_loss(self) -> dict[str, Estimate]:
        """The mean of −log P(true class), of learners with probabilities."""
        found = {name: mean_estimate(loss, self.row_weights) for name, loss in self._losses.items()}
        return {name: Estimate(e.value, float(np.maximum(e.low, 0.0)), e.high) for name, e in found.items()}

    @cached_property
    def auc(self) -> dict[str, Estimate]:
        """The chance that a row of the second class scores above one of the first, within a fold.

        For several classes, the mean over classes of each against the rest.
        """
        return {name: area_estimate(found, self.row_weights) for name, found in self._rankings.items()}

    def figures(self, figure: Figure | None = None) -> dict[str, Estimate]:
        """One of the figures by its name.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc"; by default the criterion.

        Returns
        -------
        dict of Estimate
            By name of a learner.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.figures("accuracy")["lda"].value
        1.0
        """
        found: dict[str, Estimate] = getattr(self, self._read_figure(figure))
        return found

    def differences(self, figure: Figure | None = None, to: str | None = None) -> dict[str, Difference]:
        """Each learner's figure minus that of `best` (or of ``to``), with its interval and p-value.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc"; by default the criterion.
        to : the name of another learner; by default `best`.

        Returns
        -------
        dict of Difference
            By name of a learner.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.differences(to="lda")["naive-bayes"].value
        0.0
        """
        figure = self._read_figure(figure)
        reference = self.best if to is None else self._read_name(to)
        if (figure, reference) not in self._differences:
            of_row, tell = self._paired(figure)
            theirs = of_row.get(reference)
            found = (
                {} if theirs is None else {name: tell(own, theirs, self.row_weights) for name, own in of_row.items()}
            )
            self._differences[figure, reference] = found
        return self._differences[figure, reference]

    def _read_figure(self, figure: Figure | None) -> Figure:
        if figure is None:
            return self.criterion
        read_choice(figure, FIGURES, "figure")
        return figure

    def _read_name(self, name: str) -> str:
        if name not in self.learners:
            raise ValueError(f"{name!r} was not compared; compared were {', '.join(self.names)}")
        return name

    def _paired(self, figure: str) -> tuple[Mapping[str, Any], Callable[..., Difference]]:
        """What each learner makes of every row, and how two of them are compared."""
        if figure == "accuracy":
            return self._right, share_difference
        if figure == "auc":
            return self._rankings, area_difference
        return (self._earned if figure == "gain" else self._losses), mean_difference

    # --- the best ---------------------------------------------------------------------------------------

    @cached_property
    def best(self) -> str:
        """The learner with the largest figure of the criterion, the first of equals."""
        return self.best_in(self.criterion)

    def best_in(self, figure: Figure) -> str:
        """The learner with the largest figure of this name (the least log loss), the first of equals.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc".

        Returns
        -------
        str
            A name.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.best_in("accuracy")
        'lda'
        """
        ranked = self.ranked(figure)
        if len(ranked) == len(self.failures):
            reasons = "; ".join(f"{name}: {reason}" for name, reason in self.failures.items())
            if not self._done:
                raise ValueError(f"every learner failed, so there is no best one. {reasons}")
            raise ValueError(f"no learner has a figure {figure!r}; compare with gain= for gains")
        return ranked[0]

    @property
    def distinguishable(self) -> dict[str, bool]:
        """Whether a learner is worse than the best beyond chance, at 5% for all learners together."""
        return self.distinguishable_in(self.criterion)

    def distinguishable_in(self, figure: Figure) -> dict[str, bool]:
        """Whether a learner is worse in this figure than the best in it beyond chance, at 5% for all together.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc".

        Returns
        -------
        dict of bool
            By name of a learner.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.distinguishable_in("accuracy")
        {'lda': False, 'naive-bayes': False}
        """
        apart = self.differences(figure, to=self.best_in(figure))
        others = max(len(apart) - 1, 1)
        return {name: bool(np.isinf(d.value) or d.p_value * others < _LEVEL) for name, d in apart.items()}

    told_apart = renamed_method("told_apart", distinguishable_in)

    @cached_property
    def best_learner(self) -> Any:
        """The best learner, fitted to all rows when first asked for."""
        return self.refit()

    def refit(self, name: str | None = None) -> Any:
        """A learner fitted to all rows.

        Parameters
        ----------
        name : of the learner; by default `best`.

        Returns
        -------
        estimator
            Another one, fitted.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.refit("lda").predict([[1.5]]).tolist()
        [0]
        """
        name = self.best if name is None else self._read_name(name)
        return self.data.refit(self.learners[name])

    # --- to look at -------------------------------------------------------------------------------------

    def ranked(self, figure: Figure | None = None) -> list[str]:
        """Names from the best to the worst in a figure, then those that failed.

        Parameters
        ----------
        figure : "gain", "accuracy", "log_loss" or "auc"; by default the criterion.

        Returns
        -------
        list of str
            The names.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> found.ranked()
        ['lda', 'naive-bayes']
        """
        figures = self.figures(figure)
        sign = 1.0 if figure == "log_loss" else -1.0
        return [*sorted(figures, key=lambda name: sign * figures[name].value), *self.failures]

    def table(self) -> Any:
        """One row a learner, best first: a frame of the kind X was, else of pandas, else a mapping of lists.

        Returns
        -------
        data frame
            Or a mapping of lists.

        Examples
        --------
        >>> from discriminant import compare
        >>> X, y = [[0.0], [1.0], [2.0], [3.0], [7.0], [8.0], [9.0], [10.0]], [0, 0, 0, 0, 1, 1, 1, 1]
        >>> found = compare(X, y, learners=["lda", "naive-bayes"], cv=4, random_state=0)
        >>> list(found.table()["learner"])
        ['lda', 'naive-bayes']
        """
        return as_frame(columns_of(self), self.data.source[0])

    def __str__(self) -> str:
        return as_text(self)

    def __repr__(self) -> str:
        return f"Comparison({len(self.learners)} learners, {self.n_rows} rows, {self.cv.n_folds} folds)"

    def _repr_html_(self) -> str:
        return as_html(self)


def _log_losses(outcome: Outcome, codes: NDArray[np.int32]) -> Array:
    scores = outcome.scores
    if outcome.scores_are_log_odds and scores is not None and scores.ndim == 1:
        return np.asarray(np.logaddexp(0.0, np.where(codes == 1, -scores, scores)))
    return np.asarray(-outcome.log_posteriors()[np.arange(codes.size), codes])
