"""Class probabilities from the probabilities of pairs: the second method of Wu, Lin and Weng (2004).

Given r_ij, the probability of i against j alone (r_ij + r_ji = 1),

    minimise  Σ_i Σ_{j≠i} (r_ji p_i − r_ij p_j)²   subject to  Σ p_i = 1,

which is zero where the pairs agree with one another: r_ij = p_i/(p_i + p_j). The sum is 2p′Qp with

    Q_ii = Σ_{s≠i} r_si²,    Q_ij = −r_ji r_ij,

and its minimum under the constraint is p ∝ (Q + ee′)⁻¹e, with e the vector of ones. Q + ee′ is positive definite
whatever the r_ij in [0, 1], and p is never negative.
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_BLOCK_NUMBERS = 1 << 20


def couple_pairs(second: Array, n_classes: int) -> Array:
    """P(class) of each row (n×K) from the probability of the second class of each pair (n × K(K−1)/2).

    >>> couple_pairs(np.array([[0.3 / 0.8, 0.2 / 0.7, 0.2 / 0.5]]), 3).round(9).tolist()
    [[0.5, 0.3, 0.2]]
    """
    step = max(_BLOCK_NUMBERS // n_classes**2, 1)
    parts = [_coupled_block(second[a : a + step], n_classes) for a in range(0, len(second), step)]
    return np.vstack(parts) if parts else np.empty((0, n_classes))


def _coupled_block(second: Array, n_classes: int) -> Array:
    i, j = np.triu_indices(n_classes, 1)
    r = np.zeros((len(second), n_classes, n_classes))
    r[:, i, j] = 1.0 - second
    r[:, j, i] = second
    Q = -r * r.transpose(0, 2, 1)
    Q[:, range(n_classes), range(n_classes)] = (r * r).sum(axis=1)
    ones = np.ones((len(second), n_classes, 1))
    p = np.maximum(np.linalg.solve(Q + 1.0, ones)[:, :, 0], 0.0)  # below zero by rounding alone
    return np.asarray(p / p.sum(axis=1, keepdims=True))
