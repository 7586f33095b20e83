"""Standard errors, intervals and tests, for a learner that maximises a likelihood.

A fitted model keeps the information its rows hold about the estimates (`Information`), and no row. Profile intervals
and tests of some columns fit the model anew, so that they are given the rows of the fit once more.
"""

from dataclasses import replace
from typing import Any, Literal, Self, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.stats import norm

from discriminant.cached import cached_property
from discriminant.findings import column_names
from discriminant.learners.information import MOST_KEPT, MOST_WEIGHTS, Information
from discriminant.learners.likelihood import LikelihoodRatioTest, Summary, WeightEstimate, estimates_of
from discriminant.learners.registry import KINDS
from discriminant.linalg.metric import metric_of_scatter
from discriminant.optimise.newton import Iteration
from discriminant.optimise.profile import free_minimum, profile_interval
from discriminant.parameters import read_choice
from discriminant.rows.threads import single_threaded_blas
from discriminant.separability.capacity import capacity
from discriminant.statistics.scaling import ColumnScaling
from discriminant.statistics.source_risk import SourceRisk

Array = NDArray[np.float64]

IntervalKind = Literal["wald", "profile"]

# Change of a typical score, and so of the curvature, that the last step may have brought: of rows that are read again
# at once, and of those that would take long.
_SAME_CURVATURE, _NEAR_CURVATURE = 1e-9, 1e-7
_FEW_PRODUCTS = 100_000_000  # of numbers, for the curvature of all rows: some 20 milliseconds at most
_SAME_LIKELIHOOD = 1e-6

_OF_INFORMATION = ("covariance_", "standard_errors_", "intercept_standard_errors_", "p_values_", "aic_", "bic_")


