"""A decision as data: encoding, hyperplanes, posteriors and the rule that assigns.

With x a row as the encoding has it, and P planes (one for two classes, K for more),

    score_p = w_p·x − θ_p
    P(k | x) ∝ exp(slope·s_k + offset_k),      s = (0, score) for two classes; their log-odds may bend, see `Posterior`

    rule "threshold"   the second class where score > 0                                (two classes)
    rule "gain"        argmax_a Σ_k P(k | x) g[k, a]; a beyond the classes is to reject
    rule "largest"     argmax_k s_k                                                    (no probabilities)

Everything a prediction needs is here and nothing of it is code, so it can be written to a file and into other
languages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.findings import listed
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.hyperplane import wide_range_scores
from discriminant.losses import log_softmax
from discriminant.model import prediction
from discriminant.table.encoding import Encoding, IndexedEncoding
from discriminant.table.errors import refuse_final_nul
from discriminant.table.number_format import NumberFormat

if TYPE_CHECKING:
    from discriminant.model.training import TrainingSummary

Array = NDArray[np.float64]
Label = str | int | float | bool
RuleName = Literal["threshold", "gain", "largest"]
RULES: tuple[RuleName, ...] = ("threshold", "gain", "largest")
_ROUNDING = 1e-12  # of slopes that are sums of changes
_LARGEST = float(np.finfo(np.float64).max)


@dataclass(frozen=True)
class Posterior:
    """Scores -> log P(k | x): slope·s_k + offset_k, less the logarithm of the sum of exponentials.

    Of two classes the log-odds of the second may bend, (at, change) by (at, change), but never fall:

        z(s) = offset₁ − offset₀ + slope·s + Σ change·max(s − at, 0)
    """

    slope: float
    offsets: tuple[float, ...]
    bends: tuple[tuple[float, float], ...] = ()

    def __post_init__(self) -> None:
        if self.bends:
            _check_bends(self)

    def log_posteriors(self, scores: Array) -> Array:
        """n×K, from scores n×1 (two classes) or n×K."""
        if self.bends:
            z = self.log_odds(scores[:, 0])
            return -np.logaddexp(0.0, np.column_stack([z, -z]))
        s = np.column_stack([np.zeros(len(scores)), scores]) if scores.shape[1] == 1 else scores
        return log_softmax(s, self.slope, self.offsets)

    def log_odds(self, s: Array) -> Array:
        """z(s) of two classes, piece by piece, so that no large terms cancel; always finite."""
        at, slopes, heights = self.pieces()
        piece = np.searchsorted(at[1:], s, side="right")
        with np.errstate(over="ignore"):
            z = heights[piece] + slopes[piece] * (s - at[piece])
        return np.asarray(np.clip(z, -_LARGEST, _LARGEST))

    def pieces(self) -> tuple[Array, Array, Array]:
        """The straight pieces of z(s): where each starts (the first: anywhere on it), its slope, and z at its start."""
        bends = sorted(self.bends)
        at = np.array([bends[0][0] if bends else 0.0, *(place for place, _ in bends)])
        slopes = np.maximum(self.slope + np.concatenate([[0.0], np.cumsum([change for _, change in bends])]), 0.0)
        first = self.offsets[1] - self.offsets[0] + self.slope * at[0]
        heights = first + np.concatenate([[0.0], np.cumsum(slopes[:-1] * np.diff(at))])
        return at, slopes, heights


@dataclass(frozen=True)
class Target:
    """The column that is predicted."""

    name: str
    classes: tuple[Label, ...]
    cut: tuple[float, ...] = ()  # where numbers were cut into the classes, if they were
    number_format: NumberFormat | None = None  # of such numbers, written as people write them

    def __post_init__(self) -> None:
        refuse_final_nul(self.classes, "classes")

    @property
    def positive(self) -> Label:
        """The class of positive scores."""
        return self.classes[-1]


@dataclass(frozen=True)
class Decisions:
    """What a model says of rows; ``assigned`` are places among ``DecisionModel.answers``."""

    scores: Array
    posteriors: Array | None
    assigned: NDArray[np.intp]
    expected_gain: Array | None
    distance: Array | None


@dataclass(frozen=True, eq=False)
class DecisionModel:
    """Encoding, planes, posteriors, gain and rule of a fitted classifier.

    ``weights`` is P×d and ``thresholds`` has length P; ``gain`` has true classes in rows and assignments in columns,
    in the order of ``target.classes``; ``priors`` are those decided for. ``findings`` and ``provenance`` are plain data
    (mappings, lists, text and numbers) about how the model came to be, ``training`` a summary of the rows it was learnt
    from. Where ``column_gain`` says that each row has its own gain, ``gain`` is that of a usual row.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> from discriminant.model.estimators import decision_model_of
    >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> model = decision_model_of(learner)
    >>> model.predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    """

    target: Target
    encoding: Encoding | IndexedEncoding
    weights: Array
    thresholds: Array
    rule: RuleName
    gain: Gain
    posterior: Posterior | None = None
    priors: tuple[float, ...] | None = None
    learner: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    findings: tuple[Mapping[str, Any], ...] = ()
    provenance: Mapping[str, Any] = field(default_factory=dict)
    training: "TrainingSummary | None" = None
    column_gain: ColumnGain | None = None

    def __post_init__(self) -> None:
        for name, value in (("weights", self.weights), ("thresholds", self.thresholds)):
            array = np.array(value, dtype=np.float64, order="C")
            array.flags.writeable = False
            object.__setattr__(self, name, array)
        _check(self)

    # --- what it is -------------------------------------------------------------------------------------

    @property
    def classes(self) -> tuple[Label, ...]:
        """The classes in the order of the gain's rows; positive scores of two classes speak for the second."""
        return self.target.classes

    @property
    def answers(self) -> tuple[Label, ...]:
        """What a row may be assigned: the classes, and perhaps the reject label."""
        return (*self.classes, self.gain.reject_label) if self.gain.has_reject else self.classes

    @property
    def n_features(self) -> int:
        """Columns of the design matrix."""
        return self.encoding.n_features

    # --- decisions --------------------------------------------------------------------------------------

    def scores(self, X: Any) -> Array:
        """w_p·x − θ_p of encoded rows, n×P; infinite only where the sum is, not one of its terms.

        Parameters
        ----------
        X : encoded rows, n×d, dense or sparse.

        Returns
        -------
        ndarray
            n×P.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.scores(np.array([[2.5]])).round(9).tolist()
        [[0.0]]
        """
        with np.errstate(over="ignore", invalid="ignore"):
            product = X @ self.weights.T
            scores = np.asarray(product.toarray() if sparse.issparse(product) else product) - self.thresholds
        for row in np.flatnonzero(~np.isfinite(scores).all(axis=1)).tolist():
            x = X[[row]].toarray() if sparse.issparse(X) else X[[row]]
            scores[row] = wide_range_scores(x, self.weights, -self.thresholds)[0]
        return scores

    def decide(self, X: Any, gain: Gain | None = None) -> Decisions:
        """Scores, posteriors, assignments and what they are expected to earn, of encoded rows.

        Parameters
        ----------
        X : encoded rows, n×d, dense or sparse.
        gain : the gains of these rows, where they are in columns of the table.

        Returns
        -------
        Decisions
            An entry for each row.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.decide(np.array([[0.5], [4.5]])).assigned.tolist()
        [1, 0]
        """
        return self.decide_scores(self.scores(X), gain)

    def decide_scores(self, scores: Array, gain: Gain | None = None) -> Decisions:
        """The same as `decide`, from scores; one larger than any float decides as the largest float does.

        Parameters
        ----------
        scores : n×P.
        gain : the gains of these rows, where they are in columns of the table.

        Returns
        -------
        Decisions
            An entry for each row.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.decide_scores(np.array([[-1.0], [1.0]])).assigned.tolist()
        [0, 1]
        """
        scores = np.clip(scores, -_LARGEST, _LARGEST)
        if self.column_gain is not None and gain is None:
            raise ValueError(
                f"this model decides each row by its own gain, from {listed(self.column_gain.columns)}; give a table"
            )
        posteriors = None if self.posterior is None else np.exp(self.posterior.log_posteriors(scores))
        gains = self.gain if gain is None else gain
        assigned = self._assigned(scores, posteriors, gains)
        earned = None
        if posteriors is not None:
            expected = gains.expected(posteriors) if gains.per_row else posteriors @ gains.matrix
            earned = expected[np.arange(len(scores)), assigned]
        return Decisions(scores, posteriors, assigned, earned, self._distance(scores))

    def predict(self, table: Any) -> NDArray[Any]:
        """The answer for each row.

        Parameters
        ----------
        table : a data frame, a mapping of columns, or an array of the used columns.

        Returns
        -------
        ndarray
            An answer for each row.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.predict([[0.5], [4.5]]).tolist()
        ['low', 'high']
        """
        return self.labels(prediction.decide_table(self, table).assigned)

    def predict_proba(self, table: Any) -> Array:
        """P(class | x) of each row, in the order of the classes.

        Parameters
        ----------
        table : a data frame, a mapping of columns, or an array of the used columns.

        Returns
        -------
        ndarray
            n×K.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.predict_proba([[2.5]]).round(9).tolist()
        [[0.5, 0.5]]
        """
        if self.posterior is None:
            raise ValueError("this model has scores but no probabilities; decision_function gives the scores")
        return np.exp(self.posterior.log_posteriors(prediction.scores_of_table(self, table)))

    def decision_function(self, table: Any) -> Array:
        """The score of each row: (n,) for two classes, (n, K) for more.

        Parameters
        ----------
        table : a data frame, a mapping of columns, or an array of the used columns.

        Returns
        -------
        ndarray
            A score for each row, or of more than two classes K.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.decision_function([[2.5]]).round(9).tolist()
        [0.0]
        """
        scores = prediction.scores_of_table(self, table)
        return scores[:, 0] if len(self.classes) == 2 else scores

    def labels(self, assigned: NDArray[np.intp]) -> NDArray[Any]:
        """The answers at these places; an array of objects where they are of different kinds.

        Parameters
        ----------
        assigned : places among ``answers``.

        Returns
        -------
        ndarray
            As many answers.

        Examples
        --------
        >>> from discriminant import LinearDiscriminantAnalysis
        >>> from discriminant.model.estimators import decision_model_of
        >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
        >>> model = decision_model_of(learner)
        >>> model.labels(np.array([1, 0])).tolist()
        ['low', 'high']
        """
        kinds = {type(a) for a in self.answers}
        answers = np.array(self.answers, dtype=None if len(kinds) == 1 else object)
        return np.asarray(answers[assigned])

    def _assigned(self, scores: Array, posteriors: Array | None, gain: Gain) -> NDArray[np.intp]:
        if self.rule == "threshold":
            return (scores[:, 0] > 0).astype(np.intp)
        if self.rule == "largest" or posteriors is None:
            return np.asarray(scores.argmax(axis=1))
        return gain.decide(posteriors)

    def _distance(self, scores: Array) -> Array | None:
        """The distance from the boundary, in encoded units; None where the boundary is no piece of a plane."""
        if self.encoding.in_pieces:
            return None
        if self.rule == "threshold":
            length = float(np.linalg.norm(self.weights[0]))
            return None if length == 0 else np.asarray(np.abs(scores[:, 0]) / length)
        offsets = self._straight_offsets()
        if offsets is None:
            return None
        heights = scores + offsets  # the largest decides
        best = heights.argmax(axis=1)
        lengths = np.linalg.norm(self.weights[:, None] - self.weights[None], axis=2)[best]
        lead = heights[np.arange(len(best)), best][:, None] - heights
        with np.errstate(divide="ignore", invalid="ignore"):
            away = lead / lengths
        away[np.arange(len(best)), best] = np.inf
        return np.asarray(np.nan_to_num(away, nan=np.inf, posinf=np.inf).min(axis=1))

    def _straight_offsets(self) -> Array | None:
        """b with argmax_k s_k + b_k the answer, where several classes are decided so; see `boundary`."""
        K = len(self.classes)
        if K == 2 or self.gain.has_reject or self.column_gain is not None:
            return None
        if self.rule == "largest" or self.posterior is None:
            return np.zeros(K)
        stakes = self.gain.matrix - self.gain.matrix.min(axis=1, keepdims=True)
        own = np.diagonal(stakes)
        if self.posterior.slope <= 0 or (own <= 0).any() or (stakes[~np.eye(K, dtype=bool)] != 0).any():
            return None
        return np.asarray((np.asarray(self.posterior.offsets) + np.log(own)) / self.posterior.slope)

    @property
    def has_distance(self) -> bool:
        """Whether the boundary is made of pieces of planes, so that rows have a distance from it.

        Where a number enters in several pieces, it bends.
        """
        return not self.encoding.in_pieces and (self.rule == "threshold" or self._straight_offsets() is not None)


