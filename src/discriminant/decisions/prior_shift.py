"""Posteriors where classes are more or less common than they were among the rows of the fit.

With the same p(x | k) but priors π′ in place of π,

    p′(k | x) ∝ p(k | x) π′_k/π_k.

Where π′ is not known, unlabelled rows tell it (Saerens, Latinne and Decaestecker 2002): the mean of the posteriors
under the true priors is those priors, and repeating

    π′ ← mean over rows of p′(k | x)

is the EM algorithm for their likelihood, which is concave in π′, so that it ends at the largest whatever the start.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.losses import log_softmax

Array = NDArray[np.float64]

_MOST_STEPS = 10_000


def shifted(log_posteriors: Array, priors: Array, new: Array) -> Array:
    """log p′(k | x) of rows, from log p(k | x) under ``priors``."""
    return log_softmax(log_posteriors, offsets=np.log(new / priors))


def estimated_priors(log_posteriors: Any, priors: Any, *, tol: float = 1e-8) -> Array:
    """The class probabilities under which unlabelled rows are most likely, from log p(k | x) under ``priors``.

    Stops when a step changes no probability by more than ``tol``.

    >>> estimated_priors(np.log([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.1, 0.9]]), [0.5, 0.5]).round(3).tolist()
    [0.757, 0.243]
    """
    old = np.asarray(priors, dtype=np.float64)
    logs = np.asarray(log_posteriors, dtype=np.float64)
    # p(x | k)/p(x) up to a factor of each row, which no step of the iteration sees
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True)) / old
    p = old
    for _ in range(_MOST_STEPS):
        joint = likelihood * p
        following = (joint / joint.sum(axis=1, keepdims=True)).mean(axis=0)
        moved = float(np.abs(following - p).max())
        p = following
        if moved <= tol:
            break
    return p
