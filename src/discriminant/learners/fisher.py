"""Fisher's discriminant."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.gain.alignment import align_gain, square_gain
from discriminant.hyperplane import Planes
from discriminant.learners.additive import MomentsLearner, ProjectionMixin
from discriminant.learners.base import linear_scores, planes_of_scores
from discriminant.learners.moment_backends import Discrimination, Evidence
from discriminant.learners.reading_plan import ReadingPlan
from discriminant.learners.registry import LearnerEntry
from discriminant.parameters import Shrinkage, read_choice, read_shrinkage
from discriminant.rows import ArrayRows, NeedsRowsInMemory, Rows, in_memory
from discriminant.rows.labels import places_of
from discriminant.statistics.cuts import best_cut_of_counts, best_offsets, gaussian_cut
from discriminant.statistics.score_counts import ScoreCounts

Array = NDArray[np.float64]

ThresholdRule = Literal["midpoint", "accuracy", "gain", "gaussian"]

_MOST_CELLS = 1 << 18  # of scores counted over a source: some 8 MB


def fisher_planes(solved: Array, displacements: Array, mean: Array) -> Planes:
    """Scores m_k·S⁻¹x − ½m_k·S⁻¹m_k measured from the mean, for every class: the midpoint rule."""
    return Planes(solved, -0.5 * np.einsum("kj,kj->k", solved, displacements) - solved @ mean)


@dataclass(frozen=True)
class _CountedMargins:
    """How far the score of the second of two classes is above that of the first, counted over a block."""

    classes: NDArray[Any]
    coef: Array
    intercept: Array

    def __call__(self, rows: ArrayRows) -> ScoreCounts:
        scores = linear_scores(rows.matrix, self.coef, self.intercept)
        labels = rows.classes[rows.codes]
        margin = scores[:, 1] - scores[:, 0]
        return ScoreCounts.of(margin, labels, rows.weight, classes=self.classes, most_cells=_MOST_CELLS)


class FisherDiscriminant(ProjectionMixin, MomentsLearner):
    """The direction of greatest ratio of scatter between classes to scatter within.

    Parameters
    ----------
    threshold : "midpoint", "accuracy", "gain" or "gaussian", as the notes say.
    gain : what each assignment earns in each true class, for "gain" and "gaussian": a `Gain`, or anything a `Gain` is
        made of; a matrix without names has true classes in rows and assigned ones in columns, as in ``classes_``.
    priors : class probabilities; with them the population form S_W/n = Σ p_kΣ_k is used, and rows count by them
        in the rules for the threshold. Default: the shares of the rows.
    shrinkage : None, a number from 0 to 1, or "auto", as for LinearDiscriminantAnalysis.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1: S_W⁻¹(m₂ − m₁) and −θ; of K > 2 classes K×d and K: S_W⁻¹(m_k − m).
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    priors_ : array of K, the class probabilities.
    means_ : array K×d, the means m_k.
    shrinkage_ : float, that of S_W.
    criterion_ : float, J of the best direction.
    scalings_ : array d×(K − 1), the directions.
    eigenvalues_, explained_variance_ratio_ : arrays of K − 1: J of each direction, and its share of their sum.

    Notes
    -----
    With S_W and S_B the scatter within and between the classes:

        maximise  J(w) = w·S_B w / w·S_W w         (equivalently w·S_B w subject to w·S_W w = 1)

    For two classes S_B has rank one and w = S_W⁻¹(m₂ − m₁), an eigenvector of S_W⁻¹S_B with eigenvalue
    J = (n₁n₂/n)(m₂ − m₁)·S_W⁻¹(m₂ − m₁). For K classes there are up to K − 1 such directions, and a row goes to the
    class whose mean is nearest along them. The criterion says nothing about the threshold θ; four rules are offered
    (what classes are worth is said by ``gain`` and ``priors``, since a midpoint knows no weights):

        midpoint   θ = ½w·(m₁ + m₂)
        gaussian   where normal densities with each class's own spread along w, weighted by priors and gains, cross
        accuracy   the θ with the fewest training errors
        gain       the θ with the largest expected gain on the training rows

    Examples
    --------
    >>> FisherDiscriminant().fit([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2]).coef_.round(9).tolist()
    [[-2.5, 4.0]]
    """

    def __init__(
        self,
        *,
        threshold: ThresholdRule = "midpoint",
        gain: Any = None,
        priors: ArrayLike | Mapping[Any, float] | None = None,
        shrinkage: Shrinkage = None,
    ) -> None:
        self.threshold = threshold
        self.gain = gain
        self.priors = priors
        self.shrinkage = shrinkage

    def reading_plan(self) -> ReadingPlan:
        """One pass; a second counts scores where the threshold is chosen by them, and several classes hold all rows."""
        if self.threshold in ("accuracy", "gain"):
            return ReadingPlan(2, "sums over the rows and counts of scores; all rows where classes are more than two")
        return super().reading_plan()

    def refuse_parts(self) -> None:
        """Refuse rows in parts where the threshold is not a function of the moments alone."""
        if self.threshold in ("accuracy", "gain"):
            raise AttributeError(
                f"threshold={self.threshold!r} looks at the score of every row, so it needs fit; partial_fit, merge "
                "and forget work with 'midpoint' and 'gaussian'"
            )

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_choice(self.threshold, get_args(ThresholdRule), "threshold")
        read_shrinkage(self.shrinkage)
        if self.threshold == "gain" and self.gain is None:
            raise ValueError("threshold='gain' needs a gain matrix: true classes in rows, assigned in columns")

    def wants_each_class(self) -> bool | None:
        """Whether to keep the scatter of each class."""
        needed = self.priors is not None or self.threshold == "gaussian" or isinstance(self.shrinkage, str)
        return True if needed else None

    def learn_from(self, evidence: Evidence, rows: Rows | None) -> None:
        """Set the attributes from the evidence."""
        priors = self._priors_of(evidence.classes, evidence.counts)
        gain = self._gain_matrix(evidence.classes)
        weighted = evidence if self.priors is None else evidence.reweighted(priors)
        n = float(evidence.counts.sum())
        found = weighted.discriminate(read_shrinkage(self.shrinkage), n)
        means, mean = weighted.means, weighted.mean
        self.classes_ = evidence.classes
        self.priors_ = priors
        self.means_ = means
        self.shrinkage_ = found.shrinkage
        coef, intercept = fisher_planes(found.contrast.solved / n, means - mean, mean)
        intercept = intercept + self._offsets(evidence, found, coef, intercept, priors, gain, rows)
        self.coef_, self.intercept_ = planes_of_scores(coef, intercept)
        self.criterion_ = float(found.contrast.ratios[0] / n) if found.contrast.ratios.size else 0.0
        self._set_projection(found.contrast, centre=mean, divisor=n)
        self.findings_ = found.findings

    def _gain_matrix(self, classes: NDArray[Any]) -> Array | None:
        """What assignments earn, in the order of the classes; None where it plays no part."""
        if self.gain is None or self.threshold not in ("gain", "gaussian"):
            return None
        return square_gain(align_gain(self.gain, classes), classes.size).matrix

    def _offsets(
        self,
        evidence: Evidence,
        found: Discrimination,
        coef: Array,
        intercept: Array,
        priors: Array,
        gain: Array | None,
        rows: Rows | None,
    ) -> Array:
        """What the threshold rule adds to the midpoint scores of the classes."""
        K = len(coef)
        if self.threshold == "midpoint":
            return np.zeros(K)
        if self.threshold == "gaussian":
            if K > 2 and gain is not None:
                raise ValueError("threshold='gaussian' weighs gains for two classes only; use threshold='gain'")
            if K > 2:  # one spread for all classes: the offset is log π in units of the covariance
                return np.log(priors) / float(evidence.counts.sum())
            w = coef[1] - coef[0]
            spreads = evidence.class_spreads(w)
            centres = evidence.means @ w + (intercept[1] - intercept[0])
            cut = gaussian_cut(centres, spreads, priors, np.eye(2) if gain is None else gain)
            return np.array([0.0, -cut])
        if rows is None:
            raise NeedsRowsInMemory(f"FisherDiscriminant(threshold={self.threshold!r})")
        gain = np.eye(K) if gain is None else gain
        if K == 2 and not isinstance(rows, ArrayRows):
            counts = rows.fold(_CountedMargins(evidence.classes, coef, intercept))
            return np.array([0.0, -best_cut_of_counts(counts, (priors / evidence.counts) * (gain[:, 1] - gain[:, 0]))])
        rows = in_memory(rows, f"FisherDiscriminant(threshold={self.threshold!r}) of {K} classes")
        weight = (priors / evidence.counts)[places_of(rows.classes, evidence.classes)][rows.codes] * rows.weights
        scores = linear_scores(rows.matrix, coef, intercept)
        return best_offsets(scores, rows.codes, weight, gain)

    # --- the decomposition S = S_W + S_B ----------------------------------------------------------------

    @property
    def within_scatter_(self) -> Array:
        """S_W (d×d)."""
        return self._weighted_moments().within

    @property
    def between_scatter_(self) -> Array:
        """S_B = Σ n_k(m_k − m)(m_k − m)′ (d×d)."""
        return self._weighted_moments().between

    @property
    def total_scatter_(self) -> Array:
        """S = S_W + S_B (d×d)."""
        return self._weighted_moments().total

    def _weighted_moments(self) -> Any:
        self.check_fitted()
        self._refuse_large_scatter()
        if self.priors is None:
            return self._evidence.moments()
        return self._evidence.moments(per_class=True).reweighted(self.priors_)


LEARNERS = (LearnerEntry("fisher", "Fisher's discriminant", FisherDiscriminant, closed_form=True),)