def _check_bends(posterior: Posterior) -> None:
    """Log-odds that rise or stay, and are numbers."""
    if len(posterior.offsets) != 2:
        raise ValueError(f"only posteriors of two classes bend, got {len(posterior.offsets)} offsets")
    numbers = [posterior.slope, *posterior.offsets, *(number for bend in posterior.bends for number in bend)]
    with np.errstate(over="ignore", invalid="ignore"):
        if not (np.isfinite(numbers).all() and np.isfinite(posterior.pieces()[2]).all()):
            raise ValueError("the bends of a posterior must be finite, and so must its log-odds where it bends")
    changes = np.array([change for _, change in sorted(posterior.bends)])
    least = float((posterior.slope + np.cumsum(changes)).min())
    if least < -_ROUNDING * (abs(posterior.slope) + float(np.abs(changes).sum())):
        raise ValueError(f"the log-odds of a posterior must not fall, but their slope becomes {least:.6g}")


def _check(model: DecisionModel) -> None:
    """Shapes that belong together; a file that was tampered with ends here."""
    K = len(model.classes)
    planes = 1 if K == 2 else K
    if K < 2 or len({(type(c), c) for c in model.classes}) < K:
        raise ValueError(f"a model has two or more different classes, got {list(model.classes)}")
    if model.weights.shape != (planes, model.n_features):
        raise ValueError(f"weights must be {planes}×{model.n_features}, got shape {model.weights.shape}")
    if model.thresholds.shape != (planes,):
        raise ValueError(f"thresholds must have length {planes}, got shape {model.thresholds.shape}")
    if not (np.isfinite(model.weights).all() and np.isfinite(model.thresholds).all()):
        raise ValueError("weights and thresholds must be finite")
    if model.gain.n_classes != K or model.gain.per_row:
        raise ValueError(f"the gain must be of {K} classes, with one matrix for all rows")
    if model.column_gain is not None:
        if [len(row) for row in model.column_gain.terms] != [model.gain.matrix.shape[1]] * K:
            raise ValueError("the gains by column must have the shape of the gain")
        if model.posterior is None or isinstance(model.encoding, IndexedEncoding):
            raise ValueError("gains by column need posteriors and a table with columns")
    if model.posterior is not None and len(model.posterior.offsets) != K:
        raise ValueError(f"the posterior must have {K} offsets, got {len(model.posterior.offsets)}")
    if model.rule not in RULES:
        raise ValueError(f"rule must be one of {', '.join(RULES)}, got {model.rule!r}")
    if model.rule == "threshold" and (K > 2 or model.gain.has_reject):
        raise ValueError("a threshold decides between two classes without rejecting")
    if model.rule == "gain" and model.posterior is None:
        raise ValueError("to decide by gain a model needs posteriors")
