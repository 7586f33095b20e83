"""A pair of rates, and what it means.

With class 1 the one whose rows may be misdetected (P_M) and class 2 the one that may give a false alarm (P_F), priors
P1, P2, and gains [[α, β], [γ, δ]] (true × assigned), the joint table and the expected gain are

    true 1:   P1(1 − P_M)   P1 P_M            E = −P_M P1(α − β) − P_F P2(δ − γ) + αP1 + δP2
    true 2:   P2 P_F        P2(1 − P_F)
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.reals import real_array

Array = NDArray[np.float64]


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
