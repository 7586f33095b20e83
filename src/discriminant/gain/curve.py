"""The operating curve: what each threshold θ on a score does to two classes.

    assign the positive class where score > θ

    P_M(θ) = Σω of positives with score ≤ θ / Σω of positives         misdetect
    P_F(θ) = Σω of negatives with score > θ / Σω of negatives         false alarm

A row on the threshold is not assigned the positive class, as learners predict it where their score is > 0 alone. Both
rates change only at scores, so the distinct scores are all the θ that matter, with θ = −∞ after them: every row is
assigned there but those whose score is itself −∞. Rows of one score fall together.
"""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.cached import cached_property
from discriminant.gain.bounds import clopper_pearson
from discriminant.gain.rates import joint_table, points_of_rates
from discriminant.kernels.compiled import INTERPRETED
from discriminant.kernels.operating_points import merge_points, split, upper_hull
from discriminant.parameters import read_priors, read_share
from discriminant.rows.labels import code_labels
from discriminant.rows.memory import read_weights
from discriminant.statistics.score_counts import ScoreCounts, read_scores, refuse_nan

Array = NDArray[np.float64]


class Bands(NamedTuple):
    """Bounds on both rates at every θ."""

    misdetect_low: Array
    misdetect_high: Array
    false_alarm_low: Array
    false_alarm_high: Array


