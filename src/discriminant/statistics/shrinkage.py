"""Ledoit and Wolf's shrinkage intensity, from sums.

For centred rows z of total weight n, S = Σω zz′/n and μ = tr S/d, the target is μI and the best intensity is

    s = min(β, δ)/δ,   β = (Σω‖z‖⁴/n − ‖S‖²)/n,   δ = ‖S‖² − dμ²        (squared Frobenius norms).

Ledoit, O. and Wolf, M. (2004), A well-conditioned estimator for large-dimensional covariance matrices.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def ledoit_wolf_intensity(n: Any, d: int, trace: Any, squared_norm: Any, quartic: Any) -> Any:
    """s from n, tr W, ‖W‖² and Σω‖z‖⁴ of a scatter W = nS; works on arrays of them too."""
    S2 = squared_norm / n / n  # n² may be too small, or too large, for a float
    beta = (quartic / n - S2) / n
    delta = S2 - (trace / n) ** 2 / d
    with np.errstate(divide="ignore", invalid="ignore"):
        s = np.where(delta > 0, np.minimum(beta, delta) / delta, 0.0)
    return np.clip(s, 0.0, 1.0)
