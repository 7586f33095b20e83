"""Weights with intervals: how far they would move if the rows had been others.

The rows are drawn anew with replacement (weights of 0, 1, 2, … to each row), the chosen learner is fitted again, and
the standard deviation of each weight over such fits, times 1.96, is its reach. Logistic regression by maximum
likelihood knows its standard errors already. Planes of learners without probabilities have an arbitrary length: all
are brought to length 1 before they are compared, and to that of the model after.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from discriminant.findings import FindingWarning
from discriminant.learners.logistic import LogisticRegression
from discriminant.learners.registry import LearnerEntry, known_learners
from discriminant.rows.threads import single_threaded_blas
from discriminant.study.rule import planes_of

Array = NDArray[np.float64]

_DRAWS = 100
_WORK = 60_000_000  # cells that all draws together may touch; with fewer than _FEWEST draws there are no intervals
_PRODUCTS = 10_000_000_000  # multiplications of all draws together, of learners that solve for all weights at once
_FEWEST = 20
_MOST_COLUMNS = 2000  # beyond, curvatures of all weights together take minutes
_REACH = 1.959963984540054


def weight_errors(
    name: str,
    learner: Any,
    X: Any,
    codes: NDArray[np.int32],
    weight: Array | None,
    seed: int,
    n_rows: int | None = None,
    length: float | None = None,
) -> tuple[Array | None, str]:
    """(standard errors P×d or None, how they were found or why not) of a fitted learner and its name.

    Where X holds rows drawn from the ``n_rows`` that the learner was fitted to, errors shrink with the root of them.
    ``length`` is that of the model's planes, where they were scaled.
    """
    K = int(codes.max()) + 1
    plain = isinstance(learner, LogisticRegression) and learner.alpha == 0 and not learner.firth
    if plain and K == 2 and X.shape[1] <= _MOST_COLUMNS:
        errors = _likelihood_errors(learner, X, codes, weight)
        if errors is not None and errors.shape == learner.coef_.shape and np.isfinite(errors).all():
            return errors, "95% intervals from the curvature of the likelihood"
    draws = _draws(known_learners()[name], X, K)
    if draws < _FEWEST or X.shape[1] > _MOST_COLUMNS:
        return None, "so many rows, columns and classes would have to be fitted many times over"
    with single_threaded_blas():
        planes = _refit_on_draw(learner, X, codes, weight, draws, seed)
    if len(planes) < _FEWEST:
        return None, "the learner fails on rows drawn anew"
    length = float(np.linalg.norm(planes_of(learner, K)[0])) if length is None else length
    unit = np.stack([w / np.linalg.norm(w) for w in planes])
    shrink = 1.0 if n_rows is None else float(np.sqrt(codes.size / n_rows))
    of = "the rows" if shrink == 1 else f"{codes.size:,} rows"
    how = f"95% intervals from {len(planes)} samples of {of}, drawn anew"
    how += "" if shrink == 1 else ", and made as narrow as those of all rows"
    return unit.std(axis=0, ddof=1) * length * shrink, how


def _likelihood_errors(
    learner: LogisticRegression, X: Any, codes: NDArray[np.int32], weight: Array | None
) -> Array | None:
    """Standard errors from the curvature that the fit kept, or from that of the rows where they are all there."""
    try:
        if not hasattr(learner, "standard_errors_"):
            learner.compute_information(X, codes, weight)
    except ValueError:  # some of the rows, which are not those of the fit
        return None
    return np.asarray(learner.standard_errors_, dtype=np.float64)


def _draws(entry: LearnerEntry, X: Any, K: int) -> int:
    """How many draws can be fitted while a person waits."""
    n, d = X.shape
    cells, passes = X.nnz if sparse.issparse(X) else n * d, entry.passes
    planes = 1 if K == 2 else K
    at_once = 0 if entry.row_by_row else n * d * min(n, d) * passes
    at_once *= planes * planes if entry.planes_together else 1  # the curvature of all planes together
    return int(min(_DRAWS, _WORK // max(cells * passes * planes, 1), _PRODUCTS // max(at_once, 1)))


def _refit_on_draw(
    learner: Any, X: Any, codes: NDArray[np.int32], weight: Array | None, draws: int, seed: int
) -> list[Array]:
    random = np.random.default_rng(seed)
    n, K = codes.size, int(codes.max()) + 1
    found = []
    for _ in range(draws):
        times = np.bincount(random.integers(n, size=n), minlength=n).astype(np.float64)
        drawn = times if weight is None else times * weight
        if (np.bincount(codes, weights=drawn, minlength=K) == 0).any():
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FindingWarning)  # of a sample; the model itself has told its own
            try:
                W, _ = planes_of(clone(learner).fit(X, codes, sample_weight=drawn), K)
            except (ValueError, ArithmeticError):
                continue
        if np.isfinite(W).all() and W.any():
            found.append(W)
    return found


def interval(weights: Array, errors: Array | None) -> tuple[Array, Array] | None:
    """95% intervals of weights."""
    return None if errors is None else (weights - _REACH * errors, weights + _REACH * errors)
