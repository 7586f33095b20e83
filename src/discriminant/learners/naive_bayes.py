"""Naive Bayes with marginals that make it linear."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from discriminant.findings import Finding, ImpossibleValue, NegativeCounts, column_names, listed
from discriminant.hyperplane import Planes
from discriminant.kernels.counting import add_lookups, score_present
from discriminant.learners import diagnosis
from discriminant.learners.additive import AdditiveLearner
from discriminant.learners.base import ProbabilisticMixin, linear_scores, planes_of_scores
from discriminant.learners.category_indicators import CategoryIndicators
from discriminant.learners.class_weights import ClassWeight
from discriminant.learners.declared_classes import over_classes, scores_over
from discriminant.learners.naive_bayes_columns import Marginal, MarginalsByColumn, read_marginal
from discriminant.learners.naive_bayes_rules import (
    bernoulli_log_probabilities,
    bernoulli_planes,
    categorical_tables,
    given_categories,
    in_some_class_alone,
    lookup_tables,
    multinomial_log_shares,
    refuse_other_categories,
)
from discriminant.learners.registry import LearnerEntry
from discriminant.linalg.discriminant_directions import discriminate_classes
from discriminant.linalg.metric import EPS, DiagonalMetric
from discriminant.parameters import read_penalty
from discriminant.rows import Rows
from discriminant.rows.matrix import Matrix, dense_block, refuse_non_finite
from discriminant.rows.threads import over_spans
from discriminant.statistics.counts import (
    CategoryCounts,
    ClassSums,
    category_codes,
    presence_of,
    whole_and_near,
)
from discriminant.statistics.moments import ClassMoments
from discriminant.statistics.shifted_sums import rounding_scatter

Array = NDArray[np.float64]

_NEGATIVE = NegativeCounts(
    "Some counts are negative",
    "No column sums below zero in any class, so its share of the counts still exists",
    "Check the data; marginal='gaussian' is for measurements of either sign",
)


class NaiveBayes(CategoryIndicators, ProbabilisticMixin, MarginalsByColumn, AdditiveLearner):
    """Columns independent within the classes; always a linear classifier.

    Parameters
    ----------
    marginal : "bernoulli" (a column is present where x > 0), "gaussian" (one variance per column for all classes),
        "multinomial" (counts, not negative) or "categorical" (each distinct number is a category); or a mapping of
        columns (names, or numbers from 0) to one of these, where the key None stands for all columns not named; or
        "auto", by the types of the columns: truth values are "bernoulli", whole numbers "categorical", all others
        "gaussian".
    alpha : smoothing, added to every count; 1 is Laplace's. Not used by "gaussian". For "bernoulli" and "multinomial"
        one number for each column may be given.
    var_smoothing : for "gaussian": the share of the largest variance of a column that is added to all of them
        (scikit-learn's is 1e-9; 0, the default, adds nothing).
    categories : for "categorical": the values that each column may have, whether rows have them or not. A value that
        is none of them is refused in ``fit``, and counts as never seen when rows are scored.
    min_categories : for "categorical": each column has at least the values 0, 1, … up to so many (one number, or one
        for each column), as in scikit-learn.
    priors : class probabilities in the order of ``classes_``, or a mapping; default: the shares of the rows.
    class_weight : None, a mapping of classes to weights, or "balanced"; it multiplies ``sample_weight``. A class of
        weight 0 stays in ``classes_``, and no row is assigned to it.

    Attributes
    ----------
    coef_, intercept_ : arrays 1×d and 1, of K > 2 classes K×d and K: the planes, in x (in [x > 0] for "bernoulli", in
        `indicators(x)` for "categorical").
    classes_ : array of K labels, sorted.
    findings_ : tuple of `Finding`: what was odd about the data or the fit.
    priors_, class_log_prior_ : arrays of K: P(k) and its logarithm.
    class_count_ : array of K, the rows of each class or their weight.
    statistics_ : the sums that all of this follows from, which add.
    marginals_ : dict of a fitted `NaiveBayes` for each marginal, where columns have different ones.
    feature_count_ : array K×d, for "bernoulli" in how many rows a column is present, for "multinomial" its sum.
    feature_log_prob_ : array K×d: for "bernoulli" log P(x=1 | class), for "multinomial" the logarithm of the share of a
        column; for "categorical" a list of K×(categories) for each column.
    feature_prob_, absent_log_prob_ : arrays K×d, for "bernoulli" P(x=1 | class) and log P(x=0 | class).
    categories_, category_count_ : lists of arrays, for "categorical": the values of each column, and their K×(values)
        rows.
    means_, variances_ : arrays K×d and d, for "gaussian".

    Notes
    -----
    The logarithm of Bayes' rule,

        log P(k | x) = log π_k + Σ_j log p(x_j | k) + terms common to all classes

    is linear in x, or in indicators of its values, for each of these marginals:

        bernoulli     x_j is present or not:  Σ_j [a_kj x_j + b_kj(1 − x_j)],  a = log p, b = log(1 − p), so w = a − b
        multinomial   x_j counts:             w_kj = log p_kj, the share of column j in all counts of class k
        gaussian      one variance σ_j² for all classes:  w_kj = (μ_kj − μ̄_j)/σ_j²
        categorical   x_j is one of m_j values: a weight for every value (w lives in the space of indicators)

    Columns with different marginals are still independent within the classes, so that their sums add up: one plane.

    Examples
    --------
    >>> X = [[1, 0], [1, 1], [0, 1], [0, 1]]
    >>> model = NaiveBayes().fit(X, ["a", "a", "b", "b"])
    >>> model.predict([[1, 0], [0, 1]]).tolist()
    ['a', 'b']
    >>> model.hyperplane().score([1, 0]) < 0
    np.True_
    >>> model.feature_prob_.tolist()
    [[0.75, 0.5], [0.25, 0.75]]

    A truth value beside a measurement:

    >>> mixed = NaiveBayes({0: "bernoulli", 1: "gaussian"}).fit(X, ["a", "a", "b", "a"])
    >>> mixed.coef_.shape, sorted(mixed.marginals_)
    ((1, 2), ['bernoulli', 'gaussian'])
    """

    feature_log_prob_: Any
    _joint: Planes
    _unseen: Array

    def __init__(
        self,
        marginal: Marginal | Literal["auto"] | Mapping[Any, Marginal] = "bernoulli",
        *,
        alpha: float | ArrayLike = 1.0,
        var_smoothing: float = 0.0,
        categories: Sequence[ArrayLike] | None = None,
        min_categories: int | ArrayLike | None = None,
        priors: ArrayLike | Mapping[Any, float] | None = None,
        class_weight: ClassWeight = None,
    ) -> None:
        self.marginal = marginal
        self.alpha = alpha
        self.var_smoothing = var_smoothing
        self.categories = categories
        self.min_categories = min_categories
        self.priors = priors
        self.class_weight = class_weight

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self.marginal != "gaussian"
        chosen = self.marginal.values() if isinstance(self.marginal, Mapping) else (self.marginal,)
        tags.input_tags.positive_only = "multinomial" in chosen
        tags.input_tags.categorical = self.marginal == "categorical"
        return tags

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        read_marginal(self.marginal)
        for value in np.ravel(self.alpha).tolist() if self._takes_alphas() else [self.alpha]:
            read_penalty(value, "alpha")
        read_penalty(self.var_smoothing, "var_smoothing")
        if self.categories is not None and self.min_categories is not None:
            raise ValueError("categories says which values there are; leave min_categories out with it")

    def _takes_alphas(self) -> bool:
        return self.marginal != "categorical" and self.marginal != "gaussian" and bool(np.ndim(self.alpha))

    # --- statistics -------------------------------------------------------------------------------------

    def summarise(self, rows: Rows) -> Any:
        """Class moments without covariances, counts of categories, or sums of the columns by class."""
        if self._by_column():
            return self._summarise_by_column(rows)
        if self.marginal == "gaussian":
            return ClassMoments.of_source(rows, full=False, per_class=True)
        if self.marginal == "categorical":
            return rows.fold(CategoryCounts.of_rows)
        return rows.fold(partial(ClassSums.of_rows, presence=self.marginal == "bernoulli"))

    def _read_moments(self, moments: ClassMoments) -> ClassMoments:
        if self._by_column() or self.marginal != "gaussian":
            raise TypeError(f"NaiveBayes(marginal={self.marginal!r}) counts values, which class moments do not tell")
        return moments.diagonal()

    def _kept(self) -> Any:
        return self.__dict__.get("statistics_")

    def learn(self, statistics: Any) -> None:
        """Set the attributes from what `summarise` gives."""
        priors = self._priors_of(statistics.classes, statistics.counts)
        if self._by_column():
            weights, offsets, findings = self._learn_by_column(statistics)
        elif self.marginal == "gaussian":
            weights, offsets, findings = self._learn_gaussian(statistics)
        elif self.marginal == "categorical":
            weights, offsets, findings = self._learn_categorical(statistics)
        else:
            weights, offsets, findings = self._learn_sums(statistics)
        self.classes_ = statistics.classes
        self.priors_, self.class_count_, self.class_log_prior_ = priors, statistics.counts, np.log(priors)
        self._joint = Planes(weights, offsets + np.log(priors))
        self.coef_, self.intercept_ = planes_of_scores(*self._joint)
        self.statistics_ = statistics
        self.findings_ = findings

    def _smoothing(self, n_columns: int) -> Array:
        """alpha: one number, or one for each column."""
        if np.ndim(self.alpha) and np.shape(self.alpha) != (n_columns,):
            raise ValueError(
                f"alpha is {self.alpha!r}, {np.size(self.alpha)} entries for {n_columns} columns; give one number, or "
                "one for each column"
            )
        return np.asarray(self.alpha, dtype=np.float64)

    def _answer_alone(self, statistics: Any) -> None:
        self.learn(statistics)

    def _scores_of_classes(self) -> Planes:
        return self._joint

    def _include_declared(self) -> None:
        seen = self.classes_
        super()._include_declared()
        if self.classes_.size > seen.size:
            self._joint = scores_over(*self._joint, seen, self.classes_)
            self._declare_by_column(self.classes_)
            if self.marginal == "categorical":
                self._unseen = over_classes(self._unseen, 0.0, seen, self.classes_)

    def _learn_sums(self, s: ClassSums) -> tuple[Array, Array, tuple[Finding, ...]]:
        bernoulli, alpha = self.marginal == "bernoulli", self._smoothing(s.sums.shape[1])
        self.feature_count_ = s.sums
        if bernoulli:
            self.feature_log_prob_, self.absent_log_prob_ = bernoulli_log_probabilities(s, alpha)
            self.feature_prob_ = np.exp(self.feature_log_prob_)
            weights, offsets = bernoulli_planes(self.feature_log_prob_, self.absent_log_prob_)
        else:
            self.feature_log_prob_ = multinomial_log_shares(s, alpha)
            weights, offsets = self.feature_log_prob_, np.zeros(s.classes.size)
        impossible = in_some_class_alone(s.sums <= 0)
        if bernoulli:
            impossible |= in_some_class_alone(s.sums >= s.counts[:, None])
        findings = self._impossible(impossible)
        return weights, offsets, findings + ((_NEGATIVE,) if s.any_negative else ())

    def _learn_gaussian(self, m: ClassMoments) -> tuple[Array, Array, tuple[Finding, ...]]:
        noise = rounding_scatter(m.n, m.means, 4)
        within = m.within
        self.means_ = m.means
        added = float(self.var_smoothing) * float(np.max(m.total / m.n, initial=0.0))
        self.variances_ = within / m.n + added
        unsure = 64 * EPS * np.abs(m.means).max(axis=0)
        still = within + m.n * added <= noise
        # a column that never varies and has one mean says nothing; leave it out
        used = np.flatnonzero(~still | (np.ptp(m.means, axis=0) > unsure))
        metric = DiagonalMetric.of(np.where(still, 0.0, self.variances_)[used])
        mean = m.mean
        displacements = m.displacements
        found = discriminate_classes(metric, displacements[:, used], m.counts, unsure[used], np.abs(mean[used]))
        weights = np.zeros(m.means.shape)
        weights[:, used] = found.solved
        offsets = -0.5 * np.einsum("kj,kj->k", weights, displacements) - weights @ mean
        names = column_names(
            used[diagnosis.involved_columns(found.separating, np.ones(used.size))], self.column_names_in()
        )
        return weights, offsets, diagnosis.null_space_findings(found, m.classes, names)

    def _learn_categorical(self, s: CategoryCounts) -> tuple[Array, Array, tuple[Finding, ...]]:
        given = given_categories(self.categories, self.min_categories, len(s.values))
        if given is not None and self.categories is not None:
            refuse_other_categories(s.values, given, self.column_names_in())
        s = s.with_values(given)
        tables, unseen = categorical_tables(s, float(np.asarray(self.alpha)))
        self.categories_ = list(s.values)
        self.category_count_, self.feature_log_prob_ = list(s.tables), tables
        self._unseen = unseen
        never = np.array([(t <= 0).any() for t in s.tables])
        return np.hstack(tables), np.zeros(s.classes.size), self._impossible(never)

    def _impossible(self, columns: NDArray[np.bool_]) -> tuple[Finding, ...]:
        if np.all(np.asarray(self.alpha) > 0) or not columns.any():
            return ()
        names = column_names(np.flatnonzero(columns), self.column_names_in())
        return (
            ImpossibleValue(
                f"Values of {listed(names)} were never seen with some class",
                "With alpha=0 their probability is zero, and one such value overrules all other columns",
                "Set alpha > 0",
                names,
            ),
        )

    # --- scores -----------------------------------------------------------------------------------------

    def score_matrix(self, matrix: Matrix) -> Array:
        """The scores of a checked table, finite or not."""
        return self._linear(matrix, self.coef_, self.intercept_)

    def _linear(self, matrix: Matrix, coef: Array, intercept: Array) -> Array:
        if self._by_column():
            return self._linear_by_column(matrix, coef, intercept)
        if self.marginal == "categorical":
            binary = len(coef) < self.classes_.size
            unseen = np.ascontiguousarray(self._unseen[1:] - self._unseen[:1] if binary else self._unseen)
            return self._lookups(matrix, coef, intercept, unseen)
        if self.marginal == "bernoulli":
            if sparse.issparse(matrix):
                refuse_non_finite(matrix, self.column_names_in())
                return linear_scores(presence_of(matrix), coef, intercept)
            score_by = score_present.suited_to(matrix.size)
            return self._score_blocks(matrix, intercept.size, lambda X, s: score_by(X, coef, intercept, s))
        return linear_scores(matrix, coef, intercept)

    def _lookups(self, matrix: Matrix, coef: Array, intercept: Array, unseen: Array) -> Array:
        values = self.categories_
        if not whole_and_near(values):
            refuse_non_finite(matrix, self.column_names_in())
            matrix, values = category_codes(matrix, values), [np.arange(float(v.size)) for v in values]
        lows, starts, tables = lookup_tables(values, coef, unseen)

        look_up = add_lookups.suited_to(matrix.shape[0] * matrix.shape[1])

        def score(block: Array, scores: Array) -> bool:
            return look_up(block, lows, starts, tables, unseen, intercept, scores)

        return self._score_blocks(matrix, intercept.size, score)

    def _score_blocks(self, matrix: Matrix, n_scores: int, score: Callable[[Array, Array], bool]) -> Array:
        """Scores by a kernel that says whether its block was finite, over spans of rows."""
        scores = np.empty((matrix.shape[0], n_scores))

        def of_span(start: int, stop: int) -> bool:
            finite = True
            for a in range(start, stop, 4096):
                b = min(a + 4096, stop)
                finite &= score(dense_block(matrix, a, b), scores[a:b])
            return finite

        if not all(over_spans(of_span, *matrix.shape)):
            refuse_non_finite(matrix, self.column_names_in())
        return scores

    def predict_joint_log_proba(self, X: Any) -> Array:
        """log π_k + Σ_j log p(x_j | k) for every class; a multinomial leaves its coefficient out.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×K, classes in the order of ``classes_``.
        """
        matrix = self.read_columns(X)
        scores = self._linear(matrix, *self._joint) + self._common_terms(matrix)
        if not np.isfinite(scores).all():
            self.refuse_scores(matrix, scores)
        return scores

    def _common_terms(self, matrix: Matrix) -> Any:
        """What the log density has beside the linear scores, the same for all classes: n×1, or zero."""
        if self._by_column():
            return sum(part.model._common_terms(matrix[:, part.columns]) for part in self._parts)
        if self.marginal != "gaussian":
            return 0.0
        if (self.variances_ <= 0).any():
            raise ValueError("a column without variance has no Gaussian density; drop it first")
        m: ClassMoments = self.statistics_
        z = (dense_block(matrix, 0, matrix.shape[0]) - m.mean) ** 2 / self.variances_
        return -0.5 * (z.sum(axis=1, keepdims=True) + np.log(2 * np.pi * self.variances_).sum())


LEARNERS = (
    LearnerEntry(
        "naive-bayes", "Naive Bayes (Gaussian)", NaiveBayes, {"marginal": "gaussian"},
        generative=True, closed_form=True, wide=True,
    ),
    LearnerEntry(
        "bernoulli-naive-bayes", "Naive Bayes (Bernoulli)", NaiveBayes, {"marginal": "bernoulli"},
        generative=True, needs="binary", sparse=True,
    ),
)  # fmt: skip
