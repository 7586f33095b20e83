"""A classifier that decides by what its answers earn."""

from collections.abc import Callable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import _num_samples

from discriminant.decisions.aims import read_aim
from discriminant.decisions.figures import HeldOutFigures
from discriminant.decisions.held_out import HeldOut, flat_scores
from discriminant.decisions.other_priors import OtherPriors
from discriminant.decisions.rules import (
    CalibrationChoice,
    Rule,
    RuleBuilder,
    ThresholdChoice,
    check_options,
    chosen_calibration,
    refuse_deciding_without_posteriors,
)
from discriminant.decisions.source_fit import fit_source
from discriminant.decisions.table_fit import (
    decided_without_rows,
    fit_table,
    is_prefitted,
    know_columns,
    learner_metadata,
    needs_no_rows,
)
from discriminant.findings import Finding, FlatScore, warn_of
from discriminant.gain.alignment import differs_by_row, gain_of_rows, labels_of
from discriminant.learners.base import empty_table, refuse_one_class, unchanged_on_error
from discriminant.multiclass.foreign_estimators import check_learner, tags_through
from discriminant.multiclass.metadata import router_of, score_metadata
from discriminant.parameters import explain_other_names, read_priors
from discriminant.rows import ArrayRows, Rows, read_source
from discriminant.rows.memory import refuse_no_rows
from discriminant.statistics.score_counts import ScoreCounts
from discriminant.validation.estimator_scores import has_probabilities, scores_of, stated_priors
from discriminant.validation.source_folds import SourceFolds
from discriminant.validation.table import Table

Array = NDArray[np.float64]


def _gives_probabilities(model: Any) -> bool:
    if model.calibration is not None or has_probabilities(model.learner):
        return True
    raise AttributeError(
        f"{type(model.learner).__name__} has no predict_proba; with calibration='auto' its scores become probabilities"
    )