class LikelihoodInference:
    """What `LogisticRegression` says of its estimates; ``_information`` is None where it was not kept."""

    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    n_features_in_: int
    log_likelihood_: float
    null_deviance_: float
    _information: Information | None
    _n_rows: int

    @property
    def deviance_(self) -> float:
        """−2 log-likelihood."""
        return -2.0 * self.log_likelihood_

    @cached_property
    def covariance_(self) -> Array:
        """The covariance of all weights, plane after plane, each with its intercept last."""
        information = self._known_information()
        with single_threaded_blas():
            return information.covariance()

    @property
    def standard_errors_(self) -> Array:
        """The standard error of each entry of coef_."""
        return self._errors()[:, :-1]

    @property
    def intercept_standard_errors_(self) -> Array:
        """The standard error of each entry of intercept_."""
        return self._errors()[:, -1]

    @property
    def p_values_(self) -> Array:
        """The p-value of Wald's test that an entry of coef_ is zero."""
        return np.asarray(2 * norm.sf(np.abs(self.coef_) / self.standard_errors_))

    @property
    def aic_(self) -> float:
        """Akaike's criterion, deviance + 2k with k weights that the rows determine; less is better."""
        return self.deviance_ + 2.0 * self._n_determined()

    @property
    def bic_(self) -> float:
        """The Bayesian criterion, deviance + k log n, of n rows."""
        return self.deviance_ + float(np.log(self._n_rows)) * self._n_determined()

    def compute_information(
        self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Self:
        """Take from the rows of the fit what standard errors need, where the fit itself had no use for it.

        A fit of tens of thousands of rows does without the curvature of all weights together, which would take as long
        as the fit. Give the rows (table or source), weights and offsets that the model was fitted to.

        Parameters
        ----------
        X, y, sample_weight, offset : the rows of the fit once more.

        Returns
        -------
        Self
            This model, fitted.
        """
        self._refuse_no_likelihood()
        if self.coef_.size + self.intercept_.size > MOST_WEIGHTS:
            raise ValueError(
                f"the covariance of {self.coef_.size + self.intercept_.size} weights is not computed (at most "
                f"{MOST_WEIGHTS}); select columns"
            )
        risk, u, _ = self._criterion(X, y, sample_weight, offset)
        with single_threaded_blas():
            self._information = Information.at(risk, u)
        self.__dict__.pop("covariance_", None)
        return self

    def intervals(
        self,
        level: float = 0.95,
        kind: IntervalKind = "wald",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Array:
        """Confidence intervals (low, high), in the order of `summary`: the intercept, then the columns.

        "wald" is the estimate ∓ z standard errors; "profile" all values that a likelihood-ratio test does not reject,
        which is right with fewer rows, and asks for those of the fit. With K > 2 classes, of each class against the
        first, one after the other.

        Parameters
        ----------
        level : the confidence.
        kind : "wald" from standard errors, "profile" from the likelihood, which fits anew.
        X, y, sample_weight, offset : the rows of the fit once more, for a profile.

        Returns
        -------
        ndarray
            (low, high) of each weight, plane after plane, each with its intercept first.
        """
        read_choice(kind, get_args(IntervalKind), "kind")
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        self._refuse_no_likelihood()
        if X is not None and self._information is None:
            self.compute_information(X, y, sample_weight, offset)
        estimates = self._estimates()
        if kind == "wald":
            return np.array([estimate.wald(level) for estimate in estimates])
        risk, u, _ = self._criterion(X, y, sample_weight, offset, "intervals(kind='profile', X=X, y=y)")
        with single_threaded_blas():
            return np.array([self._profile(estimate, level, risk, u) for estimate in estimates])

    def likelihood_ratio_test(
        self,
        columns: Any = None,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> LikelihoodRatioTest:
        """Whether columns (names or places; all of them unless named) could be left out.

        A test of some columns fits the others alone, and asks for the rows of the fit. That of all columns compares
        with intercepts alone, which are known; with Firth's penalty it asks for the rows too.

        Parameters
        ----------
        columns : those to be left out, by place or name; None for all of them.
        X, y, sample_weight, offset : the rows of the fit once more; all columns need none.

        Returns
        -------
        LikelihoodRatioTest
            The statistic, its degrees of freedom and the p-value.
        """
        self._refuse_no_likelihood()
        places = self._places(columns)
        names = column_names(places.tolist(), self._names())
        if X is None and places.size == self.n_features_in_ and not self._penalised_by_information():
            degrees = self._known_information().degrees
            return LikelihoodRatioTest.of(self.log_likelihood_, -self.null_deviance_ / 2, degrees, names)
        risk, u, least = self._criterion(X, y, sample_weight, offset, f"likelihood_ratio_test({columns!r}, X=X, y=y)")
        value = self._value_without(risk, u, places)
        return LikelihoodRatioTest.of(-least, -value, self._degrees(risk, places), names)

    def summary(
        self,
        level: float = 0.95,
        kind: IntervalKind = "wald",
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
        covariance: Array | None = None,
    ) -> Summary:
        """The estimates as a table: standard errors, z, p, intervals, odds ratios; deviance and criteria below it.

        ``kind`` as for `intervals`; "profile" asks for the rows of the fit. Where they are given and the information
        was not kept, it is computed (`compute_information`). ``covariance``, such as `robust_covariance` gives, takes
        the place of the model's own.

        Parameters
        ----------
        level, kind : of the intervals, as `intervals` has them.
        X, y, sample_weight, offset : the rows of the fit once more, for a profile.
        covariance : of the weights in the place of the model's own, such as `robust_covariance`.

        Returns
        -------
        Summary
            A table that prints, and is a frame.
        """
        self._refuse_no_likelihood()
        rows = {"X": X, "y": y, "sample_weight": sample_weight, "offset": offset}
        if covariance is not None and kind != "wald":
            raise ValueError('covariance is for intervals by standard errors; leave kind at "wald"')
        ends = self.intervals(level, kind, **rows)
        estimates = self._estimates(covariance)
        if covariance is not None:
            ends = np.array([estimate.wald(level) for estimate in estimates])
        without_rows = X is None and self._penalised_by_information()
        test = "give X and y for the likelihood ratio" if without_rows else self.likelihood_ratio_test(**rows)
        nothing = "intercepts alone" if getattr(self, "fit_intercept", True) else "no weights"
        foot = (
            f"deviance {self.deviance_:.6g}, of {nothing} {self.null_deviance_:.6g}; "
            f"AIC {self.aic_:.6g}, BIC {self.bic_:.6g}",
            f"all columns: {test}",
            f"intervals by {_source_of_intervals(kind, covariance)}",
            self._capacity_sentence(),
            KINDS["discriminative"],
        )
        return Summary.of(estimates, ends, self._title(self._n_rows), foot, level)

    def _capacity_sentence(self) -> str:
        """How likely it is that a plane separates rows like these whatever their labels."""
        told = str(capacity(self._n_rows, self.n_features_in_))
        return told if self.classes_.size == 2 else f"one class against the rest, {told}"

    def __dir__(self) -> list[str]:
        """The attributes, without those that this fit does not have, which a notebook would show as errors."""
        names = list(super().__dir__())
        has_errors = self.__dict__.get("_information") is not None
        return names if has_errors else [name for name in names if name not in _OF_INFORMATION]

    # --- what a fit keeps -------------------------------------------------------------------------------

    def _keep_information(self, risk: Any, found: Iteration) -> None:
        """The curvature at the estimates, where the solver has computed it already or it takes no time."""
        self.null_deviance_ = null_deviance(risk)
        self._n_rows = risk.n_rows
        self._information = None
        if self._why_no_likelihood() or risk.n_weights > MOST_KEPT:
            return
        cheap = self._penalised_by_information() or risk.n_rows * risk.n_weights**2 <= _FEW_PRODUCTS
        known = found.hessian if found.step_left <= (_SAME_CURVATURE if cheap else _NEAR_CURVATURE) else None
        if known is not None or cheap:
            regular = known is not None and not found.deficient
            self._information = Information.at(risk, found.u, known, regular=regular)

    def _known_information(self) -> Information:
        self._refuse_no_likelihood()
        if self._information is None:
            raise AttributeError(
                f"this fit of {self.coef_.size} weights did without their information matrix; take it from the rows "
                "of the fit with compute_information(X, y)"
            )
        return self._information

    # --- from the rows of the fit -----------------------------------------------------------------------

    def _criterion(
        self, X: Any, y: Any, sample_weight: Any, offset: Any, call: str = "compute_information(X, y)"
    ) -> tuple[Any, Array, float]:
        """What was minimised, where, and its value there; refused unless these are the rows of the fit."""
        if X is None:
            raise ValueError(f"a fitted model keeps no rows; give those of the fit: {call}")
        with single_threaded_blas():
            risk = self._risk_of_rows(X, y, sample_weight, offset)
            planes = np.column_stack([self.coef_, self.intercept_])
            u = risk.from_user(planes[0] if len(planes) == 1 else planes)
            plain = getattr(risk, "plain", risk)
            likelihood = -float(plain.value_and_gradient(u)[0])
        if not abs(likelihood - self.log_likelihood_) <= _SAME_LIKELIHOOD * max(abs(self.log_likelihood_), 1.0):
            raise ValueError(
                f"X, y are not the rows of the fit: the model gives them a log-likelihood of {likelihood:.6g}, and "
                f"gave its own {self.log_likelihood_:.6g}; give the same rows, sample_weight and offset"
            )
        return risk, u, -likelihood if plain is risk else float(risk.value_and_gradient(u)[0])

    def _risk_of_rows(self, X: Any, y: Any, sample_weight: Any, offset: Any) -> Any:
        """The criterion of rows, as a fit makes it."""
        raise NotImplementedError

    def _penalised_by_information(self) -> bool:
        """Whether the criterion has Firth's penalty."""
        return False

    def _why_no_likelihood(self) -> str | None:
        """Why estimates have no standard errors; None where they have."""
        return None

    def _refuse_no_likelihood(self) -> None:
        self.check_fitted()  # type: ignore[attr-defined]
        why = self._why_no_likelihood()
        if why:
            raise AttributeError(why)

    def _title(self, n_rows: int) -> str:
        raise NotImplementedError

    def _names(self) -> tuple[str, ...] | None:
        names: tuple[str, ...] | None = self.column_names_in()  # type: ignore[attr-defined]
        return names

    def _errors(self) -> Array:
        return np.sqrt(np.diagonal(self.covariance_)).reshape(len(self.intercept_), -1)

    def _n_determined(self) -> int:
        """How many weights and intercepts the rows determine."""
        information = self._known_information()
        return information.degrees + (self.classes_.size - 1 if information.has_intercept else 0)

    def _estimates(self, covariance: Array | None = None) -> tuple[WeightEstimate, ...]:
        covariance = self.covariance_ if covariance is None else np.asarray(covariance, dtype=np.float64)
        planes = np.column_stack([self.coef_, self.intercept_])
        names = column_names(range(self.n_features_in_), self._names())
        intercept = self._known_information().has_intercept
        return estimates_of(planes, covariance, names, self.classes_, intercept=intercept)

    def _profile(self, estimate: WeightEstimate, level: float, risk: Any, u: Array) -> tuple[float, float]:
        if np.isnan(estimate.error):
            return np.nan, np.nan
        A = risk.scaling.map_to_user()[:, : risk.shape[-1]]
        a = (estimate.a.reshape(len(self.intercept_), -1) @ A).ravel()
        reach = estimate.error if np.isfinite(estimate.error) else max(abs(estimate.value), 1.0) / 20
        low, high = profile_interval(risk, u, a, reach, float(norm.isf((1 - level) / 2)))
        return low, high

    def _free(self, risk: Any, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of all weights of a criterion are not those of some columns."""
        free = np.ones((len(self.intercept_), risk.shape[-1]), dtype=bool)
        free[:, places] = False
        return free.ravel()

    def _value_without(self, risk: Any, u: Array, places: NDArray[np.intp]) -> float:
        """A criterion minimised with the weights of some columns held at zero."""
        if places.size == self.n_features_in_ and not self._penalised_by_information():
            return null_deviance(risk) / 2
        free = self._free(risk, places)
        with single_threaded_blas():
            return free_minimum(risk, np.where(free, u, 0.0), free)

    def _degrees(self, risk: Any, places: NDArray[np.intp]) -> int:
        """How many weights are lost by leaving columns out: not those of columns that others determine."""
        free = self._free(risk, places)
        with single_threaded_blas():
            H = risk.hessian(np.zeros(free.size))
        lost = metric_of_scatter(H).rank - metric_of_scatter(H[np.ix_(free, free)]).rank
        return lost if self.classes_.size == 2 else lost * (self.classes_.size - 1) // self.classes_.size

    def _places(self, columns: Any) -> NDArray[np.intp]:
        if columns is None:
            return np.arange(self.n_features_in_)
        names = self._names() or ()
        listed = [columns] if isinstance(columns, str | int | np.integer) else list(columns)
        places = [names.index(c) if c in names else c for c in listed]
        bad = [c for c in places if not isinstance(c, int | np.integer) or not -1 < c < self.n_features_in_]
        if bad or not places:
            raise ValueError(
                f"{bad[0] if bad else columns!r} is not a column of the fit; name columns, or give their places"
            )
        return np.unique(np.array(places, dtype=np.intp))


def _source_of_intervals(kind: str, covariance: Array | None) -> str:
    if covariance is not None:
        return "standard errors of the covariance that was given"
    return "standard errors" if kind == "wald" else "profile likelihood"


# --- the likelihood of intercepts alone -----------------------------------------------------------------


def null_deviance(risk: Any) -> float:
    """−2 log-likelihood of intercepts alone, beside which that of a model is judged; of no weight without an intercept.

    Without offsets the best intercepts give every row the shares of the classes: −Σ_k n_k log(n_k/n).
    """
    if not risk.has_intercept:
        return 2.0 * float(risk.value_and_gradient(np.zeros(risk.n_weights))[0])
    if risk.offset is not None:
        return 2.0 * _least_beside_offsets(getattr(risk, "plain", risk))
    if isinstance(risk, SourceRisk):
        totals = risk.class_weights
    else:
        totals = np.bincount(risk.rows.codes, risk.rows.weights, risk.rows.classes.size).astype(np.float64)
    totals = totals[totals > 0]
    return -2.0 * float(totals @ np.log(totals / totals.sum()))


def _least_beside_offsets(risk: Any) -> float:
    """The criterion of the same labels and offsets with one column of zeros, at the best intercepts."""
    nothing = np.zeros((risk.rows.n_rows, 1))
    rows = replace(risk.rows, matrix=nothing, names=None)
    alone = replace(risk, rows=rows, penalty=0.0, given_scaling=ColumnScaling.centring(nothing, np.zeros(1)))
    free = np.zeros(alone.shape, dtype=bool)
    free[..., -1] = True
    return free_minimum(alone, np.zeros(alone.n_weights), free.ravel())