@dataclass(frozen=True, eq=False)
class OperatingCurve:
    """Every distinct θ, from the highest down, with what is assigned the positive class there.

    ``detected`` and ``alarms`` are Σω of positives and of negatives with score > θ, out of ``positive_weight`` and
    ``negative_weight``, of ``n_rows`` rows in all (0 for rates from elsewhere); ``classes`` are both labels in
    their order and ``positive`` the label of high scores. A class without rows is possible: its rate is undefined and
    asking for it is an error, but what can be counted can still be optimised.

    ``ceilings`` is the least score a row above each θ can have (None: the threshold before). ``relative_width`` is 0
    for an exact curve; from `ScoreCounts` it bounds how far apart (as a share of their size) scores may lie that were
    counted together. Rates at the ``thresholds`` are exact even then; those at a θ between two neighbours lie between
    the two.

    Examples
    --------
    >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.detected.tolist(), curve.alarms.tolist(), curve.positive
    ([0.0, 1.0, 1.0, 2.0, 2.0], [0.0, 0.0, 1.0, 1.0, 2.0], 1)
    """

    thresholds: Array
    detected: Array
    alarms: Array
    positive_weight: float
    negative_weight: float
    classes: tuple[Any, Any]
    positive: Any
    n_rows: int
    whole_weights: bool = True
    ceilings: Array | None = None
    relative_width: float = 0.0

    @classmethod
    def of_rates(
        cls,
        false_alarm: ArrayLike,
        misdetect: ArrayLike,
        priors: Any,
        *,
        thresholds: ArrayLike | None = None,
        classes: tuple[Any, Any] = (1, 2),
    ) -> "OperatingCurve":
        """The curve through given pairs (P_F, P_M), where no rows are at hand.

        Parameters
        ----------
        false_alarm, misdetect : the pairs, in any order.
        priors : of the classes, in the place of shares of rows.
        thresholds : of the pairs; by default 1 − P_F. θ falls as P_F grows.
        classes : both labels; the first is detected.

        Returns
        -------
        OperatingCurve
            Without rows, so without bounds.

        Examples
        --------
        >>> round(OperatingCurve.of_rates([0.0, 0.2, 1.0], [1.0, 0.1, 0.0], [0.5, 0.5]).auc, 9)
        0.85
        """
        return cls(*points_of_rates(false_alarm, misdetect, priors, thresholds, classes))

    def __len__(self) -> int:
        return int(self.thresholds.size)

    def __repr__(self) -> str:
        return f"OperatingCurve({len(self)} thresholds, {self.n_rows} rows, positive={self.positive!r})"

    # --- rates ------------------------------------------------------------------------------------------

    @cached_property
    def misdetect(self) -> Array:
        """P_M at every θ."""
        self.refuse_missing_class()
        return (self.positive_weight - self.detected) / self.positive_weight

    @cached_property
    def false_alarm(self) -> Array:
        """P_F at every θ."""
        self.refuse_missing_class()
        return self.alarms / self.negative_weight

    @property
    def positive_place(self) -> int:
        """The place of the positive class among the classes."""
        return 0 if self.positive == self.classes[0] else 1

    @property
    def shares(self) -> Array:
        """The share of each class among the rows, in the order of the classes."""
        counts = [self.negative_weight, self.positive_weight]
        return np.array(counts[::-1] if self.positive_place == 0 else counts) / sum(counts)

    def priors(self, priors: Any = None) -> Array:
        """Class probabilities in the order of the classes: given ones, checked, or the shares of the rows.

        Parameters
        ----------
        priors : numbers in the order of the classes, or by class; None for the shares of the rows.

        Returns
        -------
        ndarray
            Two numbers.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.priors({1: 0.1, 0: 0.9}).tolist()
        [0.9, 0.1]
        """
        if priors is None:
            return self.shares
        return np.asarray(read_priors(priors, np.array(self.classes, dtype=object), self.shares))

    def refuse_missing_class(self) -> None:
        """Rates need rows of both classes.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.refuse_missing_class()  # there are rows of both
        """
        for weight, rate, kind in (
            (self.positive_weight, "misdetect", "positive"),
            (self.negative_weight, "false-alarm", "negative"),
        ):
            if weight == 0:
                raise ValueError(
                    f"there are no rows of the {kind} class, so the {rate} rate is undefined; only by='gain', "
                    "'accuracy' and 'budget' without priors can do with one class"
                )

    # --- places on the curve ----------------------------------------------------------------------------

    def index_at(self, theta: float) -> int:
        """The point of the curve that assigns the rows with score > θ.

        On a curve from `ScoreCounts` a θ inside a cell gets the next point below it.

        Parameters
        ----------
        theta : a threshold.

        Returns
        -------
        int
            The place among ``thresholds``.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.index_at(0.37)
        2
        """
        if np.isnan(theta):
            raise ValueError("theta is NaN; give a number, inf (as few rows as possible) or -inf (every row)")
        return int(np.searchsorted(-self.thresholds, -float(theta), side="left"))

    def point(self, index: int) -> "OperatingCurve":
        """One θ of the curve, as a curve of its own.

        Parameters
        ----------
        index : its place among ``thresholds``.

        Returns
        -------
        OperatingCurve
            Of one threshold.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.point(2).misdetect.tolist(), curve.point(2).false_alarm.tolist()
        ([0.5], [0.5])
        """
        one = slice(index, index + 1)
        cut = {name: getattr(self, name)[one] for name in ("thresholds", "detected", "alarms")}
        return replace(self, **cut, ceilings=None if self.ceilings is None else self.ceilings[one])

    def joint(self, theta: float, priors: Any = None) -> Array:
        """P(true, assigned) at θ, both in the order of the classes.

        Parameters
        ----------
        theta : a threshold.
        priors : class probabilities; None for the shares of the rows.

        Returns
        -------
        ndarray
            2×2, sums to one.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.joint(0.37).tolist()
        [[0.25, 0.25], [0.25, 0.25]]
        """
        at = self.point(self.index_at(theta))
        table = joint_table(at.misdetect, at.false_alarm, self.priors(priors), positive=self.positive_place)
        return np.asarray(table[0])

    def robust_threshold(self, index: int) -> float:
        """A θ with the decisions of a point of the curve, midway between the neighbouring scores.

        Where every row is assigned it is −∞, where none is +∞; where the neighbours are adjacent floats it is the
        lower one.

        Parameters
        ----------
        index : the place of the point among ``thresholds``.

        Returns
        -------
        float
            θ.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> round(curve.robust_threshold(1), 9)
        0.6
        """
        assigned = self.detected[index], self.alarms[index]
        if assigned == (0.0, 0.0):
            return np.inf
        if assigned == (self.positive_weight, self.negative_weight):
            return -np.inf
        high = self.thresholds[index - 1] if self.ceilings is None else self.ceilings[index]
        return threshold_between(float(self.thresholds[index]), float(high))

    def steps(self, most: int) -> NDArray[np.intp]:
        """Indices of a few points, with about as much of either class between any two.

        Parameters
        ----------
        most : int
            How many points at most; 2 or more.

        Returns
        -------
        ndarray of int
            Rising; the first and the last point are among them.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.steps(2)
        array([0, 4])
        """
        if self.thresholds.size <= most:
            return np.arange(self.thresholds.size)
        passed = self.detected / self.positive_weight + self.alarms / self.negative_weight
        wanted = np.linspace(passed[0], passed[-1], most)
        return np.unique(np.append(np.searchsorted(passed, wanted), [0, passed.size - 1]))

    # --- summaries --------------------------------------------------------------------------------------

    @cached_property
    def auc(self) -> float:
        """The probability that a positive scores above a negative, ties counted half."""
        self.refuse_missing_class()
        detected = np.append(self.detected, self.positive_weight)  # scores of −∞, which no θ assigns, come last
        alarms = np.append(self.alarms, self.negative_weight)
        area = np.diff(alarms) @ (detected[1:] + detected[:-1]) / 2.0
        return float(area / self.positive_weight / self.negative_weight)

    @property
    def auc_error(self) -> float:
        """How far ``auc`` can be off because scores were counted together: half the mass of pairs within cells."""
        if self.relative_width == 0.0:
            return 0.0
        detected, alarms = (np.diff(a, prepend=0.0) for a in (self.detected, self.alarms))
        return float(detected @ alarms / 2.0 / self.positive_weight / self.negative_weight)

    @property
    def rate_error(self) -> tuple[float, float]:
        """(misdetect, false alarm): the most either rate can change between two neighbouring thresholds.

        For an exact curve that is no error but the step of one score, so it is (0, 0).
        """
        if self.relative_width == 0.0:
            return 0.0, 0.0
        self.refuse_missing_class()
        return float(-np.diff(self.misdetect, prepend=1.0).min()), float(np.diff(self.false_alarm, prepend=0.0).max())

    @cached_property
    def hull(self) -> NDArray[np.intp]:
        """Indices of the points that are best for some priors and (sensible) gains: the corners of the convex hull."""
        self.refuse_missing_class()
        kept = np.empty(len(self), dtype=np.intp)
        size = upper_hull.suited_to(INTERPRETED * len(self))(self.alarms, self.detected, kept)
        return kept[:size]

    def bands(self, confidence: float = 0.95) -> Bands:
        """Pointwise exact binomial (Clopper–Pearson) bounds on both rates.

        Weights are repetitions: Σω stands for the number of rows, and sums that are not whole go through the same
        formula, which is then no longer exact.

        Parameters
        ----------
        confidence : of each bound pair by itself.

        Returns
        -------
        Bands
            The lower and upper bounds of both rates at each threshold.

        Examples
        --------
        >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        >>> curve.bands().misdetect_high.round(3).tolist()
        [1.0, 0.987, 0.987, 0.842, 0.842]
        """
        self.refuse_missing_class()
        if self.n_rows == 0:
            raise ValueError(
                "given rates say nothing of the number of rows they come from, so there are no bounds on them"
            )
        level = read_share(confidence, "confidence")
        missed = clopper_pearson(self.positive_weight - self.detected, self.positive_weight, level)
        return Bands(*missed, *clopper_pearson(self.alarms, self.negative_weight, level))


