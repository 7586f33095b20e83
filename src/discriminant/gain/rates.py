"""A pair of rates, and what it means.

With class 1 the one whose rows may be misdetected (P_M) and class 2 the one that may give a false alarm (P_F), priors
P1, P2, and gains [[α, β], [γ, δ]] (true × assigned), the joint table and the expected gain are

    true 1:   P1(1 − P_M)   P1 P_M            E = −P_M P1(α − β) − P_F P2(δ − γ) + αP1 + δP2
    true 2:   P2 P_F        P2(1 − P_F)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.parameters import read_priors, real_array

Array = NDArray[np.float64]


def stakes_of(matrix: Array) -> Array:
    """What a right answer earns beyond the wrong one, for rows of each of two classes (true × assigned)."""
    return np.array([matrix[0, 0] - matrix[0, 1], matrix[1, 1] - matrix[1, 0]])


def joint_table(misdetect: Any, false_alarm: Any, priors: Any, *, positive: int = 0) -> Array:
    """P(true, assigned), 2×2 (after any axes of the rates); ``positive`` is the place of the class to be detected.

    >>> joint_table(0.269, 0.5, [0.6, 0.4]).round(4).tolist()
    [[0.4386, 0.1614], [0.2, 0.2]]
    """
    p_m, p_f = np.broadcast_arrays(read_rates(misdetect, "misdetect"), read_rates(false_alarm, "false_alarm"))
    p = real_array(priors, "priors")
    first, second = p[positive], p[1 - positive]
    table = np.stack([first * (1 - p_m), first * p_m, second * p_f, second * (1 - p_f)], axis=-1)
    table = table.reshape(*p_m.shape, 2, 2)
    return table if positive == 0 else np.ascontiguousarray(table[..., ::-1, ::-1])


def gain_of_rates(misdetect: Array, false_alarm: Array, gain: Array, priors: Array, positive: int) -> Array:
    """E at each pair of rates, for gains and priors in one order of the classes."""
    i, j = positive, 1 - positive
    return np.asarray(
        -misdetect * (priors[i] * (gain[i, i] - gain[i, j]))
        - false_alarm * (priors[j] * (gain[j, j] - gain[j, i]))
        + (gain[i, i] * priors[i] + gain[j, j] * priors[j])
    )


def read_rates(value: Any, name: str) -> Array:
    """Numbers from 0 to 1."""
    rates = real_array(value, name)
    bad = ~((rates >= 0) & (rates <= 1))
    if bad.any():
        raise ValueError(f"{name} must lie between 0 and 1, got {rates[bad].flat[0]}")
    return rates


def points_of_rates(
    false_alarm: Any, misdetect: Any, priors: Any, thresholds: Any, classes: tuple[Any, Any]
) -> tuple[Any, ...]:
    """The fields of an `OperatingCurve` through given pairs of rates, from the highest θ down.

    Priors stand for the weights of the classes, so that detected is P1(1 − P_M) and alarms are P2 P_F.
    """
    p_f, p_m = read_rates(false_alarm, "false_alarm"), read_rates(misdetect, "misdetect")
    if p_f.ndim != 1 or p_f.shape != p_m.shape or p_f.size == 0:
        raise ValueError(f"give two lists of as many rates, at least one; got shapes {p_f.shape} and {p_m.shape}")
    theta = 1.0 - p_f if thresholds is None else real_array(thresholds, "thresholds")
    if theta.shape != p_f.shape:
        raise ValueError(f"there are {p_f.size} pairs of rates but {theta.size} thresholds")
    order = np.argsort(-theta, kind="stable")
    theta, p_f, p_m = theta[order], p_f[order], p_m[order]
    if (np.diff(theta) >= 0).any():
        raise ValueError(
            "two pairs have the same threshold (1 − P_F where none is given); give thresholds= that differ"
        )
    if (np.diff(p_f) < 0).any() or (np.diff(p_m) > 0).any():
        raise ValueError("as θ falls, P_F must not fall and P_M must not grow; these pairs are no operating curve")
    p = read_priors(priors, np.array(classes, dtype=object), np.ones(2))
    return theta, p[0] * (1.0 - p_m), p[1] * p_f, float(p[0]), float(p[1]), tuple(classes), classes[0], 0, False
