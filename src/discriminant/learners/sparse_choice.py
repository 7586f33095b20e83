"""Logistic regression whose penalty is chosen by rows not seen: how many columns the rows can carry."""

from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.alpha_path import AlphaPath, fits_of, path_of_rows
from discriminant.learners.class_weights import ClassWeight
from discriminant.learners.logistic import LogisticRegression
from discriminant.learners.registry import LearnerEntry
from discriminant.learners.weight_limits import Bounds, ColumnGroups, Signs
from discriminant.parameters import read_choice, read_count, read_ratio, read_share
from discriminant.rows import ArrayRows

Array = NDArray[np.float64]

ChoiceRule = Literal["one-standard-error", "best"]
RULES: tuple[ChoiceRule, ...] = get_args(ChoiceRule)
_PATH_TOL = 1e-3  # the relative gap of fits that are only judged: far below what rows not seen can tell apart


class Losses(NamedTuple):
    """The mean loss of a row not seen at each penalty of a falling path, and its error over the folds."""

    loss: Array
    standard_error: Array

    @classmethod
    def of_folds(cls, losses: Array) -> "Losses":
        """The losses from those of each fold (folds×penalties)."""
        if not np.isfinite(losses).all():
            raise ValueError("the loss of rows not seen overflows; rescale the columns with the largest values")
        return cls(losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(len(losses)))

    def place(self, rule: str) -> int:
        """The penalty of the least loss, or the largest whose loss is within one standard error of it."""
        least = int(self.loss.argmin())
        if rule == "best":
            return least
        return int(np.flatnonzero(self.loss <= self.loss[least] + self.standard_error[least])[0])


def losses_unseen(
    learner: Any, rows: ArrayRows, training: NDArray[np.intp], tested: NDArray[np.intp], alphas: Array
) -> Array:
    """The mean loss of the tested rows at each penalty, by the path of the others."""
    path = path_of_rows(learner, rows.take(training), alphas)
    judged = rows.take(tested).recoded(rows.classes)
    fits = fits_of(learner, judged)
    scores = path.scores(judged.matrix).transpose(0, 2, 1)
    planes = [slice(0, fits[0].n_planes)] if len(fits) == 1 else [slice(k, k + 1) for k in range(len(fits))]
    totals = [sum(fit.value(at[k]) for fit, k in zip(fits, planes, strict=True)) for at in scores]
    return np.array(totals) / judged.total_weight