def threshold_between(low: float, high: float) -> float:
    """A number in [low, high), in the middle where both are finite; next to ±∞ one unit beyond the finite one."""
    if np.isneginf(low):
        middle = high - max(1.0, abs(high)) if np.isfinite(high) else 0.0
    elif np.isposinf(high):
        middle = low + max(1.0, abs(low))
    else:
        middle = low / 2.0 + high / 2.0
    return middle if low < middle < high else low


def operating_curve(
    y: Any, score: ArrayLike | None = None, sample_weight: ArrayLike | None = None, *, positive: Any = None
) -> OperatingCurve:
    """Misdetect and false-alarm rates at every θ that matters.

    Parameters
    ----------
    y : the class of every row; or a `ScoreCounts` of rows that did not fit into memory, in place of y and score.
    score : of every row. Infinite scores are allowed, NaN is refused.
    sample_weight : of every row; 1 if None.
    positive : the class high scores speak for: by default the second of the two classes in order. With more than two
        classes name it; the rest is then one class.

    Returns
    -------
    OperatingCurve
        Every distinct θ with its rates.

    Examples
    --------
    >>> curve = operating_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> curve.thresholds.tolist(), curve.misdetect.tolist(), curve.false_alarm.tolist()
    ([0.8, 0.4, 0.35, 0.1, -inf], [1.0, 0.5, 0.5, 0.0, 0.0], [0.0, 0.0, 0.5, 0.5, 1.0])
    >>> curve.auc
    0.75
    """
    if isinstance(y, ScoreCounts):
        if score is not None or sample_weight is not None or positive is not None:
            raise ValueError("ScoreCounts carries its own scores, weights and positive class; pass nothing else")
        return curve_of_counts(y)
    scores = read_scores(score)
    if scores.size == 0:
        raise ValueError("there are no scores; a curve needs at least one row")
    seen, codes = code_labels(y)
    if codes.size != scores.size:
        raise ValueError(f"y has {codes.size} labels but there are {scores.size} scores")
    classes, positive_label, code = _two_classes(seen, positive)
    return curve_of_codes(scores, codes, read_weights(sample_weight, scores.size), classes, positive_label, code)


def curve_of_codes(
    scores: NDArray[Any], codes: NDArray[Any], weight: Array | None, classes: tuple[Any, Any], positive: Any, code: int
) -> OperatingCurve:
    """The curve of scores whose classes are coded; ``code`` is that of the positive one."""
    points = _points(*_rank_by_class(scores, codes, code, weight))
    n_rows = scores.size if weight is None else int(np.count_nonzero(weight))
    whole = weight is None or bool((weight == np.floor(weight)).all())
    return _curve(points, classes, positive, n_rows, whole)