@explain_other_names
class GainClassifier(OtherPriors, HeldOutFigures, ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """The decisions of a learner that earn the most.

    Parameters
    ----------
    learner : a classifier of two or more classes, not yet fitted (but see ``cv``); ours, scikit-learn's or one that
        behaves like those.
    gain : what each assignment earns in each true class: a `Gain`, or anything a `Gain` is made of; gains that differ
        by row as `Gain.by_row`, a function of the table, or an array n×K×K for the rows of ``fit`` (``predict`` then
        wants those of its own rows). None is accuracy.
    scoring : of two classes, another aim in the place of a gain: a name of scikit-learn's ("f1", "balanced_accuracy",
        "matthews_corrcoef", …), a scorer (``make_scorer(fbeta_score, beta=2)``), or a function of true and assigned
        classes, metric(y_true, y_pred). The positive class is the scorer's ``pos_label``, else the class 1, else the
        second.
    priors : class probabilities where the model is used, in the order of ``classes_`` or as a mapping; None where
        classes are as common as among the rows of ``fit``.
    reject : may the answer be none? A cost of that (an error costs 1 where there is no gain); a label for the reject
        column of the gain; or {label: cost}.
    cv : folds for the scores that thresholds and calibration come from: a number of them, "loo", a splitter such as
        GroupKFold, TimeSeriesSplit or our own `discriminant.validation.TimeOrder`, pairs of (training, tested) rows, or
        a fold for each row. Rows that are never tested are learnt from, and no threshold looks at them. "prefit": the
        learner is fitted already, to other rows than these; one in a `FrozenEstimator` of scikit-learn always is.
    calibration : "auto", "platt", "isotonic", or None for scores as they are. "auto" is Platt's method; isotonic
        regression where every class has 1000 rows and the scores are no probabilities, or those of a learner that was
        told to weigh classes; and the learner's own probabilities where a class has fewer than 30 rows that bear them
        out (see `rules`).
    threshold : of two classes: "posterior", where the odds of ``predict_proba`` say; "tuned", where held-out rows
        earned most; "auto", where they would on average if they were drawn again (see `resampling`), and without a gain
        the first, so that the answer is the most probable class. Or a number: the threshold itself; with a learner that
        is fitted already nothing is left to learn, and ``predict`` needs no ``fit``.
    random_state : of the folds; None always deals the same.

    Attributes
    ----------
    classes_ : array of K labels, sorted.
    learner_ : the learner, fitted to all rows.
    priors_ : array of K, the class probabilities decided for.
    rule_ : from scores to assignments: the calibration, the priors and the threshold (see `rules`).
    threshold_ : float, of two classes: the second is assigned where the score is larger. The score is the log-odds of
        the learner if it has probabilities, else its ``decision_function``.
    gain_ : `Gain` of ``classes_``, that of the rows of ``fit``.
    calibration_ : "given", "platt", "isotonic" or None.
    operating_curve_ : `OperatingCurve` of two classes, from held-out scores.
    threshold_curve_ : of two classes: ``thresholds`` and the ``values`` of the gain, or of ``scoring``, at each (see
        `aims`).
    expected_score_ : float, with ``scoring``: its value for assignments that a row had no part in.
    expected_gain_, expected_gain_interval_ : float and pair: the gain of a row, and a 95% interval (analytic, see
        `interval`). Weights count as repetitions in it.
    held_out_scores_ : array of scores by models that had not seen the row; NaN for rows that are not judged.
    folds_ : array, the fold in which each row is judged; −1 for rows without weight and rows that are never tested.
    held_out_counts_, source_folds_ : of a rows source in their place: the scores of two classes counted in each fold
        (`ScoreCounts`), and the folds as a function of row ids (`discriminant.validation.IdFolds`).
    findings_ : tuple of `Finding`: what was odd about the data or the fit.

    Notes
    -----
    Any learner gives scores; scores of rows it had not seen (`out_of_fold`) tell what they mean (`calibration`), and
    row x is assigned argmax_a Σ_k p(k | x) g[k, a], for two classes by a threshold on the score (`rules`). The same
    scores say what the rule earns (`interval`): the rule is made without a fold and applied to it, fold by fold, so
    that no row is judged by a rule it helped to make.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0], [1.5], [2.5], [3.5], [4.5], [5.5]]
    >>> y = ["good"] * 5 + ["bad"] * 5
    >>> gain = {"good": {"good": 0, "bad": -1}, "bad": {"good": -5, "bad": 0}}
    >>> model = GainClassifier(LinearDiscriminantAnalysis(), gain, cv=5).fit(X, y)
    >>> model.predict([[0.0], [1.0], [2.0]]).tolist()
    ['good', 'good', 'bad']
    """

    classes_: NDArray[Any]
    learner_: Any
    priors_: Array
    calibration_: str | None
    held_out_scores_: Array
    folds_: NDArray[np.int32]
    held_out_counts_: dict[int, ScoreCounts]
    source_folds_: SourceFolds
    findings_: tuple[Finding, ...]
    expected_score_: float
    rule_: Rule
    _held: HeldOut
    _rule_builder: RuleBuilder

    def __init__(
        self,
        learner: Any,
        gain: Any = None,
        *,
        priors: ArrayLike | Mapping[Any, float] | None = None,
        reject: Any = None,
        cv: Any = 5,
        calibration: CalibrationChoice | None = "auto",
        threshold: ThresholdChoice | float = "auto",
        scoring: str | Callable[..., Any] | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.learner = learner
        self.gain = gain
        self.priors = priors
        self.reject = reject
        self.cv = cv
        self.calibration = calibration
        self.threshold = threshold
        self.scoring = scoring
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = tags_through(super().__sklearn_tags__(), self.learner)
        tags.classifier_tags.multi_class &= self.scoring is None and isinstance(self.threshold, str)
        return tags

    # --- fit --------------------------------------------------------------------------------------------

    def get_metadata_routing(self) -> Any:
        """What the learner and this classifier request, for scikit-learn's metadata routing."""
        return router_of(self, "fit", "predict", "predict_proba", "predict_log_proba", "decision_function")

    def fit(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, *, groups: ArrayLike | None = None,
        **params: Any,
    ) -> Self:  # fmt: skip
        """Fit the learner, score rows by models that had not seen them, and find the rule that earns the most.

        No model scores rows of a group it has learnt from; ``groups`` names that of each row. ``params`` and weights
        go to the learner's ``fit`` and to what scores rows, as it takes them or, with metadata routing, requests them.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        groups : for splitters that keep rows of a group together.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        Self
            This model, fitted.
        """
        check_learner(self.learner, type(self).__name__)
        check_options(self.gain, self.reject, self.calibration, self.threshold, self.scoring)
        with unchanged_on_error(self):
            self._fit(X, y, sample_weight, groups, params)
        warn_of([finding for finding in self.findings_ if isinstance(finding, FlatScore)])  # the learner told the rest
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any, groups: Any, params: dict[str, Any]) -> None:
        for name in ("held_out_scores_", "folds_", "held_out_counts_", "source_folds_", "expected_score_"):
            self.__dict__.pop(name, None)  # of an earlier fit
        if isinstance(X, Rows) and not isinstance(X, ArrayRows):
            if params:
                raise ValueError(f"a rows source has nothing beside its rows; leave {next(iter(params))} out")
            self._fit_source(read_source(X, y, sample_weight), groups)
            return
        table = self._read(X, y, sample_weight)
        given = table.given
        refuse_one_class(given.classes)
        metadata = learner_metadata(self, given.weight, groups, params).take(X, table.numbers)
        gain = gain_of_rows(self.gain, X.matrix if isinstance(X, ArrayRows) else X, given.classes, self.reject)
        found = fit_table(self.learner, table, gain, self.cv, groups, self.random_state, metadata)
        self.classes_, self.learner_, self._held = given.classes, found.model, found.held
        self.held_out_scores_, self.folds_ = found.scores, found.folds
        self._decide()

    def _fit_source(self, rows: Rows, groups: Any) -> None:
        """Fit to rows that are not in memory: folds follow from ids, and scores are counted, not kept."""
        if is_prefitted(self.learner, self.cv):
            raise ValueError("a fitted learner decides about tables in memory; pass rows.collect()")
        if groups is not None:
            raise ValueError("a rows source has no groups beside its rows; let id= name the column of the groups")
        know_columns(self, empty_table(rows.schema.n_columns, rows.schema.names), reset=True)
        found = fit_source(self.learner, rows, self.cv, self.random_state, self.gain, self.reject)
        self.classes_, self.learner_, self._held = found.held.classes, found.model, found.held
        self.source_folds_ = found.folds
        if found.counts is not None:
            self.held_out_counts_ = found.counts
        self._decide()

    def _decide(self) -> None:
        """Set everything that follows from the fitted learner and held-out scores."""
        self.calibration_ = chosen_calibration(self.calibration, self.learner, self._held, self._own_priors())
        self.findings_ = (*getattr(self.learner_, "findings_", ()), *flat_scores(self._held, self.learner_))
        self._decide_for(self.priors)

    def _read(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """The table, once its columns are known."""
        columns = X.matrix if isinstance(X, ArrayRows) else indexable(X)[0]
        if y is not None:
            refuse_no_rows(_num_samples(columns))
            know_columns(self, columns, reset=True)
        table = Table.read(X if isinstance(X, ArrayRows) else columns, y, sample_weight, type(self).__name__)
        if y is None:
            know_columns(self, columns, reset=True)
        return table

    def _decide_for(self, priors: Any) -> None:
        """Set everything that follows from held-out scores and priors."""
        held = self._held
        target = read_priors(priors, held.classes, held.counts)
        refuse_deciding_without_posteriors(self.calibration_, self.learner, held.gain)
        aim = None
        if self.scoring is not None:
            aim = read_aim(self.scoring, held.classes, None if priors is None else target)
        by_posterior = self.threshold == "auto" and self.gain is None and aim is None
        threshold = "posterior" if by_posterior else self.threshold
        self._rule_builder = RuleBuilder(self.calibration_, threshold, self._own_priors(), target, aim)
        self.rule_ = self._rule_builder.rule(held)
        self.priors_ = target
        for name in ("_estimate", "_assigned_across_folds"):
            self.__dict__.pop(name, None)
        if aim is not None:
            self.expected_score_ = aim.of_assignments(held.codes, self._assigned_across_folds, held.weight)

    def _own_priors(self) -> Array:
        return stated_priors(self.learner_, self._held.shares)

    def __sklearn_is_fitted__(self) -> bool:
        return "rule_" in self.__dict__ or needs_no_rows(self)

    def _check_fitted(self) -> None:
        if not self.__sklearn_is_fitted__():
            raise NotFittedError(f"This {type(self).__name__} instance is not fitted yet; call fit first")
        if "rule_" not in self.__dict__:
            self.__dict__.update(decided_without_rows(self.learner, float(self.threshold)))

    # --- decisions --------------------------------------------------------------------------------------

    def predict(self, X: Any, gain: Any = None, **params: Any) -> NDArray[Any]:
        """The assignment of largest expected gain of each row; ``gain`` in place of that of ``fit``.

        Parameters
        ----------
        X : a table with the columns of the fit.
        gain : what assignments earn for these rows, in the place of the gain of the fit.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        ndarray
            The assignment of each row: a class, or that of a reject.
        """
        scores = self._scores(X, "predict", params)
        if gain is None and differs_by_row(self.gain):
            raise ValueError(
                "the gains of fit were those of its rows; give the gains of these rows, predict(X, gain=...), or make "
                "them a function of the table with Gain.by_row"
            )
        value = gain_of_rows(self.gain if gain is None else gain, X, self.classes_, self.reject)
        refuse_deciding_without_posteriors(self.calibration_, self.learner, value)
        decide = self.rule_.assign if gain is None else self.rule_.assign_by_posteriors
        return labels_of(decide(scores, value), self.classes_, value, self.reject)

    def decision_function(self, X: Any, **params: Any) -> Array:
        """Return the score beyond the threshold (or the log-odds) of two classes, or the expected gains of more.

        Parameters
        ----------
        X : a table with the columns of the fit.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        ndarray
            (n,) for two classes, (n, K) for more.
        """
        scores = self._scores(X, "decision_function", params)
        if self.classes_.size == 2:
            return self.rule_.beyond_threshold(scores)
        logs = self.rule_.log_posteriors(scores)
        if differs_by_row(self.gain):
            return logs
        gain = gain_of_rows(self.gain, X, self.classes_, self.reject)
        return gain.expected(np.exp(logs))[:, : self.classes_.size]

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any, **params: Any) -> Array:
        """log P(class | x), calibrated, under ``priors_``.

        Parameters
        ----------
        X : a table with the columns of the fit.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        scores = self._scores(X, "predict_log_proba", params)
        return self.rule_.log_posteriors(scores)

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any, **params: Any) -> Array:
        """P(class | x), calibrated, under ``priors_``.

        Parameters
        ----------
        X : a table with the columns of the fit.
        **params : metadata for the learner, where it is routed.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        scores = self._scores(X, "predict_proba", params)
        return np.asarray(np.exp(self.rule_.log_posteriors(scores)))

    def _scores(self, X: Any, caller: str, params: dict[str, Any]) -> Array:
        self._check_fitted()
        if getattr(X, "ndim", 2) != 1:  # a single row, or texts: the learner knows which
            know_columns(self, X, reset=False)
        return scores_of(self.learner_, X, self.classes_.size, **score_metadata(self, caller, params))
