"""Learners that take the rows one after another: what the perceptron, the pocket and Adaline share.

Several classes are learnt one against the rest; each plane is a problem between two classes.
"""

from abc import abstractmethod
from copy import deepcopy
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if

from discriminant.findings import Finding, TraceCut, warn_of
from discriminant.learners.base import LinearClassifier, refuse_one_class, unchanged_on_error
from discriminant.learners.class_weights import check_class_weight, learns_in_parts, weighed_by_class, weighed_part
from discriminant.optimise.sequential.perceptron import PerceptronState
from discriminant.optimise.sequential.row_order import RowOrder
from discriminant.optimise.traces import Trace
from discriminant.parameters import read_choice, read_count, read_flag, real_array
from discriminant.rows import ArrayRows, in_memory
from discriminant.rows.memory import LARGEST_SUMMED
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]

Start = Literal["zeros", "random"] | ArrayLike


class SequentialLearner(LinearClassifier):
    """Reads and checks rows, starts the weights, puts the rows into an order; a subclass learns."""

    init: Any
    max_iter: int
    fit_intercept: bool
    class_weight: Any
    warm_start: bool
    random_state: Any

    _state: Any  # what learning goes on from
    _fixed: tuple[str, ...] = ()  # parameters that may not change once learning has begun
    _begun_with: dict[str, Any]

    @abstractmethod
    def _begin(self, start: Array) -> Any:
        """The state before the first row, at augmented weights (planes × (d+1))."""

    @abstractmethod
    def _advance(self, rows: ArrayRows, visits: RowOrder, max_epochs: int) -> None:
        """Move the state on by some epochs and set the attributes."""

    @abstractmethod
    def _findings(self, rows: ArrayRows) -> tuple[Finding, ...]:
        """The findings after a fit."""

    def check_parameters(self) -> None:
        """Refuse parameters that make no sense before touching any row."""
        if isinstance(self.init, str) or np.ndim(self.init) == 0:
            read_choice(self.init, ("zeros", "random", "the weights to start from"), "init")
        read_count(self.max_iter, "max_iter")
        check_class_weight(self.class_weight)
        read_flag(self.fit_intercept, "fit_intercept")
        read_flag(self.warm_start, "warm_start")

    def _shuffled(self) -> bool:
        """Whether rows are visited in random order."""
        return False

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from a table with its labels, or from a rows source alone.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        with unchanged_on_error(self):
            rows = self.read_rows(X, y, sample_weight, reset=True)
            refuse_one_class(rows.classes)
            rows = weighed_by_class(rows, self.class_weight).recoded(rows.classes)
            if self.fit_intercept:  # constants that can be summed are part of the rule as it is given
                rows = rows.with_zeros(rows.large_constants(LARGEST_SUMMED))
            rows.refuse_extremes()
            self._learn(rows, shuffled=self._shuffled(), max_epochs=int(self.max_iter), anew=True)
            self.findings_ = self._findings(rows)
        warn_of(self.findings_)
        return self

    def _learn(self, rows: ArrayRows, *, shuffled: bool, max_epochs: int, anew: bool) -> None:
        random = check_random_state(self.random_state)
        seed = random.randint(2**31 - 1)
        visits = RowOrder.of(rows, shuffled=shuffled, seed=seed, intercept=bool(self.fit_intercept))
        if anew:
            self.classes_ = rows.classes
            self._begun_with = {name: getattr(self, name) for name in self._fixed}
            self._state = self._begin(self._start(rows, random))
        with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore"):
            self._advance(rows, visits, max_epochs)
        if not (np.isfinite(self.coef_).all() and np.isfinite(self.intercept_).all()):
            raise ValueError("the weights overflow, though no value is too large; take a smaller eta")

    def _start(self, rows: ArrayRows, random: np.random.RandomState) -> Array:
        """Augmented weights to start from; without an intercept the last of them is zero, and stays so."""
        start = self._starting_weights(rows, random)
        if not self.fit_intercept:
            start[:, -1] = 0.0
        return start

    def _starting_weights(self, rows: ArrayRows, random: np.random.RandomState) -> Array:
        shape = len(positive_codes(rows.classes.size)), rows.n_columns + 1
        if self.warm_start and self.__dict__.get("coef_", np.empty(0)).shape == (shape[0], shape[1] - 1):
            return np.column_stack([self.coef_, self.intercept_])
        if not isinstance(self.init, str):
            return _given_start(self.init, shape, bool(self.fit_intercept))
        return np.zeros(shape) if self.init == "zeros" else np.asarray(random.standard_normal(shape))

    def _set_planes(self, weights: Array) -> None:
        """coef_ and intercept_ from augmented weights."""
        self.coef_ = weights[:, :-1].copy()
        self.intercept_ = weights[:, -1].copy()


