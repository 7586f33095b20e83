"""The weights along a path of penalties: from none to many, each fit started at the one before."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from discriminant.learners.base import refuse_one_class
from discriminant.learners.class_weights import weighed_by_class
from discriminant.learners.weight_limits import WeightLimits, least_of_fit, penalties_of
from discriminant.optimise.composite.columns import ScaledColumns
from discriminant.optimise.composite.fits import Fit, best_intercept
from discriminant.optimise.composite.penalty import WeightPenalty
from discriminant.optimise.composite.working_set import CompositeOptimum
from discriminant.parameters import read_count, read_penalty, read_share, real_array
from discriminant.rows import ArrayRows, from_arrays
from discriminant.rows.threads import single_threaded_blas

Array = NDArray[np.float64]

_MOST_ITERATIONS = 1000


@dataclass(frozen=True, eq=False)
class AlphaPath:
    """The planes at each penalty, from the largest to the smallest.

    Attributes
    ----------
    alphas : the penalties α, falling.
    coef, intercept : the planes at each (m×K×d, m×K; one plane for two classes).
    gap : the relative duality gap of each.
    n_columns : how many columns have a weight in some plane.
    learner : what was fitted, unfitted.
    classes : in the order of their scores.

    Examples
    --------
    >>> from discriminant import LogisticRegression
    >>> path = alpha_path(LogisticRegression(l1_ratio=1.0), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], n_alphas=3)
    >>> path.coef.shape
    (3, 1, 1)
    """

    alphas: Array
    coef: Array
    intercept: Array
    gap: Array
    learner: Any
    classes: NDArray[Any]

    @property
    def n_columns(self) -> NDArray[np.intp]:
        """How many columns have a weight in some plane, at each penalty."""
        return np.asarray(self.coef.any(axis=1).sum(axis=1))

    def learner_at(self, alpha: float) -> Any:
        """The unfitted learner with this penalty.

        Parameters
        ----------
        alpha : a penalty.

        Returns
        -------
        estimator
            Unfitted.

        Examples
        --------
        >>> from discriminant import LogisticRegression
        >>> path = alpha_path(LogisticRegression(l1_ratio=1.0), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], n_alphas=3)
        >>> path.learner_at(0.5).alpha
        0.5
        """
        return clone(self.learner)._with_strength(float(alpha))

    def learners(self) -> dict[str, Any]:
        """An unfitted learner for each penalty: what `compare` takes to judge the path line by line.

        Returns
        -------
        dict
            By name, such as ``alpha=0.5``.

        Examples
        --------
        >>> from discriminant import LogisticRegression
        >>> path = alpha_path(LogisticRegression(l1_ratio=1.0), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], n_alphas=3)
        >>> list(path.learners())
        ['alpha=1', 'alpha=0.03162', 'alpha=0.001']
        """
        return {f"alpha={alpha:.4g}": self.learner_at(alpha) for alpha in self.alphas.tolist()}

    def scores(self, matrix: Any) -> Array:
        """The scores of rows at each penalty (m×n×K).

        Parameters
        ----------
        matrix : rows, n×d, dense or sparse.

        Returns
        -------
        ndarray
            m×n×K; one plane for two classes.

        Examples
        --------
        >>> from discriminant import LogisticRegression
        >>> path = alpha_path(LogisticRegression(l1_ratio=1.0), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], n_alphas=3)
        >>> path.scores(np.array([[1.5]])).shape
        (3, 1, 1)
        """
        m, k, d = self.coef.shape
        flat = np.asarray(matrix @ self.coef.reshape(m * k, d).T) + self.intercept.reshape(m * k)
        return flat.reshape(-1, m, k).transpose(1, 0, 2)


def alpha_path(
    learner: Any,
    X: Any,
    y: Any = None,
    *,
    alphas: Iterable[float] | None = None,
    n_alphas: int = 50,
    smallest: float = 1e-3,
    sample_weight: ArrayLike | None = None,
) -> AlphaPath:
    """The whole path of a learner with ``l1_ratio``: which columns enter, and with which weights, as α falls.

    Parameters
    ----------
    learner : `LogisticRegression`, `LeastSquaresClassifier`, or `LinearSVM` with the squared hinge, whose penalty is
        1/C. Its own ``alpha`` (or ``C``) is not looked at; ``l1_ratio``, ``bounds``, ``monotone``, ``class_weight`` and
        ``tol`` are.
    X, y : a table with its labels.
    alphas : the penalties; by default ``n_alphas`` from the smallest that leaves no column a weight down to a share of
        it, by equal factors.
    n_alphas : how many.
    smallest : the share of the largest penalty at which the path ends.
    sample_weight : of the rows.

    Returns
    -------
    AlphaPath
        Penalties, planes, gaps.

    Examples
    --------
    >>> from discriminant import LogisticRegression
    >>> path = alpha_path(LogisticRegression(l1_ratio=1.0), [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], n_alphas=3)
    >>> path.n_columns.tolist(), bool((path.gap <= 1e-8).all())
    ([0, 1, 1], True)
    """
    refuse_other_learners(learner)
    learner.check_parameters()
    rows = X if isinstance(X, ArrayRows) else from_arrays(X, y, sample_weight)
    return path_of_rows(learner, rows, alphas, n_alphas, smallest)


def refuse_other_learners(learner: Any) -> None:
    """Refuse what has no penalty along which weights enter."""
    if not hasattr(learner, "_fits"):
        raise TypeError(
            f"a path of penalties is of LogisticRegression, LeastSquaresClassifier or LinearSVM, not of a "
            f"{type(learner).__name__}"
        )


def fits_of(learner: Any, rows: ArrayRows) -> list[Fit]:
    """What a learner fits beside its penalty: all planes together, or each by itself."""
    fits: list[Fit] = learner._fits(rows, None)
    return fits


def path_of_rows(
    learner: Any, rows: ArrayRows, alphas: Iterable[float] | None, n_alphas: int = 50, smallest: float = 1e-3
) -> AlphaPath:
    """The path of checked rows."""
    refuse_one_class(rows.classes)
    large = rows.large_constants() if learner.fit_intercept else np.empty(0, np.intp)
    rows = weighed_by_class(rows.with_zeros(large), learner.class_weight)
    rows.refuse_extremes()
    limits, fits = WeightLimits.of(learner), fits_of(learner, rows)
    with single_threaded_blas(), np.errstate(over="ignore", invalid="ignore", under="ignore"):
        unit = limits.penalty(1.0, rows.names, rows.n_columns, rows.classes)
        columns = ScaledColumns.of(rows.matrix, bool(learner.fit_intercept))
        columns = columns.rescaled(unit.shared_scale(columns.scale))
        chosen = (
            _read_alphas(alphas) if alphas is not None else _falling_alphas(fits, columns, unit, n_alphas, smallest)
        )
        penalties = [limits.penalty(alpha, rows.names, rows.n_columns, rows.classes) for alpha in chosen]
        planes = zip(*(penalties_of(penalty, fits) for penalty in penalties), strict=True)
        paths = [_descend(fit, columns, own, float(learner.tol)) for fit, own in zip(fits, planes, strict=True)]
    return AlphaPath(
        chosen,
        np.array([np.vstack([path[i].coef for path in paths]) for i in range(len(chosen))]),
        np.array([np.concatenate([path[i].intercept for path in paths]) for i in range(len(chosen))]),
        np.array([max(path[i].gap for path in paths) for i in range(len(chosen))]),
        clone(learner),
        rows.classes,
    )


def _read_alphas(alphas: Iterable[float]) -> Array:
    values = real_array(list(alphas), "alphas")
    if values.ndim != 1 or not values.size:
        raise ValueError(f"alphas must be a list of penalties, got shape {values.shape}")
    for value in values.tolist():
        read_penalty(value, "each of alphas")
    return np.sort(values)[::-1]


def _falling_alphas(
    fits: list[Fit], columns: ScaledColumns, unit: WeightPenalty, n_alphas: int, smallest: float
) -> Array:
    """Penalties that fall by equal factors, from the one at which the first column enters."""
    read_count(n_alphas, "n_alphas")
    read_share(smallest, "smallest")
    if not unit.leaves_out:
        raise ValueError(
            "without l1_ratio no penalty is large enough to leave columns out; set l1_ratio, or give alphas"
        )
    largest = max(_entry_alpha(fit, columns, own) for fit, own in zip(fits, penalties_of(unit, fits), strict=True))
    if not largest > 0:
        raise ValueError("no column tells the classes apart at all; give alphas")
    return largest * np.geomspace(1.0, smallest, n_alphas)


def _entry_alpha(fit: Fit, columns: ScaledColumns, unit: WeightPenalty) -> float:
    """The least α that leaves all weights where they are without rows: |θ·x| ≤ αρ."""
    v = unit.scaled(columns.scale).nearest(np.zeros((fit.n_planes, columns.n_columns)))
    z = columns.scores(v, np.zeros(fit.n_planes))
    theta = fit.dual(z + best_intercept(fit, z)[:, None] if columns.intercept else z)
    return unit.least_strength(columns.correlations(theta) * columns.scale)


def _descend(
    fit: Fit, columns: ScaledColumns, penalties: Iterable[WeightPenalty], tol: float
) -> list[CompositeOptimum]:
    found: list[CompositeOptimum] = []
    for penalty in penalties:
        start = (found[-1].coef, found[-1].intercept) if found else None
        found.append(least_of_fit(fit, columns, penalty, tolerance=tol, max_iterations=_MOST_ITERATIONS, start=start))
    return found
