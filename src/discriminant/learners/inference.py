"""Standard errors, intervals and tests, for a learner that maximises a likelihood.

They are computed when asked for, from the criterion of the fit, which refers to its rows.
"""

import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm

from discriminant.cached import cached_property
from discriminant.findings import column_names
from discriminant.learners.likelihood import Estimate, LikelihoodRatioTest, Summary, covariance, estimates_of
from discriminant.linalg.metric import metric_of_scatter
from discriminant.optimise.profile import free_minimum, profile_interval
from discriminant.parameters import read_choice
from discriminant.rows import ArrayRows, Rows, in_memory
from discriminant.rows.threads import single_threaded_blas
from discriminant.statistics.source_risk import SourceRisk

Array = NDArray[np.float64]

MOST_WEIGHTS = 10_000  # whose covariance is 800 MB
MOST_STORED = 1000


class SpooledCriterion:
    """The criterion of rows that a fit had on its spool; they are spooled again for who asks more of them.

    So a model does not keep the space of its rows on disk. ``of_rows`` makes the criterion anew.
    """

    def __init__(self, source: Rows, of_rows: Callable[[ArrayRows], Any]) -> None:
        self._source = source
        self._of_rows = of_rows
        self._last: Callable[[], Any] = lambda: None

    def opened(self) -> Any:
        """The criterion itself, which lives as long as the caller holds it."""
        risk = self._last()
        if risk is None:
            risk = self._of_rows(in_memory(self._source, "An interval or a test"))
            self._last = weakref.ref(risk)
        return risk


class LikelihoodInference:
    """What `LogisticRegression` says of its estimates; ``_fitted`` is the criterion it minimised, and where."""

    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    n_features_in_: int
    log_likelihood_: float
    _fitted: tuple[Any, Array, float]  # criterion, weights in its coordinates, value

    @property
    def deviance_(self) -> float:
        """−2 log-likelihood."""
        return -2.0 * self.log_likelihood_

    @cached_property
    def null_deviance_(self) -> float:
        """The deviance of intercepts alone."""
        risk, u, _ = LikelihoodInference._criterion(self)
        return 2.0 * self._value_without(getattr(risk, "plain", risk), u, np.arange(self.n_features_in_))

    @cached_property
    def covariance_(self) -> Array:
        """The covariance of all weights, plane after plane, each with its intercept last."""
        risk, u, _ = self._criterion()
        if u.size > MOST_WEIGHTS:
            raise ValueError(f"the covariance of {u.size} weights is not computed; select columns")
        with single_threaded_blas():
            at_zero = risk.hessian(np.zeros_like(u))
            return covariance(risk.hessian(u), at_zero, risk.scaling.map_to_user(), len(self.intercept_))

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
        """Of Wald's test that an entry of coef_ is zero."""
        return np.asarray(2 * norm.sf(np.abs(self.coef_) / self.standard_errors_))

    def intervals(self, level: float = 0.95, kind: str = "wald") -> Array:
        """Confidence intervals (low, high), in the order of `summary`: the intercept, then the columns.

        "wald" is the estimate ∓ z standard errors; "profile" all values that a likelihood-ratio test does not reject,
        which is right with fewer rows. With K > 2 classes, of each class against the first, one after the other.
        """
        read_choice(kind, ("wald", "profile"), "kind")
        if not 0 < level < 1:
            raise ValueError(f"level must lie between 0 and 1, got {level!r}")
        if kind == "wald":
            return np.array([estimate.wald(level) for estimate in self._estimates()])
        risk, u, _ = self._criterion()
        with single_threaded_blas():
            return np.array([self._profile(estimate, level, risk, u) for estimate in self._estimates()])

    def likelihood_ratio_test(self, columns: Any = None) -> LikelihoodRatioTest:
        """Whether columns (names or places; all of them unless named) could be left out."""
        places = self._places(columns)
        risk, u, least = self._criterion()
        names = column_names(places.tolist(), self._names())
        value = self._value_without(risk, u, places)
        return LikelihoodRatioTest.of(-least, -value, self._degrees(risk, places), names)

    def summary(self, level: float = 0.95, kind: str = "wald") -> Summary:
        """The estimates as a table: standard errors, z, p, intervals; deviance and likelihood-ratio test below it."""
        risk = self._criterion()[0]  # held, so that rows are read once for all that follows
        ends, test = self.intervals(level, kind), self.likelihood_ratio_test()
        foot = (
            f"deviance {self.deviance_:.6g}, of intercepts alone {self.null_deviance_:.6g}",
            f"all columns: {test}",
            f"intervals by {'standard errors' if kind == 'wald' else 'profile likelihood'}",
        )
        return Summary.of(self._estimates(), ends, self._title(risk.n_rows), foot, level)

    def __getstate__(self) -> Any:
        """A copy on disk holds what the rows have said of the estimates, but not the rows."""
        if "_fitted" in self.__dict__ and self._fitted[1].size <= MOST_STORED and not self.__dict__.get("alpha"):
            _ = self.null_deviance_
            if not isinstance(self._fitted[0], SourceRisk | SpooledCriterion):  # which would read its rows once more
                _ = self.covariance_
        state: Any = super().__getstate__()  # type: ignore[misc, unused-ignore]
        return {name: value for name, value in state.items() if name != "_fitted"}

    # --- from the criterion -----------------------------------------------------------------------------

    def _criterion(self) -> tuple[Any, Array, float]:
        """What was minimised; a learner refuses where it is no likelihood."""
        if "_fitted" not in self.__dict__:
            raise AttributeError("this model was stored without its rows; fit it again to ask more of them")
        risk, u, value = self._fitted
        return (risk.opened() if isinstance(risk, SpooledCriterion) else risk), u, value

    def _title(self, n_rows: int) -> str:
        raise NotImplementedError

    def _names(self) -> tuple[str, ...] | None:
        names: tuple[str, ...] | None = self.column_names_in()  # type: ignore[attr-defined]
        return names

    def _errors(self) -> Array:
        return np.sqrt(np.diagonal(self.covariance_)).reshape(len(self.intercept_), -1)

    def _estimates(self) -> tuple[Estimate, ...]:
        planes = np.column_stack([self.coef_, self.intercept_])
        names = column_names(range(self.n_features_in_), self._names())
        return estimates_of(planes, self.covariance_, names, self.classes_)

    def _profile(self, estimate: Estimate, level: float, risk: Any, u: Array) -> tuple[float, float]:
        if np.isnan(estimate.error):
            return np.nan, np.nan
        a = (estimate.a.reshape(len(self.intercept_), -1) @ risk.scaling.map_to_user()).ravel()
        reach = estimate.error if np.isfinite(estimate.error) else max(abs(estimate.value), 1.0) / 20
        low, high = profile_interval(risk, u, a, reach, float(norm.isf((1 - level) / 2)))
        return low, high

    def _free(self, places: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Which of all weights are not those of some columns."""
        free = np.ones((len(self.intercept_), self.n_features_in_ + 1), dtype=bool)
        free[:, places] = False
        return free.ravel()

    def _value_without(self, risk: Any, u: Array, places: NDArray[np.intp]) -> float:
        """A criterion minimised with the weights of some columns held at zero."""
        free = self._free(places)
        null = risk.null_value() if places.size == self.n_features_in_ else None
        if null is not None:
            return null
        with single_threaded_blas():
            return free_minimum(risk, np.where(free, u, 0.0), free)

    def _degrees(self, risk: Any, places: NDArray[np.intp]) -> int:
        """How many weights are lost by leaving columns out: not those of columns that others determine."""
        free = self._free(places)
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