class SparseLogisticRegression(LogisticRegression):
    """Logistic regression that leaves columns out, as many as rows not seen advise.

    Parameters
    ----------
    l1_ratio : ρ of the elastic net, above 0; 1, the default, is the lasso.
    column_groups : lists of columns (names or places) that are left out together or not at all.
    bounds, monotone : of weights, as those of `LogisticRegression`.
    n_alphas, smallest : the penalties tried: so many, by equal factors from the least that leaves no column down to
        this share of it.
    n_folds : of the cross-validation that judges them; each class is dealt evenly.
    rule : "one-standard-error", the fewest columns whose loss is within a standard error of the least; or "best".
    fit_intercept, class_weight, tol, max_iter : as those of `LogisticRegression`.
    random_state : of the folds.

    Attributes
    ----------
    alpha_ : float, the chosen penalty.
    alphas_, loss_, standard_error_ : arrays: the penalties tried, the mean loss of a row not seen at each, its error.
    coef_, intercept_, classes_, findings_, n_iter_, solver_ : as those of `LogisticRegression` with that penalty.
    log_likelihood_, null_deviance_, primal_, dual_, gap_, proved_zero_, multipliers_, kkt_ : likewise.

    Notes
    -----
    The path of penalties is fitted without each fold, every fit started at the one before; `compare` does all of that
    anew without each of its own folds. `choose_alpha` does the same for other learners and other folds.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 6))
    >>> model = SparseLogisticRegression(n_alphas=10).fit(X, X[:, 0] - X[:, 1] + rng.normal(size=80) > 0)
    >>> model.coef_[0].astype(bool).tolist()
    [True, True, False, False, False, False]
    """

    alpha, C, firth, solver, warm_start = 0.0, None, False, "auto", False  # of the base class, and not to be chosen
    alpha_: float

    def __init__(
        self,
        *,
        l1_ratio: float = 1.0,
        column_groups: ColumnGroups = None,
        bounds: Bounds = None,
        monotone: Signs = None,
        n_alphas: int = 20,
        smallest: float = 1e-2,
        n_folds: int = 5,
        rule: ChoiceRule = "one-standard-error",
        fit_intercept: bool = True,
        class_weight: ClassWeight = None,
        tol: float = 1e-8,
        max_iter: int = 200,
        random_state: int = 0,
    ) -> None:
        self.l1_ratio = l1_ratio
        self.column_groups = column_groups
        self.bounds = bounds
        self.monotone = monotone
        self.n_alphas = n_alphas
        self.smallest = smallest
        self.n_folds = n_folds
        self.rule = rule
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense, before any row is touched."""
        super().check_parameters()
        if not read_ratio(self.l1_ratio, "l1_ratio") > 0:
            raise ValueError("l1_ratio must be above 0, for l1_ratio=0 leaves no column out")
        read_count(self.n_alphas, "n_alphas")
        read_share(self.smallest, "smallest")
        if read_count(self.n_folds, "n_folds") < 2:
            raise ValueError("n_folds must be at least 2")
        read_choice(self.rule, RULES, "rule")

    def penalty_strength(self) -> float:
        """The chosen α, and 1 before there is one."""
        return float(self.__dict__.get("alpha_", 1.0))

    def _learn_weighed(self, rows: ArrayRows, offset: Array | None) -> None:
        if offset is not None:
            raise ValueError("a penalty is chosen without offset; give LogisticRegression(l1_ratio=..., alpha=...) one")
        path, losses = self._judge_penalties(rows)
        self.alphas_, self.loss_, self.standard_error_ = path.alphas, *losses
        self.alpha_ = float(path.alphas[losses.place(self.rule)])
        super()._learn_weighed(rows, offset)

    def _planes_near(self, rows: ArrayRows, start: Array | None) -> Array:
        """The planes of other rows, with the penalty that these choose."""
        path, losses = self._judge_penalties(rows)
        learner = self._with_tol(float(self.tol)).set_params(alpha=float(path.alphas[losses.place(self.rule)]))
        return np.asarray(learner._limited_planes(rows, start))

    def _judge_penalties(self, rows: ArrayRows) -> tuple[AlphaPath, Losses]:
        """The path of all rows, and what its penalties are worth on rows not seen."""
        learner = self._with_tol(_PATH_TOL)
        path = path_of_rows(learner, rows, None, int(self.n_alphas), float(self.smallest))
        fold = self._folds(rows)
        parts = [(np.flatnonzero(fold != f), np.flatnonzero(fold == f)) for f in range(int(fold.max()) + 1)]
        return path, Losses.of_folds(np.array([losses_unseen(learner, rows, *part, path.alphas) for part in parts]))

    def _with_tol(self, tol: float) -> Any:
        """The learner of one penalty; rows have the weights of their classes already."""
        return LogisticRegression(
            l1_ratio=self.l1_ratio, column_groups=self.column_groups, bounds=self.bounds, monotone=self.monotone,
            fit_intercept=self.fit_intercept, tol=tol, max_iter=self.max_iter,
        )  # fmt: skip

    def _folds(self, rows: ArrayRows) -> NDArray[np.intp]:
        """The fold of each row, each class dealt evenly."""
        counts = np.bincount(rows.codes, minlength=rows.classes.size)
        if counts.min() < 2:
            single = rows.classes.tolist()[int(counts.argmin())]
            raise ValueError(
                f"class {single!r} has a single row, and a penalty is chosen by rows not seen; leave it out, or "
                "give LogisticRegression(l1_ratio=...) an alpha"
            )
        rng, fold = np.random.default_rng(self.random_state), np.empty(rows.n_rows, dtype=np.intp)
        n_folds = min(int(self.n_folds), int(counts.min()))
        for k in range(rows.classes.size):
            own = rng.permutation(np.flatnonzero(rows.codes == k))
            fold[own] = np.arange(own.size) % n_folds
        return fold


LEARNERS = (
    LearnerEntry(
        "sparse-logistic", "Sparse logistic regression", SparseLogisticRegression,
        sparse=True, wide=True, passes=10, most_passes=10, planes_together=True, signs=True, leaves_out=True,
    ),
)  # fmt: skip
