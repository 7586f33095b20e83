"""Moments of a projection Y = w·X, and Fisher's criterion of it.

    Σ_YW = w·S_W w      Σ_YB = w·S_B w      Σ_Y = Σ_YW + Σ_YB      J(w) = Σ_YB / Σ_YW

Two conventions of S_B are in use: "weighted", Σ n_k(m_k − m)(m_k − m)′, which for two classes is (n₁n₂/n) times the
"plain" one, (m₂ − m₁)(m₂ − m₁)′. Both have the same best direction, and their J differ by that factor. With the plain
one J is the ratio of scalars (m₂ − m₁)²/(s₁² + s₂²) of the projected classes.
"""

from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.parameters import read_choice, real_array
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]

Between = Literal["weighted", "plain"]


def projected_moments(moments: ClassMoments, w: ArrayLike) -> ClassMoments:
    """The moments of one column, Y = w·X.

    Parameters
    ----------
    moments : of the columns X, with covariances.
    w : the direction to project on, of any length.

    Returns
    -------
    ClassMoments
        Of Y: ``means`` are w·m_k, ``within`` is Σ_YW = w·S_W w, ``between`` Σ_YB and ``total`` Σ_Y.

    Examples
    --------
    >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> y = projected_moments(m, [-2.5, 4])
    >>> y.means.ravel().tolist(), round(y.within.item(), 9), round(y.between.item(), 9)
    ([-2.0, 15.0], 17.0, 289.0)
    """
    direction = _direction(moments, w)
    scatter = np.einsum("i,kij,j->k", direction, moments.scatter, direction)
    remainders = None if moments.remainders is None else (moments.remainders @ direction)[:, None]
    return ClassMoments(
        moments.classes,
        moments.counts,
        (moments.means @ direction)[:, None],
        scatter[:, None, None],
        moments.per_class,
        remainders=remainders,
    )


def fisher_criterion(moments: ClassMoments, w: ArrayLike, *, between: Between = "weighted") -> float:
    """Fisher's criterion J(w) = w·S_B w / w·S_W w at any direction.

    Parameters
    ----------
    moments : class moments, of rows or of given parameters.
    w : the direction, of any length.
    between : "weighted" for S_B = Σ n_k(m_k − m)(m_k − m)′, as in ``criterion_`` of `FisherDiscriminant`; "plain" for
        (m₂ − m₁)(m₂ − m₁)′ of two classes, which makes J the ratio (m₂ − m₁)²/(s₁² + s₂²).

    Returns
    -------
    float
        J; infinite where the classes differ along w without any spread, NaN where they neither differ nor spread.

    Examples
    --------
    >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> round(fisher_criterion(m, [-2.5, 4]), 9)
    17.0
    >>> fisher_criterion(m, [-2, 3]) < 17  # the direction of the means
    True
    """
    read_choice(between, get_args(Between), "between")
    y = projected_moments(moments, w)
    if between == "plain" and len(y.means) != 2:
        raise ValueError(f"between='plain' is of two classes, and there are {len(y.means)}; take 'weighted'")
    apart = y.between.item() if between == "weighted" else float(np.diff(y.means[:, 0])[0]) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.float64(apart) / y.within.item())


def _direction(moments: ClassMoments, w: ArrayLike) -> Array:
    direction = real_array(w, "w")
    if direction.shape != (moments.n_columns,):
        raise ValueError(f"w must have {moments.n_columns} components, one for each column; got {direction.shape}")
    if not np.isfinite(direction).all() or not direction.any():
        raise ValueError("w must be finite and not zero: zero has no direction")
    if not moments.full:
        raise ValueError("a projection needs covariances; take moments with full=True")
    return direction