class ContinuedLearner(SequentialLearner):
    """A sequential learner that can go on with more rows."""

    def _refuse_changes(self, classes: Any) -> None:
        for name, value in self._begun_with.items():
            now = getattr(self, name)
            if now is not value and now != value:
                raise ValueError(f"{name} was {value!r} when learning began and cannot change to {now!r}")
        if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), self.classes_):
            raise ValueError(f"classes were {self.classes_.tolist()} when learning began, and are now {classes!r}")

    @available_if(learns_in_parts)
    def partial_fit(self, X: Any, y: Any = None, classes: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """One epoch over these rows, in the order they come, from the weights there are.

        The first call must name all ``classes``, unless its rows hold them all.

        Parameters
        ----------
        X, y, sample_weight : a table with its labels and weights of rows, or a rows source alone.
        classes : all classes there will be; the first call may name them before it has rows of each.

        Returns
        -------
        Self
            This model, fitted.
        """
        self.check_parameters()
        with unchanged_on_error(self):
            first = "_state" not in self.__dict__
            rows = self.read_rows(X, y, sample_weight, reset=first)
            declared = _with_declared_classes(rows, classes) if first else self.classes_
            rows = _only_classes(in_memory(weighed_part(rows, self.class_weight), type(self).__name__), declared)
            rows.refuse_extremes()
            if not first:
                self._refuse_changes(classes)
                self._state = deepcopy(self._state)  # so that an interrupted call leaves the old one
            self._learn(rows, shuffled=False, max_epochs=1, anew=first)
            self.findings_ = ()
        return self


class MistakeDriven:
    """The attributes of a learner that learns from mistakes."""

    mistakes_: NDArray[np.int64]

    def _report_states(self, states: list[PerceptronState]) -> None:
        """Set what is said of all planes; a plane that was done early made no mistakes afterwards."""
        self.n_iter_ = max(len(state.mistakes) for state in states)
        self.mistakes_ = np.sum([np.pad(c.mistakes, (0, self.n_iter_ - len(c.mistakes))) for c in states], axis=0)
        self.n_updates_ = int(self.mistakes_.sum())
        self.converged_ = all(state.converged for state in states)


def _given_start(init: Any, shape: tuple[int, int], intercept: bool) -> Array:
    """Weights and the intercept −θ last, a row for each plane; one row may come as a list."""
    weights = real_array(init, "init")
    if weights.reshape(-1, weights.shape[-1]).shape != shape or weights.ndim > 2:
        planes, size = shape
        wanted = f"{size - 1} weights and the intercept, {size} numbers" + (
            f", for each of {planes} planes" * (planes > 1)
        )
        raise ValueError(f"init must hold {wanted}; got an array of shape {weights.shape}")
    if not np.isfinite(weights).all():
        raise ValueError("init holds NaN or infinity; weights to start from must be finite")
    start = weights.reshape(shape).copy()
    if not intercept and start[:, -1].any():
        raise ValueError("init ends with an intercept, and fit_intercept=False has none; let its last number be 0")
    return start


def one_or_all(values: list[Any]) -> Any:
    """What there is one of for one plane, and of more planes all: an array of numbers, a tuple of anything else."""
    if len(values) == 1:
        return values[0]
    return np.array(values) if isinstance(values[0], int | float) else tuple(values)


def trace_findings(traces: list[Trace]) -> tuple[Finding, ...]:
    """Whether steps are missing."""
    if all(trace.complete for trace in traces):
        return ()
    kept = max(len(trace) for trace in traces)
    return (TraceCut("The trace is not complete", f"It holds the first {kept} updates", "Trace fewer epochs"),)


def positive_codes(n_classes: int) -> list[int]:
    """The class on the positive side of each plane: the second of two, each of more."""
    return [1] if n_classes == 2 else list(range(n_classes))


def _with_declared_classes(rows: ArrayRows, classes: Any) -> NDArray[Any]:
    declared = rows.classes if classes is None else np.unique(np.asarray(classes))
    if declared.size >= 2:
        return declared
    if classes is not None:
        raise ValueError(f"classes must name two classes or more, got {classes!r}")
    raise ValueError(
        f"the first rows hold one class only ({declared.tolist()[0]!r}); name all of them: "
        "partial_fit(X, y, classes=[...])"
    )


def _only_classes(rows: ArrayRows, classes: NDArray[Any]) -> ArrayRows:
    """The rows with codes that refer to these classes."""
    known = set(classes.tolist())
    unknown = [label for label in rows.classes.tolist() if label not in known]
    if unknown:
        raise ValueError(
            f"y holds class {unknown[0]!r}, which is not among the classes {classes.tolist()} of the first call"
        )
    return rows.recoded(classes)