def curve_of_counts(counts: ScoreCounts) -> OperatingCurve:
    """The points between the cells, where the counts are exact."""
    if counts.classes is None or counts.keys.size == 0:
        raise ValueError("there are no scores; a curve needs at least one row")
    points = (
        np.append(counts.highest[::-1], -np.inf),
        np.concatenate([[0.0], np.cumsum(counts.positive[::-1])]),
        np.concatenate([[0.0], np.cumsum(counts.negative[::-1])]),
    )
    ceilings = np.concatenate([[np.inf], counts.lowest[::-1]])
    return _curve(
        points, counts.classes, counts.positive_label, counts.n_rows, counts.whole, ceilings, counts.relative_width
    )


def _curve(
    points: tuple[Array, Array, Array],
    classes: tuple[Any, Any],
    positive: Any,
    n_rows: int,
    whole: bool,
    ceilings: Array | None = None,
    width: float = 0.0,
) -> OperatingCurve:
    """A curve of points that end with all rows assigned; that one is left out where no θ reaches it (scores of −∞)."""
    thresholds, detected, alarms = points
    totals = float(detected[-1]), float(alarms[-1])
    m = thresholds.size - (1 if thresholds[-2] == -np.inf else 0)
    ceilings = None if ceilings is None else ceilings[:m]
    points = thresholds[:m], detected[:m], alarms[:m]
    return OperatingCurve(*points, *totals, classes, positive, n_rows, whole, ceilings, width)


def _two_classes(seen: NDArray[Any], positive: Any) -> tuple[tuple[Any, Any], Any, int]:
    """(both labels, the positive one, its code or −1 where it has no rows)."""
    labels = [False, True] if seen.dtype.kind == "b" else seen.tolist()
    present = seen.tolist()
    if positive is None:
        if len(labels) != 2:
            raise ValueError(
                f"y holds {len(labels)} class(es), {labels[:6]}; a curve is between two: say which one high scores "
                f"speak for, positive={labels[-1]!r} for instance, and the rest is the other"
                + ("" if len(labels) < 3 else "; for decisions among all of them take GainClassifier or gain.decide")
            )
        positive = labels[1]
    if positive not in labels and len(labels) != 1:
        raise ValueError(f"positive={positive!r} is not one of the classes {labels}")
    code = present.index(positive) if positive in present else -1
    if len(labels) == 2:
        return (labels[0], labels[1]), positive, code
    rest = labels[0] if len(labels) == 1 and code < 0 else f"not {positive}"
    return (rest, positive), positive, code


def _rank_by_class(
    scores: NDArray[Any], codes: NDArray[np.integer[Any]], code: int, weight: Array | None
) -> tuple[NDArray[Any], NDArray[Any], Array, Array]:
    """Scores of the positives and of the negatives, ascending, and the weights beside them (or nothing)."""
    if weight is not None and not weight.all():
        counts = weight > 0
        refuse_nan(np.where(counts, scores, 0.0))
        scores, codes, weight = scores[counts], codes[counts], weight[counts]
    positives, negatives = _by_class(scores, codes, code)
    if weight is None:
        up = down = np.empty(0)
        positives.sort()
        negatives.sort()
    else:
        up, down = _by_class(weight, codes, code)
        above, below = np.argsort(positives), np.argsort(negatives)
        positives, up, negatives, down = positives[above], up[above], negatives[below], down[below]
    if any(part.size and np.isnan(part[-1]) for part in (positives, negatives)):  # NaN sorts last
        refuse_nan(scores)
    return positives, negatives, up, down


def _by_class(values: NDArray[Any], codes: NDArray[np.integer[Any]], code: int) -> tuple[NDArray[Any], NDArray[Any]]:
    chosen, others = np.empty_like(values), np.empty_like(values)
    n = split.suited_to(values.size)(values, codes, code, chosen, others)
    return chosen[:n], others[: values.size - n]


def _points(positives: NDArray[Any], negatives: NDArray[Any], up: Array, down: Array) -> tuple[Array, Array, Array]:
    """The curve from no row to all rows: the greatest score left out, and Σω of both classes above it."""
    n = positives.size + negatives.size + 1
    above, detected, alarms = np.empty(n + 1), np.empty(n), np.empty(n)
    m = merge_points.suited_to(n)(positives, negatives, up, down, above[:n], detected, alarms)
    above[m] = -np.inf
    return above[1 : m + 1], detected[:m], alarms[:m]
